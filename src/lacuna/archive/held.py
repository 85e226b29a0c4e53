"""What the first of two passes found, held for the second in a temporary file.

Patients whose documents are apart are read twice. The first pass detects; findings and evidence are
held here. The second pass looks again with the evidence of all documents of the patient, and
rewrites. The file has no name, only its owner can read it, and it vanishes with the process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import BinaryIO, Self

import msgspec
import numpy as np

from lacuna.deid.detector import Detected
from lacuna.deid.evidence import Evidence, merge_all
from lacuna.deid.findings import Finding
from lacuna.pipeline.detect_and_redact import Failed
from lacuna.text.document import Document

_LENGTH = 8


class HeldFindings(msgspec.Struct, frozen=True, array_like=True):
    """What was found in one document, without its text; `reason` is why detection failed."""

    findings: list[Finding] = []
    start: bytes = b""
    end: bytes = b""
    probability: bytes = b""
    covered: bytes = b""
    text_hash: bytes = b""
    reason: str | None = None

    @classmethod
    def of(cls, found: Detected | Failed) -> Self:
        """Return the record of a document."""
        if isinstance(found, Failed):
            return cls(reason=found.reason)
        return cls(
            found.findings,
            found.start.tobytes(),
            found.end.tobytes(),
            found.probability.tobytes(),
            found.covered.tobytes(),
            _hash(found.document.text),
        )

    def detected(self, document: Document) -> Detected | Failed:
        """Return what was found in the document."""
        if self.reason is not None:
            return Failed(self.reason)
        if self.text_hash != _hash(document.text):
            return Failed("changed while the table was read")
        return Detected(
            document,
            self.findings,
            np.frombuffer(self.start, np.int32),
            np.frombuffer(self.end, np.int32),
            np.frombuffer(self.probability, np.float64),
            np.frombuffer(self.covered, np.bool_),
        )


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Held:
    """Findings by table and row, and evidence by group."""

    def __init__(self, apart: frozenset[str] = frozenset()) -> None:
        self.apart = apart  #: groups that need two passes
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        self._findings: dict[int, dict[int, int]] = {}  # table → row → place in the file
        self._evidence: dict[str, list[int]] = {}
        self._size = 0

    def enter(
        self, table: int, found: Iterable[tuple[int, bytes]], evidence: Mapping[str, Evidence]
    ) -> None:
        """Hold what was found: by row, encoded :class:`HeldFindings`, and by group."""
        for row, findings in found:
            self._findings.setdefault(table, {})[row] = self._put(findings)
        for group, of_some in evidence.items():
            place = self._put(msgspec.msgpack.encode(of_some))
            self._evidence.setdefault(group, []).append(place)

    def findings(self, table: int, row: int) -> bytes | None:
        """Return what was found in a row, if it was read."""
        place = self._findings.get(table, {}).get(row)
        return None if place is None else self._get(place)

    def merge(self) -> None:
        """Merge the evidence of each group, after all of its documents were read."""
        for group, places in self._evidence.items():
            if len(places) > 1:
                evidence = merge_all(map(self._evidence_at, places))
                self._evidence[group] = [self._put(msgspec.msgpack.encode(evidence))]

    def evidence(self, groups: Iterable[str | None]) -> dict[str, Evidence]:
        """Return the evidence of those of some groups that are apart."""
        return {
            group: self._evidence_at(place)
            for group in groups
            if group is not None
            for place in self._evidence.get(group, ())
        }

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

    def _evidence_at(self, place: int) -> Evidence:
        return msgspec.msgpack.decode(self._get(place), type=Evidence)

    def _put(self, record: bytes) -> int:
        place = self._size
        self._file.seek(place)
        self._file.write(len(record).to_bytes(_LENGTH, "big") + record)
        self._size += _LENGTH + len(record)
        return place

    def _get(self, place: int) -> bytes:
        self._file.seek(place)
        size = int.from_bytes(self._file.read(_LENGTH), "big")
        return self._file.read(size)
