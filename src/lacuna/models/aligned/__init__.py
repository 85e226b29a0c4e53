"""Skip-chain alignment on top of any tagger: the occurrences of a word are labelled together.

The m occurrences of one word in the documents of a group (a patient) form a complete graph. With
y_i the label of occurrence i and x what the tagger found,

    p(y | x) ∝ exp( Σ_i node[i, y_i] + Σ_{i<j} [y_i = y_j] agreement[y_i] ),

where node depends on the tagger's label and probability of an occurrence, the shape of the word and
the words around it, and agreement on the label and the shape. The most probable labels replace
those of the tagger. Inference is exact up to a size that a word rarely reaches; beyond it, it is
approximate and a warning is logged. (After the skip-chain CRF of Chen, Cullen and Godwin 2015.)

What to read next:

* training: `training.py` → `objective.py` (node, agreement, gradient) → `inference/agreement.py`;
* tagging: `repeated_words.py` (graphs) → `features.py` (scores, new labels) → `mentions.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lacuna.encoding.schemes import OUTSIDE
from lacuna.models.aligned.features import SHAPES, AlignmentFeatures, new_labels
from lacuna.models.aligned.mentions import Joins, NewLabel, believes, relabelled, whole_mentions
from lacuna.models.aligned.objective import AlignmentWeights
from lacuna.models.aligned.repeated_words import (
    LabelledDocument,
    RepeatedWord,
    labelled_document,
    repeated_words,
)
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel, pack_strings
from lacuna.models.wrapped import Wrapped
from lacuna.text.document import Document
from lacuna.types import FloatArray

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class AlignedModel(Wrapped):
    """A tagger, and the weights that align the words it labels.

    Documents are aligned with the others of their group in the same call of ``find``; ``tag``
    keeps consecutive documents of a group together. New mentions whose label is not `free` must
    equal one that the tagger found (`mentions.py`). If mentions of the tagger may overlap,
    alignment adds mentions and removes none.
    """

    kind: ClassVar[str] = "aligned"

    space: AlignmentFeatures
    weights: AlignmentWeights
    joins: Joins = frozenset()
    free: frozenset[str] = frozenset()

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.tagger.find(documents, probabilities=probabilities)
        tagged = [labelled_document(document) for document in found]
        repeated = repeated_words(tagged)
        numbers = sorted({place.document for word in repeated for place in word.places})
        sure = self.tagger.identifier_probabilities([found[number] for number in numbers])
        new = self._new_labels(repeated, tagged, dict(zip(numbers, sure, strict=True)))
        whole = whole_mentions(tagged[number] for number in numbers)
        for number in numbers:
            mentions = relabelled(
                tagged[number],
                new[number],
                joins=self.joins,
                believed=believes(tagged[number], whole[found[number].unit], self.free),
                only_add=self.tagger.core().overlapping,
                probabilities=probabilities,
            )
            found[number] = replace(found[number], mentions=mentions)
        return found

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention, after alignment."""
        alone = self.tagger.identifier_probabilities(documents)
        tagged = [labelled_document(document) for document in self.tagger.find(documents)]
        aligned = [sure.copy() for sure in alone]
        new = self._new_labels(repeated_words(tagged), tagged, dict(enumerate(alone)))
        for number, words in new.items():
            for token, found in words.items():
                aligned[number][token] = min(1.0, max(0.0, 1.0 - found.chances[OUTSIDE]))
        return aligned

    def _new_labels(
        self,
        repeated: Sequence[RepeatedWord],
        tagged: Sequence[LabelledDocument],
        sure: Mapping[int, FloatArray],
    ) -> dict[int, dict[int, NewLabel]]:
        labels, inexact = new_labels(self.space, self.weights, repeated, tagged, sure)
        if inexact:
            _log.warning(
                "alignment: %d of %d words occur too often to be aligned exactly; approximated",
                inexact,
                len(repeated),
            )
        return labels

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        tagger = super(AlignedModel, self).store()
        words = pack_strings(self.space.words)
        return replace(
            tagger,
            header={
                **tagger.header,
                "alignment_labels": list(self.space.labels),
                "joins": sorted(map(list, self.joins)),
                "free": sorted(self.free),
            },
            arrays={
                **tagger.arrays,
                **self.weights._asdict(),
                "words": words.data,
                "word_borders": words.offsets,
            },
        )

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
        return (*self.tagger.held_words(), *self.space.words)

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also the weights of agreement."""
        rows = list(zip(self.space.labels, self.weights.by_label.tolist(), strict=True))
        for shape, (outside, inside) in zip(SHAPES, self.weights.by_shape.tolist(), strict=True):
            rows += [(f"O, words of shape {shape}", outside), (f"any label, {shape}", inside)]
        table = [(what, f"{weight:+.3f}") for what, weight in rows]
        agreement = Table("alignment: weight of agreement", ("on", "weight"), table)
        return self.tagger.facts(inspection) + Facts((agreement,))
