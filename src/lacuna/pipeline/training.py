"""Training: the model takes steps, this loop watches the dev set, keeps the best and stops."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lacuna.encoding.chain import TaggedDocument, tag_document
from lacuna.errors import ConfigError
from lacuna.evaluation.scores import score
from lacuna.features.plan import make_plan
from lacuna.features.presets import load_templates
from lacuna.features.templates import Template, Term
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf_adapting import keep_old_features, start_tables
from lacuna.models.crf_training import Fit, TrainingSet, fit, label_counts, prepare
from lacuna.models.evidence import with_evidence
from lacuna.models.two_pass import TwoPassModel, evidence_templates
from lacuna.pipeline.folds import jackknife
from lacuna.text.document import Document

DEV_EVERY = 5
PATIENCE = 3  #: dev scores in a row that are not better before training stops
WINDOW = 5
MANY_TAGS = 20
FOLDS = 5  #: of the first pass, where a second pass is to learn from it


@dataclass(frozen=True, slots=True)
class Progress:
    """What training has reached; dev_f1 is None where it was not measured."""

    iteration: int
    iterations: int
    objective: float
    dev_f1: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Trained:
    """A model and how it came about."""

    model: CrfModel | TwoPassModel
    seconds: float
    iterations: int
    tokens: int
    sentences: int
    parameters: int
    objective: float
    dev_f1: float | None
    left_out: Counter[str]


def train(
    corpus: Iterable[Document],
    config: Crf | None = None,
    *,
    dev: Iterable[Document] | None = None,
    start: CrfModel | TwoPassModel | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """Train a model.

    Parameters
    ----------
    corpus
        Documents with mentions.
    config
        Settings; the defaults where not given.
    dev
        Documents to judge by: training stops when it no longer helps there, and the best model
        is kept. Without them it stops when the objective hardly falls.
    start
        A CRF to adapt: its templates, tag scheme, sequences and labels are kept, and its weights
        are where training begins and what the penalty pulls to.
    on_progress
        Called after every iteration. ``KeyboardInterrupt`` during training ends it with the best
        model so far.
    """
    config = config or Crf()
    if isinstance(start, TwoPassModel) or (start is not None and config.two_pass):
        raise ConfigError("a model of two passes cannot be adapted; train it anew")
    if start is not None:
        old = start.config
        config = replace(config, scheme=old.scheme, features=old.features, sequence=old.sequence)
    began = time.perf_counter()
    tagged = [tag_document(document, sequence=config.sequence) for document in corpus]
    if not tagged:
        raise ConfigError("there are no documents to train on")
    held_out = list(dev) if dev is not None else None
    run = _Run(config, began, on_progress, start)
    trained = run.two_passes(tagged, held_out) if config.two_pass else run.crf(tagged, held_out)
    return replace(trained, seconds=time.perf_counter() - began)


def train_model(
    corpus: Iterable[Document],
    config: Crf | None = None,
    *,
    dev: Iterable[Document] | None = None,
    start: CrfModel | TwoPassModel | None = None,
) -> CrfModel | TwoPassModel:
    """Train a model and return it: :func:`train` without the report."""
    return train(corpus, config, dev=dev, start=start).model


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of :func:`train`."""

    config: Crf
    began: float
    on_progress: Callable[[Progress], None]
    start: CrfModel | None = None

    def crf(
        self,
        tagged: Sequence[TaggedDocument],
        dev: Sequence[Document] | None,
        *,
        more: Sequence[Template] = (),
    ) -> Trained:
        """Train one CRF, looking at `more` besides the templates of the settings."""
        data = prepare_crf(tagged, self.config, more, self.start)
        watch = _Watch(self.config, data, dev, self.began, self.on_progress)
        begin = None if self.start is None else start_tables(self.start, data.index, data.tags)
        try:
            for step in fit(data, l1=self.config.l1, start=begin):
                if watch.seen_enough(step):
                    break
        except KeyboardInterrupt:
            if watch.best_step is None:
                raise
        left_out: Counter[str] = sum((d.left_out for d in tagged), Counter())
        trained = watch.result(left_out, _summary(tagged, self.config))
        if self.start is None or not isinstance(trained.model, CrfModel):
            return trained
        return replace(trained, model=keep_old_features(self.start, trained.model))

    def two_passes(
        self, tagged: Sequence[TaggedDocument], dev: Sequence[Document] | None
    ) -> Trained:
        """Train a first pass, first passes for held-out parts, and a second pass on top."""
        documents = [item.document for item in tagged]
        with_columns: list[TaggedDocument] = list(tagged)
        folds = jackknife(documents, FOLDS, rng=np.random.default_rng(0))
        for rest, part in folds:
            model = self.crf([tagged[i] for i in rest], None).model
            guesses = model.find([replace(documents[i], tokens=tagged[i].tokens) for i in part])
            for i, guess in zip(part, guesses, strict=True):
                tokens = with_evidence(documents[i], tagged[i].tokens, guess.mentions)
                with_columns[i] = tagged[i]._replace(tokens=tokens)
        first = self.crf(tagged, None).model
        assert isinstance(first, CrfModel)
        judged = None if dev is None else TwoPassModel(first, first).with_evidence(dev)
        trained = self.crf(with_columns, judged, more=evidence_templates())
        assert isinstance(trained.model, CrfModel)
        return replace(trained, model=TwoPassModel(first, trained.model))


def prepare_crf(
    tagged: Sequence[TaggedDocument],
    config: Crf,
    more: Sequence[Template] = (),
    start: CrfModel | None = None,
) -> TrainingSet:
    """Turn tagged documents into a training set as the settings, or the model to adapt, say."""
    labels = sorted({*label_counts(tagged), *(start.labels if start else ())})
    templates: Sequence[Template] = (
        start.index.plan.templates
        if start
        else with_columns(load_templates(config.features), config.columns)
    )
    many = 2 * len(labels) + 1 > MANY_TAGS
    support = ("frequent" if many else "all") if config.support == "auto" else config.support
    return prepare(
        tagged,
        make_plan([*templates, *more]),
        scheme=config.scheme,
        labels=labels,
        min_count=config.min_count,
        support=support,
        l2=config.l2,
    )


def with_columns(templates: Sequence[Template], columns: Sequence[str]) -> list[Template]:
    """Add templates that look at token columns."""
    added = []
    for column in columns:
        near = [Term(f"column.{column}", offset) for offset in (-2, -1, 0, 1, 2)]
        added += [Template((term,)) for term in near]
        added += [Template((near[1], near[2])), Template((near[2], near[3]))]
    return [*templates, *added]


class _Watch:
    """Keeps the best point, reports progress and says when to stop."""

    def __init__(
        self,
        config: Crf,
        data: TrainingSet,
        dev: Sequence[Document] | None,
        began: float,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.config, self.data, self.dev = config, data, dev
        self.began, self.on_progress = began, on_progress
        self.values: list[float] = []
        self.best: CrfModel | None = None
        self.best_step: Fit | None = None
        self.best_f1: float | None = None
        self.worse = 0

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

    def _model(self, step: Fit) -> CrfModel:
        weights, moves = step.tables()
        return CrfModel(self.config, self.data.tags, self.data.index, weights, moves, {})

    def _report(self, step: Fit, f1: float | None) -> None:
        seconds = time.perf_counter() - self.began
        self.on_progress(
            Progress(step.iteration, self.config.iterations, step.objective, f1, seconds)
        )

    def result(self, left_out: Counter[str], summary: dict[str, object]) -> Trained:
        step = self.best_step
        assert step is not None
        model = self.best if self.dev is not None and self.best is not None else self._model(step)
        seconds = time.perf_counter() - self.began
        return Trained(
            model=replace(model, summary=summary | {"iterations": step.iteration}),
            seconds=seconds,
            iterations=step.iteration,
            tokens=self.data.tokens,
            sentences=self.data.sentences,
            parameters=self.data.objective.parameters,
            objective=step.objective,
            dev_f1=self.best_f1,
            left_out=left_out,
        )


def _summary(tagged: Sequence[TaggedDocument], config: Crf) -> dict[str, object]:
    return {
        "documents": len(tagged),
        "mentions": dict(sorted(label_counts(tagged).items())),
        "scheme": str(config.scheme),
    }
