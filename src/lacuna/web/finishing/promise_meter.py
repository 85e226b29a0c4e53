"""How many sealed patients a promise needs, and how many there are."""

from __future__ import annotations

import sqlite3

import msgspec

from lacuna.deid.calibration import DEFAULT_CONFIDENCE, units_needed
from lacuna.web.finishing.sealed import count_sealed

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
        Sealed patients that are wholly reviewed, drawn by the queue and never looked at.
    """

    level: float
    confidence: float
    needed: int
    have: int


def promise_meter(connection: sqlite3.Connection) -> list[Mark]:
    """Return what is needed for some levels, and what is there."""
    have, sure = count_sealed(connection).unseen_patients, DEFAULT_CONFIDENCE
    return [Mark(level, sure, units_needed(level, sure), have) for level in LEVELS]
