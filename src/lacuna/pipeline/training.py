"""Training any kind of model: ``lacuna.train``.

All kinds share one loop. The kind yields steps; the loop scores them on the dev documents, keeps
the best, reports progress and decides when to stop. Rules for categories and alignment are learnt
on top of the best model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from threading import Event

from lacuna.encoding.flat import TrainingDocument
from lacuna.errors import ConfigError, StoppedError, interruptible
from lacuna.models.aligned.training import align
from lacuna.models.base import Card, Step, Tagger
from lacuna.models.lexical import blocks_used
from lacuna.models.registry import DEFAULT, Kind, code_at, kind_named, kind_of
from lacuna.models.settings import Chosen, Settings
from lacuna.models.stored_tags import check_labels
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.evaluating import judge
from lacuna.pipeline.filled_card import with_card
from lacuna.pipeline.partly_reviewed import unreviewed
from lacuna.pipeline.replay import replayed
from lacuna.pipeline.training_records import (
    Begun,
    Progress,
    Report,
    Trained,
    TrainOptions,
    without_models,
)
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.text.reviewed import settled
from lacuna.text.tokens import tokens_of
from lacuna.types import Task


def train_model(
    corpus: Iterable[Document],
    config: Settings | None = None,
    *,
    task: Task = Task.NER,
    dev: Iterable[Document] | None = None,
    start: Tagger | None = None,
    private: bool = False,
    align: bool = False,
    categories: Categories | None = None,
    raw: Iterable[Document] = (),
    seed: int = 0,
    card: Card | None = None,
    on_progress: Report = lambda _: None,
    stop: Event | None = None,
) -> Tagger:
    """Train a model and return it.

    Parameters
    ----------
    corpus
        Documents with mentions, or with a token column ``pos``. Of a document that was reviewed in
        part (``Document.reviewed``), only that part counts.
    config
        Settings; their class determines the kind of model. By default those of `start`, of a CRF,
        or of a trigram HMM for parts of speech.
    task, dev, start, private, align, categories, raw, seed, card, on_progress, stop
        See :class:`TrainOptions`.

    Raises
    ------
    StoppedError
        If training was stopped before there was a model.
    """
    options = TrainOptions(
        seed=seed,
        start=start,
        private=private,
        task=task,
        dev=dev,
        align=align,
        categories=categories,
        raw=list(raw),
        card=Card() if card is None else card,
        on_progress=on_progress,
        stop=stop,
    )
    documents = list(corpus)
    check_mentions(documents, options)
    return train(documents, config, options).model


def check_mentions(documents: Sequence[Document], options: TrainOptions) -> None:
    """Refuse documents without mentions, unless they are to correct an old model.

    Parts of a corpus, as in cross-validation, may be without.
    """
    if options.task is not Task.NER or options.start is not None:
        return
    seen = [document for document in documents if document.reviewed != ()]
    if seen and not any(settled(document).mentions for document in seen):
        raise ConfigError(
            f"nothing to learn: no mention in {counted(len(seen), 'document')} (if the corpus"
            " has mentions: is --format right, are the tags of conll files in the last column, or"
            " that of --column, and does --labels keep some?)"
        )


def train(
    corpus: Iterable[Document],
    config: Settings | None = None,
    options: TrainOptions | None = None,
) -> Trained:
    """Train a model and return it with a report on its training."""
    began = time.perf_counter()
    options = TrainOptions() if options is None else options
    task = options.task
    given = list(corpus)
    documents = [settled(document) for document in given]
    options = replace(options, dev=None if options.dev is None else list(options.dev))
    if config is None:
        start = options.start
        config = kind_named(DEFAULT[task]).config() if start is None else start.config
    if not documents:
        raise ConfigError("there are no documents to train on")
    if options.raw:
        kind_of(config).check_raw()
    check_labels({mention.label for document in documents for mention in document.mentions})
    if options.align and task is not Task.NER:
        raise ConfigError("only mentions can be aligned, not parts of speech")
    if options.categories is not None and task is not Task.NER:
        raise ConfigError("large categories are for mentions, not for parts of speech")
    config, remark = _chosen(documents, config, options)
    trained = _with_categories(documents, config, options)
    if options.align and not trained.interrupted:
        trained = _with_alignment(trained, documents, config, options)
    left = unreviewed(given, needs_whole=kind_of(config).partly == "nothing")
    seconds = time.perf_counter() - began
    return replace(trained, seconds=seconds, unreviewed=left, chosen=remark)


def _with_categories(
    documents: Sequence[Document], config: Settings, options: TrainOptions
) -> Trained:
    """Train one model, on categories with rules if there are any."""
    categories = options.categories
    if categories is None:
        return _fit(documents, config, options)

    def with_rules(model: Tagger) -> Tagger:
        return categories.with_rules(model, documents, private=options.private)

    def report(progress: Progress) -> None:
        model = progress.model
        if model is not None:
            progress = replace(progress, model=lambda: with_rules(model()))
        options.on_progress(progress)

    dev = None if options.dev is None else categories.raised(options.dev)
    how = replace(options, dev=dev, on_progress=report)
    trained = _fit(categories.raised(documents), config, how)
    return replace(trained, model=with_rules(trained.model))


def _with_alignment(
    trained: Trained, documents: Sequence[Document], config: Settings, options: TrainOptions
) -> Trained:
    """Learn alignment on top of a model; if interrupted, return the model without it."""

    def retrain(part: Sequence[Document]) -> Tagger:
        report = without_models(options.on_progress)
        again = _with_categories(part, config, replace(options, dev=None, on_progress=report))
        if again.interrupted or options.is_stopped:
            raise KeyboardInterrupt
        return again.model

    try:
        with interruptible():
            model = align(trained.model, documents, retrain, options)
    except (KeyboardInterrupt, StoppedError):
        return replace(trained, interrupted=True)
    return replace(trained, model=model)


def begin(
    corpus: Iterable[Document], config: Settings, options: TrainOptions, *, iterations: int = 0
) -> Begun:
    """Do what comes before training, and some iterations; ``train`` goes on from there.

    The result is for one call with the same documents, settings and options, except for
    `on_progress` and `stop`; it is given as ``TrainOptions.begun``.
    """
    documents = [settled(document) for document in corpus]
    begun = _begun(documents, _chosen(documents, config, options).config, options)
    made = list(islice(begun.steps, iterations + 1))
    return begun._replace(steps=chain(made, begun.steps))


def _chosen(documents: Sequence[Document], config: Settings, options: TrainOptions) -> Chosen:
    """Return the settings with what the documents choose; an adapted model keeps its own."""
    kind = kind_of(config)
    if options.start is not None or not kind.choose:
        return Chosen(config)
    chosen: Chosen = code_at(kind.choose)(config, documents)
    return chosen


def _begun(documents: Sequence[Document], config: Settings, options: TrainOptions) -> Begun:
    """Return the encoded documents and the steps, of which none was made yet."""
    kind = kind_of(config)
    if (options.private or options.start is not None) and not kind.adapt:
        what = "private" if options.private else "adapted"
        raise ConfigError(f"only a CRF can be {what}, not a {kind.name} model")
    if options.start is not None:
        config = code_at(kind.adapt)(config, options.start, private=options.private)
        options = replace(options, replay=options.replay or replayed(config, options.start))
    fit = kind.fitting(options.task)
    examples = [kind.encoded(document, config) for document in documents]
    return Begun(kind, _iterations(config), examples, fit(examples, config, options))


def _fit(documents: Sequence[Document], config: Settings, options: TrainOptions) -> Trained:
    """Run the steps of a kind of model and keep the best."""
    begun = options.begun or _begun(documents, config, options)
    options = replace(options, begun=None)
    kind, examples = begun.kind, begun.examples
    watch = _Watch(examples, begun.iterations, kind.patience, options)
    try:
        with interruptible():
            watch.follow(begun.steps)
    except KeyboardInterrupt:
        if watch.best is None:
            raise
        watch.interrupted = True
    trained = with_card(watch.result(), examples, options)
    del watch, begun  # and with them the arrays of training
    if kind.finish and not trained.interrupted:
        trained = _finished(kind, trained, examples, options)
    return trained


def _iterations(config: Settings) -> int:
    """Return the maximum number of steps; models estimated by counting take one."""
    iterations: int = getattr(config, "iterations", 1)
    return iterations


class _Watch:
    """Keeps the best step, reports progress and decides when to stop."""

    def __init__(
        self,
        examples: Sequence[TrainingDocument],
        iterations: int,
        patience: int,
        options: TrainOptions,
    ) -> None:
        self.examples, self.options = examples, options
        self.iterations, self.patience = iterations, patience
        self.raw_tokens = sum(len(tokens_of(document)) for document in options.raw)
        self.began = time.perf_counter()
        self.first: tuple[int, float] | None = None  # iteration and time of the first step
        self.last: Step | None = None
        self.best: Step | None = None
        self.best_model: Tagger | None = None
        self.best_score: float | None = None
        self.worse = 0  # scores in a row that were no better
        self.interrupted = False

    def follow(self, steps: Iterator[Step]) -> None:
        """Run the steps until they end or no longer improve the model."""
        for step in steps:
            found = None
            if not step.is_part:
                self.last = step
                if self.options.dev is None:
                    self.best = step
                elif step.is_judged:
                    found = self._judged(step)
            self._report(step, found)
            is_last = step.iteration >= self.iterations or self.worse >= self.patience
            if is_last and not step.is_part:
                return
            if self.options.is_stopped:
                self.interrupted = True
                return

    def _judged(self, step: Step) -> float:
        """Score a step on dev and keep it if it is the best so far."""
        assert self.options.dev is not None
        model = step.model()
        found = judge(model, self.options.dev)
        if self.best_score is None or found > self.best_score:
            self.best, self.best_model, self.best_score = step, model, found
            self.worse = 0
        else:
            self.worse += 1
        return found

    def _report(self, step: Step, found: float | None) -> None:
        now = time.perf_counter()
        if self.first is None or step.iteration <= self.first[0]:
            self.first = step.iteration, now
        seconds, done = now - self.began, step.iteration - self.first[0]
        left = None
        if step.iteration:
            pace = (now - self.first[1]) / done if done else seconds / step.iteration
            left = pace * (self.iterations - step.iteration)
        self.options.on_progress(
            Progress(
                step.iteration,
                self.iterations,
                step.objective,
                found,
                seconds,
                left,
                step.note,
                None if step.is_part else lambda: self._model_of(step),
            )
        )

    def _model_of(self, step: Step) -> Tagger:
        """Return the model of a step, for use while training goes on."""
        trained = self._trained(step, step.model())
        return with_card(trained, self.examples, self.options).model

    def result(self) -> Trained:
        """Return the best model and the report."""
        step = self.best or self.last
        if step is None:
            raise StoppedError("training was stopped before there was a model")
        model = step.model() if self.best_model is None else self.best_model
        return replace(self._trained(step, model), dev_f1=self.best_score)

    def _trained(self, step: Step, model: Tagger) -> Trained:
        examples = self.examples
        return Trained(
            model=model,
            seconds=time.perf_counter() - self.began,
            iterations=step.iteration,
            tokens=sum(len(item.tokens) for item in examples),
            sentences=sum(len(item.tokens.sentences) - 1 for item in examples),
            parameters=model.parameters if step.weights is None else step.weights,
            objective=step.objective,
            dev_f1=None,
            left_out=sum((item.left_out for item in examples), Counter()),
            raw_tokens=self.raw_tokens,
            interrupted=self.interrupted,
            blocks=blocks_used(
                model.core().config, examples, adapts=self.options.start is not None
            ),
        )


def _finished(
    kind: Kind, trained: Trained, examples: Sequence[TrainingDocument], options: TrainOptions
) -> Trained:
    """Add what is learnt on top of the model; if interrupted, return it without."""
    try:
        with interruptible():
            model = code_at(kind.finish)(trained.model, examples, options)
    except KeyboardInterrupt:
        return replace(trained, interrupted=True)
    if options.dev is None or model is trained.model:
        return replace(trained, model=model)
    return replace(trained, model=model, dev_f1=judge(model, options.dev))
