"""Documents out of a project, as people reviewed them, in any format; or de-identified.

What a format cannot hold is counted before anything is written, so that a person can decide.

De-identified documents have new texts and nothing else: no mentions, no metadata, and keyed
pseudonyms as ids and groups, because ids can hold names. A document that cannot be de-identified is
left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.errors import ConfigError
from lacuna.io.formats import Shape, format_named
from lacuna.io.limits import Loss
from lacuna.io.output import Written, check_corpus, write_corpus
from lacuna.text.document import Document, Mention, Span
from lacuna.web.documents_table import ReviewedDocument
from lacuna.web.edits import is_open
from lacuna.web.operations import State
from lacuna.web.project import Project, owner_only

if TYPE_CHECKING:  # they load the compiler
    from lacuna.web.redacting import Redaction
    from lacuna.web.suggestions import Suggester

TEXT_FORMATS = ("jsonl", "txt")  #: of de-identified texts


def _say_nothing(_: int) -> None:
    pass


class Which(StrEnum):
    """Which documents to export."""

    REVIEWED = "reviewed"  #: those that a person said are done
    ALL = "all"

    @property
    def states(self) -> frozenset[State]:
        """Their states."""
        return frozenset({State.DONE}) if self is Which.REVIEWED else frozenset(State)


Chosen = Which | Sequence[int]  #: documents by state, or by keys


@dataclass(frozen=True, slots=True)
class WrittenTexts:
    """What an export of de-identified texts wrote.

    Attributes
    ----------
    written
        As of any other export.
    failed
        Documents that could not be de-identified and were left out: keys, and why.
    """

    written: Written
    failed: dict[int, str]


# --- with mentions


def documents_to_export(
    project: Project,
    which: Chosen,
    on_document: Callable[[int], None] = _say_nothing,
    *,
    suggester: Suggester | None = None,
) -> Generator[Document]:
    """Yield documents as they were imported, with the mentions that now count.

    With a suggester, documents that are not done also have its undecided suggestions.
    """
    with closing(project.store.whole_documents(_stored(which))) as documents:
        for reviewed in documents:
            document = reviewed.document
            if suggester is not None and reviewed.row.state is not State.DONE:
                document = _with_suggestions(project, suggester, reviewed)
            yield document
            on_document(1)


def _stored(which: Chosen) -> frozenset[State] | Sequence[int]:
    return which.states if isinstance(which, Which) else which


def _with_suggestions(
    project: Project, suggester: Suggester, reviewed: ReviewedDocument
) -> Document:
    found = suggester.for_document(project.store, reviewed.row.key).suggestions
    suggested = [
        Mention(one.label, tuple(Span(*span) for span in one.spans), one.probability)
        for one in found
        if is_open(reviewed.review, one.label, one.spans, overlapping=suggester.overlapping)
    ]
    document = reviewed.document
    return replace(document, mentions=(*document.mentions, *suggested))


def check_export(
    project: Project,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Chosen,
    loss: Loss = Loss.MENTIONS,
    on_document: Callable[[int], None] = _say_nothing,
    suggester: Suggester | None = None,
) -> Written:
    """Return what an export would write and leave out; nothing is written.

    Raises :class:`FormatLimitError` if more than `loss` would be left out, or it is not possible.
    """
    chosen = documents_to_export(project, which, on_document, suggester=suggester)
    with closing(chosen) as documents:
        return check_corpus(documents, path, format=format, loss=loss)


def export(
    project: Project,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Chosen,
    loss: Loss = Loss.NOTHING,
    on_document: Callable[[int], None] = _say_nothing,
    suggester: Suggester | None = None,
) -> Written:
    """Write documents, all or none, readable by their owner only."""
    chosen = documents_to_export(project, which, on_document, suggester=suggester)
    with owner_only(), closing(chosen) as documents:
        return write_corpus(documents, path, format=format, loss=loss)


# --- de-identified


def check_texts(
    project: Project,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Chosen,
    loss: Loss = Loss.EXTRAS,
) -> Written:
    """Return what an export of de-identified texts would write at most, and leave out.

    Nothing is de-identified yet; a document for which that fails will be left out, too.
    """
    if format not in TEXT_FORMATS:
        raise ConfigError(f"de-identified texts are written as {' or '.join(TEXT_FORMATS)}")
    with closing(project.store.whole_documents(_stored(which))) as documents:
        bare = (pseudonymous(project, one.source, "") for one in documents)
        return check_corpus(bare, path, format=format, loss=loss)


def export_texts(
    redaction: Redaction,
    path: str | Path,
    *,
    format: str,  # noqa: A002
    which: Chosen,
    loss: Loss = Loss.EXTRAS,
    on_document: Callable[[int], None] = _say_nothing,
) -> WrittenTexts:
    """Write de-identified texts, patient by patient, readable by their owner only."""
    check_texts(redaction.project, path, format=format, which=which, loss=loss)
    failed: dict[int, str] = {}
    with owner_only(), closing(safe_documents(redaction, which, failed, on_document)) as documents:
        return WrittenTexts(write_corpus(documents, path, format=format, loss=loss), failed)


def safe_documents(
    redaction: Redaction,
    which: Chosen,
    failed: dict[int, str],
    on_document: Callable[[int], None] = _say_nothing,
) -> Generator[Document]:
    """Yield documents de-identified, those of a patient together.

    The keys of documents that cannot be de-identified go to `failed`, with the reason.
    """
    from lacuna.pipeline.detect_and_redact import Failed
    from lacuna.web.suggestions import keys_of_group

    project, patients = redaction.project, dict[tuple[str, str], list[int]]()
    with closing(project.store.whole_documents(_stored(which))) as documents:
        for one in documents:
            patients.setdefault(one.source.unit, []).append(one.row.key)
    for (kind, name), wanted in patients.items():
        every = keys_of_group(project.store, name) if kind == "group" else wanted
        outcomes = redaction.patient(every)
        for key in wanted:
            outcome = outcomes[key]
            if isinstance(outcome, Failed):
                failed[key] = outcome.reason
            else:
                yield pseudonymous(project, outcome.document, outcome.text)
            on_document(1)


def pseudonymous(project: Project, document: Document, text: str) -> Document:
    """Return a document with a new text, and pseudonyms as its id and group."""
    key = project.key.derive("pseudonyms")
    group = document.group
    return Document(
        f"d{key.digest('document', document.id).hex():.16}",
        text,
        group=None if group is None else f"p{key.digest('group', group).hex():.16}",
    )


def default_path(project: Project, format_name: str, now: datetime) -> Path:
    """Return a new name in the folder of exports."""
    format_ = format_named(format_name)
    suffix = next(iter(format_.suffixes), ".json") if format_.shape is Shape.STREAM else ""
    return new_path(project.exports, format_name, suffix, now)


def new_path(folder: Path, what: str, suffix: str, now: datetime) -> Path:
    """Return a name with a date that nothing in a folder has."""
    stem = f"{what}-{now:%Y-%m-%d-%H%M%S}"
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path
