"""Training: the model takes steps, this loop watches the dev set, keeps the best and stops."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lacuna import __version__
from lacuna.encoding.chain import TaggedDocument, tag_document
from lacuna.errors import ConfigError
from lacuna.evaluation.scores import score
from lacuna.features.templates import Template
from lacuna.models.card import Card, CardScore
from lacuna.models.crf import Crf, CrfModel, crf_model
from lacuna.models.crf_adapting import keep_old_features, start_tables
from lacuna.models.crf_training import Fit, TrainingSet, fit, label_counts
from lacuna.models.evidence import with_evidence
from lacuna.models.storage import NO_STRINGS
from lacuna.models.two_pass import TwoPassModel, evidence_templates
from lacuna.models.vocabulary import training_words
from lacuna.pipeline.folds import jackknife
from lacuna.pipeline.preparing import Setup, prepare_crf, set_up
from lacuna.text.document import Document

DEV_EVERY = 5
PATIENCE = 3  #: dev scores in a row that are not better before training stops
WINDOW = 5
FOLDS = 5  #: of the first pass, where a second pass is to learn from it


@dataclass(frozen=True, slots=True)
class Progress:
    """What training has reached.

    Attributes
    ----------
    iteration, iterations
        Steps taken, and how many there may be.
    objective
        What falls.
    dev_f1
        None where it was not measured.
    seconds
        Since training began.
    seconds_left
        At most, at the pace so far; None before the first step.
    """

    iteration: int
    iterations: int
    objective: float
    dev_f1: float | None
    seconds: float
    seconds_left: float | None


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
    interrupted: bool = False


def train(
    corpus: Iterable[Document],
    config: Crf | None = None,
    *,
    dev: Iterable[Document] | None = None,
    start: CrfModel | TwoPassModel | None = None,
    private: bool = False,
    seed: int = 0,
    card: Card | None = None,
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
    private
        Whether the model is to hold no word of the documents and no feature of fewer than three
        of them; see ``models/private.py`` for what that does and does not protect.
    seed
        Makes the key of a private model another one.
    card
        What training cannot know: names of the data, licence, other scores.
    on_progress
        Called after every iteration. ``KeyboardInterrupt`` during training ends it with the best
        model so far.
    """
    began = time.perf_counter()
    documents = list(corpus)
    if not documents:
        raise ConfigError("there are no documents to train on")
    setup = set_up(documents, config or Crf(), start=start, private=private, seed=seed)
    tagged = [tag_document(d, sequence=setup.config.sequence) for d in documents]
    held_out = list(dev) if dev is not None else None
    run = _Run(setup, began, on_progress, card or Card())
    two_pass = setup.config.two_pass
    trained = run.two_passes(tagged, held_out) if two_pass else run.crf(tagged, held_out)
    return replace(trained, seconds=time.perf_counter() - began)


def train_model(
    corpus: Iterable[Document],
    config: Crf | None = None,
    *,
    dev: Iterable[Document] | None = None,
    start: CrfModel | TwoPassModel | None = None,
    private: bool = False,
    seed: int = 0,
    card: Card | None = None,
) -> CrfModel | TwoPassModel:
    """Train a model and return it: :func:`train` without the report."""
    return train(corpus, config, dev=dev, start=start, private=private, seed=seed, card=card).model


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of :func:`train`."""

    setup: Setup
    began: float
    on_progress: Callable[[Progress], None]
    card: Card

    def crf(
        self,
        tagged: Sequence[TaggedDocument],
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
            card=self._card(tagged, trained, dev),
            words=NO_STRINGS if setup.key else training_words(tagged),
        )
        return replace(
            trained,
            model=model if old is None else keep_old_features(old, model),
            left_out=sum((d.left_out for d in tagged), Counter()),
            interrupted=interrupted,
        )

    def _card(
        self, tagged: Sequence[TaggedDocument], trained: Trained, dev: Sequence[Document] | None
    ) -> Card:
        scores = self.card.scores
        if dev is not None and trained.dev_f1 is not None:
            how = f"strict, on {len(dev)} dev documents by which the model was chosen"
            scores = (*scores, CardScore(how, trained.dev_f1))
        old = self.setup.start
        return replace(
            self.card,
            data=() if self.setup.key else self.card.data,
            documents=len(tagged),
            tokens=trained.tokens,
            mentions=dict(sorted(label_counts(tagged).items())),
            iterations=trained.iterations,
            scores=scores,
            version=__version__,
            adapted_from=None if old is None else old.card,
        )

    def two_passes(
        self, tagged: Sequence[TaggedDocument], dev: Sequence[Document] | None
    ) -> Trained:
        """Train a first pass, first passes for held-out parts, and a second pass on top."""
        documents = [item.document for item in tagged]
        with_columns: list[TaggedDocument] = list(tagged)
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

    def _first_pass(self, tagged: Sequence[TaggedDocument]) -> CrfModel:
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

    def _model(self, step: Fit) -> CrfModel:
        weights, moves = step.tables()
        return crf_model(self.config, self.data.tags, self.data.index, weights, moves)

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

    def result(self) -> tuple[Trained, CrfModel]:
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
