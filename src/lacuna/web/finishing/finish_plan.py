"""What Finish would learn from and be scored with, or why it is refused."""

from __future__ import annotations

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
from lacuna.web.finishing.sealed import SealedPatient, Versions, scorable, sealed_patients
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
        learn = tuple(to_learn(connection, "true" if asked.everything else f"NOT {IS_SEALED}"))
        if not learn:
            raise RefusedError(NOTHING, "no document to learn from is reviewed yet")
        models = ancestors(connection, project.folder, base)
        before = documents_of_models(connection, models)
        seen = seen_with(connection, {*before, *(key for key, _ in learn)})
        if asked.everything:
            return FinishPlan(base, learn, (), seen)
        every = sealed_patients(connection)
        reviewed = scorable(every)
        kept = [one for one in reviewed if not is_touched(connection, one, seen)]
        chosen = kept if asked.again else [one for one in kept if not one.was_looked_at]
        _check(kept, chosen, len(reviewed))
        check_seal(connection, chosen, seen)
    unfinished = sum(one.is_drawn and not one.is_reviewed for one in every)
    left_out = len(reviewed) - len(kept)
    return FinishPlan(base, learn, tuple(chosen), seen, left_out, unfinished)


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
