"""Shapes of answers and requests, for the OpenAPI description and the check of requests.

Answers are written by :mod:`lacuna.web.server.views`; tests compare them with these shapes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from lacuna.web.document_pages import PAGE, Order
from lacuna.web.everywhere import Scope
from lacuna.web.operations import Asked, State, Status
from lacuna.web.parts import Part
from lacuna.web.queue import Reason

LARGEST = (1 << 63) - 1  # of SQLite's integers
MOST_KEYS = 100

KeyNumber = Annotated[int, Field(ge=1, le=LARGEST, strict=True)]
KeyPath = Annotated[int, Path(ge=1, le=LARGEST)]
AfterQuery = Annotated[int | None, Query(ge=0, le=LARGEST)]
LimitQuery = Annotated[int, Query(ge=1, le=PAGE)]
RequestId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,100}$")]
Offset = Annotated[int, Field(ge=0)]
SpansField = list[Annotated[list[Offset], Field(min_length=2, max_length=2)]]
Probability = Annotated[float, Field(ge=0, le=1)]


class Shape(BaseModel):
    """A JSON object without other fields."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


# --- documents


class RowShape(Shape):
    """A document of a list."""

    key: int
    id: str
    group: str | None
    state: State
    flag: bool
    commented: bool
    version: int
    mentions: int
    held_out: bool
    part: Part
    sampled: bool
    need: float | None
    decided_by: str | None
    decided_at: str | None


class Rows(Shape):
    """A page of documents; `next` is the key to go on after."""

    documents: list[RowShape]
    next: int | None


class QueuedRow(RowShape):
    """A document that waits, and why it comes now."""

    reason: Reason


class Queued(Shape):
    """The documents that come next, and how many wait in all."""

    documents: list[QueuedRow]
    waiting: int


class NextPlace(Shape):
    """The next document to review."""

    key: int
    reason: Reason


class MentionShape(Shape):
    """A mention, also a rejected one."""

    uid: str
    label: str
    spans: SpansField
    status: Status
    probability: float | None


class DoubtShape(Shape):
    """Words that may be an identifier."""

    uid: str
    label: str
    spans: SpansField
    probability: float


class SuggestionShape(DoubtShape):
    """A mention that a model or a pattern suggests."""

    source: Literal["model", "pattern"]


class TokensShape(Shape):
    """Tokens: differences of their starts, and their lengths, in code points."""

    starts: list[int]
    lengths: list[int]


class Patient(Shape):
    """Which of its patient's documents one is."""

    number: int
    of: int
    keys: list[int]


class DocumentShape(Shape):
    """A document as it is now; `tokens` are left out if it is long."""

    key: int
    id: str
    group: str | None
    state: State
    flag: bool
    comment: str
    commented: bool
    version: int
    held_out: bool
    part: Part
    sampled: bool
    need: float | None
    decided_by: str | None
    decided_at: str | None
    text: str
    sha256: str
    mentions: list[MentionShape]
    suggestions: list[SuggestionShape]
    doubts: list[DoubtShape]
    overlapping: bool = Field(description="Whether suggestions may overlap mentions.")
    blind: bool = Field(description="Whether suggestions are shown only after the first review.")
    model: int | None
    tokens: TokensShape | None
    patient: Patient | None
    undo: bool
    redo: bool


class Version(Shape):
    """A further document that an edit changed."""

    key: int
    version: int


class Changed(Shape):
    """What changed since the version that a client has seen."""

    version: int
    mentions: dict[str, MentionShape | None]
    state: State
    flag: bool
    comment: str
    undo: bool
    redo: bool
    others: list[Version]


class Search(Shape):
    """Which documents to list."""

    words: str | None = Field(default=None, max_length=1000)
    group: str | None = None
    states: list[State] = Field(default=[], max_length=len(State))
    label: str | None = None
    flag: bool | None = None
    held_out: bool | None = None
    order: Order = Order.IMPORT
    after: int | None = Field(default=None, ge=0, le=LARGEST)
    limit: int = Field(default=PAGE, ge=1, le=PAGE)


# --- edits


def _operation_schema() -> dict[str, Any]:
    """Return the schema of operations as :mod:`lacuna.web.operations` has them, in one piece."""
    (whole,), parts = msgspec.json.schema_components([Asked], ref_template="{name}")

    def inline(value: Any) -> Any:
        if isinstance(value, list):
            return [inline(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return inline(parts[value["$ref"]])
        return {name: inline(one) for name, one in value.items() if name != "discriminator"}

    schema: dict[str, Any] = inline(whole)
    return schema


class Edit(Shape):
    """An edit: operations in order; `request` is the client's id, the same if it retries."""

    request: RequestId
    operations: Annotated[
        list[Any], WithJsonSchema({"type": "array", "minItems": 1, "items": _operation_schema()})
    ]


class Again(Shape):
    """An undo or redo."""

    request: RequestId


class EverywhereAsked(Shape):
    """The same words, in a document or all documents of its patient."""

    request: RequestId
    label: str = Field(min_length=1, max_length=100)
    spans: Annotated[SpansField, Field(min_length=1)]
    scope: Scope = Scope.PATIENT
    remove: bool = False
    dry: bool = False


class EverywhereShape(Shape):
    """How many places there are, those here, and what changed."""

    places: int
    documents: int
    kept: int
    here: list[SpansField]
    changed: Changed | None


class StatesAsked(Shape):
    """Another state or flag for several documents."""

    keys: list[KeyNumber] = Field(min_length=1, max_length=MOST_KEYS)
    state: State | None = None
    flag: bool | None = None
    request: RequestId


class Count(Shape):
    """How many documents were changed."""

    changed: int


class LoggedEdit(Shape):
    """An edit of the log."""

    key: int
    document: int
    version: int
    at: str
    who: str
    operations: list[dict[str, Any]]
    undoes: int | None
    batch: str | None


class History(Shape):
    """A page of the log."""

    edits: list[LoggedEdit]
    next: int | None


# --- session


class Login(Shape):
    """The token of the link."""

    token: str = Field(max_length=200)


class Health(Shape):
    """Whether the server answers; its version only for those who may know."""

    ok: bool
    version: str | None = None


class PromiseMark(Shape):
    """What a promise needs, and what is there."""

    level: float
    confidence: float
    needed: int
    have: int
