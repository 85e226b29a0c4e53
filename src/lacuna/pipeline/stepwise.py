"""Training any model that takes steps: the best one is kept, by a dev set if there is one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from lacuna.encoding.flat import TrainingDocument
from lacuna.errors import ConfigError
from lacuna.evaluation.pos_accuracy import score_pos
from lacuna.evaluation.scores import score
from lacuna.io.source import Task
from lacuna.models.base import Card, Step
from lacuna.models.registry import Config, StepModel, kind_of
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline.cards import filled_in
from lacuna.pipeline.progress import Progress, Trained
from lacuna.text.document import Document

PATIENCE = 15  #: steps in a row that are not better on dev before training stops


def train_stepwise(
    documents: Sequence[Document],
    config: Config,
    *,
    task: Task,
    dev: Sequence[Document] | None,
    seed: int,
    card: Card,
    on_progress: Callable[[Progress], None],
) -> Trained:
    """Train the kind of model that `config` belongs to.

    With dev documents training stops when many steps in a row are no better there.
    ``KeyboardInterrupt`` ends it with the best model so far.
    """
    kind = kind_of(config)
    fit = kind.fit if task is Task.NER else kind.fit_pos
    if fit is None:
        raise ConfigError(f"a {kind.name} model cannot be trained for the task {task}")
    tagged = [kind.encode(document, config) for document in documents]
    watch = _Watch(config, dev, on_progress)
    interrupted = False
    try:
        for step in fit(tagged, config, np.random.default_rng(seed)):
            if watch.seen_enough(step):
                break
    except KeyboardInterrupt:
        if watch.best is None:
            raise
        interrupted = True
    trained, model = watch.result(tagged)
    measure = "strict" if task is Task.NER else "accuracy of parts of speech"
    card = filled_in(card, tagged, trained, dev, measure=measure)
    return replace(trained, model=replace(model, card=card), interrupted=interrupted)


class _Watch:
    """Keeps the best point, reports progress and says when to stop."""

    def __init__(
        self,
        config: Config,
        dev: Sequence[Document] | None,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.dev, self.on_progress = dev, on_progress
        self.began = time.perf_counter()
        self.iterations = _iterations(config)
        self.best: tuple[Step, StepModel | None] | None = None
        self.best_score: float | None = None
        self.worse = 0

    def seen_enough(self, step: Step) -> bool:
        """Take note of a step and say whether it should be the last."""
        found = None
        if self.dev is None:
            self.best = (step, None)
        else:
            model = cast(StepModel, step.model())
            found = judge(model, self.dev)
            self.worse += 1
            if self.best_score is None or found > self.best_score:
                self.best, self.best_score, self.worse = (step, model), found, 0
        seconds = time.perf_counter() - self.began
        left = seconds / step.iteration * (self.iterations - step.iteration)
        progress = Progress(
            step.iteration, self.iterations, step.objective, found, seconds, left, step.note
        )
        self.on_progress(progress)
        return self.worse >= PATIENCE or step.iteration >= self.iterations

    def result(self, tagged: Sequence[TrainingDocument]) -> tuple[Trained, StepModel]:
        """Return the best model and how it came about."""
        assert self.best is not None
        step, model = self.best
        trained = cast(StepModel, step.model()) if model is None else model
        result = Trained(
            model=trained,
            seconds=time.perf_counter() - self.began,
            iterations=step.iteration,
            tokens=sum(len(item.tokens) for item in tagged),
            sentences=sum(len(item.tokens.sentences) - 1 for item in tagged),
            parameters=trained.parameters,
            objective=step.objective,
            dev_f1=self.best_score,
            left_out=sum((item.left_out for item in tagged), Counter()),
        )
        return result, trained


def _iterations(config: Config) -> int:
    """Return how many steps there are at most; what is counted takes one."""
    iterations: int = getattr(config, "iterations", 1)
    return iterations


def judge(model: StepModel, dev: Sequence[Document]) -> float:
    """Return the strict F1 of a model on documents, or the accuracy of parts of speech."""
    pairs = zip(dev, model.find(dev), strict=True)
    if isinstance(model, PosTagger):
        return score_pos(pairs, is_known=model.is_known).accuracy
    return score(pairs).section("strict").micro.f1
