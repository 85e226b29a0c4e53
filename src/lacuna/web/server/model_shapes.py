"""Shapes of the model page."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lacuna.web.server.shapes import Shape


class CardShape(Shape):
    """A model card."""

    data: list[str]
    documents: int
    tokens: int
    labels: list[str]
    mentions: dict[str, int]
    iterations: int
    scores: list[dict[str, Any]]
    licence: str
    version: str


class TableShape(Shape):
    """A table, e.g. of the strongest features."""

    title: str
    header: list[str]
    rows: list[list[str]]


class PromiseShape(Shape):
    """A promise, with its threshold, and in words."""

    level: float
    confidence: float | None
    threshold: float
    units: int
    words: str


class ModelPage(Shape):
    """What is inside a model."""

    key: int
    file: str
    sha256: str
    bytes: int
    kind: str
    labels: list[str]
    words: int = Field(description="Words of the training text that can be read in the file.")
    cards: list[CardShape] = Field(description="Its card, then those it was adapted from.")
    tables: list[TableShape]
    remarks: list[str]
    warnings: list[str]
    promises: list[PromiseShape]
    transitions: bool = Field(description="Whether transitions can be drawn.")
    subtags: list[str] = Field(description="Labels whose sub-tags can be drawn.")
