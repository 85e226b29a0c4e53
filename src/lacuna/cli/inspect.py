"""``lacuna inspect``: show what is inside a model file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import print_json, print_table, printable, say
from lacuna.cli.corpora import CorpusOptions, JsonOption, ModelArgument, reading
from lacuna.cli.results import write_picture
from lacuna.errors import ConfigError
from lacuna.io.writing import whole_file

if TYPE_CHECKING:
    from lacuna.models.base import Card, Tagger
    from lacuna.models.facts import Facts
    from lacuna.text.document import Document


@dataclass(frozen=True, slots=True)
class Questions:
    """What to show of a model."""

    features: Annotated[
        int, typer.Option(min=0, help="How many of the strongest features of each tag to show.")
    ] = 5
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help="Also draw how tags follow one another, or the sub-tags around --label.",
        ),
    ] = None
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="CORPUS",
            help="Annotated documents, to show what the hidden states of a class-hmm or dp-hmm"
            " represent.",
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option("--label", help="Only show what leads to this label and follows it (dp-hmm)."),
    ] = None
    rules_file: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Also write the rules of a model of large categories as TOML, for editing and"
            " train --rules.",
        ),
    ] = None


def inspect_command(
    model: ModelArgument,
    *,
    questions: Questions,
    as_json: JsonOption = False,
) -> None:
    """Show what is inside a model file: its card, its settings and what it has learnt."""
    from lacuna.models.facts import Inspection
    from lacuna.models.file import file_digest, read_model
    from lacuna.models.registry import load
    from lacuna.pictures.model_picture import model_picture

    stored, tagger = read_model(model), load(model)
    words = list(dict.fromkeys(tagger.held_words()))
    documents = _read(questions.corpus or [])
    inspection = Inspection(words, questions.features, documents, questions.label)
    facts = tagger.facts(inspection)
    _check_answers(facts, questions)
    if questions.rules_file is not None:
        _save_rules(tagger, questions.rules_file)
    if questions.svg is not None:
        if (drawn := model_picture(stored.kind, tagger, inspection)) is None:
            raise ConfigError(f"a {stored.kind} model is not a chain and cannot be drawn")
        write_picture(questions.svg, drawn)
    digest, size = file_digest(model), model.stat().st_size
    _warn(tagger, words, facts)
    if as_json:
        print_json(
            {
                "kind": stored.kind,
                "sha256": digest,
                "bytes": size,
                "labels": list(tagger.labels),
                **stored.header,
                "card": tagger.card,
                "words": len(words),
                **facts.values,
            }
        )
        return
    say(f"{stored.kind} model, {size:,} bytes, SHA-256 {digest}")
    _show_cards(tagger)
    for table in facts.tables:
        _show(*table)
    for remark in facts.remarks:
        say(remark)


def _warn(tagger: Tagger, words: list[str], facts: Facts) -> None:
    """Say what of the training text can be read in the file."""
    if words:
        say(
            f"warning: this model contains {len(words):,} words of its training text;"
            f" train {tagger.core().leaves_words_out} leaves them out"
        )
    for warning in facts.warnings:
        say(f"warning: {warning}")


def _read(corpus: list[str]) -> list[Document]:
    if not corpus:
        return []
    with reading(corpus, CorpusOptions()) as documents:
        return list(documents)


def _check_answers(facts: Facts, questions: Questions) -> None:
    """Refuse options that do not apply to this kind of model."""
    if questions.corpus and "states" not in facts.values:
        raise ConfigError(
            "--corpus is for class-hmm and dp-hmm models: others have no hidden states to show"
        )
    if questions.label is not None and "cues" not in facts.values:
        raise ConfigError("--label is for dp-hmm models: others have no sub-tags to show")


def _save_rules(tagger: Tagger, path: Path) -> None:
    """Write the rules of a model of large categories as a TOML file."""
    from lacuna.models.with_rules import rules_of
    from lacuna.models.with_rules.rules_file import write_rules

    rules = rules_of(tagger)
    if not rules:
        raise ConfigError("the model has no rules; train it with --set level=category")
    with whole_file(path) as stream:
        stream.write(write_rules(rules).encode())
    say(f"rules → {path}")


def _card_rows(card: Card, labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from [
        ("data", ", ".join(card.data) or "not named"),
        ("documents", f"{card.documents:,}"),
        ("tokens", f"{card.tokens:,}"),
        *([("tokens of raw text", f"{card.raw_tokens:,}")] if card.raw_tokens else []),
        ("labels", ", ".join(labels)),
        *((f"mentions of {label}", f"{count:,}") for label, count in card.mentions.items()),
        ("iterations", f"{card.iterations:,}"),
        *((f"F1, {score.how}", f"{score.f1:.4f}") for score in card.scores),
        ("licence", card.licence or "not given"),
        ("made by lacuna", card.version),
    ]


def _show_cards(tagger: Tagger) -> None:
    """Print the card of a model, then those of the models that it was adapted from."""
    title, labels = "model card", tagger.labels
    for card in tagger.card.lineage():
        _show(title, ("", "value"), _card_rows(card, labels), (1,))
        title = "adapted from"
        labels = () if card.adapted_from is None else tuple(card.adapted_from.mentions)


def _show(
    title: str,
    header: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    text_columns: tuple[int, ...] = (),
) -> None:
    """Print a table, without control characters from the file."""
    shown = [
        tuple(
            _printable_lines(cell) if column in text_columns else printable(cell)
            for column, cell in enumerate(row)
        )
        for row in rows
    ]
    print_table(printable(title), header, shown, text_columns=text_columns)


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
