"""What can be done to a document under review, as records that are JSON in the log and the API.

A *target* is what an operation changes: a mention by its uid, or the document's own state
(:data:`DOCUMENT`). Offsets count code points.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from lacuna.errors import EditError

DOCUMENT = ""  #: target of operations on the state of the document; no mention has this uid

Spans = tuple[tuple[int, int], ...]


class Status(StrEnum):
    """How a mention came to be what it is."""

    GIVEN = "given"  #: imported with the document
    ACCEPTED = "accepted"  #: given or suggested, and confirmed or changed by a person
    ADDED = "added"  #: made by a person
    REJECTED = "rejected"  #: not a mention; kept so that it is not suggested again


class State(StrEnum):
    """How far the review of a document is."""

    NEW = "new"
    OPEN = "open"
    DONE = "done"
    LATER = "later"


class Entry(msgspec.Struct, frozen=True):
    """A mention under review; `probability` and `model` say what suggested it."""

    label: str
    spans: Spans
    status: Status
    probability: float | None = None
    model: int | None = None


class DocumentState(msgspec.Struct, frozen=True):
    """What people say about a document as a whole."""

    state: State = State.NEW
    flag: bool = False
    comment: str = ""


class _Operation(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="op"
):
    pass


class Add(_Operation, frozen=True, tag="add"):
    """Make a new mention; `check` is :func:`~lacuna.web.edits.check_of` its text."""

    uid: str
    label: str
    spans: Spans
    check: str | None = None


class Change(_Operation, frozen=True, tag="change"):
    """Give a mention another label, other spans, or both."""

    uid: str
    label: str | None = None
    spans: Spans | None = None
    check: str | None = None


class Remove(_Operation, frozen=True, tag="remove"):
    """Forget a mention. It may be suggested again."""

    uid: str


class Accept(_Operation, frozen=True, tag="accept"):
    """Confirm a mention, or a suggestion, which needs its label and spans."""

    uid: str
    label: str | None = None
    spans: Spans | None = None
    check: str | None = None
    probability: float | None = None
    model: int | None = None


class Reject(_Operation, frozen=True, tag="reject"):
    """Say that a mention, or a suggestion with its label and spans, is none."""

    uid: str
    label: str | None = None
    spans: Spans | None = None
    check: str | None = None
    probability: float | None = None
    model: int | None = None


class SetState(_Operation, frozen=True, tag="state"):
    """Change what is said about the document; what is not given stays."""

    state: State | None = None
    flag: bool | None = None
    comment: str | None = None


class Restore(_Operation, frozen=True, tag="restore"):
    """Make a mention what it was, or nothing: the inverse of every operation on a mention."""

    uid: str
    entry: Entry | None = None


Decision = Accept | Reject
Asked = Add | Change | Remove | Accept | Reject | SetState  #: what a person can ask for
Operation = Asked | Restore  #: what is in the log

_logged = msgspec.json.Decoder(tuple[Operation, ...])


def operations_from(values: Sequence[Any]) -> tuple[Asked, ...]:
    """Return the operations of JSON values, e.g. of a request.

    Raises
    ------
    EditError
        Naming the place; no value is quoted.
    """
    try:
        return msgspec.convert(values, tuple[Asked, ...])
    except msgspec.ValidationError as error:
        reason, dash, place = str(error).rpartition(" - at ")
        if not dash or reason.startswith("Invalid"):  # quotes the value
            reason = "Invalid value"
        elif reason.startswith("Object contains unknown field"):  # quotes its name
            reason = "Unknown field"
        raise EditError(f"operations: {reason} at {place}") from None


def encoded(operations: Sequence[Operation]) -> str:
    """Return operations as JSON, for the log."""
    return msgspec.json.encode(operations).decode()


def decoded(operations: str) -> tuple[Operation, ...]:
    """Return the operations of the log."""
    return _logged.decode(operations)


def target(operation: Operation) -> str:
    """Return what an operation changes."""
    return DOCUMENT if isinstance(operation, SetState) else operation.uid


def targets(operations: Sequence[Operation]) -> frozenset[str]:
    """Return all that operations change."""
    return frozenset(map(target, operations))
