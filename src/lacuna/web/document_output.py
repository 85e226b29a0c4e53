"""A document of a project before and after de-identification."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lacuna.deid.actions import Keep
from lacuna.deid.findings import Finding
from lacuna.deid.placeholders import PLACEHOLDER
from lacuna.errors import EditError, RedactionError
from lacuna.pipeline.detect_and_redact import Failed, Safe
from lacuna.text.plurals import counted
from lacuna.web.blind import is_blind
from lacuna.web.documents_table import ReviewedDocument
from lacuna.web.operations import Entry, State, Status
from lacuna.web.project import Project
from lacuna.web.redacting import Redaction, inside_rejected
from lacuna.web.suggestions import Suggester, keys_of_group

BLIND = "it is to be read without the help of a model until it is done for the first time"
PERSON, GIVEN, TEXT = "person", "given", "text"


class Replaced(msgspec.Struct, frozen=True):
    """Something that was replaced.

    Attributes
    ----------
    start, end, new_start, new_end
        Where it was, and where its replacement is.
    label, instead
        What it is, and what is written instead.
    source
        Who found it: ``person``, ``given`` (imported), ``model``, ``pattern``, ``again`` (found
        elsewhere in the documents of the patient), ``text`` (a placeholder of the original).
    probability
        That it is an identifier, unless a person decided.
    """

    start: int
    end: int
    label: str
    instead: str
    new_start: int
    new_end: int
    source: str
    probability: float | None = None


class Output(msgspec.Struct, frozen=True):
    """A de-identified document.

    Attributes
    ----------
    policy, threshold
        What it was made with.
    text, replaced
        The new text, and what was replaced, in text order.
    expected_missed
        How many identifying words may remain, as far as the model can tell.
    remarks
        What a person should know about it, in sentences.
    """

    policy: str
    threshold: float
    text: str
    replaced: tuple[Replaced, ...]
    expected_missed: float
    remarks: tuple[str, ...]


def output_of(
    project: Project,
    suggester: Suggester | None,
    key: int,
    *,
    policy: str | None = None,
    threshold: float | None = None,
) -> Output:
    """Return a document de-identified; policy and threshold are the project's unless given.

    Raises
    ------
    ConfigError
        If policy or threshold is wrong.
    EditError
        If there is no such document.
    RedactionError
        If it cannot be de-identified; the text is not quoted.
    """
    document = project.store.document(key)
    if document is None:
        raise EditError("there is no such document")
    if is_blind(project.store.database.reader, document.row):
        raise RedactionError(BLIND)
    redaction = Redaction.of(project, suggester, policy=policy, threshold=threshold)
    group = document.row.group
    outcomes = redaction.patient([key] if group is None else keys_of_group(project.store, group))
    outcome = outcomes[key]
    if isinstance(outcome, Failed):
        raise RedactionError(outcome.reason)
    failed = sum(isinstance(one, Failed) for one in outcomes.values())
    found = outcome.detected
    is_left = ~found.covered & ~inside_rejected(document, found)
    return Output(
        policy or project.settings.policy,
        redaction.threshold,
        outcome.text,
        tuple(_replaced(document, outcome)),
        float(found.probability.sum(where=is_left)),
        tuple(_remarks(redaction, document, outcome, failed)),
    )


def _replaced(document: ReviewedDocument, safe: Safe) -> Iterator[Replaced]:
    redacted = safe.redacted
    offsets = redacted.offsets
    new_borders = zip(offsets.new_start.tolist(), offsets.new_end.tolist(), strict=True)
    for finding, instead, (start, end) in zip(
        redacted.plan, redacted.instead, new_borders, strict=True
    ):
        source, sure = _source(document, finding)
        yield Replaced(finding.start, finding.end, finding.label, instead, start, end, source, sure)


def _source(document: ReviewedDocument, finding: Finding) -> tuple[str, float | None]:
    """Return who found something, and how sure it is."""
    if finding.label == PLACEHOLDER:
        return TEXT, None
    here = [
        entry
        for entry in document.review.mentions.values()
        if entry.status is not Status.REJECTED and _touches(entry, finding)
    ]
    if any(entry.status is not Status.GIVEN for entry in here):
        return PERSON, None
    if here:
        return GIVEN, here[0].probability
    return str(finding.origin), finding.probability


def _touches(entry: Entry, finding: Finding) -> bool:
    return any(start < finding.end and finding.start < end for start, end in entry.spans)


def _remarks(
    redaction: Redaction, document: ReviewedDocument, safe: Safe, failed: int
) -> Iterator[str]:
    if redaction.suggester is None:
        yield "The project names no model, so what may remain is not known."
    if document.row.state is not State.DONE:
        yield "Nobody has said that this document is done, so what the model finds is hidden, too."
    labels = {finding.label for finding in safe.detected.findings}
    kept = sorted(one for one in labels if isinstance(redaction.policy.action(one), Keep))
    if kept:
        yield f"The policy keeps {', '.join(kept)}."
    redacted = safe.redacted
    if fallbacks := sum(redacted.fallbacks.values()):
        stood = "was" if fallbacks == 1 else "were"
        yield f"{counted(fallbacks, 'mention')} could not be read and {stood} hidden completely."
    if redacted.orders.hidden:
        dates = counted(redacted.orders.hidden, "date")
        yield f"{dates} can be read day first or month first, and are hidden."
    if failed:
        other = counted(failed, "other document")
        yield f"{other} of the patient could not be de-identified; names in it were not looked for."
