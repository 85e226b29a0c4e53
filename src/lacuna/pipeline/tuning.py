"""Choosing settings by scores on held-out documents: a grid of penalties, and cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Generic, TypeVar

from lacuna.evaluation.scores import Scores, score
from lacuna.learning.folds import jackknife
from lacuna.models.registry import kind_of
from lacuna.models.settings import Settings
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions, without_models
from lacuna.text.document import Document

PENALTIES = (0.03, 0.1, 0.3, 1.0)

Outcome = TypeVar("Outcome", covariant=True)


@dataclass(frozen=True, slots=True)
class Tried(Generic[Outcome]):
    """Settings that were tried, their score and outcome."""

    config: Settings
    f1: float
    outcome: Outcome


def penalties(config: Settings) -> list[Settings]:
    """Return the settings with each penalty of the grid; unchanged if they have no penalty."""
    name = kind_of(config).penalty
    if not name:
        return [config]
    changes: list[dict[str, Any]] = [{name: penalty} for penalty in PENALTIES]
    return [replace(config, **change) for change in changes]


def try_each(
    configs: Iterable[Settings], run: Callable[[Settings], tuple[float, Outcome]]
) -> Iterator[Tried[Outcome]]:
    """Yield the score and outcome that `run` returns for each of some settings."""
    for config in configs:
        yield Tried(config, *run(config))


def best(tries: Sequence[Tried[Outcome]]) -> Tried[Outcome]:
    """Return the try with the highest score, the first if there are several."""
    return max(tries, key=lambda tried: tried.f1)


def cross_validate(
    documents: Sequence[Document], config: Settings, folds: int, options: TrainOptions
) -> tuple[Scores, Settings]:
    """Score by cross-validation: train on all folds but one and tag that one, for each fold.

    Returns the scores over all documents, each tagged by a model that has not seen its group, and
    the settings; for kinds that allow it, with the number of iterations that was best on average.
    An interruption is passed on.
    """
    pairs: list[tuple[Document, Document]] = []
    iterations: list[int] = []
    options = replace(options, on_progress=without_models(options.on_progress))
    for rest, part in jackknife(documents, folds, rng=options.rng()):
        left_out = [documents[i] for i in part]
        on_rest = replace(options, dev=left_out, align=False, start=None)
        trained = train([documents[i] for i in rest], config, on_rest)
        if trained.interrupted:
            raise KeyboardInterrupt
        iterations.append(trained.iterations)
        pairs += zip(left_out, trained.model.find(left_out), strict=True)
    if kind_of(config).folds_choose_iterations:
        chosen: dict[str, Any] = {"iterations": max(1, int(median(iterations))), "tolerance": 0.0}
        config = replace(config, **chosen)
    return score(pairs), config
