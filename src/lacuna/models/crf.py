"""The CRF of flat mentions, the workhorse: tags are BIO or BILOU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lacuna.encoding.examples import Example, flat_example
from lacuna.encoding.schemes import Scheme, allowed, tag_set
from lacuna.estimation.crf_objective import Moves
from lacuna.features.extract import FeatureIndex
from lacuna.models.chain_crf import ChainCrf, CrfSettings
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.crf_training import tag_moves
from lacuna.models.scoring import without_small
from lacuna.text.document import Document
from lacuna.types import RealArray

#: Weights nearer to zero are left out: the score of a token is a sum of about fifty.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True, slots=True)
class Crf(CrfSettings):
    """Settings of a linear-chain CRF; most stand in :class:`CrfSettings`.

    Attributes
    ----------
    scheme
        ``BIO`` or ``BILOU``.
    two_pass
        Tag twice: the second time with what the first found elsewhere in the document.
    """

    scheme: Scheme = Scheme.BIO
    two_pass: bool = False

    def example(self, document: Document) -> Example:
        """Return a document with the tags of its flat mentions."""
        return flat_example(document, self.scheme, self.sequence)

    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""
        return tag_set(labels, self.scheme)

    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, begin and end a sentence."""
        return tag_moves(tags, allowed(tags, self.scheme))


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(ChainCrf, ChainTagger):
    """A trained CRF of flat mentions."""

    kind: ClassVar[str] = "crf"

    config: Crf

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme


def crf_model(
    config: Crf,
    tags: tuple[str, ...],
    index: FeatureIndex,
    weights: RealArray,
    moves: RealArray,
) -> CrfModel:
    """Make a model of the weights[r, k] that training found."""
    known, sparse = without_small(index, weights, NEGLIGIBLE)
    return CrfModel(config, tags, known, sparse, moves.astype(np.float32))
