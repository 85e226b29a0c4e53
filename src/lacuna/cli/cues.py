"""Which words announce and follow mentions, as tables and a picture: part of ``lacuna inspect``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lacuna.cli.console import print_table, printable, say
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.models.dp_hmm.cues import Cue, Neighbour, SubTags, Typical
    from lacuna.text.document import Document

TITLES = {
    "before": ("what announces mentions: sub-tags outside", "lead to it", "after"),
    "after": ("what follows mentions: sub-tags outside", "follow it", "before"),
}


def find_subtags(
    model: object, documents: Sequence[Document], words: Sequence[str], label: str | None
) -> SubTags | None:
    """Return the sub-tags of a model that has some, named by the words of documents and others."""
    from lacuna.models.dp_hmm import DpHmmModel
    from lacuna.models.dp_hmm.cues import SubTags
    from lacuna.text.document import Document

    if not isinstance(model, DpHmmModel):
        if label is not None:
            raise ConfigError("--label is for dp-hmm models: others have no sub-tags to show")
        return None
    held = [Document("words", "\n".join(words))] if words else []
    found = SubTags.of(model, [*documents, *held])
    if label is not None:
        found.of_label(label)
    return found


def find_cues(subtags: SubTags, labels: Sequence[str]) -> list[Cue]:
    """Return what announces and what follows each label."""
    from lacuna.models.dp_hmm.cues import SIDES

    return [cue for label in labels for side in SIDES for cue in subtags.cues(label, side)]


def subtag_picture(kind: str, subtags: SubTags, label: str) -> str:
    """Draw the sub-tags around a label."""
    from lacuna.pictures.subtag_graph import subtag_graph

    return subtag_graph(subtags, label, title=f"{kind}: sub-tags around {label}")


def cues_as_json(cues: Sequence[Cue]) -> list[dict[str, Any]]:
    """Return cues as JSON values."""
    return [
        cue._asdict()
        | {
            "words": [word._asdict() for word in cue.words],
            "beyond": [
                other._asdict() | {"words": [word._asdict() for word in other.words]}
                for other in cue.beyond
            ],
        }
        for cue in cues
    ]


def show_cues(cues: Sequence[Cue], *, named: bool) -> None:
    """Print cues as two tables; `named` says whether any words are known."""
    for side, (title, share, beyond) in TITLES.items():
        rows = [_row(cue) for cue in cues if cue.side == side]
        header = ("label", "sub-tag", share, "lift", "typical words", beyond)
        print_table(title, header, rows, text_columns=(4, 5))
    if not named:
        say(
            "words are not shown: this model knows them as hashes; name them with"
            " --corpus and documents like those it was trained on"
        )


def _row(cue: Cue) -> tuple[str, ...]:
    return (
        printable(cue.label),
        printable(cue.state),
        f"{cue.share:.1%}",
        f"×{cue.lift:.0f}",
        _words(cue.words),
        "\n".join(map(_neighbour, cue.beyond)),
    )


def _words(words: Sequence[Typical]) -> str:
    return "\n".join(f"{printable(word.name)} {word.share:.0%} ×{word.lift:.0f}" for word in words)


def _neighbour(other: Neighbour) -> str:
    words = " · ".join(printable(word.name) for word in other.words)
    return f"{printable(other.state)} {other.share:.0%}" + (f": {words}" if words else "")
