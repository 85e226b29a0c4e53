"""A tagger that looks at parts of speech, together with the tagger that finds them.

Both travel in one file, so that texts are tagged exactly as the training corpus was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lacuna.errors import ModelFileError
from lacuna.models.base import TagsAnything
from lacuna.models.card import Card
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.loading import restore
from lacuna.models.pos_tagger import PosTagger
from lacuna.models.storage import StoredModel
from lacuna.models.two_pass import TwoPassModel
from lacuna.text.document import Document
from lacuna.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class WithPos(TagsAnything):
    """`tagger` on documents whose token column ``pos`` comes from `pos`."""

    kind: ClassVar[str] = "with-pos"

    pos: PosTagger
    tagger: CrfModel | TwoPassModel

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.tagger.labels

    @property
    def config(self) -> Crf:
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

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return for each token the probability that it is in a mention."""
        return self.tagger.identifier_probability(*self.pos.find([document]))

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        parts = {"pos": self.pos.store(), "tagger": self.tagger.store()}
        return StoredModel(
            self.kind,
            {name: {"kind": part.kind, "header": part.header} for name, part in parts.items()},
            {
                f"{name}.{array}": values
                for name, part in parts.items()
                for array, values in part.arrays.items()
            },
        )


def restore_with_pos(stored: StoredModel) -> WithPos:
    """Rebuild a model and its part-of-speech tagger from a file."""
    pos, tagger = (restore(_part(stored, name)) for name in ("pos", "tagger"))
    if not isinstance(pos, PosTagger) or not isinstance(tagger, CrfModel | TwoPassModel):
        raise ModelFileError(stored.source, "its parts are no tagger and part-of-speech tagger")
    return WithPos(pos, tagger)


def _part(stored: StoredModel, name: str) -> StoredModel:
    """Return the model stored under a name inside another."""
    described = stored.header.get(name)
    part = described if isinstance(described, dict) else {}
    kind, header = part.get("kind"), part.get("header")
    if not isinstance(kind, str) or kind == WithPos.kind or not isinstance(header, dict):
        raise ModelFileError(stored.source, f"its header has no {name}")
    if {"format", "kind"} & header.keys():
        raise ModelFileError(stored.source, f"the header of its {name} is damaged")
    prefix = f"{name}."
    arrays = {
        key.removeprefix(prefix): values
        for key, values in stored.arrays.items()
        if key.startswith(prefix)
    }
    return StoredModel(kind, header, arrays, stored.source)
