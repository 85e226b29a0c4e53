"""One edit of one document inside a transaction: checked, written, answered."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from lacuna.errors import EditError
from lacuna.web import edit_log
from lacuna.web.documents_table import (
    Row,
    select_review,
    select_row,
    select_text,
    update_review,
)
from lacuna.web.edit_log import Edit
from lacuna.web.edits import (
    Review,
    apply,
    changed_since,
    changes_anything,
    conflicting,
    in_words,
    inverse_of,
    replay,
)
from lacuna.web.operations import Asked, Operation, targets


class NothingToUndoError(EditError):
    """There is nothing to undo, or to redo."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The answer to an edit that was made.

    Attributes
    ----------
    edit
        As it is in the log; ``edit.version`` is the new version of the document.
    unseen
        Edits of the document between the version the client had seen and this one.
    """

    edit: Edit
    unseen: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The answer to an edit that was not made.

    Attributes
    ----------
    document, version, review
        The document as it is now.
    targets
        What was changed by somebody else: uids of mentions, or ``""`` for its state.
    """

    document: int
    version: int
    review: Review
    targets: frozenset[str]

    @property
    def reason(self) -> str:
        """What happened, for a person."""
        return f"changed in the meantime: {in_words(self.targets)}"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for an edit, with which request, and when; `batch` if it has several documents."""

    request: str
    who: str
    at: str
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """An edit that can be made."""

    row: Row
    review: Review
    base: int
    operations: tuple[Operation, ...]
    undoes: int | None = None


def checked_edit(
    connection: sqlite3.Connection, document: int, base: int, operations: Sequence[Asked]
) -> Step | Conflict:
    """Return the step that makes an edit, or why it conflicts with others.

    Raises :class:`EditError` if it is not possible at all.
    """
    row = _row(connection, document)
    if not 0 <= base <= row.version:
        raise EditError(f"the document has no version {base}; its version is {row.version}")
    review = select_review(connection, row)
    text = select_text(connection, document)
    unseen = edit_log.between(connection, document, base, row.version + 1)
    changed = {target for edit in unseen for target in targets(edit.operations)}
    if both := conflicting(review, operations, text, changed):
        return Conflict(document, row.version, review, both)
    apply(review, operations, text)
    return Step(row, review, base, tuple(operations))


def checked_undo(connection: sqlite3.Connection, edit: Edit) -> Step | Conflict:
    """Return the step that undoes an edit, or a conflict if somebody changed the same since."""
    row = _row(connection, edit.document)
    review = select_review(connection, row)
    if changed := changed_since(review, edit.operations, edit.inverse):
        return Conflict(row.key, row.version, review, changed)
    return Step(row, review, row.version, edit.inverse, undoes=edit.key)


def to_undo(connection: sqlite3.Connection, document: int, who: str, *, redo: bool) -> list[Edit]:
    """Return the last step of a person in a document that is not undone: an edit, or a batch.

    With `redo`, the last undo that is not undone. Edits that changed nothing are passed over.
    """
    for key in edit_log.done_and_undone(connection, document, who)[redo]:
        edit = edit_log.by_key(connection, key)
        step = [edit] if edit.batch is None else edit_log.of_batch(connection, edit.batch)
        if any(changes_anything(one.operations, one.inverse) for one in step):
            return step
    raise NothingToUndoError(f"there is nothing to {'redo' if redo else 'undo'}")


def write(connection: sqlite3.Connection, asker: Asker, step: Step) -> Edit:
    """Make an edit; return it as it is in the log."""
    row, before = step.row, step.review
    after = replay(before, step.operations)
    touched = targets(step.operations)
    update_review(connection, row, before, after, touched=touched, who=asker.who, at=asker.at)
    return edit_log.append(
        connection,
        Edit(
            0,
            row.key,
            row.version + 1,
            step.base,
            asker.at,
            asker.who,
            asker.request,
            asker.batch,
            step.operations,
            inverse_of(before, step.operations),
            step.undoes,
        ),
    )


def answer(connection: sqlite3.Connection, edit: Edit) -> Edited:
    """Return the answer to an edit of the log: the same whenever it is asked for."""
    return Edited(edit, tuple(edit_log.between(connection, edit.document, edit.base, edit.version)))


def _row(connection: sqlite3.Connection, document: int) -> Row:
    row = select_row(connection, document)
    if row is None:
        raise EditError("there is no such document")
    return row
