"""What a detector found: characters, a label, who says so and how surely."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Origin(StrEnum):
    """Which detector found something, the most trusted first."""

    ALWAYS = "always"  #: a term the user wants out wherever it stands
    KNOWN = "known"  #: a name or number the user gave for this patient
    PATTERN = "pattern"
    MODEL = "model"
    LIST = "list"


class Finding(NamedTuple):
    """Characters ``[start, end)`` of a text that say who somebody is.

    A mention with gaps is one finding per part. Findings may touch, overlap and repeat one another;
    :mod:`lacuna.deid.resolution` makes one plan of them.
    """

    start: int
    end: int
    label: str
    origin: Origin
    probability: float = 1.0
