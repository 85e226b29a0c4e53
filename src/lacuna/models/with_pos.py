"""A tagger that looks at parts of speech, together with the tagger that finds them.

Both travel in one file, so that texts are tagged exactly as the training corpus was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lacuna.errors import ModelFileError
from lacuna.models.base import Card, TagsAnything
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.li import Li, LiModel
from lacuna.models.crf.two_pass import TwoPassModel
from lacuna.models.file import StoredModel, stored_part, with_parts
from lacuna.models.hypergraph import HypergraphModel, Shared, Split
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.text.document import Document
from lacuna.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class WithPos(TagsAnything):
    """`tagger` on documents whose token column ``pos`` comes from `pos`."""

    kind: ClassVar[str] = "with-pos"

    pos: PosTagger
    tagger: CrfModel | LiModel | TwoPassModel | HypergraphModel

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.tagger.labels

    @property
    def config(self) -> Crf | Li | Shared | Split:
        """What the tagger was trained with."""
        return self.tagger.config

    @property
    def card(self) -> Card:
        """How the tagger was trained, for people."""
        return self.tagger.card

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

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        parts = {"pos": self.pos.store(), "tagger": self.tagger.store()}
        return with_parts(self.kind, parts)


def restore_with_pos(stored: StoredModel) -> WithPos:
    """Rebuild a model and its part-of-speech tagger from a file."""
    from lacuna.models.registry import restore

    pos, tagger = (restore(stored_part(stored, name)) for name in ("pos", "tagger"))
    if not isinstance(pos, PosTagger) or not isinstance(
        tagger, CrfModel | LiModel | TwoPassModel | HypergraphModel
    ):
        raise ModelFileError(stored.source, "its parts are no tagger and part-of-speech tagger")
    return WithPos(pos, tagger)
