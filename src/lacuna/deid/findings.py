"""Findings: a span of characters, its label, the detector that found it and its probability."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Origin(StrEnum):
    """Which detector found something, the most trusted first."""

    ALWAYS = "always"  #: a term that the user always wants replaced
    KNOWN = "known"  #: a name or number that the user gave for this patient
    PATTERN = "pattern"
    MODEL = "model"
    LIST = "list"
    AGAIN = "again"  #: found elsewhere in the documents of the patient


class Finding(NamedTuple):
    """Characters ``[start, end)`` of a text that identify somebody.

    A mention with gaps gives one finding per part. Findings may touch, overlap and repeat;
    :mod:`lacuna.deid.resolution` makes one plan of them.
    """

    start: int
    end: int
    label: str
    origin: Origin
    probability: float = 1.0
