"""Training a CRF: it takes steps, this loop watches the dev set, keeps the best and stops."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lacuna.encoding.flat import Example
from lacuna.evaluation.scores import score
from lacuna.features.templates import Template
from lacuna.learning.folds import jackknife
from lacuna.models.base import Card
from lacuna.models.crf import Crf, CrfModel, crf_model
from lacuna.models.crf.adapting import keep_old_features, start_tables
from lacuna.models.crf.explain import training_words
from lacuna.models.crf.li import Li, LiModel, li_model
from lacuna.models.crf.training import Fit, TrainingSet, fit
from lacuna.models.crf.two_pass import TwoPassModel, evidence_templates, with_evidence
from lacuna.models.file import NO_STRINGS
from lacuna.pipeline.cards import filled_in
from lacuna.pipeline.preparing import Setup, prepare_crf
from lacuna.pipeline.progress import Progress, Trained
from lacuna.text.document import Document

DEV_EVERY = 5
PATIENCE = 3  #: dev scores in a row that are not better before training stops
WINDOW = 5
FOLDS = 5  #: of the first pass, where a second pass is to learn from it


def train_crf(
    documents: Sequence[Document],
    setup: Setup,
    *,
    dev: Sequence[Document] | None,
    card: Card,
    on_progress: Callable[[Progress], None],
) -> Trained:
    """Train a CRF, with flat tags of one or two passes or with LI tags."""
    config = setup.config
    examples = [config.example(document) for document in documents]
    run = _Run(setup, time.perf_counter(), on_progress, card)
    two_pass = isinstance(config, Crf) and config.two_pass
    return run.two_passes(examples, dev) if two_pass else run.crf(examples, dev)


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of :func:`train_crf`."""

    setup: Setup
    began: float
    on_progress: Callable[[Progress], None]
    card: Card

    def crf(
        self,
        tagged: Sequence[Example],
        dev: Sequence[Document] | None,
        *,
        more: Sequence[Template] = (),
    ) -> Trained:
        """Train one CRF, looking at `more` besides the templates of the settings."""
        setup, old = self.setup, self.setup.start
        data = prepare_crf(tagged, setup, more)
        watch = _Watch(setup.config, data, dev, self.began, self.on_progress)
        begin = None if old is None else start_tables(old, data.index, data.tags)
        interrupted = False
        try:
            for step in fit(data, l1=setup.config.l1, start=begin):
                if watch.seen_enough(step):
                    break
        except KeyboardInterrupt:
            if watch.best_step is None:
                raise
            interrupted = True
        trained, model = watch.result()
        model = replace(
            model,
            card=filled_in(self.card, tagged, trained, dev, private=bool(setup.key), start=old),
            words=NO_STRINGS if setup.key else training_words(tagged),
        )
        return replace(
            trained,
            model=keep_old_features(old, model) if isinstance(model, CrfModel) and old else model,
            left_out=sum((d.left_out for d in tagged), Counter()),
            interrupted=interrupted,
        )

    def two_passes(self, tagged: Sequence[Example], dev: Sequence[Document] | None) -> Trained:
        """Train a first pass, first passes for held-out parts, and a second pass on top."""
        documents = [item.document for item in tagged]
        with_columns: list[Example] = list(tagged)
        folds = jackknife(documents, FOLDS, rng=np.random.default_rng(0))
        for rest, part in folds:
            model = self._first_pass([tagged[i] for i in rest])
            guesses = model.find([replace(documents[i], tokens=tagged[i].tokens) for i in part])
            for i, guess in zip(part, guesses, strict=True):
                tokens = with_evidence(documents[i], tagged[i].tokens, guess.mentions)
                with_columns[i] = tagged[i]._replace(tokens=tokens)
        first = self._first_pass(tagged)
        judged = None if dev is None else TwoPassModel(first, first).with_evidence(dev)
        trained = self.crf(with_columns, judged, more=evidence_templates())
        assert isinstance(trained.model, CrfModel)
        second = replace(trained.model, words=NO_STRINGS)  # the words of the first pass
        return replace(trained, model=TwoPassModel(first, second))

    def _first_pass(self, tagged: Sequence[Example]) -> CrfModel:
        """Train a first pass; interrupted, there is no model of two passes yet."""
        trained = self.crf(tagged, None)
        if trained.interrupted:
            raise KeyboardInterrupt
        assert isinstance(trained.model, CrfModel)
        return trained.model


class _Watch:
    """Keeps the best point, reports progress and says when to stop."""

    def __init__(
        self,
        config: Crf | Li,
        data: TrainingSet,
        dev: Sequence[Document] | None,
        began: float,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.config, self.data, self.dev = config, data, dev
        self.began, self.on_progress = began, on_progress
        self.values: list[float] = []
        self.best: CrfModel | LiModel | None = None
        self.best_step: Fit | None = None
        self.best_f1: float | None = None
        self.worse = 0
        self.first_step = time.perf_counter()

    def seen_enough(self, step: Fit) -> bool:
        self.values.append(step.objective)
        last = step.iteration >= self.config.iterations or self._is_flat()
        f1 = None
        if self.dev is None:
            self.best_step = step
        elif step.iteration and (step.iteration % DEV_EVERY == 0 or last):
            f1 = self._judge(step)
        self._report(step, f1)
        return last or self.worse >= PATIENCE

    def _is_flat(self) -> bool:
        """Whether the last iterations improved the objective by less than the tolerance."""
        if len(self.values) <= WINDOW:
            return False
        before, now = self.values[-1 - WINDOW], self.values[-1]
        return before - now < self.config.tolerance * abs(now)

    def _judge(self, step: Fit) -> float:
        assert self.dev is not None
        model = self._model(step)
        found = model.find(self.dev)
        f1 = score(zip(self.dev, found, strict=True)).section("strict").micro.f1
        if self.best_f1 is None or f1 > self.best_f1:
            self.best, self.best_step, self.best_f1, self.worse = model, step, f1, 0
        else:
            self.worse += 1
        return f1

    def _model(self, step: Fit) -> CrfModel | LiModel:
        found = (self.data.tags, self.data.index, *step.tables())
        if isinstance(self.config, Li):
            return li_model(self.config, *found)
        return crf_model(self.config, *found)

    def _report(self, step: Fit, f1: float | None) -> None:
        now = time.perf_counter()
        if not step.iteration:
            self.first_step = now
        left = self.config.iterations - step.iteration
        pace = (now - self.first_step) / step.iteration if step.iteration else None
        self.on_progress(
            Progress(
                step.iteration,
                self.config.iterations,
                step.objective,
                f1,
                now - self.began,
                None if pace is None else pace * left,
            )
        )

    def result(self) -> tuple[Trained, CrfModel | LiModel]:
        step = self.best_step
        assert step is not None
        model = self.best if self.dev is not None and self.best is not None else self._model(step)
        trained = Trained(
            model=model,
            seconds=time.perf_counter() - self.began,
            iterations=step.iteration,
            tokens=self.data.tokens,
            sentences=self.data.sentences,
            parameters=self.data.objective.parameters,
            objective=step.objective,
            dev_f1=self.best_f1,
            left_out=Counter(),
        )
        return trained, model
