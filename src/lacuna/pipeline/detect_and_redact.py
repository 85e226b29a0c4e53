"""Detection and replacement together, for a sequence of documents.

If a document cannot be de-identified, only that document fails, and no text of it is returned; the
reason of the failure does not quote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from lacuna.deid.detector import Detected, Detector, detect_bounded
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.second_look import NOTHING, Evidence, SecondLook
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


class Failed(NamedTuple):
    """Why a document could not be de-identified, without quoting it."""

    reason: str


@dataclass(frozen=True, slots=True)
class DetectAndRedact:
    """Finds and replaces identifiers; remembers the replacements of each patient.

    Attributes
    ----------
    detector, redactor
        They find and replace.
    second_look
        Looks for what was found in all documents of the patient; ``None`` to do without.
    """

    detector: Detector
    redactor: Redactor
    second_look: SecondLook | None = None

    @classmethod
    def of(cls, detector: Detector, redactor: Redactor, *, second_look: bool = True) -> Self:
        """Return a detector and a redactor together, with a second look by default."""
        if not second_look:
            return cls(detector, redactor)
        look = SecondLook(redactor.policy, detector.recognizers, detector.threshold)
        return cls(detector, redactor, look)

    def deidentify(
        self, documents: Sequence[Document], evidence: Mapping[str, Evidence] = _NONE
    ) -> list[Safe | Failed]:
        """Return each document de-identified, or why it failed; groups are handled together.

        Parameters
        ----------
        documents
            To de-identify.
        evidence
            Of each group, from documents that are not among these.
        """
        return self.redact(self.detect(documents), evidence)

    def detect(self, documents: Sequence[Document]) -> list[Detected | Failed]:
        """Return what is found in each document at first sight, or why it failed."""
        with collection_paused():
            return self._detected([Document(d.id, d.text, group=d.group) for d in documents])

    def redact(
        self, found: Sequence[Detected | Failed], evidence: Mapping[str, Evidence] = _NONE
    ) -> list[Safe | Failed]:
        """Look again in the documents of each group, and replace what is found."""
        with collection_paused():
            looked = [*found] if self.second_look is None else self._looked(found, evidence)
            return [self._replaced(one) for one in looked]

    def evidence(self, found: Sequence[Detected | Failed]) -> dict[str, Evidence]:
        """Return what documents tell about others of their groups."""
        if self.second_look is None:
            return {}
        return {
            group: self.second_look.evidence([one for _, one in members])
            for members in _by_unit(found)
            if (group := members[0][1].document.group) is not None
        }

    def _looked(
        self, found: Sequence[Detected | Failed], evidence: Mapping[str, Evidence]
    ) -> list[Detected | Failed]:
        """Look again; if that fails, all documents of the group fail."""
        assert self.second_look is not None
        looked = [*found]
        for members in _by_unit(found):
            documents = [one for _, one in members]
            others = evidence.get(documents[0].document.group or "", NOTHING)
            try:
                again: list[Detected | Failed] = [*self.second_look.look(documents, others)]
            except Exception as error:
                again = [Failed(why(error))] * len(documents)
            for (place, _), one in zip(members, again, strict=True):
                looked[place] = one
        return looked

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

    def _replaced(self, found: Detected | Failed) -> Safe | Failed:
        if isinstance(found, Failed):
            return found
        try:
            return Safe(self.redactor.redact(found.document, found.findings), found)
        except Exception as error:
            return Failed(why(error))


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
