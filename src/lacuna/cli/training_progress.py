"""How far ``lacuna train`` is: which training of how many, which step, how long it may take yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lacuna.cli.console import step_progress

if TYPE_CHECKING:
    from lacuna.pipeline.training import Progress

Show = Callable[["Progress"], None]


@contextmanager
def showing(trainings: int) -> Iterator[Show]:
    """Show a bar over the iterations of each training on stderr, and yield how to move it."""
    with step_progress("preparing") as update:
        line = ProgressLine(trainings)

        def show(progress: Progress) -> None:
            line.take(progress)
            update(line.what, progress.iteration, progress.iterations, line.left)

        yield show


@dataclass(slots=True)
class ProgressLine:
    """What is said about so many trainings, one after the other."""

    trainings: int
    training: int = 0
    seconds_each: float = 0.0
    dev: str = ""
    what: str = ""
    left: str = ""

    def take(self, progress: Progress) -> None:
        """Take in how far the present training is; a new one begins with iteration 0."""
        if not progress.iteration:
            self.training, self.dev = self.training + 1, ""
        if progress.dev_f1 is not None:
            self.dev = f", dev F1 {progress.dev_f1:.4f}"
        which = f"training {self.training} of {self.trainings}, " if self.trainings > 1 else ""
        self.what = (
            f"{which}iteration {progress.iteration} of at most {progress.iterations},"
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
        self.left = f"at most {progress.seconds_left + more:.0f} s left"
