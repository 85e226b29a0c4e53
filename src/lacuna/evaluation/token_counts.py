"""Counts of the tokens of one document, from one table of label sets.

``table[g, p]`` is the number of tokens with the labels `g` in gold and `p` in the prediction. A
token has the label of every mention it shares a character with. Labels change only where a mention
begins or ends, so one sweep over the mentions fills the table, however many tokens there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lacuna.evaluation.counts import Counts
from lacuna.evaluation.mention_counts import LabelCounts
from lacuna.text.document import Mention, Tokens

Labels = frozenset[str]
LabelSetTable = Counter[tuple[Labels, Labels]]

#: The only label of the binary section: covered by any mention.
IDENTIFIER = "identifier"


def label_sets(
    tokens: Tokens, gold: Sequence[Mention], predicted: Sequence[Mention]
) -> LabelSetTable:
    """Count the tokens of a document by their labels in gold and prediction."""
    changes = sorted([*_changes(tokens, gold, 0), *_changes(tokens, predicted, 1)])
    table: LabelSetTable = Counter()
    open_labels: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    counted = 0  # tokens counted so far
    for token, side, label, step in changes:
        if token > counted:
            table[frozenset(open_labels[0]), frozenset(open_labels[1])] += token - counted
            counted = token
        open_labels[side][label] += step
        if not open_labels[side][label]:
            del open_labels[side][label]
    if len(tokens) > counted:
        table[frozenset(), frozenset()] += len(tokens) - counted
    return table


def _changes(
    tokens: Tokens, mentions: Sequence[Mention], side: int
) -> list[tuple[int, int, str, int]]:
    """Return (token, side, label, +1 or -1): where each label of a side begins and ends."""
    parts = [(span.start, span.end, m.label) for m in mentions for span in m.spans]
    start = np.array([start for start, _, _ in parts], dtype=np.int64)
    end = np.array([end for _, end, _ in parts], dtype=np.int64)
    first = np.searchsorted(tokens.end, start, side="right").tolist()  # ends after the span starts
    last = np.searchsorted(tokens.start, end, side="left").tolist()  # starts before the span ends
    changes = []
    for (_, _, label), i, j in zip(parts, first, last, strict=True):
        if i < j:
            changes += [(i, side, label, 1), (j, side, label, -1)]
    return changes


def token_counts(table: LabelSetTable) -> LabelCounts:
    """Count (token, label) pairs by label."""
    counts: LabelCounts = {}
    for (gold, predicted), size in table.items():
        for label in gold | predicted:
            right = size if label in gold and label in predicted else 0
            spurious = size if label not in gold else 0
            missed = size if label not in predicted else 0
            counts[label] = counts.get(label, Counts()) + Counts(right, spurious, missed)
    return counts


def binary(table: LabelSetTable) -> LabelSetTable:
    """Return the table with all labels replaced by :data:`IDENTIFIER`."""
    return relabelled(table, {label: IDENTIFIER for pair in table for label in pair[0] | pair[1]})


def relabelled(table: LabelSetTable, names: Mapping[str, str]) -> LabelSetTable:
    """Return the table with labels replaced; labels that are not in `names` are kept."""
    result: LabelSetTable = Counter()
    for (gold, predicted), size in table.items():
        pair = (
            frozenset(names.get(label, label) for label in gold),
            frozenset(names.get(label, label) for label in predicted),
        )
        result[pair] += size
    return result
