"""What can be learnt from: reviewed documents, as they are now or as they were at a version.

Documents of the part *learn* that a person has finished count as a whole: what is not marked there
is no mention, rejected suggestions included. Of documents that are open or put off, those lines
count in which a person decided something. Finished documents of the part *gate* decide whether a
new model may suggest. A model names the keys and versions of both, and the log of edits leads back
from a document as it is now to what it was then, so that a model can be made again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lacuna.errors import EditError
from lacuna.text.document import Document, Span
from lacuna.text.overlap import flatten, share_characters
from lacuna.web import edit_log
from lacuna.web.documents_table import ReviewedDocument, select_document
from lacuna.web.edits import Review, replay, reviewed_mentions
from lacuna.web.operations import State, Status
from lacuna.web.parts import GATE, IS_HELD_OUT, SEAL

EXAMPLES = 3  #: of a label that a model does not know, before it is learnt

Version = tuple[int, int]  #: key and version of a document

IN_LEARN = f"NOT {IS_HELD_OUT}"  #: SQL
IN_GATE, IN_SEAL = f"fold = {GATE}", f"fold = {SEAL}"  #: SQL


@dataclass(frozen=True, slots=True)
class Size:
    """How much was reviewed."""

    documents: int
    patients: int


def to_learn(connection: sqlite3.Connection, which: str = IN_LEARN) -> list[Version]:
    """Return the documents of a part that can be learnt from, in the order of import."""
    rows = connection.execute(
        f"SELECT key, version FROM document WHERE {which} AND (state = ? OR state IN (?, ?)"
        " AND EXISTS (SELECT 1 FROM mention WHERE document = document.key AND status <> ?))"
        " ORDER BY key",
        (State.DONE, State.OPEN, State.LATER, Status.GIVEN),
    )
    return [(key, version) for key, version in rows]


def to_judge(connection: sqlite3.Connection) -> list[Version]:
    """Return the documents that decide whether a model may suggest, in the order of import."""
    rows = connection.execute(
        f"SELECT key, version FROM document WHERE {IN_GATE} AND state = ? ORDER BY key",
        (State.DONE,),
    )
    return [(key, version) for key, version in rows]


def size_of(connection: sqlite3.Connection, which: str) -> Size:
    """Return how many documents of a part are finished, and of how many patients.

    Documents without a patient count as one each.
    """
    row = connection.execute(
        "SELECT count(*), count(DISTINCT grp) + sum(grp IS NULL) FROM document"
        f" WHERE {which} AND state = ?",
        (State.DONE,),
    ).fetchone()
    return Size(row[0], row[1] or 0)


def at_version(connection: sqlite3.Connection, key: int, version: int) -> ReviewedDocument:
    """Return a document as it was after so many edits.

    Raises
    ------
    EditError
        If there is no such document, or it has no such version.
    """
    now = select_document(connection, key)
    if now is None:
        raise EditError("there is no such document")
    row = now.row
    if not 0 <= version <= row.version:
        raise EditError(f"the document has no version {version}; its version is {row.version}")
    review = now.review
    for edit in reversed(edit_log.between(connection, key, version, row.version + 1)):
        review = replay(review, edit.inverse)
    return ReviewedDocument(
        replace(row, version=version, state=review.state.state), now.source, review
    )


def document_at(connection: sqlite3.Connection, key: int, version: int) -> Document:
    """Return a document with the mentions it had after so many edits, in the order of the text.

    If it was not finished then, with the lines that count as reviewed.
    """
    found = at_version(connection, key, version)
    mentions = sorted(
        reviewed_mentions(found.review),
        key=lambda one: ([(span.start, span.end) for span in one.spans], one.label),
    )
    bare = tuple(replace(mention, probability=None) for mention in mentions)
    is_done = found.review.state.state is State.DONE
    reviewed = None if is_done else decided_lines(found.source.text, found.review)
    return replace(found.source, mentions=bare, reviewed=reviewed)


def decided_lines(text: str, review: Review) -> tuple[Span, ...]:
    """Return the lines in which a person accepted, added or rejected something."""
    decided = [
        span
        for entry in review.mentions.values()
        if entry.status is not Status.GIVEN
        for span in entry.spans
    ]
    lines, end = [], 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        if any(first < end and start < last for first, last in decided):
            lines.append(Span(start, end))
    return tuple(lines)


# --- labels


def examples_of(documents: Iterable[Document]) -> Counter[str]:
    """Return how many mentions each label has."""
    return Counter(mention.label for document in documents for mention in document.mentions)


def label_counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many mentions each label has in the documents that can be learnt from."""
    rows = connection.execute(
        "SELECT label, count(*) FROM mention JOIN document ON document.key = mention.document"
        f" WHERE {IN_LEARN} AND state <> ? AND status <> ? AND (state = ? OR status <> ?)"
        " GROUP BY label",
        (State.NEW, Status.REJECTED, State.DONE, Status.GIVEN),
    )
    return dict(rows.fetchall())


def too_rare(examples: Mapping[str, int], known: Collection[str]) -> list[str]:
    """Return the labels that are not learnt yet: new ones with too few examples."""
    return sorted(
        label for label, count in examples.items() if count < EXAMPLES and label not in known
    )


def without_labels(documents: Sequence[Document], labels: Collection[str]) -> list[Document]:
    """Return the documents so that nothing is learnt from mentions of some labels.

    Neither that they are mentions, nor that they are none: they count as not reviewed.
    """
    return [
        _unreviewed(
            one,
            [span for mention in one.mentions if mention.label in labels for span in mention.spans],
        )
        for one in documents
    ]


def flat(document: Document) -> Document:
    """Return a document as a model learns from it that finds no gaps and no overlaps.

    Mentions that it could not find are left out. Words that are in no other mention then count as
    not reviewed, so that the model does not learn that they are nothing.
    """
    kept, left_out = flatten(document.mentions)
    taken = [span for mention in kept for span in mention.spans]
    lost = [span for mention in left_out for span in mention.spans]
    alone = [span for span in lost if not share_characters((span,), taken)]
    return _unreviewed(replace(document, mentions=kept), alone)


def _unreviewed(document: Document, left_out: Sequence[Span]) -> Document:
    """Return a document in which some spans count as not reviewed."""
    if not left_out:
        return document
    seen = document.reviewed
    spans = [(0, len(document.text))] if seen is None else [(one.start, one.end) for one in seen]
    for start, end in left_out:
        spans = [
            part
            for first, last in spans
            for part in ((first, min(last, start)), (max(first, end), last))
            if part[0] < part[1]
        ]
    return replace(document, reviewed=tuple(Span(*span) for span in sorted(spans)))


def not_flat(documents: Iterable[Document]) -> Counter[str]:
    """Return how many mentions of each label :func:`flat` leaves out."""
    return Counter(one.label for document in documents for one in flatten(document.mentions)[1])
