"""What the hidden states of a model stand for, as tables: part of ``lacuna inspect``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lacuna.cli.console import print_table, printable

if TYPE_CHECKING:
    from lacuna.models.chain import ChainTagger
    from lacuna.models.class_hmm.states import Share
    from lacuna.text.document import Document

TOP = 6


def state_facts(model: ChainTagger, documents: Sequence[Document]) -> dict[str, Any]:
    """Return facts about each state in `documents`, and how states divide each label."""
    from lacuna.encoding.flat import tag_document
    from lacuna.models.class_hmm.states import describe_states, known_names, name_split

    tagged = [tag_document(document) for document in documents]
    splits = {
        label: name_split(model, tagged, known_names(tagged, label), label=label)
        for label in model.labels
    }
    return {
        "states": [facts._asdict() for facts in describe_states(model, tagged, top=TOP)],
        "split": {label: split._asdict() for label, split in splits.items()},
    }


def show_states(facts: dict[str, Any]) -> None:
    """Print the facts of :func:`state_facts`, if there are any."""
    if not facts:
        return
    for state in facts["states"]:
        rows = [
            (what, printable(_shares(state[what])))
            for what in ("words", "shapes", "places", "before", "after")
            if state[what]
        ]
        title = f"state {state['name']}: {state['tokens']:,} tokens"
        print_table(title, ("", "most often"), rows, text_columns=(1,))
    print_table(
        "do states tell the first from the last word of a mention?",
        ("label", "bits", "of at most"),
        [
            (printable(label), f"{split['bits']:.3f}", f"{split['most_bits']:.3f}")
            for label, split in facts["split"].items()
        ],
    )
    print_table(
        "words that stand only first, or only last, in mentions of several words",
        ("state", "first", "last", "first, alone", "last, alone"),
        [row for split in facts["split"].values() for row in _names(split)],
    )


def _shares(shares: Sequence[Share]) -> str:
    return ", ".join(f"{name} {share:.0%}" for name, share in shares)


def _names(split: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for (name, *own), (_, *alone) in zip(split["states"], split["alone"], strict=True):
        yield (printable(name), *(f"{count:,}" for count in (*own, *alone)))
