"""Documents out of a project, as people reviewed them, in any format.

What a format cannot hold is counted before anything is written, so that a person can decide.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from lacuna.io.formats import Shape, format_named
from lacuna.io.limits import Loss
from lacuna.io.output import Written, check_corpus, write_corpus
from lacuna.text.document import Document
from lacuna.web.operations import State
from lacuna.web.project import Project, owner_only


class Which(StrEnum):
    """Which documents to export."""

    REVIEWED = "reviewed"  #: those that a person said are done
    ALL = "all"

    @property
    def states(self) -> frozenset[State]:
        """Their states."""
        return frozenset({State.DONE}) if self is Which.REVIEWED else frozenset(State)


def documents_to_export(
    project: Project, which: Which, on_document: Callable[[int], None] = lambda _: None
) -> Generator[Document]:
    """Yield documents as they were imported, with the mentions that now count."""
    with closing(project.store.whole_documents(which.states)) as documents:
        for reviewed in documents:
            yield reviewed.document
            on_document(1)


def check_export(
    project: Project,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Which,
    loss: Loss = Loss.MENTIONS,
    on_document: Callable[[int], None] = lambda _: None,
) -> Written:
    """Return what an export would write and leave out; nothing is written.

    Raises :class:`FormatLimitError` if more than `loss` would be left out, or it is not possible.
    """
    with closing(documents_to_export(project, which, on_document)) as documents:
        return check_corpus(documents, path, format=format, loss=loss)


def export(
    project: Project,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Which,
    loss: Loss = Loss.NOTHING,
    on_document: Callable[[int], None] = lambda _: None,
) -> Written:
    """Write documents, all or none, readable by their owner only."""
    with owner_only(), closing(documents_to_export(project, which, on_document)) as documents:
        return write_corpus(documents, path, format=format, loss=loss)


def default_path(project: Project, format_name: str, now: datetime) -> Path:
    """Return a new name in the folder of exports."""
    format_ = format_named(format_name)
    suffix = next(iter(format_.suffixes), ".json") if format_.shape is Shape.STREAM else ""
    stem = f"{format_name}-{now:%Y-%m-%d-%H%M%S}"
    path, number = project.exports / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = project.exports / f"{stem}-{number}{suffix}"
    return path
