"""What training tells: how far it is, and in the end what it made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lacuna.models.registry import Model


@dataclass(frozen=True, slots=True)
class Progress:
    """What training has reached.

    Attributes
    ----------
    iteration, iterations
        Steps taken, and how many there may be.
    objective
        What falls.
    dev_f1
        None where it was not measured.
    seconds
        Since training began.
    seconds_left
        At most, at the pace so far; None before the first step.
    note
        What else there is to say, e.g. how many sub-tags are in use.
    """

    iteration: int
    iterations: int
    objective: float
    dev_f1: float | None
    seconds: float
    seconds_left: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Trained:
    """A model and how it came about.

    `dev_f1` is the accuracy where parts of speech were learnt.
    """

    model: Model
    seconds: float
    iterations: int
    tokens: int
    sentences: int
    parameters: int
    objective: float
    dev_f1: float | None
    left_out: Counter[str]
    interrupted: bool = False
