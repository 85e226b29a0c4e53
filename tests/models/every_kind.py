"""A small model of each kind in the registry, wrappers included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache

from lacuna import Crf, Document
from lacuna.models.base import Tagger
from lacuna.models.registry import trainable
from lacuna.models.settings import configure
from lacuna.models.trigram_hmm import TrigramHmm
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.part_of_speech import joined
from lacuna.pipeline.training import train_model
from lacuna.text.tokens import tokens_of
from lacuna.types import Task
from tests.models.examples import corpus

NOTES = corpus(10)  # of two notes per patient
FEW = Crf(iterations=10)


def plain(kind: str) -> Tagger:
    """Train a model that wraps no other, with settings that make training fast."""
    record = trainable()[kind].config
    few = ["iterations=20"] if "iterations" in {field.name for field in fields(record)} else []
    return train_model(NOTES, configure(record, few))


def with_pos() -> Tagger:
    tagger = train_model(
        [_with_parts_of_speech(note) for note in NOTES], TrigramHmm(), task=Task.POS
    )
    assert isinstance(tagger, PosTagger)
    return joined(tagger, train_model(tagger.find(NOTES), replace(FEW, columns=("pos",))))


def _with_parts_of_speech(document: Document) -> Document:
    tokens = tokens_of(document)
    tags = tuple("NP" if word[0].isupper() else word[-1] for word in tokens.words(document.text))
    return replace(document, tokens=replace(tokens, columns={"pos": tags}))


WRAPPERS: dict[str, Callable[[], Tagger]] = {
    "two-pass": lambda: train_model(NOTES, replace(FEW, two_pass=True)),
    "with-pos": with_pos,
    "with-rules": lambda: train_model(
        NOTES, FEW, categories=Categories({"PER": "NAME", "LOC": "NAME"})
    ),
    "aligned": lambda: train_model(NOTES, FEW, align=True),
}


@cache
def example(kind: str) -> Tagger:
    """Return a trained model of a kind."""
    return WRAPPERS[kind]() if kind in WRAPPERS else plain(kind)
