"""The model card: what a model learnt from, how well it does, under which terms it may be used.

It stands in the header of the model file and is shown by ``lacuna inspect``. It has no date, so
that the same data and seed give the same file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CardScore:
    """A score, and how it was measured."""

    how: str
    f1: float


@dataclass(frozen=True, slots=True)
class Card:
    """What people should know about a model.

    Attributes
    ----------
    data
        Names of the files it learnt from; none in a private model.
    documents, tokens
        How many there were.
    mentions
        Number of mentions by label.
    iterations
        Steps that were taken.
    scores
        What was measured in training.
    licence
        Terms of use.
    version
        The lacuna that made it.
    adapted_from
        Card of the model that training began with.
    """

    data: tuple[str, ...] = ()
    documents: int = 0
    tokens: int = 0
    mentions: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    scores: tuple[CardScore, ...] = ()
    licence: str = ""
    version: str = ""
    adapted_from: Card | None = None


NO_CARD = Card()
