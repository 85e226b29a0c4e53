"""Agreement of two annotators: F1, Cohen's kappa by token, and how they disagree.

::

    kappa = (p_o - p_e) / (1 - p_e)        Cohen 1960

p_o is the share of tokens to which both give the same category, p_e the share expected if each
chose categories independently, at their own rates. The category of a token is its whole label set,
so that tokens with several labels have one too; the binary kappa only asks whether there is any
label. If both give the same single category to every token (0/0), kappa is 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from lacuna.evaluation.counts import Counts, Section
from lacuna.evaluation.mention_counts import LabelCounts, contacts, relaxed_counts, strict_counts
from lacuna.evaluation.scores import Pair, check_same_text
from lacuna.evaluation.token_counts import Labels, LabelSetTable, label_sets, token_counts
from lacuna.text.document import Mention


class Disagreement(StrEnum):
    """Why a mention of one annotator is not one of the other's; the first that holds."""

    LABEL = "label"  # the other has the same spans under another label
    BORDER = "border"  # the other has the same label on spans that share a character
    LABEL_AND_BORDER = "label_and_border"  # the other has a mention that shares a character
    MISSING = "missing"  # the other has nothing there


@dataclass(frozen=True, slots=True)
class Sides:
    """One number for each annotator."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two annotators agree.

    Attributes
    ----------
    documents, tokens
        Size of the annotated corpus.
    strict, relaxed, token
        Counts with the first annotator as gold. F1 would be the same with the second.
    kappa, binary_kappa
        Cohen's kappa over label sets, and over labelled against unlabelled.
    label_kappa
        For each label, kappa over tokens with and without it.
    disagreements
        Mentions without an identical one on the other side, by kind; only such mentions of the
        two sides are compared.
    """

    documents: int
    tokens: int
    strict: Section
    relaxed: Section
    token: Section
    kappa: float
    binary_kappa: float
    label_kappa: Mapping[str, float]
    disagreements: Mapping[Disagreement, Sides]


def agreement(pairs: Iterable[Pair]) -> Agreement:
    """Compare two annotations of the same documents; tokens are those of the first.

    Raises
    ------
    ScoringError
        The texts of a pair differ, or one was reviewed in part.
    """
    from lacuna.evaluation.seen_part import whole
    from lacuna.text.tokens import tokens_of

    documents = 0
    table: LabelSetTable = Counter()
    strict: LabelCounts = {}
    relaxed: LabelCounts = {}
    kinds: tuple[Counter[Disagreement], Counter[Disagreement]] = (Counter(), Counter())
    for first, second in pairs:
        check_same_text(first, second)
        first, second = whole((first, second), "agreement")
        documents += 1
        one, other = first.mentions, second.mentions
        table.update(label_sets(tokens_of(first), one, other))
        strict = _added(strict, strict_counts(one, other))
        relaxed = _added(relaxed, relaxed_counts(one, other, contacts(one, other).across))
        for total, kind in zip(kinds, disagreements(one, other), strict=True):
            total.update(kind)
    token = token_counts(table)
    return Agreement(
        documents=documents,
        tokens=table.total(),
        strict=_section(strict),
        relaxed=_section(relaxed),
        token=_section(token),
        kappa=cohen_kappa(table, lambda labels: labels),
        binary_kappa=cohen_kappa(table, bool),
        label_kappa={name: cohen_kappa(table, _carries(name)) for name in sorted(strict)},
        disagreements={kind: Sides(kinds[0][kind], kinds[1][kind]) for kind in Disagreement},
    )


def cohen_kappa(table: LabelSetTable, category: Callable[[Labels], object]) -> float:
    """Return kappa over tokens whose label sets are first turned into categories."""
    total = table.total()
    first: Counter[object] = Counter()
    second: Counter[object] = Counter()
    same = 0
    for (left, right), size in table.items():
        first[category(left)] += size
        second[category(right)] += size
        same += size if category(left) == category(right) else 0
    # (p_o - p_e) / (1 - p_e), numerator and denominator times total², in whole numbers
    chance = sum(size * second[name] for name, size in first.items())
    return (total * same - chance) / (total**2 - chance) if chance < total**2 else 1.0


def disagreements(
    first: Iterable[Mention], second: Iterable[Mention]
) -> tuple[Counter[Disagreement], Counter[Disagreement]]:
    """Count the mentions of each annotator that the other does not have, by kind."""
    one = Counter((m.label, m.spans) for m in first)
    other = Counter((m.label, m.spans) for m in second)
    left = [Mention(label, spans) for label, spans in (one - other).elements()]
    right = [Mention(label, spans) for label, spans in (other - one).elements()]
    across = contacts(left, right).across
    return (
        _kinds(left, right, across),
        _kinds(right, left, [(j, i) for i, j in across]),
    )


def _kinds(
    own: list[Mention], others: list[Mention], across: Iterable[tuple[int, int]]
) -> Counter[Disagreement]:
    partners: dict[int, list[Mention]] = {i: [] for i in range(len(own))}
    for i, j in across:
        partners[i].append(others[j])
    return Counter(_kind(own[i], found) for i, found in partners.items())


def _kind(mention: Mention, partners: list[Mention]) -> Disagreement:
    """Classify a mention by the mentions of the other side that share a character with it."""
    if any(m.spans == mention.spans for m in partners):
        return Disagreement.LABEL
    if any(m.label == mention.label for m in partners):
        return Disagreement.BORDER
    return Disagreement.LABEL_AND_BORDER if partners else Disagreement.MISSING


def _carries(name: str) -> Callable[[Labels], object]:
    return lambda labels: name in labels


def _added(total: LabelCounts, more: LabelCounts) -> LabelCounts:
    return total | {label: total.get(label, Counts()) + counts for label, counts in more.items()}


def _section(counts: LabelCounts) -> Section:
    return Section(dict(sorted(counts.items())))
