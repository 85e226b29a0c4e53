"""Choosing the weight of the penalty by the score on documents that were not learnt from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from lacuna.models.crf import CrfSettings
from lacuna.models.hypergraph import Hypergraph
from lacuna.models.registry import Config

L2_GRID = (0.03, 0.1, 0.3, 1.0)

Outcome = TypeVar("Outcome", covariant=True)


@dataclass(frozen=True, slots=True)
class Tried(Generic[Outcome]):
    """What some settings led to."""

    config: Config
    f1: float
    outcome: Outcome


def penalties(config: Config) -> list[Config]:
    """Return the settings with each penalty of the grid; just themselves where there is none."""
    if not isinstance(config, CrfSettings | Hypergraph):
        return [config]
    return [replace(config, l2=l2) for l2 in L2_GRID]


def try_each(
    configs: Iterable[Config], run: Callable[[Config], tuple[float, Outcome]]
) -> Iterator[Tried[Outcome]]:
    """Yield what `run`, which returns a score first, makes of each settings."""
    for config in configs:
        yield Tried(config, *run(config))


def best(tries: Sequence[Tried[Outcome]]) -> Tried[Outcome]:
    """Return the try with the highest score, the first among equals."""
    return max(tries, key=lambda tried: tried.f1)
