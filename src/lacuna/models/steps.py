"""Training as a series of ever better models."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lacuna.models.base import Tagger


class Step(NamedTuple):
    """A point on the way of a training.

    iteration
        From 1 on; a model that is estimated by counting has one step.
    objective
        What is minimised, e.g. -log p(words, tags) plus penalty.
    model
        Makes the model of this point; called only when it is wanted.
    note
        What else there is to say about this point, for people.
    """

    iteration: int
    objective: float
    model: Callable[[], Tagger]
    note: str = ""
