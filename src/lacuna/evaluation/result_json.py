"""Results as JSON: plain dicts for any encoder.

A section without any mention has ``None`` instead of figures and intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lacuna.evaluation.annotator_agreement import Agreement
from lacuna.evaluation.bootstrap import SectionIntervals
from lacuna.evaluation.counts import Counts, Section, mean_figures
from lacuna.evaluation.leaks import Leaks, LeakShare, document_leaks, leaks
from lacuna.evaluation.scores import Scores
from lacuna.evaluation.significance import Comparison

Json = dict[str, Any]


def scores_json(
    scores: Scores,
    *,
    beta: float = 1.0,
    per_document: bool = False,
    intervals: Mapping[str, SectionIntervals] | None = None,
) -> Json:
    """Return a result; scores are fractions of 1.

    Parameters
    ----------
    scores
        The result.
    beta
        If not 1, F-beta is added, e.g. as ``"f2"``.
    per_document
        Adds ``"per_document"``: counts, figures and leaks of every document; and
        ``"document_mean"``: the unweighted mean of the figures over documents.
    intervals
        Adds ``"intervals"``, as ``[low, high]`` by section, label and figure.
    """
    result: Json = {"documents": len(scores.ids), "tokens": int(scores.tokens.sum())}
    result |= {name: section_json(scores.section(name), beta) for name in scores.tables}
    result["leaks"] = leaks_json(leaks(scores))
    if per_document:
        result["per_document"] = _documents(scores, beta)
        result["document_mean"] = {
            name: mean_figures(scores.documents(name), beta) for name in scores.tables
        }
    if intervals is not None:
        result["intervals"] = {name: _intervals(found) for name, found in intervals.items()}
    return result


def section_json(section: Section, beta: float = 1.0) -> Json:
    """Return one section."""
    micro, macro = section.micro, section.macro(beta)
    if micro.is_empty:
        nothing: Json = dict.fromkeys(macro)
        counts = {"tp": 0, "fp": 0, "fn": 0}
        return {"micro": nothing | counts, "macro": nothing, "error_rate": None, "labels": {}}
    return {
        "micro": counts_json(micro, beta),
        "macro": macro,
        "error_rate": micro.error_rate,
        "labels": {label: counts_json(counts, beta) for label, counts in section.labels.items()},
    }


def counts_json(counts: Counts, beta: float = 1.0) -> Json:
    """Return figures, and the counts they are computed from."""
    return {**counts.figures(beta), "tp": counts.tp, "fp": counts.fp, "fn": counts.fn}


def leaks_json(found: Leaks) -> Json:
    """Return leaks."""
    return {
        "documents": _share(found.documents),
        "groups": _share(found.groups),
        "tokens": _share(found.tokens),
        "mentions": _share(found.mentions),
        "labels": {
            label: {"tokens": _share(row.tokens), "mentions": _share(row.mentions)}
            for label, row in found.labels.items()
        },
    }


def comparison_json(comparison: Comparison) -> Json:
    """Return a comparison of two systems."""
    return {
        "section": comparison.section,
        "figure": comparison.figure,
        "first": comparison.first,
        "second": comparison.second,
        "difference": comparison.difference,
        "interval": list(comparison.interval),
        "p_value": comparison.p_value,
        "units": comparison.units,
    }


def agreement_json(found: Agreement) -> Json:
    """Return the agreement of two annotators."""
    return {
        "documents": found.documents,
        "tokens": found.tokens,
        "f1": {
            "strict": found.strict.micro.f1,
            "relaxed": found.relaxed.micro.f1,
            "token": found.token.micro.f1,
        },
        "kappa": {"labels": found.kappa, "binary": found.binary_kappa},
        "labels": {label: _label_agreement(found, label) for label in found.strict.labels},
        "disagreements": {
            str(kind): {"first": sides.first, "second": sides.second}
            for kind, sides in found.disagreements.items()
        },
    }


def _label_agreement(found: Agreement, label: str) -> Json:
    return {
        "first": found.strict.labels[label].gold,
        "second": found.strict.labels[label].predicted,
        "strict": found.strict.labels[label].f1,
        "relaxed": found.relaxed.labels[label].f1,
        "token": found.token.labels.get(label, Counts()).f1,
        "kappa": found.label_kappa[label],
    }


def _share(share: LeakShare) -> Json:
    return {"total": share.total, "leaked": share.leaked, "share": share.share}


def _intervals(found: SectionIntervals) -> Json:
    return {
        "micro": {name: list(cut) if found.labels else None for name, cut in found.micro.items()},
        "labels": {
            label: {name: list(cut) for name, cut in cuts.items()}
            for label, cuts in found.labels.items()
        },
    }


def _documents(scores: Scores, beta: float) -> list[Json]:
    counts = {name: scores.documents(name) for name in scores.tables}
    missed = document_leaks(scores)
    rows: list[Json] = []
    for d, name in enumerate(scores.ids):
        kind, unit = scores.units[scores.unit[d]]
        rows.append(
            {
                "id": name,
                "group": unit if kind == "group" else None,
                "tokens": int(scores.tokens[d]),
                **{
                    key: counts_json(table[d], beta) | {"error_rate": table[d].error_rate}
                    for key, table in counts.items()
                },
                "missed_tokens": int(missed.tokens[d]),
                "missed_mentions": int(missed.mentions[d]),
            }
        )
    return rows
