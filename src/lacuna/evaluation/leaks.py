"""Leaks: identifiers of the gold standard that no prediction covers, whatever its label.

A document leaks when a token of an identifier is left uncovered, or a whole mention untouched
(which says more only where a mention has no token of its own). A group leaks when one of its
documents does.
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
class Share:
    """So many of so many leaked."""

    total: int
    leaked: int

    @property
    def share(self) -> float:
        """``leaked / total``; 0 where there is nothing to leak."""
        return self.leaked / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class LabelLeaks:
    """Leaks of one gold label."""

    tokens: Share
    mentions: Share


@dataclass(frozen=True, slots=True)
class Leaks:
    """Leaks of a corpus.

    Attributes
    ----------
    documents, groups
        Those with at least one leak, among all; a document without group is its own.
    tokens
        Identifier tokens left uncovered (the misses of the binary section).
    mentions
        Identifiers not one character of which is covered.
    labels
        The last two by gold label; a token of several labels counts for each.
    """

    documents: Share
    groups: Share
    tokens: Share
    mentions: Share
    labels: Mapping[str, LabelLeaks]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentLeaks:
    """Leaks by document, in scoring order."""

    tokens: LongArray
    mentions: LongArray

    @property
    def leaking(self) -> BoolArray:
        """Whether each document leaks."""
        return (self.tokens > 0) | (self.mentions > 0)


def document_leaks(scores: Scores) -> DocumentLeaks:
    """Return the missed tokens and wholly missed mentions of every document."""
    everyone = np.arange(len(scores.ids), dtype=np.int32)
    mentions = scores.missed.unit_totals(everyone, len(scores.ids))[:, 3]
    return DocumentLeaks(scores.by_document("binary")[:, 2], mentions)


def leaks(scores: Scores) -> Leaks:
    """Return what a prediction leaves open, over a corpus."""
    leaking = document_leaks(scores).leaking
    binary = scores.section("binary").micro
    by_label = scores.missed.label_totals()
    mentions = by_label.sum(axis=0)[2:].tolist()
    return Leaks(
        documents=Share(len(scores.ids), int(leaking.sum())),
        groups=Share(len(scores.units), len(np.unique(scores.unit[leaking]))),
        tokens=Share(binary.gold, binary.fn),
        mentions=Share(*mentions),
        labels={
            label: LabelLeaks(Share(*row[:2]), Share(*row[2:]))
            for label, row in zip(scores.missed.labels, by_label.tolist(), strict=True)
        },
    )
