"""A kind of model in one folder: it finds the words that were mentions in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from lacuna.encoding.flat import TaggedDocument
from lacuna.models.base import NO_CARD, Card, FitOptions, Step, TagsAnything
from lacuna.models.file import StoredModel
from lacuna.models.registry import Kind
from lacuna.models.settings import AT_LEAST_ONE, Settings, stored_settings
from lacuna.text.document import Document, Mention, Span
from lacuna.text.tokens import tokens_of
from lacuna.types import FloatArray


@dataclass(frozen=True, slots=True)
class Toy(Settings):
    """Settings: a word must have been a mention `times` times."""

    times: Annotated[int, AT_LEAST_ONE] = 1


@dataclass(frozen=True, slots=True, eq=False)
class ToyModel(TagsAnything):
    """Words and their labels."""

    kind: ClassVar[str] = "toy"

    config: Toy
    words: dict[str, str]
    card: Card = NO_CARD

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.words.values())))

    @property
    def parameters(self) -> int:
        return len(self.words)

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        return [replace(d, mentions=self._mentions(d, probabilities)) for d in documents]

    def _mentions(self, document: Document, probabilities: bool) -> tuple[Mention, ...]:
        tokens = tokens_of(document)
        places = zip(tokens.words(document.text), tokens.start, tokens.end, strict=True)
        sure = 1.0 if probabilities else None
        return tuple(
            Mention(self.words[word], (Span(int(start), int(end)),), sure)
            for word, start, end in places
            if word in self.words
        )

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        return [
            np.array([float(word in self.words) for word in tokens_of(d).words(d.text)])
            for d in documents
        ]

    def store(self) -> StoredModel:
        header = {
            "config": msgspec.to_builtins(self.config),
            "words": self.words,
            "card": msgspec.to_builtins(self.card),
        }
        return StoredModel(self.kind, header, {})


def fit_toy(tagged: Sequence[TaggedDocument], config: Toy, _: FitOptions) -> Iterator[Step]:
    seen: dict[tuple[str, str], int] = {}
    for item in tagged:
        words = item.tokens.words(item.document.text)
        for chunk in item.chunks:
            for word in words[chunk.start : chunk.end]:
                seen[word, chunk.label] = seen.get((word, chunk.label), 0) + 1
    known = {word: label for (word, label), times in seen.items() if times >= config.times}
    yield Step(1, 0.0, lambda: ToyModel(config, known))


def restore_toy(stored: StoredModel) -> ToyModel:
    return ToyModel(
        stored_settings(Toy, stored.header["config"]),
        stored.header["words"],
        msgspec.convert(stored.header["card"], Card),
    )


TOY = Kind(
    name="toy",
    summary="remembers words",
    settings="tests.models.toy:Toy",
    fit="tests.models.toy:fit_toy",
    restore="tests.models.toy:restore_toy",
)
