"""Scores of a prediction against gold: counts of every section, label and document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import NamedTuple

import numpy as np

from lacuna.errors import ScoringError
from lacuna.evaluation.counts import Counts, LabelTable, Section, TableBuilder
from lacuna.evaluation.mention_counts import (
    Contacts,
    LabelCounts,
    contacts,
    relaxed_counts,
    strict_counts,
)
from lacuna.evaluation.token_counts import (
    LabelSetTable,
    binary,
    label_sets,
    relabelled,
    token_counts,
)
from lacuna.text.document import Document, Mention
from lacuna.types import IntArray, LongArray

Pair = tuple[Document, Document]  # gold, predicted

#: Sections (ways of counting) of every result, in the order they are shown.
SECTIONS = ("strict", "relaxed", "token", "binary", "discontiguous", "overlapping")
#: Sections added by a category map: strict and token, with categories in place of labels.
CATEGORY_SECTIONS = ("categories", "categories_token")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Counts of a scored corpus, document by document.

    Attributes
    ----------
    ids
        Document ids in scoring order; document d below is ``ids[d]``.
    tokens
        ``tokens[d]`` is the number of tokens in document d.
    units
        Keys of the groups (:attr:`Document.unit`) in order of first appearance.
    unit
        Document d belongs to ``units[unit[d]]``.
    tables
        For each section, a table with the columns tp, fp, fn.
    missed
        By gold label, a table with the fields of :class:`Missed` as columns.
    """

    ids: tuple[str, ...]
    tokens: LongArray
    units: tuple[tuple[str, str], ...]
    unit: IntArray
    tables: Mapping[str, LabelTable]
    missed: LabelTable

    def section(self, name: str) -> Section:
        """Return a section, summed over the corpus."""
        table = self.tables[name]
        totals = table.label_totals().tolist()
        return Section(
            {label: Counts(*row) for label, row in zip(table.labels, totals, strict=True)}
        )

    def by_document(self, name: str) -> LongArray:
        """Return ``[document, (tp, fp, fn)]`` of a section, over all labels."""
        everyone = np.arange(len(self.ids), dtype=np.int32)
        return self.tables[name].unit_totals(everyone, len(self.ids))

    def documents(self, name: str) -> list[Counts]:
        """Return the counts of each document in a section, over all labels."""
        return [Counts(*row) for row in self.by_document(name).tolist()]

    def by_unit(self, name: str) -> LongArray:
        """Return ``[unit, (tp, fp, fn)]`` of a section, over all labels."""
        return self.tables[name].unit_totals(self.unit, len(self.units))


class Missed(NamedTuple):
    """Tokens and mentions of one gold label in one document, and those no prediction touches."""

    tokens: int = 0
    missed_tokens: int = 0
    mentions: int = 0
    missed_mentions: int = 0


class DocumentScores(NamedTuple):
    """The counts of one pair of documents."""

    tokens: int
    sections: dict[str, LabelCounts]
    missed: dict[str, Missed]


def score(pairs: Iterable[Pair], *, categories: Mapping[str, str] | None = None) -> Scores:
    """Score predictions against gold.

    Parameters
    ----------
    pairs
        (gold, predicted) documents with the same text, e.g. from
        :func:`lacuna.evaluation.pairing.pair`; read once, not kept.
    categories
        Maps labels to categories; adds the category sections.

    Raises
    ------
    ScoringError
        The texts of a pair differ.
    """
    names = SECTIONS if categories is None else SECTIONS + CATEGORY_SECTIONS
    builders = {name: TableBuilder(columns=3) for name in names}
    missed = TableBuilder(columns=len(Missed._fields))
    ids: list[str] = []
    tokens: list[int] = []
    unit: list[int] = []
    units: dict[tuple[str, str], int] = {}
    for number, (gold, predicted) in enumerate(pairs):
        found = score_document(gold, predicted, categories=categories)
        ids.append(gold.id)
        tokens.append(found.tokens)
        unit.append(units.setdefault(gold.unit, len(units)))
        for name, builder in builders.items():
            for label, counts in found.sections[name].items():
                builder.add(number, label, astuple(counts))
        for label, row in found.missed.items():
            missed.add(number, label, row)
    return Scores(
        ids=tuple(ids),
        tokens=np.array(tokens, dtype=np.int64),
        units=tuple(units),
        unit=np.array(unit, dtype=np.int32),
        tables={name: builder.table() for name, builder in builders.items()},
        missed=missed.table(),
    )


def score_document(
    gold: Document, predicted: Document, *, categories: Mapping[str, str] | None = None
) -> DocumentScores:
    """Count one document in every section. Tokens are those of `gold`.

    If gold was reviewed in part, only that part counts, see :mod:`lacuna.evaluation.seen_part`.
    """
    from lacuna.evaluation.seen_part import seen, seen_tokens

    check_same_text(gold, predicted)
    tokens, everything = seen_tokens(gold), predicted
    gold, predicted = seen(gold, predicted)
    table = label_sets(tokens, gold.mentions, everything.mentions)
    touching = contacts(gold.mentions, predicted.mentions)
    sections = {
        "strict": strict_counts(gold.mentions, predicted.mentions),
        "relaxed": relaxed_counts(gold.mentions, predicted.mentions, touching.across),
        "token": token_counts(table),
        "binary": token_counts(binary(table)),
        "discontiguous": strict_counts(
            (m for m in gold.mentions if m.is_discontiguous),
            (m for m in predicted.mentions if m.is_discontiguous),
        ),
        "overlapping": strict_counts(
            (gold.mentions[i] for i in touching.in_gold),
            (predicted.mentions[j] for j in touching.in_predicted),
        ),
    }
    if categories is not None:
        sections["categories"] = strict_counts(
            _renamed(gold.mentions, categories), _renamed(predicted.mentions, categories)
        )
        sections["categories_token"] = token_counts(relabelled(table, categories))
    return DocumentScores(len(tokens), sections, _missed(gold, table, touching))


def check_same_text(gold: Document, predicted: Document) -> None:
    """Raise :class:`ScoringError` if two documents differ in their text."""
    if gold.text != predicted.text:
        raise ScoringError(f"document {gold.id}: the texts of the two corpora differ")


def _renamed(mentions: Iterable[Mention], names: Mapping[str, str]) -> list[Mention]:
    return [replace(m, label=names.get(m.label, m.label)) for m in mentions]


def _missed(gold: Document, table: LabelSetTable, touching: Contacts) -> dict[str, Missed]:
    """Count by gold label what no prediction covers, regardless of its label."""
    tokens: Counter[str] = Counter()
    missed_tokens: Counter[str] = Counter()
    for (labels, predicted), size in table.items():
        for label in labels:
            tokens[label] += size
            missed_tokens[label] += 0 if predicted else size
    touched = {i for i, _ in touching.across}
    mentions = Counter(m.label for m in gold.mentions)
    missed_mentions = Counter(m.label for i, m in enumerate(gold.mentions) if i not in touched)
    return {
        label: Missed(tokens[label], missed_tokens[label], size, missed_mentions[label])
        for label, size in mentions.items()
    }
