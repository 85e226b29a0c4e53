"""Counts of the mentions of one document: strict and relaxed.

strict
    Same label and same spans; repeated mentions are counted as a multiset.
relaxed
    Same label and a shared character, in pairs: a maximum matching, so that the count depends
    neither on the order nor on which side is gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.evaluation.counts import Counts
from lacuna.text.document import Mention
from lacuna.text.overlap import overlapping_pairs

LabelCounts = dict[str, Counts]


@dataclass(frozen=True, slots=True)
class Contacts:
    """Which mentions of gold and prediction share a character.

    Attributes
    ----------
    across
        Pairs (index of a gold mention, index of a predicted mention), whatever their labels.
    in_gold, in_predicted
        Indices of the mentions that overlap another one of their own side, sorted.
    """

    across: tuple[tuple[int, int], ...]
    in_gold: tuple[int, ...]
    in_predicted: tuple[int, ...]


def contacts(gold: Sequence[Mention], predicted: Sequence[Mention]) -> Contacts:
    """Find all overlaps in one sweep over both sides."""
    border = len(gold)
    across: list[tuple[int, int]] = []
    in_gold: set[int] = set()
    in_predicted: set[int] = set()
    for i, j in overlapping_pairs([*gold, *predicted]):
        if j < border:
            in_gold |= {i, j}
        elif i >= border:
            in_predicted |= {i - border, j - border}
        else:
            across.append((i, j - border))
    return Contacts(tuple(across), tuple(sorted(in_gold)), tuple(sorted(in_predicted)))


def strict_counts(gold: Iterable[Mention], predicted: Iterable[Mention]) -> LabelCounts:
    """Count by label; a mention is right if a gold mention has the same label and spans."""
    in_gold = Counter((m.label, m.spans) for m in gold)
    in_predicted = Counter((m.label, m.spans) for m in predicted)
    return by_label(
        (label for label, _ in in_gold.elements()),
        (label for label, _ in in_predicted.elements()),
        (label for label, _ in (in_gold & in_predicted).elements()),
    )


def relaxed_counts(
    gold: Sequence[Mention], predicted: Sequence[Mention], across: Iterable[tuple[int, int]]
) -> LabelCounts:
    """Count by label; a mention is right if it is paired with a gold mention it overlaps.

    `across` are the pairs that share a character, as in :class:`Contacts`.
    """
    edges = [(i, j) for i, j in across if gold[i].label == predicted[j].label]
    return by_label(
        (m.label for m in gold),
        (m.label for m in predicted),
        (gold[i].label for i in matched(edges)),
    )


def matched(edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the left nodes of a maximum matching of a bipartite graph, given by its edges."""
    left, right = {i for i, _ in edges}, {j for _, j in edges}
    if len(left) == len(right) == len(edges):  # no node has two edges
        return sorted(left)
    from scipy.sparse import csr_array  # slow to import, rarely needed
    from scipy.sparse.csgraph import maximum_bipartite_matching

    row = {i: r for r, i in enumerate(sorted(left))}
    column = {j: c for c, j in enumerate(sorted(right))}
    places = ([row[i] for i, _ in edges], [column[j] for _, j in edges])
    graph = csr_array((np.ones(len(edges), np.int8), places), shape=(len(row), len(column)))
    partner = maximum_bipartite_matching(graph, perm_type="column")  # -1: unmatched
    return [i for i, r in row.items() if partner[r] >= 0]


def by_label(gold: Iterable[str], predicted: Iterable[str], right: Iterable[str]) -> LabelCounts:
    """Return counts, given the labels of gold, predicted and right mentions."""
    in_gold, in_predicted, tp = Counter(gold), Counter(predicted), Counter(right)
    return {
        label: Counts(tp[label], in_predicted[label] - tp[label], in_gold[label] - tp[label])
        for label in in_gold | in_predicted
    }
