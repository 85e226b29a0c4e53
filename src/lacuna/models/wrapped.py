"""Models that wrap another model: their base :class:`Wrapped`, and :class:`WithPos`.

A :class:`WithPos` contains a tagger that uses parts of speech as features, and the tagger that
finds them. Both are in one file, so that texts are tagged exactly as the training corpus was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from lacuna.models.base import Card, Tagger, TagsAnything
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel, with_parts
from lacuna.models.settings import Settings
from lacuna.text.document import Document
from lacuna.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped(TagsAnything):
    """A model that wraps `tagger` and has its settings and card."""

    kind: ClassVar[str]

    tagger: Tagger

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.tagger.labels

    @property
    def config(self) -> Settings:
        """The settings of the tagger."""
        return self.tagger.config

    @property
    def card(self) -> Card:
        """The card of the tagger."""
        return self.tagger.card

    @property
    def is_private(self) -> bool:
        """Whether the tagger was trained to hold no word of its training text."""
        return self.tagger.is_private

    @property
    def parameters(self) -> int:
        """Number of learnt parameters of the tagger."""
        return self.tagger.parameters

    def with_card(self, card: Card) -> Self:
        """Return the model with another card."""
        return replace(self, tagger=self.tagger.with_card(card))

    def around(self, change: Callable[[Tagger], Tagger]) -> Self:
        """Return the model with a changed tagger inside."""
        return replace(self, tagger=change(self.tagger))

    def core(self) -> Tagger:
        """Return the innermost tagger."""
        return self.tagger.core()

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
        return self.tagger.held_words()

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention."""
        return self.tagger.identifier_probabilities(documents)

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows."""
        return self.tagger.facts(inspection)

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        return with_parts(self.kind, {"tagger": self.tagger.store()})


@dataclass(frozen=True, slots=True, eq=False)
class WithPos(Wrapped):
    """Runs `tagger` on documents whose token column ``pos`` comes from `pos`."""

    kind: ClassVar[str] = "with-pos"

    pos: Tagger

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.tagger.find(self.pos.find(documents), probabilities=probabilities)
        return [
            replace(document, mentions=tagged.mentions)
            for document, tagged in zip(documents, found, strict=True)
        ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention."""
        return self.tagger.identifier_probabilities(self.pos.find(documents))

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows."""
        return self.pos.facts(inspection).titled("parts of speech") + self.tagger.facts(inspection)

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        return with_parts(self.kind, {"pos": self.pos.store(), "tagger": self.tagger.store()})


def restore_with_pos(_: StoredModel, pos: Tagger, tagger: Tagger) -> WithPos:
    """Rebuild a model and its part-of-speech tagger from a file."""
    return WithPos(tagger, pos)
