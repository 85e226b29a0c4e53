"""What a model says about the documents that wait: changes against another, and its doubts.

Sealed documents are left out: nobody is told what a model finds in them.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from lacuna.web.documents_table import places
from lacuna.web.parts import IS_SEALED
from lacuna.web.store import WAITING

Uids = Mapping[int, frozenset[str]]  #: of suggestions, by key of the document


class _One(msgspec.Struct):
    uid: str


class _Found(msgspec.Struct):
    """Of what is stored, all that is needed here."""

    suggestions: list[_One]


class _Doubt(msgspec.Struct):
    label: str


class _Doubted(msgspec.Struct):
    doubts: list[_Doubt]


_found = msgspec.json.Decoder(_Found)
_doubted = msgspec.json.Decoder(_Doubted)


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """How many suggestions of a document are new, and how many are gone."""

    key: int
    id: str
    new: int
    gone: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What another model changed; documents with the most changes first."""

    new: int
    gone: int
    documents: tuple[DocumentChange, ...]


@dataclass(frozen=True, slots=True)
class LabelDoubts:
    """How many doubts have a label as their best guess, and their share of all."""

    label: str
    share: float
    count: int


def suggested_uids(connection: sqlite3.Connection, model: int) -> Uids:
    """Return what a model suggests in the documents that wait, as far as it has read them."""
    return {
        key: frozenset(one.uid for one in _found.decode(found).suggestions)
        for key, _, found in _rows(connection, model)
    }


def changes(connection: sqlite3.Connection, before: Uids, model: int) -> Changes:
    """Return what a model changed in documents that both have read and that still wait."""
    rows = []
    for key, id_, found in _rows(connection, model):
        if key in before:
            now = frozenset(one.uid for one in _found.decode(found).suggestions)
            rows.append(DocumentChange(key, id_, len(now - before[key]), len(before[key] - now)))
    changed = sorted(
        (row for row in rows if row.new or row.gone), key=lambda row: (-row.new - row.gone, row.key)
    )
    return Changes(
        sum(row.new for row in rows), sum(row.gone for row in rows), tuple(changed[:MOST])
    )


MOST = 100  #: documents that are listed


def doubts(connection: sqlite3.Connection, model: int) -> list[LabelDoubts]:
    """Return a model's doubts in documents that wait, by label, the most frequent first."""
    count = Counter(
        doubt.label
        for _, _, found in _rows(connection, model)
        for doubt in _doubted.decode(found).doubts
    )
    whole = count.total()
    order = sorted(count.items(), key=lambda item: (-item[1], item[0]))
    return [LabelDoubts(label, number / whole, number) for label, number in order]


def _rows(connection: sqlite3.Connection, model: int) -> Iterator[tuple[int, str, str]]:
    yield from connection.execute(
        "SELECT key, id, found FROM document JOIN suggestion ON document.key = suggestion.document"
        f" WHERE model = ? AND NOT {IS_SEALED} AND state IN ({places(len(WAITING))})"
        " ORDER BY key",
        (model, *WAITING),
    )
