"""Sealed patients: whose documents are reviewed, who were drawn by the queue, who were looked at.

A patient can carry a score or a promise if all documents are done and nobody chose the patient:
the queue has drawn the patient, or every sealed patient is reviewed, so that there was no choice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from lacuna.web.operations import State
from lacuna.web.parts import IS_SEALED

Versions = tuple[tuple[int, int], ...]  #: keys and versions of documents


@dataclass(frozen=True, slots=True)
class SealedPatient:
    """A sealed patient.

    Attributes
    ----------
    unit
        As :attr:`~lacuna.text.document.Document.unit`.
    documents
        Keys and versions of all documents.
    is_reviewed
        Whether all of them are done.
    is_drawn
        Whether the queue has drawn the patient.
    was_looked_at
        Whether a finished model was scored with one of them.
    """

    unit: tuple[str, str]
    documents: Versions
    is_reviewed: bool
    is_drawn: bool
    was_looked_at: bool

    @property
    def keys(self) -> frozenset[int]:
        """Keys of the documents."""
        return frozenset(key for key, _ in self.documents)


class SealedCounts(msgspec.Struct, frozen=True):
    """How far the sealed part is; `unseen_patients` are reviewed, drawn and never looked at."""

    documents: int
    patients: int
    reviewed_documents: int
    reviewed_patients: int
    unseen_patients: int


def sealed_patients(connection: sqlite3.Connection) -> list[SealedPatient]:
    """Return all sealed patients, in the order of import."""
    found: dict[tuple[str, str], list[tuple[int, int, str, int, str | None]]] = {}
    for id_, group, *values in connection.execute(
        "SELECT id, grp, key, version, state, sampled, looked_at FROM document"
        f" WHERE {IS_SEALED} ORDER BY key"
    ):
        unit = ("document", id_) if group is None else ("group", group)
        found.setdefault(unit, []).append(tuple(values))
    return [
        SealedPatient(
            unit,
            tuple((key, version) for key, version, *_ in rows),
            all(state == State.DONE for _, _, state, *_ in rows),
            any(sampled for *_, sampled, _ in rows),
            any(looked_at is not None for *_, looked_at in rows),
        )
        for unit, rows in found.items()
    ]


def scorable(patients: Iterable[SealedPatient]) -> list[SealedPatient]:
    """Return the reviewed patients that nobody chose."""
    every = list(patients)
    nobody_waits = all(one.is_reviewed for one in every)
    return [one for one in every if one.is_reviewed and (one.is_drawn or nobody_waits)]


def unseen(patients: Iterable[SealedPatient]) -> list[SealedPatient]:
    """Return the patients that no finished model was scored with."""
    return [one for one in patients if not one.was_looked_at]


def count_sealed(connection: sqlite3.Connection) -> SealedCounts:
    """Return how far the sealed part is."""
    patients = sealed_patients(connection)
    (done,) = connection.execute(
        f"SELECT count(*) FROM document WHERE {IS_SEALED} AND state = ?", (State.DONE,)
    ).fetchone()
    return SealedCounts(
        sum(len(one.documents) for one in patients),
        len(patients),
        done,
        sum(one.is_reviewed for one in patients),
        len(unseen(scorable(patients))),
    )
