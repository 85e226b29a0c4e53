"""Leaks: gold identifiers that no prediction covers; labels do not matter.

A document leaks if a token of an identifier is not covered, or a whole mention is not touched
(which adds something only if the mention contains no token). A group leaks if one of its documents
does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lacuna.evaluation.scores import Scores
from lacuna.types import LongArray

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LeakShare:
    """How many of a total leaked."""

    total: int
    leaked: int

    @property
    def share(self) -> float:
        """``leaked / total``; 0 if there is nothing to leak."""
        return self.leaked / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class LabelLeaks:
    """Leaks of one gold label."""

    tokens: LeakShare
    mentions: LeakShare


@dataclass(frozen=True, slots=True)
class Leaks:
    """Leaks of a corpus.

    Attributes
    ----------
    documents, groups
        Those with at least one leak; a document without a group is a group of its own.
    tokens
        Identifier tokens that are not covered (fn of the binary section).
    mentions
        Identifiers with no covered character.
    labels
        Tokens and mentions by gold label; a token with several labels counts for each.
    """

    documents: LeakShare
    groups: LeakShare
    tokens: LeakShare
    mentions: LeakShare
    labels: Mapping[str, LabelLeaks]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentLeaks:
    """Numbers of leaked tokens and mentions of each document, in scoring order."""

    tokens: LongArray
    mentions: LongArray

    @property
    def leaking(self) -> BoolArray:
        """Whether each document leaks."""
        return (self.tokens > 0) | (self.mentions > 0)


def document_leaks(scores: Scores) -> DocumentLeaks:
    """Return the uncovered tokens and untouched mentions of every document."""
    everyone = np.arange(len(scores.ids), dtype=np.int32)
    mentions = scores.missed.unit_totals(everyone, len(scores.ids))[:, 3]
    return DocumentLeaks(scores.by_document("binary")[:, 2], mentions)


def leaks(scores: Scores) -> Leaks:
    """Return the leaks of a corpus."""
    leaking = document_leaks(scores).leaking
    binary = scores.section("binary").micro
    by_label = scores.missed.label_totals()
    mentions = by_label.sum(axis=0)[2:].tolist()
    return Leaks(
        documents=LeakShare(len(scores.ids), int(leaking.sum())),
        groups=LeakShare(len(scores.units), len(np.unique(scores.unit[leaking]))),
        tokens=LeakShare(binary.gold, binary.fn),
        mentions=LeakShare(*mentions),
        labels={
            label: LabelLeaks(LeakShare(*row[:2]), LeakShare(*row[2:]))
            for label, row in zip(scores.missed.labels, by_label.tolist(), strict=True)
        },
    )
