"""How many sealed patients a promise needs, and how many there are."""

from __future__ import annotations

import sqlite3

import msgspec

from lacuna.deid.calibration import DEFAULT_CONFIDENCE, units_needed
from lacuna.errors import LacunaError
from lacuna.web.finishing.finish_plan import learnable, seen_by, untouched
from lacuna.web.finishing.sealed import SealedPatient, scorable, sealed_patients, unseen
from lacuna.web.project import Project

LEVELS = (0.1, 0.05, 0.02, 0.01)


class Mark(msgspec.Struct, frozen=True):
    """A mark of the meter.

    Attributes
    ----------
    level, confidence
        Of the promise: with this confidence, at most this share is missed.
    needed
        Patients, if nothing is missed; more with every miss.
    have
        Sealed patients that Finish would score a model with now.
    """

    level: float
    confidence: float
    needed: int
    have: int


def promise_meter(connection: sqlite3.Connection, project: Project) -> list[Mark]:
    """Return what is needed for some levels, and what is there; no model reads anything."""
    sure = DEFAULT_CONFIDENCE
    have = len(_countable(connection, project))
    return [Mark(level, sure, units_needed(level, sure), have) for level in LEVELS]


def _countable(connection: sqlite3.Connection, project: Project) -> list[SealedPatient]:
    patients = unseen(scorable(sealed_patients(connection)))
    if not patients:
        return []
    try:
        seen = seen_by(connection, project, learnable(connection))
    except (LacunaError, OSError):
        return []  # the model of the project is gone, so nothing can be finished
    return untouched(connection, patients, seen)
