"""Detection and replacement together, for a sequence of documents.

If a document cannot be de-identified, only that document fails, and no text of it is returned; the
reason of the failure does not quote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from lacuna.deid.dates.order import Order, OrderEvidence
from lacuna.deid.detector import Detected, Detector, detect_bounded
from lacuna.deid.evidence import NOTHING, Evidence
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.second_look import SecondLook
from lacuna.errors import CorpusFormatError
from lacuna.models.chain_tagger import collection_paused
from lacuna.text.document import Document

_NONE: Mapping[str, Evidence] = {}


class Safe(NamedTuple):
    """A de-identified document, and what was found in it."""

    redacted: Redacted
    detected: Detected

    @property
    def document(self) -> Document:
        """The new document."""
        return self.redacted.document

    @property
    def text(self) -> str:
        """The new text."""
        return self.redacted.document.text

    @property
    def originals(self) -> list[str]:
        """The words that were replaced."""
        text = self.detected.document.text
        return [text[finding.start : finding.end] for finding in self.redacted.plan]


class Failed(NamedTuple):
    """Why a document could not be de-identified, without quoting it."""

    reason: str


WARM_UP = "Seen by Dr. Ann Whittaker on 03/14/2014, age 91.\n"  #: loads all compiled code
_UNSEEN = Failed("was not looked at")


@dataclass(frozen=True, slots=True)
class LookAndRedact:
    """Replaces what was found; remembers the replacements of each patient.

    Attributes
    ----------
    redactor
        It replaces.
    second_look
        Looks for what was found in all documents of the patient; ``None`` to do without.
    run_order
        What all documents say about the order of numeric dates; for patients without evidence.
    """

    redactor: Redactor
    second_look: SecondLook | None = None
    run_order: OrderEvidence = field(default_factory=OrderEvidence)

    def redact(
        self, found: Sequence[Detected | Failed], evidence: Mapping[str, Evidence] = _NONE
    ) -> list[Safe | Failed]:
        """Look again in the documents of each group, and replace what is found."""
        outcomes: list[Safe | Failed] = [_UNSEEN] * len(found)
        with collection_paused():
            for place, one in enumerate(found):
                if isinstance(one, Failed):
                    outcomes[place] = one
            units = _by_unit(found)
            given = [_given(members, evidence) for members in units]
            looked = self._look_again([[one for _, one in members] for members in units], given)
            for members, again, known in zip(units, looked, given, strict=True):
                redacted = self._redact_unit([one for _, one in members], again, known)
                for (place, _), outcome in zip(members, redacted, strict=True):
                    outcomes[place] = outcome
        return outcomes

    def _look_again(
        self, units: Sequence[Sequence[Detected]], given: Sequence[Evidence | None]
    ) -> list[Sequence[Detected] | Failed]:
        """Look again in the documents of each patient; if that fails, patient by patient."""
        if self.second_look is None:
            return [*units]
        terms = [NOTHING.terms if known is None else known.terms for known in given]
        try:
            return [*self.second_look.look_all(units, terms)]
        except Exception as error:
            if len(units) == 1:
                return [Failed(why(error))]
        pairs = zip(units, given, strict=True)
        return [looked for unit, known in pairs for looked in self._look_again([unit], [known])]

    def evidence(self, found: Sequence[Detected | Failed]) -> dict[str, Evidence]:
        """Return what documents tell about others of their groups.

        Of a document for which this fails there is none; it fails again when it is redacted.
        """
        evidence: dict[str, Evidence] = {}
        for members in _by_unit(found):
            group = members[0][1].document.group
            if group is not None:
                evidence[group] = self._evidence([one for _, one in members])
        return evidence

    def _evidence(self, found: Sequence[Detected]) -> Evidence:
        look, evidence = self.second_look, NOTHING
        for one in found:
            with suppress(Exception):
                terms = NOTHING.terms if look is None else look.terms([one])
                evidence = evidence.merged(Evidence(terms, self._order([one])))
        return evidence

    def _order(self, found: Sequence[Detected]) -> OrderEvidence:
        """Return what documents of a patient say about the order of numeric dates."""
        order = OrderEvidence()
        if self.redactor.reads_order:
            for one in found:
                order = order.merged(self.redactor.order_evidence(one.document, one.findings))
        return order

    def _redact_unit(
        self,
        found: Sequence[Detected],
        looked: Sequence[Detected] | Failed,
        given: Evidence | None,
    ) -> list[Safe | Failed]:
        """Redact the documents of a patient; if looking at all of them fails, all of them fail."""
        if isinstance(looked, Failed):
            return [looked] * len(found)
        order = None
        try:
            if self.redactor.reads_order:
                dates = self._order(found) if given is None else given.order
                order = self.redactor.order(dates, self.run_order)
        except Exception as error:
            return [Failed(why(error))] * len(found)
        return [self._replaced(one, order) for one in looked]

    def _replaced(self, found: Detected, order: Order | None) -> Safe | Failed:
        try:
            safe = Safe(self.redactor.redact(found.document, found.findings, order=order), found)
            if not safe.text.isascii():
                safe.text.encode()
        except UnicodeEncodeError:
            return Failed("contains half of a surrogate pair, which cannot be written")
        except Exception as error:
            return Failed(why(error))
        return safe


@dataclass(frozen=True, slots=True)
class DetectAndRedact(LookAndRedact):
    """Finds and replaces identifiers; make it with :meth:`of`."""

    detector: Detector = field(kw_only=True)

    @classmethod
    def of(
        cls,
        detector: Detector,
        redactor: Redactor,
        *,
        second_look: bool = True,
        run_order: OrderEvidence | None = None,
    ) -> Self:
        """Return a detector and a redactor together, with a second look by default."""
        look = None
        if second_look:
            look = SecondLook(redactor.policy, detector.recognizers, detector.threshold)
        return cls(redactor, look, run_order or OrderEvidence(), detector=detector)

    def deidentify(
        self, documents: Sequence[Document], evidence: Mapping[str, Evidence] = _NONE
    ) -> list[Safe | Failed]:
        """Return each document de-identified, or why it failed; groups are handled together.

        Parameters
        ----------
        documents
            To de-identify.
        evidence
            Of groups that have other documents, too: from all documents of the group, these
            included. Of other groups it is taken from these documents.
        """
        with collection_paused():
            return self.redact(self.detect(documents), evidence)

    def detect(self, documents: Sequence[Document]) -> list[Detected | Failed]:
        """Return what is found in each document at first sight, or why it failed."""
        with collection_paused():
            return self._detected([Document(d.id, d.text, group=d.group) for d in documents])

    def _detected(self, documents: Sequence[Document]) -> list[Detected | Failed]:
        """Detect in all documents; if that fails, group by group, then document by document."""
        try:
            return [*detect_bounded(self.detector, documents)]
        except Exception as error:
            if len(documents) == 1:
                return [Failed(why(error))]
        units = list(dict.fromkeys(document.unit for document in documents))
        if len(units) == 1:
            return [found for document in documents for found in self._detected([document])]
        found = {
            unit: iter(self._detected([d for d in documents if d.unit == unit])) for unit in units
        }
        return [next(found[document.unit]) for document in documents]


def _given(
    members: Sequence[tuple[int, Detected]], evidence: Mapping[str, Evidence]
) -> Evidence | None:
    group = members[0][1].document.group
    return None if group is None else evidence.get(group)


def _by_unit(found: Sequence[Detected | Failed]) -> list[list[tuple[int, Detected]]]:
    """Return the documents of each patient, with their places; alone if they have no group."""
    units: dict[str | int, list[tuple[int, Detected]]] = {}
    for place, one in enumerate(found):
        if not isinstance(one, Failed):
            group = one.document.group
            units.setdefault(place if group is None else group, []).append((place, one))
    return list(units.values())


def why(error: Exception) -> str:
    """Return the reason of an error without path, id or text."""
    if isinstance(error, CorpusFormatError):
        place = f"line {error.line}: " if error.line is not None else ""
        return f"{place}{error.reason}"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"could not be de-identified ({type(error).__name__})"
