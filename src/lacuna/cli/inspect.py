"""``lacuna inspect``: what a model file holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, printable, say
from lacuna.cli.corpora import JsonOption

if TYPE_CHECKING:
    from lacuna.models.card import Card
    from lacuna.models.crf import CrfModel
    from lacuna.models.kinds import Model

MOVES_SHOWN = 20


def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    features: Annotated[
        int, typer.Option(min=0, help="How many of the strongest features of each tag to show.")
    ] = 5,
    as_json: JsonOption = False,
) -> None:
    """Show what a model is: its card, settings, templates, strongest features and moves."""
    from lacuna.models.kinds import load
    from lacuna.models.storage import file_digest, read_model, unpack_strings

    stored = read_model(model)
    tagger = load(model)
    passes = _passes(tagger)
    words = unpack_strings(passes[0][1].words, source=str(model))
    digest, size = file_digest(model), model.stat().st_size
    if words:
        say(
            f"warning: this model holds {len(words):,} words of its training text;"
            " train --private leaves them out"
        )
    strongest = {name: _strongest(crf, words, features) for name, crf in passes}
    if as_json:
        facts = {
            "kind": stored.kind,
            "sha256": digest,
            "bytes": size,
            "labels": list(tagger.labels),
            **stored.header,
            "card": tagger.card,
            "words": len(words),
            "private": bool(passes[0][1].index.plan.key),
            "strongest": strongest if len(passes) > 1 else strongest[""],
        }
        print_json(facts)
        return
    say(f"{stored.kind} model, {size:,} bytes, SHA-256 {digest}")
    _show_card(tagger.card, tagger.labels)
    for name, crf in passes:
        _show_crf(f"{name} pass: " if name else "", crf, strongest[name])


def _passes(model: Model) -> list[tuple[str, CrfModel]]:
    """Return the CRFs that a model is made of, by name; the first holds the words."""
    from lacuna.models.two_pass import PASSES, TwoPassModel

    if isinstance(model, TwoPassModel):
        return list(zip(PASSES, (model.first, model.second), strict=True))
    return [("", model)]


def _strongest(model: CrfModel, words: list[str], count: int) -> dict[str, list[Any]]:
    from lacuna.models.vocabulary import strongest_features

    found = strongest_features(model, words, count=count)
    return {
        tag: [feature._asdict() for feature in best]
        for tag, best in zip(model.tags, found, strict=True)
    }


def _card_rows(card: Card, labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from [
        ("data", ", ".join(card.data) or "not named"),
        ("documents", f"{card.documents:,}"),
        ("tokens", f"{card.tokens:,}"),
        ("labels", ", ".join(labels)),
        *((f"mentions of {label}", f"{count:,}") for label, count in card.mentions.items()),
        ("iterations", f"{card.iterations:,}"),
        *((f"F1, {score.how}", f"{score.f1:.4f}") for score in card.scores),
        ("licence", card.licence or "not given"),
        ("made by lacuna", card.version),
    ]


def _show_card(card: Card | None, labels: Iterable[str]) -> None:
    """Print a card, and below it those of the models that this one was adapted from."""
    title = "model card"
    while card is not None:
        _show(title, ("", "value"), _card_rows(card, labels))
        title, card = "adapted from", card.adapted_from
        labels = () if card is None else card.mentions


def _show_crf(name: str, model: CrfModel, strongest: dict[str, list[Any]]) -> None:
    config = msgspec.to_builtins(model.config)
    _show(f"{name}settings", ("setting", "value"), [(k, str(v)) for k, v in config.items()])
    templates = [(str(template),) for template in model.index.plan.templates]
    _show(f"{name}templates", ("template",), templates)
    rows = [
        (f"{tag}: {feature['name']}", f"{feature['weight']:+.3f}")
        for tag, best in strongest.items()
        for feature in best
    ]
    _show(f"{name}strongest features of single words", ("tag: feature", "weight"), rows)
    moves = np.argsort(-np.abs(model.moves), axis=None, kind="stable")[:MOVES_SHOWN]
    pairs = [divmod(int(place), len(model.tags)) for place in moves]
    rows = [(f"{model.tags[i]} → {model.tags[j]}", f"{model.moves[i, j]:+.3f}") for i, j in pairs]
    _show(f"{name}strongest moves", ("from → to", "weight"), rows)


def _show(title: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table; what comes from a file must not steer the terminal."""
    print_table(title, header, [tuple(map(printable, row)) for row in rows])
