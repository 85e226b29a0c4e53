"""Shapes of the project, of imports and exports."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lacuna.web.operations import State
from lacuna.web.parts import Part
from lacuna.web.server.shapes import KeyNumber, Probability, Shape


class LabelShape(Shape):
    """A label, its key and colour."""

    name: str
    short: str
    key: str | None
    colour: str
    hue: int = Field(ge=0, le=9)


class ModelShape(Shape):
    """The model that suggests."""

    key: int
    name: str
    labels: list[str]


class PartShape(Shape):
    """How far the review of a part is; patients are done if all their documents are."""

    documents: int
    done: int
    patients: int
    patients_done: int


class CountsShape(Shape):
    """How far the review is."""

    documents: int
    states: dict[State, int]
    flagged: int
    held_out: int
    mentions: int
    groups: int
    parts: dict[Part, PartShape]


class FormatShape(Shape):
    """A format of files."""

    name: str
    suffix: str
    shape: Literal["file", "folder"]
    writes: bool


class Filling(Shape):
    """How many documents a model has read."""

    done: int
    of: int


class ProjectShape(Shape):
    """A project."""

    name: str
    language: str
    person: str
    version: str
    policy: str
    policies: list[str]
    threshold: float
    labels: list[LabelShape]
    model: ModelShape | None
    counts: CountsShape
    formats: list[FormatShape]
    demo: bool
    folder: str
    filling: Filling | None


class LabelChange(Shape):
    """A label as it should be."""

    name: str = Field(min_length=1, max_length=100)
    key: str | None = None
    colour: str | None = None


class ProjectChange(Shape):
    """Settings to change; what is not given stays."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    policy: str | None = Field(default=None, max_length=1000)
    threshold: Probability | None = None
    labels: list[LabelChange] | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=1000)


# --- imports


class ImportAsked(Shape):
    """A file or folder of this machine to import."""

    path: str = Field(min_length=1, max_length=4096)
    format: str | None = Field(default=None, max_length=100)
    group_from: str | None = Field(default=None, max_length=1000)


class JobNumber(Shape):
    """An import that has begun."""

    job: int


class JobShape(Shape):
    """How far an import is."""

    state: Literal["running", "done", "failed"]
    documents: int
    mentions: int
    present: int
    refused: int
    error: str | None


class FolderAsked(Shape):
    """A folder, or the beginning of a path."""

    path: str = Field(max_length=4096)


class EntryShape(Shape):
    """A file or folder."""

    name: str
    folder: bool


class FolderShape(Shape):
    """A folder and what is in it."""

    path: str
    entries: list[EntryShape]


# --- for programs


class TextAsked(Shape):
    """A text to work on."""

    text: str
    id: str | None = None
    group: str | None = None


class FoundMention(Shape):
    """A mention that the model found."""

    label: str
    spans: list[list[int]]
    probability: float | None = None


class Tagged(TextAsked):
    """A text and its mentions."""

    mentions: list[FoundMention] = Field(default=[])


class Deidentified(TextAsked):
    """A text without identifiers."""


# --- exports

Keys = Annotated[list[KeyNumber], Field(max_length=100_000)]


class ReplacedShape(Shape):
    """Something that was replaced."""

    start: int
    end: int
    label: str
    instead: str
    new_start: int
    new_end: int
    source: str
    probability: float | None


class OutputShape(Shape):
    """A de-identified document."""

    policy: str
    threshold: float
    text: str
    replaced: list[ReplacedShape]
    expected_missed: float
    remarks: list[str]


class ExportAsked(Shape):
    """Which documents to write, how, and where."""

    format: str = Field(default="jsonl", max_length=100)
    documents: (
        Literal["reviewed", "all"] | Annotated[list[KeyNumber], Field(max_length=100_000)]
    ) = "reviewed"
    suggestions: bool = False
    content: Literal["annotations", "deidentified"] = "annotations"
    policy: str | None = Field(default=None, max_length=1000)
    path: str | None = Field(default=None, max_length=4096)
    loss: Literal["nothing", "extras", "mentions"] = "extras"
    dry: bool = False


class LeftOut(Shape):
    """What a format cannot hold, and how much is lost with it."""

    what: str
    count: int
    level: Literal["nothing", "extras", "mentions"]


class Exported(Shape):
    """What was written, or would be."""

    documents: int
    left_out: list[LeftOut]
    refused: str | None
    path: str
    written: bool
