"""What Finish would learn from and be scored with, or why it is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lacuna.web.finishing.discipline import (
    Seen,
    ancestors,
    check_seal,
    documents_of_models,
    is_touched,
    seen_with,
)
from lacuna.web.finishing.records import FinishAsked, RefusedError
from lacuna.web.finishing.sealed import SealedPatient, Versions, scorable, sealed_patients, unseen
from lacuna.web.model_files import base_path
from lacuna.web.parts import IS_SEALED
from lacuna.web.project import Project
from lacuna.web.teaching.learnable import to_learn

OPENED = "seal-was-opened"
TOO_FEW = "too-few"
NOTHING = "nothing-to-learn"


@dataclass(frozen=True, slots=True)
class FinishPlan:
    """What to do.

    Attributes
    ----------
    base
        The model file to start from; ``None``: from nothing.
    learn
        Documents to learn from, as a whole or in part: keys and versions.
    patients
        Sealed patients to be scored with; none if everything is learnt from.
    seen
        What the model and its ancestors will have seen.
    left_out
        Reviewed sealed patients that a model may have seen.
    unfinished
        Sealed patients that were drawn and are not wholly reviewed.
    """

    base: Path | None
    learn: Versions
    patients: tuple[SealedPatient, ...]
    seen: Seen
    left_out: int = 0
    unfinished: int = 0

    @property
    def is_void(self) -> bool:
        """Whether a finished model was scored with some of the patients before."""
        return any(one.was_looked_at for one in self.patients)

    @property
    def scored(self) -> Versions:
        """The documents to be scored with: keys and versions."""
        return tuple(pair for one in self.patients for pair in one.documents)


def plan(project: Project, asked: FinishAsked) -> FinishPlan:
    """Return what to do.

    Raises
    ------
    RefusedError
        If there is nothing to learn from or to be scored with, or the seal was opened before.
    """
    base = base_path(project)
    with project.store.database.reading() as connection:
        learn = learnable(connection, everything=asked.everything)
        if not learn:
            raise RefusedError(NOTHING, "no document to learn from is reviewed yet")
        seen = seen_by(connection, project, learn)
        if asked.everything:
            return FinishPlan(base, learn, (), seen)
        every = sealed_patients(connection)
        reviewed = scorable(every)
        kept = untouched(connection, reviewed, seen)
        chosen = kept if asked.again else unseen(kept)
        _check(kept, chosen, len(reviewed))
        check_seal(connection, chosen, seen)
    unfinished = sum(one.is_drawn and not one.is_reviewed for one in every)
    left_out = len(reviewed) - len(kept)
    return FinishPlan(base, learn, tuple(chosen), seen, left_out, unfinished)


def learnable(connection: sqlite3.Connection, *, everything: bool = False) -> Versions:
    """Return what Finish learns from: what the teacher does, and the gate; or everything."""
    return tuple(to_learn(connection, "true" if everything else f"NOT {IS_SEALED}"))


def seen_by(connection: sqlite3.Connection, project: Project, learn: Versions) -> Seen:
    """Return what a model will have seen that learns from these documents, and its ancestors."""
    models = ancestors(connection, project.folder, base_path(project))
    before = documents_of_models(connection, models)
    return seen_with(connection, {*before, *(key for key, _ in learn)})


def untouched(
    connection: sqlite3.Connection, patients: Iterable[SealedPatient], seen: Seen
) -> list[SealedPatient]:
    """Return the patients that a model cannot have seen."""
    return [one for one in patients if not is_touched(connection, one, seen)]


def _check(kept: list[SealedPatient], chosen: list[SealedPatient], reviewed: int) -> None:
    if chosen:
        return
    if kept:
        raise RefusedError(
            OPENED,
            "a finished model was scored with all sealed patients that are reviewed; review"
            " others, or ask for it again: then nothing is promised",
        )
    reason = "no sealed patient that the queue has drawn is wholly reviewed yet"
    if reviewed:
        reason = "the model, or one it comes from, may have seen all sealed patients"
    raise RefusedError(TOO_FEW, reason)
