"""Which documents are learnt from, and which are held out: by a keyed hash of the patient.

::

    learn   eight patients of ten; models learn from their documents
    gate    one of ten: decides which model goes live, draws the learning curve; looked at often
    seal    one of ten: reviewed blind, looked at once, when the work is finished

All documents of a patient are in one part. The scores of the gate choose models and so are a little
too good; what is promised comes from the seal alone.
"""

from __future__ import annotations

import sqlite3
from enum import StrEnum

from lacuna.deid.keys import Key

FOLDS = 10
GATE, SEAL = 0, 5  #: the folds that are held out
IS_HELD_OUT = f"fold IN ({GATE}, {SEAL})"  #: SQL
IS_SEALED = f"fold = {SEAL}"  #: SQL
UNIT = "coalesce('group ' || grp, 'document ' || id)"  #: SQL: another value for each patient


class Part(StrEnum):
    """What a document is used for."""

    LEARN = "learn"
    GATE = "gate"
    SEAL = "seal"


def fold_of(key: Key, unit: tuple[str, str]) -> int:
    """Return the fold of all documents of a unit (patient) in the project with this key."""
    return key.derive("held out").number(*unit) % FOLDS


def part_of(fold: int) -> Part:
    """Return what documents of a fold are used for."""
    return {GATE: Part.GATE, SEAL: Part.SEAL}.get(fold, Part.LEARN)


def add_sql_function(connection: sqlite3.Connection) -> None:
    """Let SQL compute ``fold_of(secret, group, id)``."""

    def fold(secret: bytes, group: str | None, document: str) -> int:
        return fold_of(Key(secret), ("document", document) if group is None else ("group", group))

    connection.create_function("fold_of", 3, fold, deterministic=True)
