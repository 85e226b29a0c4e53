"""Training any kind of model: ``lacuna.train``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from lacuna.errors import ConfigError
from lacuna.models.base import Card
from lacuna.models.crf import Crf
from lacuna.models.crf.li import Li
from lacuna.models.dp_hmm import DpHmm
from lacuna.models.registry import Config, Model, kind_of
from lacuna.models.trigram_hmm import TrigramHmm
from lacuna.pipeline.aligning import with_alignment
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.crf_run import train_crf
from lacuna.pipeline.preparing import set_up
from lacuna.pipeline.progress import Progress, Trained
from lacuna.pipeline.reranking import with_reranking
from lacuna.pipeline.stepwise import train_stepwise
from lacuna.text.document import Document
from lacuna.types import Task


def train(
    corpus: Iterable[Document],
    config: Config | None = None,
    *,
    task: Task = Task.NER,
    dev: Iterable[Document] | None = None,
    start: Model | None = None,
    private: bool = False,
    align: bool = False,
    categories: Categories | None = None,
    seed: int = 0,
    card: Card | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """Train a model.

    Parameters
    ----------
    corpus
        Documents with mentions, or with a token column ``pos``.
    config
        Settings, which also say what kind of model it is; those of a CRF where not given, or of a
        trigram HMM for parts of speech.
    task
        What is learnt: mentions or parts of speech.
    dev
        Documents to judge by: training stops when it no longer helps there, and the best model
        is kept. Without them it stops when the objective hardly falls.
    start
        A CRF to adapt: its templates, tag scheme, sequences and labels are kept, and its weights
        are where training begins and what the penalty pulls to.
    private
        Whether the model, a CRF, is to hold no word of the documents and no feature of fewer than
        three of them; see ``models/crf/adapting.py`` for what that does and does not protect.
    align
        Whether words that stand several times in a group are to be labelled together; five more
        models are trained, each on four fifths of the groups, to learn how.
    categories
        Large categories to find in place of labels; rules learnt from `corpus` then give mentions
        their labels. `dev` is judged by categories.
    seed
        Deals groups into those fifths, makes the key of a private model another one, and
        the random beginning of a class HMM.
    card
        What training cannot know: names of the data, licence, other scores.
    on_progress
        Called after every iteration. ``KeyboardInterrupt`` during training ends it with the best
        model so far.
    """
    began = time.perf_counter()
    config = config or (Crf() if task is Task.NER else TrigramHmm())
    documents, held_out = list(corpus), None if dev is None else list(dev)
    if not documents:
        raise ConfigError("there are no documents to train on")
    if align and task is not Task.NER:
        raise ConfigError("only mentions can be aligned, not parts of speech")
    if categories is not None and task is not Task.NER:
        raise ConfigError("parts of speech have no large categories")
    how = _Training(config, task, start, private, categories, seed, card or Card(), on_progress)
    trained = how.run(documents, held_out)
    if align and not trained.interrupted:
        trained = with_alignment(trained, documents, how.run, private=private, seed=seed)
    return replace(trained, seconds=time.perf_counter() - began)


@dataclass(frozen=True, slots=True)
class _Training:
    """How models of one call of :func:`train` are trained."""

    config: Config
    task: Task
    start: Model | None
    private: bool
    categories: Categories | None
    seed: int
    card: Card
    on_progress: Callable[[Progress], None]

    def run(self, documents: Sequence[Document], dev: Sequence[Document] | None = None) -> Trained:
        """Train one model, of categories with the rules that belong to it."""
        if self.categories is None:
            return self._tagger(documents, dev)
        held_out = None if dev is None else self.categories.raised(dev)
        trained = self._tagger(self.categories.raised(documents), held_out)
        return self.categories.with_rules(trained, documents, private=self.private)

    def _tagger(self, documents: Sequence[Document], dev: Sequence[Document] | None) -> Trained:
        config, start, private = self.config, self.start, self.private
        if isinstance(config, Crf | Li) and self.task is Task.NER:
            setup = set_up(documents, config, start=start, private=private, seed=self.seed)
            return train_crf(
                documents, setup, dev=dev, card=self.card, on_progress=self.on_progress
            )
        if private or start is not None:
            what = "kept private" if private else "adapted"
            raise ConfigError(f"only a CRF can be {what}, not a {kind_of(config).name} model")
        trained = train_stepwise(
            documents,
            config,
            task=self.task,
            dev=dev,
            seed=self.seed,
            card=self.card,
            on_progress=self.on_progress,
        )
        if isinstance(config, DpHmm) and config.rerank and not trained.interrupted:
            trained = with_reranking(trained, documents, config, dev, seed=self.seed)
        return trained


def train_model(
    corpus: Iterable[Document],
    config: Config | None = None,
    *,
    task: Task = Task.NER,
    dev: Iterable[Document] | None = None,
    start: Model | None = None,
    private: bool = False,
    align: bool = False,
    categories: Categories | None = None,
    seed: int = 0,
    card: Card | None = None,
) -> Model:
    """Train a model and return it: :func:`train` without the report."""
    return train(
        corpus,
        config,
        task=task,
        dev=dev,
        start=start,
        private=private,
        align=align,
        categories=categories,
        seed=seed,
        card=card,
    ).model
