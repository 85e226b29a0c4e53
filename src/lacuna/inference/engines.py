"""The two ways to infer over mentions with gaps, under one name each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from lacuna.encoding.hypergraph import Edges, Slice
from lacuna.encoding.parts import Parts
from lacuna.inference import subgraphs, unfolded
from lacuna.inference.subgraphs import Expectations
from lacuna.types import FloatArray, LongArray, RealArray


class Inference(StrEnum):
    """What probabilities are over."""

    EXACT = "exact"  #: subgraphs, each counted once
    UNFOLDED = "unfolded"  #: the trees they unfold to: for comparison with others


class _Expectations(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, spoil: bool = ...
    ) -> Expectations: ...


class _Best(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = ...
    ) -> Edges: ...


class _Mentions(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, mentions: Sequence[Parts]
    ) -> FloatArray: ...


class _Coverage(Protocol):
    def __call__(self, graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray: ...


class Engine(NamedTuple):
    """What a model asks; `subgraphs.py` says what the answers are."""

    expectations: _Expectations
    best_subgraphs: _Best
    mention_probabilities: _Mentions
    coverage: _Coverage


ENGINES: Mapping[Inference, Engine] = {
    inference: Engine(
        module.expectations,
        module.best_subgraphs,
        module.mention_probabilities,
        module.coverage,
    )
    for inference, module in ((Inference.EXACT, subgraphs), (Inference.UNFOLDED, unfolded))
}
