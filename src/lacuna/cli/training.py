"""What ``lacuna train`` does between reading documents and writing the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lacuna.cli.console import say
from lacuna.cli.training_progress import Show, showing

if TYPE_CHECKING:
    from lacuna.models.base import Card
    from lacuna.models.registry import Config, Model
    from lacuna.pipeline.categories import Categories
    from lacuna.pipeline.progress import Trained
    from lacuna.pipeline.tuning import Tried
    from lacuna.text.document import Document
    from lacuna.types import Task


@dataclass(frozen=True, slots=True)
class Job:
    """One call of the command: the documents, and what was asked for."""

    training: list[Document]
    dev: list[Document] | None
    config: Config
    task: Task
    start: Model | None
    folds: int | None
    tune: bool
    private: bool
    align: bool
    categories: Categories | None
    seed: int
    card: Card

    def run(self) -> tuple[Trained, Sequence[Tried[object]]]:
        """Train, by way of folds and several penalties where asked for."""
        began = time.perf_counter()
        with showing(self._trainings()) as show:
            if self.folds is not None:
                trained, tries = self._by_folds(self.folds, show)
            elif self.tune:
                trained, tries = self._tuned(show)
            else:
                trained, tries = self._train(self.config, self.card, show), []
        return replace(trained, seconds=time.perf_counter() - began), tries

    def _trainings(self) -> int:
        """Return how many models will be trained."""
        from lacuna.pipeline.aligning import FOLDS as ALIGNMENT_FOLDS
        from lacuna.pipeline.crf_run import FOLDS
        from lacuna.pipeline.tuning import penalties

        tries = len(penalties(self.config)) if self.tune else 1
        each = 1 + ALIGNMENT_FOLDS * self.align
        models = tries * each if self.folds is None else tries * self.folds + each
        return models * (FOLDS + 2 if getattr(self.config, "two_pass", False) else 1)

    def _train(self, config: Config, card: Card, show: Show) -> Trained:
        from lacuna.pipeline.training import train

        return train(
            self.training,
            config,
            task=self.task,
            dev=self.dev,
            start=self.start,
            private=self.private,
            align=self.align,
            categories=self.categories,
            seed=self.seed,
            card=card,
            on_progress=show,
        )

    def _tuned(self, show: Show) -> tuple[Trained, Sequence[Tried[object]]]:
        """Train with each penalty, as long as nobody interrupts, and keep what is best on dev."""
        from lacuna.pipeline.tuning import best, penalties, try_each

        def run(config: Config) -> tuple[float, Trained]:
            trained = self._train(config, self.card, show)
            return trained.dev_f1 or 0.0, trained

        tries: list[Tried[Trained]] = []
        for tried in try_each(penalties(self.config), run):
            tries.append(tried)
            _say_tried(tried)
            if tried.outcome.interrupted:
                break
        return best(tries).outcome, tries

    def _by_folds(self, folds: int, show: Show) -> tuple[Trained, Sequence[Tried[object]]]:
        """Score by folds, with each penalty where asked for; then train on all."""
        from lacuna.models.base import CardScore
        from lacuna.pipeline.cross_validation import cross_validate
        from lacuna.pipeline.tuning import best, penalties, try_each

        def run(config: Config) -> tuple[float, Config]:
            rng = np.random.default_rng(self.seed)
            scores, chosen = cross_validate(
                self.training,
                config,
                folds,
                rng=rng,
                private=self.private,
                categories=self.categories,
                on_progress=show,
            )
            return scores.section("strict").micro.f1, chosen

        tries = []
        for tried in try_each(penalties(self.config) if self.tune else [self.config], run):
            tries.append(tried)
            _say_tried(tried)
        chosen = best(tries)
        chose = ", which chose iterations and l2" if self.tune else ""
        if not self.tune and hasattr(self.config, "iterations"):
            chose = ", which chose iterations"
        score = CardScore(f"strict, by {folds} folds{chose}", chosen.f1)
        card = replace(self.card, scores=(*self.card.scores, score))
        trained = self._train(chosen.outcome, card, show)
        return replace(trained, dev_f1=chosen.f1), tries if self.tune else []


def _say_tried(tried: Tried[object]) -> None:
    penalty = f"l2 {tried.config.l2:g}: " if hasattr(tried.config, "l2") else ""
    say(f"{penalty}F1 {tried.f1:.4f}")
