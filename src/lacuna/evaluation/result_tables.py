"""Results as tables of text: a title, a header and rows.

A section without any mention has dashes instead of figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lacuna.evaluation.annotator_agreement import Agreement
from lacuna.evaluation.bootstrap import SectionIntervals
from lacuna.evaluation.counts import Counts, Section, mean_figures
from lacuna.evaluation.leaks import Leaks, LeakShare
from lacuna.evaluation.scores import Scores
from lacuna.evaluation.significance import Comparison
from lacuna.text.plurals import counted

NO_FIGURE = "–"


class TextTable(NamedTuple):
    """Cells are ready to print; the first column is the name of the row, the others numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def summary_table(scores: Scores, *, beta: float = 1.0) -> TextTable:
    """Return one row per section, over all labels."""
    figures = (*Counts().figures(beta), "macro f1", "error rate")
    rows = []
    for name in scores.tables:
        section = scores.section(name)
        micro = section.micro
        values = (*micro.figures(beta).values(), section.macro()["f1"], micro.error_rate)
        cells = [NO_FIGURE] * len(figures) if micro.is_empty else map(_fraction, values)
        rows.append((name, *cells, *_counts(micro)))
    return TextTable("scores", ("section", *figures, "tp", "fp", "fn"), tuple(rows))


def label_table(section: Section, *, title: str, beta: float = 1.0) -> TextTable:
    """Return one row per label of a section."""
    header = ("label", *Counts().figures(beta), "tp", "fp", "fn")
    rows = (
        (label, *map(_fraction, counts.figures(beta).values()), *_counts(counts))
        for label, counts in section.labels.items()
    )
    return TextTable(title, header, tuple(rows))


def document_table(scores: Scores, *, by: str = "strict", beta: float = 1.0) -> TextTable:
    """Return one row per document, then their mean and the counts of the whole corpus.

    A document without gold and predicted mentions has a precision and recall of 1.
    """
    header = ("document", *Counts().figures(beta), "error rate", "gold", "found")
    counts, whole = scores.documents(by), scores.section(by).micro
    size = max(len(counts), 1)
    mean = (
        "mean of documents",
        *map(_fraction, mean_figures(counts, beta).values()),
        f"{whole.gold / size:.1f}",
        f"{whole.predicted / size:.1f}",
    )
    rows = (_document_row(name, row, beta) for name, row in zip(scores.ids, counts, strict=True))
    cells = (*rows, mean, _document_row("whole corpus", whole, beta))
    return TextTable(f"{by}, by document", header, cells)


def leaks_in_words(found: Leaks) -> str:
    """Return the leaks of tokens and documents in one line."""
    tokens, documents = found.tokens, found.documents
    return (
        f"leaks: {tokens.leaked:,} of {tokens.total:,} gold tokens are not covered by any"
        f" prediction, in {documents.leaked:,} of {counted(documents.total, 'document')}"
    )


def leak_table(found: Leaks) -> TextTable:
    """Return leaks of documents, groups, tokens and mentions, then tokens by label."""
    shares = {
        "documents": found.documents,
        "groups": found.groups,
        "tokens": found.tokens,
        "mentions": found.mentions,
    }
    shares |= {f"tokens of {label}": row.tokens for label, row in found.labels.items()}
    rows = tuple((name, *_share(share)) for name, share in shares.items())
    return TextTable("leaks", ("what", "leaked", "of", "share"), rows)


def hidden_table(found: Leaks) -> TextTable:
    """Return how many identifier tokens are hidden and how many leak, by gold label."""
    shares = {"all labels": found.tokens} | {
        label: row.tokens for label, row in found.labels.items()
    }
    rows = tuple(
        (
            name,
            f"{share.total:,}",
            f"{share.total - share.leaked:,}",
            f"{share.leaked:,}",
            _fraction(1 - share.share),
        )
        for name, share in shares.items()
    )
    header = ("gold label", "tokens", "hidden", "leaked", "recall")
    return TextTable("identifier tokens", header, rows)


def hidden_in_words(scores: Scores, found: Leaks) -> str:
    """Return how precise hiding is, and how many documents and groups leak, in one line."""
    binary, documents, groups = scores.section("binary").micro, found.documents, found.groups
    precision = "" if binary.is_empty else f" (precision {_fraction(binary.precision)})"
    return (
        f"{counted(binary.predicted, 'token')} hidden, {binary.tp:,} of them in identifiers"
        f"{precision}; {documents.leaked:,} of {counted(documents.total, 'document')} and"
        f" {groups.leaked:,} of {counted(groups.total, 'patient')} have a leak"
    )


def interval_table(found: Mapping[str, SectionIntervals]) -> TextTable:
    """Return one row per section: the intervals over all labels."""
    header = ("section", *(name for cut in list(found.values())[:1] for name in cut.micro))
    rows = tuple(
        (
            name,
            *(
                f"{cut.low:.4f}…{cut.high:.4f}" if section.labels else NO_FIGURE
                for cut in section.micro.values()
            ),
        )
        for name, section in found.items()
    )
    return TextTable("intervals", header, rows)


def comparison_table(comparison: Comparison) -> TextTable:
    """Return one row that compares two systems."""
    header = ("section", "figure", "first", "second", "difference", "95 % interval", "p", "units")
    row = (
        comparison.section,
        comparison.figure,
        _fraction(comparison.first),
        _fraction(comparison.second),
        f"{comparison.difference:+.4f}",
        f"{comparison.interval.low:+.4f}…{comparison.interval.high:+.4f}",
        _fraction(comparison.p_value),
        str(comparison.units),
    )
    return TextTable("comparison", header, (row,))


def agreement_table(found: Agreement) -> TextTable:
    """Return F1 and kappa over all labels, then by label."""
    header = ("label", "first", "second", "strict f1", "relaxed f1", "token f1", "kappa")
    sections = (found.strict, found.relaxed, found.token)
    everything = _agreement_row("all", [section.micro for section in sections], found.kappa)
    rows = (
        _agreement_row(
            label,
            [section.labels.get(label, Counts()) for section in sections],
            found.label_kappa[label],
        )
        for label in found.strict.labels
    )
    return TextTable("agreement", header, (everything, *rows))


def disagreement_table(found: Agreement) -> TextTable:
    """Return how many mentions of each annotator are not in the other's, by kind."""
    rows = tuple(
        (kind.replace("_", " "), str(sides.first), str(sides.second))
        for kind, sides in found.disagreements.items()
    )
    return TextTable("disagreements", ("kind", "first", "second"), rows)


def _document_row(name: str, counts: Counts, beta: float) -> tuple[str, ...]:
    figures = (*counts.figures(beta).values(), counts.error_rate)
    return (name, *map(_fraction, figures), str(counts.gold), str(counts.predicted))


def _agreement_row(name: str, counts: list[Counts], kappa: float) -> tuple[str, ...]:
    sizes = (str(counts[0].gold), str(counts[0].predicted))
    return (name, *sizes, *(_fraction(c.f1) for c in counts), _fraction(kappa))


def _fraction(value: float) -> str:
    return f"{value:.4f}"


def _counts(counts: Counts) -> tuple[str, str, str]:
    return str(counts.tp), str(counts.fp), str(counts.fn)


def _share(share: LeakShare) -> tuple[str, str, str]:
    return str(share.leaked), str(share.total), _fraction(share.share)
