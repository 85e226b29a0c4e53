"""Detection and replacement together, for a sequence of documents.

If a document cannot be de-identified, only that document fails, and no text of it is returned; the
reason of the failure does not quote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lacuna.deid.dates.order import Order, OrderEvidence
from lacuna.deid.detector import Detected, Detector, detect_bounded
from lacuna.deid.redact import Redacted, Redactor
from lacuna.errors import CorpusFormatError
from lacuna.models.chain_tagger import collection_paused
from lacuna.text.document import Document


class Safe(NamedTuple):
    """A de-identified document, and what was found in it."""

    redacted: Redacted
    detected: Detected


class Failed(NamedTuple):
    """Why a document could not be de-identified, without quoting it."""

    reason: str


@dataclass(frozen=True, slots=True)
class DetectAndRedact:
    """Finds and replaces identifiers; remembers the replacements of each patient."""

    detector: Detector
    redactor: Redactor

    def deidentify(self, documents: Sequence[Document]) -> list[Safe | Failed]:
        """Return each document de-identified, or why it failed; groups are handled together."""
        plain = [Document(d.id, d.text, group=d.group) for d in documents]
        with collection_paused():
            detected = self._detected(plain)
            orders = self._orders([found for found in detected if isinstance(found, Detected)])
            return [self._replaced(found, orders) for found in detected]

    def _orders(self, detected: Sequence[Detected]) -> dict[tuple[str, str], Order]:
        """Return the order of numeric dates for each patient, by all its documents here."""
        evidence: dict[tuple[str, str], OrderEvidence] = {}
        for document, findings, _, _ in detected:
            found = self.redactor.order_evidence(document, findings)
            evidence[document.unit] = found.merged(evidence.get(document.unit, OrderEvidence()))
        return {unit: self.redactor.order(found) for unit, found in evidence.items()}

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

    def _replaced(
        self, found: Detected | Failed, orders: Mapping[tuple[str, str], Order]
    ) -> Safe | Failed:
        if isinstance(found, Failed):
            return found
        order = orders[found.document.unit]
        try:
            return Safe(self.redactor.redact(found.document, found.findings, order=order), found)
        except Exception as error:
            return Failed(why(error))


def why(error: Exception) -> str:
    """Return the reason of an error without path, id or text."""
    if isinstance(error, CorpusFormatError):
        place = f"line {error.line}: " if error.line is not None else ""
        return f"{place}{error.reason}"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"could not be de-identified ({type(error).__name__})"
