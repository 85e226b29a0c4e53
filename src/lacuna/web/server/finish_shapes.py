"""Shapes of Finish."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lacuna.web.server.shapes import PromiseMark, Shape

Share = Annotated[float, Field(gt=0, lt=1)]


class FinishAskedShape(Shape):
    """What to finish; without a confidence the promise is one on average."""

    everything: bool = False
    level: Share = 0.05
    confidence: Share | None = 0.95
    again: bool = False


class FinishJob(Shape):
    """How far it is."""

    state: Literal["preparing", "learning", "polishing", "judging", "done", "failed", "stopped"]
    iteration: int
    iterations: int
    seconds: float
    message: str


class FigureShape(Shape):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


class LabelFiguresShape(Shape):
    """Scores of a label."""

    label: str
    gold: int
    precision: FigureShape
    recall: FigureShape
    f1: FigureShape


class FiguresShape(Shape):
    """Scores of a model."""

    how: Literal["sealed", "cross-validated"]
    documents: int
    patients: int
    f1: FigureShape
    missed: FigureShape
    labels: list[LabelFiguresShape]


class ScoredShape(Shape):
    """What a model was scored with."""

    documents: int
    patients: int


class FinishedShape(Shape):
    """A finished model."""

    key: int
    made_at: str
    made_by: str
    everything: bool
    file: str
    learnt_from: int
    in_part: int
    sealed: ScoredShape
    scores: FiguresShape | None
    promise: str | None
    threshold: float | None
    without: str | None
    more_needed: int
    void: bool
    protocol: str
    seconds: float


class SealedShape(Shape):
    """How far the sealed part is."""

    documents: int
    patients: int
    reviewed_documents: int
    reviewed_patients: int
    unseen_patients: int


class FinishShape(Shape):
    """Finished models, and what the next one could be scored with."""

    job: FinishJob | None
    finished: list[FinishedShape]
    sealed: SealedShape
    promise: list[PromiseMark]
