"""How often each known value was found, by its line in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patient_values import KnownValues, read_known
from lacuna.deid.terms import fold_words

OPEN_GROUPS = 1024  #: patients whose lines are cached


class KnownHits:
    """Counts hits; a part of two names, e.g. the family name of a couple, counts for both."""

    def __init__(self, known: KnownValues) -> None:
        self._lines = lru_cache(OPEN_GROUPS)(known.lines)

    @classmethod
    def read(cls, path: str | None) -> KnownHits | None:
        """Read a file of known values, if there is one."""
        return None if path is None else cls(read_known(Path(path)))

    def count(self, group: str | None, text: str, findings: Iterable[Finding]) -> dict[str, int]:
        """Return the hits in a document by line, as text: keys of JSON are text."""
        hits: Counter[str] = Counter()
        for finding in findings:
            if finding.origin is Origin.KNOWN:
                surface = " ".join(fold_words(text[finding.start : finding.end]))
                hits.update(str(line) for line in self._lines(group).get(surface, ()))
        return dict(hits)
