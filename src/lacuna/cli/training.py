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
    from lacuna.models.card import Card
    from lacuna.models.crf import Crf
    from lacuna.models.kinds import Model
    from lacuna.pipeline.training import Trained
    from lacuna.pipeline.tuning import Tried
    from lacuna.text.document import Document


@dataclass(frozen=True, slots=True)
class Job:
    """One call of the command: the documents, and what was asked for."""

    training: list[Document]
    dev: list[Document] | None
    config: Crf
    start: Model | None
    folds: int | None
    tune: bool
    private: bool
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
        from lacuna.pipeline.training import FOLDS
        from lacuna.pipeline.tuning import L2_GRID

        penalties = len(L2_GRID) if self.tune else 1
        models = penalties if self.folds is None else penalties * self.folds + 1
        return models * (FOLDS + 2 if self.config.two_pass else 1)

    def _train(self, config: Crf, card: Card, show: Show) -> Trained:
        from lacuna.pipeline.training import train

        return train(
            self.training,
            config,
            dev=self.dev,
            start=self.start,
            private=self.private,
            seed=self.seed,
            card=card,
            on_progress=show,
        )

    def _tuned(self, show: Show) -> tuple[Trained, Sequence[Tried[object]]]:
        """Train with each penalty, as long as nobody interrupts, and keep what is best on dev."""
        from lacuna.pipeline.tuning import best, try_l2

        def run(config: Crf) -> tuple[float, Trained]:
            trained = self._train(config, self.card, show)
            return trained.dev_f1 or 0.0, trained

        tries: list[Tried[Trained]] = []
        for tried in try_l2(self.config, run):
            tries.append(tried)
            _say_tried(tried)
            if tried.outcome.interrupted:
                break
        return best(tries).outcome, tries

    def _by_folds(self, folds: int, show: Show) -> tuple[Trained, Sequence[Tried[object]]]:
        """Score by folds, with each penalty where asked for; then train on all."""
        from lacuna.models.card import CardScore
        from lacuna.pipeline.cross_validation import cross_validate
        from lacuna.pipeline.tuning import L2_GRID, best, try_l2

        def run(config: Crf) -> tuple[float, Crf]:
            rng = np.random.default_rng(self.seed)
            scores, chosen = cross_validate(
                self.training, config, folds, rng=rng, private=self.private, on_progress=show
            )
            return scores.section("strict").micro.f1, chosen

        grid = L2_GRID if self.tune else (self.config.l2,)
        tries = []
        for tried in try_l2(self.config, run, grid=grid):
            tries.append(tried)
            _say_tried(tried)
        chosen = best(tries)
        chose = "iterations and l2" if self.tune else "iterations"
        score = CardScore(f"strict, by {folds} folds, which chose {chose}", chosen.f1)
        card = replace(self.card, scores=(*self.card.scores, score))
        trained = self._train(chosen.outcome, card, show)
        return replace(trained, dev_f1=chosen.f1), tries if self.tune else []


def _say_tried(tried: Tried[object]) -> None:
    say(f"l2 {tried.config.l2:g}: F1 {tried.f1:.4f}")
