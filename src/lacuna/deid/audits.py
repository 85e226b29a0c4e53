"""Audits in the report of a run: samples that were drawn, and what a person saw in them.

The report lists every draw, with or without answers, so that nobody can draw until a sample looks
good. It names no document.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from lacuna.errors import ConfigError
from lacuna.text.plurals import counted

AUDITS = "audits"  #: the key in ``report.json``


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """What a person saw in a sample.

    Attributes
    ----------
    entered
        When the answers were entered.
    leaking, leaks
        Documents with a leak, and leaks in all of them.
    confidence, most_leaking
        The largest number of documents that may have a leak, with this confidence.
    corrections
        How often the answers were replaced.
    """

    entered: str
    leaking: int
    leaks: int
    confidence: float
    most_leaking: int
    corrections: int = 0


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """A sample of documents, drawn at random.

    Attributes
    ----------
    draw
        Hash of time, seed and names of the documents, which the answers must repeat.
    drawn, seed, seed_was_given
        When, with which seed, and whether a person chose it.
    sample, documents
        How many were drawn, and from how many.
    answers
        If they were entered.
    """

    draw: str
    drawn: str
    seed: int
    seed_was_given: bool
    sample: int
    documents: int
    answers: Answers | None = None


def audits_in(report: Path) -> list[Audit]:
    """Return the audits of a ``report.json``; none if there is no such file.

    Raises
    ------
    ConfigError
        If the file is damaged.
    """
    try:
        values = msgspec.json.decode(report.read_bytes())
        return msgspec.convert(values.get(AUDITS, []), list[Audit])
    except FileNotFoundError:
        return []
    except (msgspec.MsgspecError, AttributeError):
        raise ConfigError(f"{report}: is not the report of lacuna deid") from None


def result_in_words(audit: Audit) -> str:
    """Return the result of a sample in one line."""
    sample = counted(audit.sample, "document")
    if audit.answers is None:
        return f"{sample} drawn, no answers entered"
    seen, most = audit.answers.leaking, audit.answers.most_leaking
    words = f"{seen:,} of {sample} had a leak"
    if audit.sample == audit.documents:
        return f"{words}: these were all documents"
    return (
        f"{words}: at most {_percent(most / audit.documents)} with"
        f" {_percent(audit.answers.confidence)} confidence"
    )


def draw_in_words(audit: Audit) -> str:
    """Return how a sample was drawn."""
    chosen = " (given with --seed)" if audit.seed_was_given else ""
    words = (
        f"{audit.sample:,} of {counted(audit.documents, 'document')}, drawn at random on"
        f" {audit.drawn}, seed {audit.seed}{chosen}"
    )
    if audit.answers is not None:
        leaks = counted(audit.answers.leaks, "leak")
        words += f"; answers entered on {audit.answers.entered}: {leaks} in all"
        if audit.answers.corrections:
            times = audit.answers.corrections
            words += f", corrected {'once' if times == 1 else f'{times} times'}"
    return words


def audit_section(audits: Sequence[Audit]) -> str:
    """Return the audits as HTML: one paragraph each, in the order they were drawn."""
    return "".join(
        f"<p><b>{escape(result_in_words(audit))}.</b><br>{escape(draw_in_words(audit))}.</p>"
        for audit in audits
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %"
