"""Running the training of ``lacuna train``, with folds, tuning and a progress bar."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from lacuna.cli.console import say, step_progress

if TYPE_CHECKING:
    from lacuna.models.settings import Settings
    from lacuna.pipeline.training_records import Progress, Trained, TrainOptions
    from lacuna.pipeline.tuning import Tried
    from lacuna.text.document import Document


@dataclass(frozen=True, slots=True)
class Job:
    """The documents to train on, and how."""

    training: list[Document]
    config: Settings
    folds: int | None
    tune: bool
    options: TrainOptions

    def run(self) -> tuple[Trained, Sequence[Tried[object]]]:
        """Train the model, with folds and several penalties if requested."""
        from lacuna.pipeline.training import check_mentions

        began = time.perf_counter()
        check_mentions(self.training, self.options)
        with showing(self._trainings()) as show:
            job = replace(self, options=replace(self.options, on_progress=show))
            if self.folds is not None:
                trained, tries = job._by_folds(self.folds)
            elif self.tune:
                trained, tries = job._tuned()
            else:
                trained, tries = job._train(self.config), []
        return replace(trained, seconds=time.perf_counter() - began), tries

    def _trainings(self) -> int:
        """Return how many models will be trained."""
        from lacuna.learning.folds import FOLDS
        from lacuna.models.crf.held_out import FOLDS as FIRST_PASSES
        from lacuna.pipeline.tuning import penalties

        tries = len(penalties(self.config)) if self.tune else 1
        each = 1 + FOLDS * self.options.align
        models = tries * each if self.folds is None else tries * self.folds + each
        return models * (FIRST_PASSES + 2 if getattr(self.config, "two_pass", False) else 1)

    def _train(self, config: Settings) -> Trained:
        from lacuna.pipeline.training import train

        return train(self.training, config, self.options)

    def _tuned(self) -> tuple[Trained, Sequence[Tried[object]]]:
        """Train with each penalty, until interrupted, and keep the best model on dev."""
        from lacuna.pipeline.tuning import best, penalties, try_each

        def run(config: Settings) -> tuple[float, Trained]:
            trained = self._train(config)
            return trained.dev_f1 or 0.0, trained

        tries: list[Tried[Trained]] = []
        for tried in try_each(penalties(self.config), run):
            tries.append(tried)
            _say_tried(tried)
            if tried.outcome.interrupted:
                break
        return best(tries).outcome, tries

    def _by_folds(self, folds: int) -> tuple[Trained, Sequence[Tried[object]]]:
        """Score by folds, with each penalty if requested; then train on all documents."""
        from lacuna.models.base import CardScore
        from lacuna.models.registry import kind_of
        from lacuna.pipeline.tuning import best, cross_validate, penalties, try_each

        def run(config: Settings) -> tuple[float, Settings]:
            scores, chosen = cross_validate(self.training, config, folds, self.options)
            return scores.section("strict").micro.f1, chosen

        tries = []
        for tried in try_each(penalties(self.config) if self.tune else [self.config], run):
            tries.append(tried)
            _say_tried(tried)
        chosen = best(tries)
        what = ["iterations"] * kind_of(self.config).folds_choose_iterations + ["l2"] * self.tune
        chose = f", which chose {' and '.join(what)}" if what else ""
        score = CardScore(f"strict, by {folds} folds{chose}", chosen.f1)
        card = replace(self.options.card, scores=(*self.options.card.scores, score))
        job = replace(self, options=replace(self.options, card=card))
        return replace(job._train(chosen.outcome), dev_f1=chosen.f1), tries if self.tune else []


def _say_tried(tried: Tried[object]) -> None:
    from lacuna.models.registry import kind_of

    name = kind_of(tried.config).penalty
    penalty = f"{name} {getattr(tried.config, name):g}: " if name else ""
    say(f"{penalty}F1 {tried.f1:.4f}")


@contextmanager
def stopped_by_interrupt() -> Iterator[Event]:
    """Yield an event that Ctrl-C sets, besides raising KeyboardInterrupt.

    Compiled code may swallow the exception; the event ends training all the same.
    """
    stop, before = Event(), signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        stop.set()
        raise KeyboardInterrupt

    if before is signal.default_int_handler:  # else Ctrl-C is ignored, or somebody else's
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


Show = Callable[["Progress"], None]


@contextmanager
def showing(trainings: int) -> Iterator[Show]:
    """Show a progress bar on stderr; yield the function that updates it."""
    with step_progress("preparing") as update:
        line = ProgressLine(trainings)

        def show(progress: Progress) -> None:
            line.take(progress)
            update(line.what, progress.iteration, progress.iterations, line.left)

        yield show


@dataclass(slots=True)
class ProgressLine:
    """The text of the progress bar, for several trainings one after the other."""

    trainings: int
    training: int = 0
    seconds_each: float = 0.0
    dev: str = ""
    what: str = ""
    left: str = ""

    def take(self, progress: Progress) -> None:
        """Update the text; a new training begins with iteration 0."""
        if not progress.iteration:
            self.training, self.dev = self.training + 1, ""
        if progress.dev_f1 is not None:
            self.dev = f", dev F1 {progress.dev_f1:.4f}"
        which = f"training {self.training} of {self.trainings}, " if self.trainings > 1 else ""
        self.what = (
            f"{which}iteration {progress.iteration} of up to {progress.iterations},"
            f" objective {progress.objective:,.1f}{self.dev}"
        )
        if progress.note:
            self.what += f", {progress.note}"
        if progress.seconds_left is None:
            return
        steps_left = progress.iterations - progress.iteration
        if steps_left:
            self.seconds_each = progress.seconds_left / steps_left * progress.iterations
        more = (self.trainings - self.training) * self.seconds_each
        self.left = f"up to {progress.seconds_left + more:.0f} s left"
