"""A tagger that looks at parts of speech, together with the tagger that finds them.

Both travel in one file, so that texts are tagged exactly as the training corpus was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lacuna.models.base import Tagger
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel, with_parts
from lacuna.models.wrapped import Wrapped
from lacuna.text.document import Document
from lacuna.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class WithPos(Wrapped):
    """`tagger` on documents whose token column ``pos`` comes from `pos`."""

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
        """Return everything the model is, for a file."""
        return with_parts(self.kind, {"pos": self.pos.store(), "tagger": self.tagger.store()})


def restore_with_pos(_: StoredModel, pos: Tagger, tagger: Tagger) -> WithPos:
    """Rebuild a model and its part-of-speech tagger from a file."""
    return WithPos(tagger, pos)
