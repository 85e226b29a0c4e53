"""What Finish is asked for, how far it is, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from lacuna.errors import LacunaError
from lacuna.web.finishing.sealed import Versions


class FinishAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What Finish is asked for.

    Attributes
    ----------
    everything
        Whether to learn from sealed documents, too; then nothing is promised.
    level, confidence
        Of the promise. Without a confidence it is one on average.
    again
        Whether to score with patients that a finished model was scored with before; then nothing
        is promised.
    """

    everything: bool = False
    level: float = 0.05
    confidence: float | None = 0.95
    again: bool = False


class RefusedError(LacunaError):
    """Finish is not possible; `kind` is a short name of the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Step(msgspec.Struct, frozen=True):
    """How far Finish is; `message` tells nothing about scores."""

    state: str
    iteration: int = 0
    iterations: int = 0
    seconds: float = 0.0
    message: str = ""


Report = Callable[[Step], None]


class Figure(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval (bootstrap over patients)."""

    value: float
    low: float
    high: float


class LabelFigures(msgspec.Struct, frozen=True):
    """Scores of a label; `gold` is how many mentions people marked."""

    label: str
    gold: int
    precision: Figure
    recall: Figure
    f1: Figure


class Figures(msgspec.Struct, frozen=True):
    """Scores of a model.

    Attributes
    ----------
    how
        ``"sealed"`` or ``"cross-validated"``.
    documents, patients
        What they were measured on.
    f1
        Strict: label and borders are right.
    missed
        Share of the tokens of identifiers that the model alone takes for nothing.
    labels
        By label.
    """

    how: str
    documents: int
    patients: int
    f1: Figure
    missed: Figure
    labels: tuple[LabelFigures, ...]


class Promised(msgspec.Struct, frozen=True):
    """A promise of the whole pipeline: model, patterns, second look and policy.

    Attributes
    ----------
    level, confidence, threshold, patients
        As in :class:`~lacuna.deid.calibration.Calibration`.
    missed, precision
        On the sealed patients, at this threshold.
    usual_missed, usual_precision
        The same at the threshold of 0.5.
    """

    level: float
    confidence: float | None
    threshold: float
    patients: int
    missed: float
    precision: float
    usual_missed: float
    usual_precision: float


class Outcome(msgspec.Struct, frozen=True):
    """What came of Finish, as it is stored in the table ``taught``.

    Attributes
    ----------
    figures
        Scores, if there is something to measure them on.
    promise
        What is promised; ``None`` if nothing is, for the reason `without`.
    void
        Whether it was scored with patients that were looked at before.
    more_needed
        Patients that are missing for the promise.
    left_out
        Reviewed sealed patients that a model may have seen.
    unfinished
        Sealed patients that were drawn and are not wholly reviewed.
    in_part
        Documents of which only the lines were learnt from in which somebody decided something.
    not_learnt
        Labels with too few examples.
    remark
        A sentence about mentions that were not learnt from.
    protocol
        Name of the page in ``reports/``.
    """

    level: float
    confidence: float | None
    figures: Figures | None = None
    promise: Promised | None = None
    without: str | None = None
    void: bool = False
    more_needed: int = 0
    left_out: int = 0
    unfinished: int = 0
    in_part: int = 0
    not_learnt: tuple[str, ...] = ()
    remark: str = ""
    protocol: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished model.

    Attributes
    ----------
    key
        In the table of taught models.
    made_at, made_by, purpose, file, sha256, base_sha256, learnt_from, iterations, seconds
        As there; hashes in hexadecimal.
    scored
        Sealed documents it was scored with: keys and versions.
    outcome
        Scores, promise and protocol.
    """

    key: int
    made_at: str
    made_by: str
    purpose: str
    file: str
    sha256: str
    base_sha256: str | None
    learnt_from: Versions
    scored: Versions
    outcome: Outcome
    iterations: int
    seconds: float
