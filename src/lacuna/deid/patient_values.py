"""Values known for each patient: names and numbers that must not stay in a text.

A CSV file with the columns ``group,kind,value``; a value without a group is searched everywhere::

    group,kind,value
    p17,name,"Smith-Jones, Jane Mary"
    p17,id,1234567
    ,doctor,Dr. Ada Gray

The group is that of the documents. Names (kinds *name* and *doctor*) are also found in parts and in
other orders: *Jane Smith-Jones*, *SMITH-JONES, JANE*, *J. M. Smith-Jones*, *Mrs. Jones*, *Jane*.
Parts have at least two letters; with fewer than four, or if they are everyday words (*Will*,
*Rose*), they must begin with a capital. Particles (*van*, *de*) are not found alone. Numbers are
found as written, without signs, and in the groups of phone numbers. The values are kept in memory
only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from lacuna.deid.findings import Origin
from lacuna.deid.name_terms import (
    PARTICLES,
    TITLES,
    everyday_words,
    is_clear,
    name_parts,
    number_forms,
)
from lacuna.deid.terms import Case, Term, TermFinder, fold_words
from lacuna.errors import CorpusFormatError
from lacuna.io.source import Source

COLUMNS = ("group", "kind", "value")
NAME_KINDS = ("name", "doctor")
NUMBER_KINDS = ("id", "record", "phone", "fax", "ssn")
#: Kinds of values, and the label of what they find.
LABELS = {
    "name": "PATIENT",
    "doctor": "DOCTOR",
    "id": "IDNUM",
    "record": "MEDICALRECORD",
    "ssn": "SSN",
    "phone": "PHONE",
    "fax": "FAX",
    "email": "EMAIL",
    "date": "DATE",
    "address": "STREET",
    "city": "CITY",
    "zip": "ZIP",
    "employer": "ORGANIZATION",
    "other": "IDNUM",
}


class Known(NamedTuple):
    """One value of the file, and its line."""

    kind: str
    value: str
    line: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class KnownValues:
    """Known values by group; those of the group ``""`` are searched everywhere."""

    by_group: Mapping[str, tuple[Known, ...]]

    def finder(self, group: str | None) -> TermFinder:
        """Return a finder of the values of a group; keep it for all documents of the group."""
        terms = (term for entry in self._of(group) for term in _terms(entry))
        return TermFinder.of(terms, Origin.KNOWN)

    def lines(self, group: str | None) -> dict[str, set[int]]:
        """Return the lines of the file by what they find in documents of a group, folded."""
        lines: dict[str, set[int]] = {}
        for entry in self._of(group):
            for term in _terms(entry):
                lines.setdefault(" ".join(fold_words(term.text)), set()).add(entry.line)
        return lines

    def _of(self, group: str | None) -> tuple[Known, ...]:
        return self.by_group.get("", ()) + (self.by_group.get(group, ()) if group else ())


SYNONYMS = {"patient": "name", "relative": "name"}  #: kinds that people write, too


def read_known(path: Path) -> KnownValues:
    """Read a file of known values; errors name the line and never quote it."""
    by_group: dict[str, list[Known]] = {}
    for line, cells in _rows(path):
        group, kind, value = (cell.strip() for cell in cells)
        kind = SYNONYMS.get(kind.lower(), kind.lower())
        if kind not in LABELS:
            raise CorpusFormatError(path, f"kind must be one of {', '.join(LABELS)}", line=line)
        if not fold_words(value):
            raise CorpusFormatError(path, "a value needs a letter or digit", line=line)
        by_group.setdefault(group, []).append(Known(kind, value, line))
    return KnownValues({group: tuple(values) for group, values in by_group.items()})


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    rows = csv.reader((line for _, line in Source(path, path.name).records()), strict=True)
    try:
        header = next(rows, [])
        if tuple(cell.strip() for cell in header) != COLUMNS:
            raise CorpusFormatError(path, f"the first line must be {','.join(COLUMNS)}", line=1)
        for cells in rows:
            if len(cells) != len(COLUMNS) and any(cell.strip() for cell in cells):
                reason = f"expected {len(COLUMNS)} cells, found {len(cells)}"
                raise CorpusFormatError(path, reason, line=rows.line_num)
            if cells:
                yield rows.line_num, cells
    except csv.Error:
        reason = "a quotation mark is wrong or missing"
        raise CorpusFormatError(path, reason, line=rows.line_num) from None


def _terms(known: Known) -> Iterator[Term]:
    label = LABELS[known.kind]
    if known.kind in NAME_KINDS:
        for form in {*_whole_forms(known.value), " ".join(fold_words(known.value))}:
            has_clear_word = any(len(w) > 1 and w not in everyday_words() for w in form.split())
            yield Term(form, label, Case.ANY if has_clear_word else Case.CAPITAL)
        for part in name_parts(known.value):
            yield Term(part, label, Case.ANY if is_clear(part) else Case.CAPITAL)
        return
    yield Term(known.value, label)
    if known.kind in NUMBER_KINDS:
        yield from (Term(form, label) for form in number_forms(known.value))


def _whole_forms(name: str) -> Iterable[str]:
    """Return the ways to write a whole name; it may be given as ``Last, First``."""
    last, comma, first = name.partition(",")
    pieces = [fold_words(piece) for piece in (f"{first} {last}" if comma else name).split()]
    pieces = [piece for piece in pieces if piece and piece[0] not in TITLES]
    size = len(last.split()) if comma else _size_of_last_name(pieces)
    given = list(chain(*pieces[: len(pieces) - size]))
    family = list(chain(*pieces[len(pieces) - size :]))
    if not given or not family:
        return ()
    short = [word[0] for word in given]
    first_names = (
        given,
        given[:1],
        short,
        short[:1],
        ["".join(short)],
        [given[0], *short[1:]],
    )
    return {
        " ".join(form)
        for names in first_names
        for form in ([*names, *family], [*family, *names], [*names, family[-1]])
    }


def _size_of_last_name(pieces: list[list[str]]) -> int:
    """Return how many pieces the last name has, particles included: *van der Berg*."""
    size = 1
    while size < len(pieces) and pieces[-size - 1][0] in PARTICLES:
        size += 1
    return size
