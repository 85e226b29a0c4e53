"""Shapes of the project, of imports and exports."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lacuna.web.operations import State
from lacuna.web.server.shapes import Probability, Shape


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


class CountsShape(Shape):
    """How far the review is."""

    documents: int
    states: dict[State, int]
    flagged: int
    held_out: int
    mentions: int
    groups: int


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
