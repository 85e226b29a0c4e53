"""Skip-chain alignment on top of any tagger: what was found of a word once is found elsewhere.

The occurrences of a word in the documents of one group (a patient) are labelled together: each by
what the tagger says of it and the words around, all of them by how much they agree. (After the
skip-chain CRF of "Hidden Markov model using Dirichlet process for de-identification".)
Inference is exact up to a size that a word hardly ever reaches (``inference/alignment.py``); where
it is not, a warning is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from lacuna.encoding.schemes import OUTSIDE
from lacuna.estimation.alignment_objective import AlignmentWeights, alignment_graphs
from lacuna.inference.alignment import solve
from lacuna.models.alignment_features import FeatureSpace
from lacuna.models.base import TagsAnything
from lacuna.models.card import Card
from lacuna.models.joins import Joins
from lacuna.models.relabelling import NewLabel, relabelled
from lacuna.models.repeated_words import TaggedWords, repeated_words, tagged_words
from lacuna.models.storage import StoredModel
from lacuna.text.document import Document
from lacuna.types import FloatArray

if TYPE_CHECKING:
    from lacuna.models.kinds import Config, NerModel

#: Kinds of taggers whose mentions may overlap: alignment adds to them and removes none.
OVERLAPPING_KINDS = frozenset({"li", "shared", "split"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class AlignedModel(TagsAnything):
    """A tagger, and what aligns the words it labels.

    Documents are aligned with the others of their group in the same call of ``find``; ``tag``
    keeps documents of a group together where they follow one another.
    """

    kind: ClassVar[str] = "aligned"

    tagger: NerModel
    space: FeatureSpace
    weights: AlignmentWeights
    joins: Joins = frozenset()

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.tagger.labels

    @property
    def config(self) -> Config:
        """What the tagger was trained with."""
        return self.tagger.config

    @property
    def card(self) -> Card:
        """How the tagger was trained, for people."""
        return self.tagger.card

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.tagger.find(documents, probabilities=probabilities)
        tagged = [tagged_words(document) for document in found]
        new = self._new_labels(tagged)
        relabel = partial(
            relabelled,
            joins=self.joins,
            only_add=self.tagger.kind in OVERLAPPING_KINDS,
            probabilities=probabilities,
        )
        return [
            replace(item.document, mentions=relabel(item, new[number]))
            if number in new
            else item.document
            for number, item in enumerate(tagged)
        ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention.

        Documents are aligned as by ``find``.
        """
        alone = self.tagger.identifier_probabilities(documents)
        tagged = [tagged_words(document) for document in self.tagger.find(documents)]
        aligned = [sure.copy() for sure in alone]
        for number, words in self._new_labels(tagged, alone).items():
            for token, found in words.items():
                aligned[number][token] = min(1.0, max(0.0, 1.0 - found.chances[OUTSIDE]))
        return aligned

    def _new_labels(
        self, tagged: Sequence[TaggedWords], known: Sequence[FloatArray] | None = None
    ) -> dict[int, dict[int, NewLabel]]:
        """Return the labels of repeated words, by number of document and of token.

        `known` are probabilities that the tagger has already been asked for.
        """
        repeated = repeated_words(tagged)
        if not repeated:
            return {}
        numbers = sorted({place.document for word in repeated for place in word.places})
        if known is None:
            some = self.tagger.identifier_probabilities([tagged[d].document for d in numbers])
            sure = dict(zip(numbers, some, strict=True))
        else:
            sure = dict(enumerate(known))
        seen = self.space.occurrences(repeated, tagged, sure)
        solved = solve(alignment_graphs(self.weights, seen))
        if not solved.exact.all():
            _log.warning(
                "alignment: %d of %d words stand too often to align exactly; approximated",
                int((~solved.exact).sum()),
                len(repeated),
            )
        labels: dict[int, dict[int, NewLabel]] = {}
        node = 0
        for g, word in enumerate(repeated):
            names = [self.space.labels[k] for k in seen.candidates[g, : seen.labels[g]]]
            for place in word.places:
                chances = dict(zip(names, solved.marginals[node].tolist(), strict=False))
                found = NewLabel(names[solved.best[node]], chances)
                labels.setdefault(place.document, {})[place.token] = found
                node += 1
        return labels

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.aligned_storage import store_aligned

        return store_aligned(self)
