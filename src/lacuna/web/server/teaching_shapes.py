"""Shapes of teaching: how far it is, the models, and how good they are."""

from __future__ import annotations

from typing import Literal

from lacuna.web.server.shapes import PromiseMark, Shape


class JobShape(Shape):
    """How far a lesson is."""

    state: Literal["preparing", "learning", "polishing", "judging", "done", "failed", "stopped"]
    iteration: int
    iterations: int
    seconds: float
    message: str


class Learnt(Shape):
    """Documents to learn from, and how many of them the live model has not seen so."""

    documents: int
    since_live: int


class PartSize(Shape):
    """How much of a part was reviewed."""

    documents: int
    patients: int


class TaughtShape(Shape):
    """A model that was taught; `why` says why it went live, or did not."""

    key: int
    made_at: str
    made_by: str
    parent: int | None
    documents: int
    iterations: int
    seconds: float
    live: bool
    went_live: bool
    why: str


class MeasuresShape(Shape):
    """Scores with 95 % intervals; ``null`` if there is nothing to measure."""

    missed: float | None
    missed_low: float | None
    missed_high: float | None
    f1: float | None
    f1_low: float | None
    f1_high: float | None


class LabelScoresShape(Shape):
    """Strict F1 of a label before and now; the interval is that of now."""

    label: str
    before: float
    now: float
    low: float
    high: float
    gold: int
    examples: int


class DocumentChangeShape(Shape):
    """Suggestions of a waiting document that are new, and that are gone."""

    key: int
    id: str
    new: int
    gone: int


class ChangesShape(Shape):
    """What the model changed in documents that wait."""

    new: int
    gone: int
    documents: list[DocumentChangeShape]


class OutcomeShape(Shape):
    """What the gate says about the newest model."""

    key: int
    verdict: Literal["live", "worse", "no-gate"]
    documents: int
    before: MeasuresShape
    now: MeasuresShape
    labels: list[LabelScoresShape]
    changes: ChangesShape | None


class CurvePoint(Shape):
    """A point of the learning curve; key 0 is the model of project.toml."""

    key: int
    documents: int
    missed: float
    low: float
    high: float


class DoubtShape(Shape):
    """How much of what is doubtful has this label."""

    label: str
    share: float
    count: int


class FewShape(Shape):
    """A label that is not learnt yet."""

    label: str
    examples: int


class TeachingShape(Shape):
    """Everything about teaching; `live` 0 is the model of project.toml."""

    job: JobShape | None
    live: int
    learnt: Learnt
    gate: PartSize
    sealed: PartSize
    advice: str
    models: list[TaughtShape]
    last: OutcomeShape | None
    curve: list[CurvePoint]
    doubts: list[DoubtShape]
    few: list[FewShape]
    promise: list[PromiseMark]
