"""How well a model would do on documents it has not seen, when there is no dev set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import TypeVar

import numpy as np

from lacuna.evaluation.scores import Scores, score
from lacuna.learning.folds import jackknife
from lacuna.models.crf import Crf
from lacuna.models.crf.li import Li
from lacuna.models.registry import Config
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.progress import Progress
from lacuna.pipeline.training import train
from lacuna.text.document import Document

AnyConfig = TypeVar("AnyConfig", bound=Config)


def cross_validate(
    documents: Sequence[Document],
    config: AnyConfig,
    folds: int,
    *,
    rng: np.random.Generator,
    private: bool = False,
    categories: Categories | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> tuple[Scores, AnyConfig]:
    """Train on all parts but one and tag that one, for each part.

    Returns the scores over all documents, each tagged by a model that has not seen its group, and
    the settings, for a CRF with the number of iterations that served best on the parts left out.
    An interruption leaves nothing to return and is passed on.
    """
    pairs: list[tuple[Document, Document]] = []
    iterations: list[int] = []
    for rest, part in jackknife(documents, folds, rng=rng):
        left_out = [documents[i] for i in part]
        seen = [documents[i] for i in rest]
        trained = train(
            seen,
            config,
            dev=left_out,
            private=private,
            categories=categories,
            on_progress=on_progress,
        )
        if trained.interrupted:
            raise KeyboardInterrupt
        iterations.append(trained.iterations)
        pairs += zip(left_out, trained.model.find(left_out), strict=True)
    if not isinstance(config, Crf | Li):
        return score(pairs), config
    best = max(1, int(median(iterations)))
    return score(pairs), replace(config, iterations=best, tolerance=0.0)
