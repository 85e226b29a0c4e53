"""De-identifying documents of a project, with what people decided.

What is replaced in a document::

    mentions that people decided on, and given ones                        always
    what the model and patterns find with P ≥ threshold, unless rejected   until it is done
    what was found in another document of the patient (second look)        unless rejected there

All documents of a patient are read in the order of import, whichever of them are wanted, so that
names and numbers get the same replacements every time. If a document cannot be de-identified, only
a reason is returned that does not quote it. A document that nobody has reviewed cannot, if the
project names no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lacuna.deid.detector import UNNAMED, Detected, Recognizers, check_threshold, covered
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.policy import Policy
from lacuna.deid.redact import Redactor
from lacuna.deid.second_look import SecondLook
from lacuna.deid.terms import Term
from lacuna.pipeline.detect_and_redact import Failed, LookAndRedact, Safe, why
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray
from lacuna.web.documents_table import ReviewedDocument
from lacuna.web.edits import is_decided
from lacuna.web.operations import State, Status
from lacuna.web.project import Project
from lacuna.web.suggesting import Read
from lacuna.web.suggestions import Suggester

UNREVIEWED = Failed("nobody has reviewed it, and the project names no model")

Borders = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Redaction:
    """De-identifies the documents of a project, patient by patient; make it with :meth:`of`."""

    project: Project
    suggester: Suggester | None
    policy: Policy
    threshold: float

    @classmethod
    def of(
        cls,
        project: Project,
        suggester: Suggester | None,
        *,
        policy: str | None = None,
        threshold: float | None = None,
    ) -> Redaction:
        """Prepare it; policy and threshold are those of the project unless given.

        Raises :class:`ConfigError` if one of them is wrong.
        """
        sure = project.settings.threshold if threshold is None else threshold
        check_threshold(sure)
        made = cls(project, suggester, project.policy(policy), sure)
        made.redactor()
        return made

    def redactor(self) -> Redactor:
        """Return a redactor that remembers nothing yet."""
        key = self.project.key.derive("de-identified")
        locale = self.project.settings.language.replace("-", "_")
        return Redactor(self.policy, key, locale=locale)

    def patient(self, keys: Sequence[int]) -> dict[int, Safe | Failed]:
        """Return all documents of a patient de-identified, or why not, by key."""
        documents = {}
        for key in keys:
            document = self.project.store.document(key)
            assert document is not None  # documents are never removed
            documents[key] = document
        found = [
            read if isinstance(read, Failed) else self._detected(document, read)
            for document, read in zip(documents.values(), self._reads(documents), strict=True)
        ]
        rejected = {one.source.id: rejected_places(one) for one in documents.values()}
        look = _Look(self.policy, Recognizers(), self.threshold, rejected)
        outcomes = LookAndRedact(self.redactor(), look).redact(found)
        return dict(zip(documents, outcomes, strict=True))

    def _reads(self, documents: Mapping[int, ReviewedDocument]) -> list[Read | Failed | None]:
        if self.suggester is None:
            return [None] * len(documents)
        sources = [one.source for one in documents.values()]
        try:
            return [*self.suggester.read(sources, self.threshold)]
        except Exception as error:
            if len(documents) == 1:
                return [Failed(why(error))]
        return [read for item in documents.items() for read in self._reads(dict([item]))]

    def _detected(self, document: ReviewedDocument, read: Read | None) -> Detected | Failed:
        is_done = document.row.state is State.DONE
        if read is None and not is_done:
            return UNREVIEWED
        source = document.source
        bare = Document(source.id, source.text, group=source.group)
        if read is None:
            tokens = tokens_of(source)
            borders, sure = (tokens.start, tokens.end), np.zeros(len(tokens))
        else:
            borders, sure = (read.start, read.end), read.probability
        nothing = np.zeros(len(sure), np.bool_)
        findings = [*_decided(document)]
        if read is not None and not is_done:
            findings += self._undecided(document, read)
        return Detected(bare, [], *borders, sure, nothing).with_more(findings)

    def _undecided(self, document: ReviewedDocument, read: Read) -> Iterator[Finding]:
        """Yield what the model and patterns find and nobody has decided about."""
        review = document.review
        for one in read.suggestions:
            if not is_decided(review, one.label, one.spans):
                origin = Origin(one.source)
                for start, end in one.spans:
                    yield Finding(start, end, one.label, origin, one.probability)
        for finding in (*read.aside, *self._patterns(document)):
            if not is_decided(review, finding.label, (finding[:2],)):
                yield finding
        is_alone = read.is_left & (read.probability >= self.threshold)
        is_alone &= ~inside_rejected(document, read)
        for t in np.flatnonzero(is_alone).tolist():
            start, end, sure = int(read.start[t]), int(read.end[t]), float(read.probability[t])
            yield Finding(start, end, UNNAMED, Origin.MODEL, sure)

    def _patterns(self, document: ReviewedDocument) -> list[Finding]:
        """Return what patterns find if the model was used alone."""
        assert self.suggester is not None
        detector = self.suggester.detector
        if not detector.tagger.core().overlapping:
            return []
        return detector.recognizers.findings(document.source)


def _decided(document: ReviewedDocument) -> Iterator[Finding]:
    """Yield the mentions that count; the second look takes them as sure findings of the model."""
    for entry in document.review.mentions.values():
        if entry.status is not Status.REJECTED:
            for start, end in entry.spans:
                yield Finding(start, end, entry.label, Origin.MODEL)


def rejected_places(document: ReviewedDocument) -> Borders:
    """Return the parts of rejected mentions."""
    return frozenset(
        span
        for entry in document.review.mentions.values()
        if entry.status is Status.REJECTED
        for span in entry.spans
    )


def inside_rejected(document: ReviewedDocument, tokens: Read | Detected) -> BoolArray:
    """Return for each token whether a person said that it is nothing."""
    (inside,) = covered([tokens], [sorted(rejected_places(document))])
    return inside


@dataclass(frozen=True, slots=True)
class _Look(SecondLook):
    """A second look that leaves what was rejected at the same place, by ids of documents."""

    rejected: Mapping[str, Borders] = field(default_factory=dict)

    def look_all(
        self, units: Sequence[Sequence[Detected]], others: Sequence[frozenset[Term]]
    ) -> Iterator[list[Detected]]:
        for unit in super(_Look, self).look_all(units, others):
            yield [self._without_rejected(one) for one in unit]

    def _without_rejected(self, found: Detected) -> Detected:
        rejected = self.rejected.get(found.document.id, frozenset())
        kept = [
            finding
            for finding in found.findings
            if finding.origin is not Origin.AGAIN or finding[:2] not in rejected
        ]
        return found._replace(findings=kept)
