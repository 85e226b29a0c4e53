"""Results as tables of words: a header and rows, for whoever draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lacuna.evaluation.agreement import Agreement
from lacuna.evaluation.bootstrap import SectionIntervals
from lacuna.evaluation.counts import Counts, Section, mean_figures
from lacuna.evaluation.leaks import Leaks, Share
from lacuna.evaluation.scores import Scores
from lacuna.evaluation.significance import Comparison


class Table(NamedTuple):
    """Cells are ready to print; the first column names the row, the others are numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def summary_table(scores: Scores, *, beta: float = 1.0) -> Table:
    """Return one row for each way of counting, over all labels."""
    sections = {name: scores.section(name) for name in scores.tables}
    header = ("counted", *Counts().figures(beta), "macro f1", "error rate", "tp", "fp", "fn")
    rows = (
        (
            name,
            *map(_fraction, section.micro.figures(beta).values()),
            _fraction(section.macro()["f1"]),
            _fraction(section.micro.error_rate),
            *_counts(section.micro),
        )
        for name, section in sections.items()
    )
    return Table("scores", header, tuple(rows))


def label_table(section: Section, *, title: str, beta: float = 1.0) -> Table:
    """Return one row for each label of one way of counting."""
    header = ("label", *Counts().figures(beta), "tp", "fp", "fn")
    rows = (
        (label, *map(_fraction, counts.figures(beta).values()), *_counts(counts))
        for label, counts in section.labels.items()
    )
    return Table(title, header, tuple(rows))


def document_table(scores: Scores, *, by: str = "strict", beta: float = 1.0) -> Table:
    """Return one row for each document, then their mean and the whole corpus as one.

    A document without mentions, none found either, counts as all right.
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
    return Table(f"{by}, by document", header, cells)


def leak_table(found: Leaks) -> Table:
    """Return leaks of documents, groups, tokens and mentions, then tokens by label."""
    shares = {
        "documents": found.documents,
        "groups": found.groups,
        "tokens": found.tokens,
        "mentions": found.mentions,
    }
    shares |= {f"tokens of {label}": row.tokens for label, row in found.labels.items()}
    rows = tuple((name, *_share(share)) for name, share in shares.items())
    return Table("leaks", ("what", "leaked", "of", "share"), rows)


def interval_table(found: Mapping[str, SectionIntervals]) -> Table:
    """Return one row for each way of counting: the intervals over all labels."""
    header = ("counted", *(name for cut in list(found.values())[:1] for name in cut.micro))
    rows = tuple(
        (name, *(f"{cut.low:.4f}…{cut.high:.4f}" for cut in section.micro.values()))
        for name, section in found.items()
    )
    return Table("intervals", header, rows)


def comparison_table(comparison: Comparison) -> Table:
    """Return two systems beside each other in one row."""
    header = ("counted", "figure", "first", "second", "difference", "95 % interval", "p", "units")
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
    return Table("comparison", header, (row,))


def agreement_table(found: Agreement) -> Table:
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
    return Table("agreement", header, (everything, *rows))


def disagreement_table(found: Agreement) -> Table:
    """Return how many mentions of each annotator the other does not have, by kind."""
    rows = tuple(
        (kind.replace("_", " "), str(sides.first), str(sides.second))
        for kind, sides in found.disagreements.items()
    )
    return Table("disagreements", ("kind", "first", "second"), rows)


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


def _share(share: Share) -> tuple[str, str, str]:
    return str(share.leaked), str(share.total), _fraction(share.share)
