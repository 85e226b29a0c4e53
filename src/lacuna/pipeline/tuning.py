"""Choosing the weight of the penalty by the score on documents that were not learnt from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from lacuna.models.crf import Crf

L2_GRID = (0.03, 0.1, 0.3, 1.0)

Outcome = TypeVar("Outcome", covariant=True)


@dataclass(frozen=True, slots=True)
class Tried(Generic[Outcome]):
    """What a setting led to."""

    config: Crf
    f1: float
    outcome: Outcome


def try_l2(
    config: Crf,
    run: Callable[[Crf], tuple[float, Outcome]],
    *,
    grid: Sequence[float] = L2_GRID,
) -> Iterator[Tried[Outcome]]:
    """Yield what `run`, which returns a score first, makes of the settings with each l2."""
    for l2 in grid:
        tried = replace(config, l2=l2)
        yield Tried(tried, *run(tried))


def best(tries: Sequence[Tried[Outcome]]) -> Tried[Outcome]:
    """Return the try with the highest score, the first among equals."""
    return max(tries, key=lambda tried: tried.f1)
