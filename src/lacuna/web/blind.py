"""Documents that people review without a model's help, so that they can be scored with.

A reviewer who sees suggestions tends to accept them, and to overlook what they lack. Scores of the
same model would then be too good. So nothing that a model says about a sealed document is shown
before somebody has said for the first time that it is done.
"""

from __future__ import annotations

import sqlite3

from lacuna.web.documents_table import Row
from lacuna.web.operations import State
from lacuna.web.parts import Part

#: SQL: an edit that says that a document is done.
_SAYS_DONE = (
    "SELECT 1 FROM edit, json_each(edit.operation) AS step WHERE edit.document = ?"
    " AND json_extract(step.value, '$.op') = 'state' AND json_extract(step.value, '$.state') = ?"
)


def was_done(connection: sqlite3.Connection, key: int) -> bool:
    """Return whether somebody has ever said that a document is done."""
    return connection.execute(_SAYS_DONE, (key, State.DONE)).fetchone() is not None


def is_blind(connection: sqlite3.Connection, row: Row) -> bool:
    """Return whether nothing that a model says about a document may be shown."""
    if row.part is not Part.SEAL or row.state is State.DONE:
        return False
    return not was_done(connection, row.key)
