"""The same words everywhere in a document, or in all documents of a patient, as one step.

Words are compared as in word lists (:mod:`lacuna.deid.terms`): whole words, in any case, with or
without accents. A mention with gaps is looked for with the words in its gaps. What happens at a
place depends on what is there::

    the same mention, or a longer one of the label     nothing
    a mention of another label, or a shorter one       kept as it is, and counted
    the same suggestion, or a longer one of the label  accepted
    the same mention, rejected                         accepted
    anything else                                      a new mention

The place that a person points at becomes a mention whatever is there. Suggestions that a new
mention takes the place of are rejected: those of its label, and those of the same words.

To remove everywhere is the reverse: mentions of these words and this label are removed if a person
added them, and rejected if not, as are suggestions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from lacuna.deid.findings import Origin
from lacuna.deid.folding import fold, fold_words
from lacuna.deid.terms import Term, TermFinder
from lacuna.errors import EditError
from lacuna.web.documents_table import ReviewedDocument
from lacuna.web.edits import check_of, is_open, suggestion_uid
from lacuna.web.operations import (
    Accept,
    Add,
    Asked,
    Entry,
    Reject,
    Remove,
    SetState,
    Spans,
    Status,
)
from lacuna.web.store import Store
from lacuna.web.suggesting import Suggestion
from lacuna.web.suggestions import Suggester, keys_of_group


class Scope(StrEnum):
    """Where to look."""

    DOCUMENT = "document"
    PATIENT = "patient"  #: all documents of the group; the document, if it has none


class Everywhere(NamedTuple):
    """What to do everywhere.

    edits
        Version and operations by key, for :meth:`~lacuna.web.store.Store.apply_batch`; the document
        that was pointed at is the first, if there is something to do in it.
    places, documents
        How many places change, in how many documents.
    here
        Those in the document that was pointed at.
    kept
        Places that stay because of another mention there.
    """

    edits: dict[int, tuple[int, tuple[Asked, ...]]]
    places: int
    documents: int
    here: tuple[Spans, ...]
    kept: int


class _Done(NamedTuple):
    """Operations for a document, the places they change, and the number of those that stay."""

    operations: list[Asked]
    places: list[Spans]
    kept: int


def same_words(
    store: Store,
    suggester: Suggester | None,
    key: int,
    label: str,
    spans: Spans,
    *,
    scope: Scope,
    remove: bool,
) -> Everywhere:
    """Return what to do with the words of a place wherever they are.

    Raises :class:`EditError` if there is no such document, or the spans are outside its text.
    """
    pointed_at = store.document(key)
    if pointed_at is None:
        raise EditError("there is no such document")
    text, group = pointed_at.source.text, pointed_at.row.group
    _check(spans, text)
    keys = [key]
    if scope is Scope.PATIENT and group is not None:
        keys += [other for other in keys_of_group(store, group) if other != key]
    done: dict[int, tuple[ReviewedDocument, _Done]] = {}
    for one in keys:
        document = store.document(one)
        assert document is not None  # documents are never removed
        there = _Document(document, label, _open_suggestions(suggester, store, document))
        model = None if suggester is None else suggester.model
        if remove:
            result = there.without(_words_of(text, spans), model)
        else:
            first = [spans] if one == key else []
            result = there.with_all([*first, *_places(there.text, text, spans)], first, model)
        done[one] = document, result
    changed = {one: pair for one, pair in done.items() if pair[1].operations}
    edits = {
        one: (document.row.version, tuple(result.operations))
        for one, (document, result) in changed.items()
    }
    if edits and key not in edits:  # an undo is asked for here, so the step must be in this log
        edits[key] = pointed_at.row.version, _confirmed(pointed_at, label, spans)
    return Everywhere(
        edits,
        sum(len(result.places) for _, result in changed.values()),
        len(changed),
        tuple(sorted(done[key][1].places)),
        sum(result.kept for _, result in done.values()),
    )


def _confirmed(document: ReviewedDocument, label: str, spans: Spans) -> tuple[Asked, ...]:
    """Return what says of a mention once more that it is one; of the document if there is none."""
    for uid, entry in document.review.mentions.items():
        if (entry.label, entry.spans) == (label, spans) and entry.status is not Status.REJECTED:
            return (Accept(uid),)
    return (SetState(),)


def _check(spans: Spans, text: str) -> None:
    ends = [end for span in spans for end in span]
    if not spans or ends != sorted(set(ends)) or ends[0] < 0 or ends[-1] > len(text):
        raise EditError("the spans must be inside the text, in order and apart")


def _open_suggestions(
    suggester: Suggester | None, store: Store, document: ReviewedDocument
) -> list[Suggestion]:
    """Return the suggestions for a document that nobody has decided about."""
    if suggester is None:
        return []
    made = suggester.for_document(store, document.row.key).suggestions
    return [
        one
        for one in made
        if is_open(document.review, one.label, one.spans, overlapping=suggester.overlapping)
    ]


# --- words


def _words_of(text: str, spans: Spans) -> list[list[str]]:
    """Return the folded words of each part."""
    return [fold_words(text[start:end]) for start, end in spans]


def _places(text: str, source: str, spans: Spans) -> Iterator[Spans]:
    """Yield where the words of some spans of `source` are in a text."""
    whole = source[spans[0][0] : spans[-1][1]]
    finder = TermFinder.of([Term(whole, "")], Origin.ALWAYS)
    found = [(finding.start, finding.end) for finding in finder.find(text)]
    if len(spans) == 1:
        yield from ((one,) for one in found)
        return
    parts = [(start - spans[0][0], end - spans[0][0]) for start, end in spans]
    numbers = _word_numbers(whole, parts)
    for start, end in found if numbers else ():
        words = [(start + first, start + last) for first, last in _words(text[start:end])]
        if numbers[-1][1] <= len(words):
            yield tuple((words[first][0], words[last - 1][1]) for first, last in numbers)


def _words(text: str) -> list[tuple[int, int]]:
    """Return the borders of the folded words of a text."""
    folded = fold(text)
    blanks = [place for place, character in enumerate(folded.text) if character == " "]
    return [folded.original(a + 1, b) for a, b in pairwise(blanks) if b > a + 1]


def _word_numbers(text: str, parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the words of each part, ``[first, last)``; nothing if a part cuts a word."""
    words = _words(text)
    starts = {start: number for number, (start, _) in enumerate(words)}
    ends = {end: number for number, (_, end) in enumerate(words, start=1)}
    numbers = [(starts.get(start, -1), ends.get(end, -1)) for start, end in parts]
    return [] if any(-1 in pair for pair in numbers) else numbers


# --- one document


class _Document:
    """A document, its live mentions, and suggestions nobody has decided about."""

    def __init__(
        self, document: ReviewedDocument, label: str, suggestions: Sequence[Suggestion]
    ) -> None:
        self.text, self.label = document.source.text, label
        self.version = document.row.version
        self.entries = dict(document.review.mentions)
        self.open = {one.uid: one for one in suggestions}

    def with_all(
        self, places: Iterable[Spans], pointed_at: Sequence[Spans], model: int | None
    ) -> _Done:
        """Return what makes mentions of all places; of those pointed at, whatever is there."""
        done = _Done([], [], 0)
        for spans in dict.fromkeys(places):
            exactly = spans in pointed_at
            if self._is_marked(spans, exactly=exactly):
                continue
            if not exactly and self._is_taken(spans):
                done = done._replace(kept=done.kept + 1)
                continue
            for operation in self._marking(spans, model, exactly=exactly):
                done.operations.append(operation)
                self._do(operation)
            done.places.append(spans)
        return done

    def without(self, words: Sequence[Sequence[str]], model: int | None) -> _Done:
        """Return what removes all mentions and suggestions of these words and the label."""
        done = _Done([], [], 0)
        for uid, entry in self._live():
            if entry.label == self.label and _words_of(self.text, entry.spans) == words:
                is_added = entry.status is Status.ADDED
                done.operations.append(Remove(uid) if is_added else Reject(uid))
                done.places.append(entry.spans)
        for one in self.open.values():
            if one.label == self.label and _words_of(self.text, one.spans) == words:
                done.operations.append(self._decision(Reject, one, model))
                done.places.append(one.spans)
        return done

    def _live(self) -> Iterator[tuple[str, Entry]]:
        for uid, entry in self.entries.items():
            if entry.status is not Status.REJECTED:
                yield uid, entry

    def _is_marked(self, spans: Spans, *, exactly: bool) -> bool:
        own = [entry.spans for _, entry in self._live() if entry.label == self.label]
        return spans in own or (not exactly and any(_is_inside(spans, one) for one in own))

    def _is_taken(self, spans: Spans) -> bool:
        return any(_overlap(spans, entry.spans) for _, entry in self._live())

    def _marking(self, spans: Spans, model: int | None, *, exactly: bool) -> Iterator[Asked]:
        """Yield the operations that make a mention of a place, or of a longer suggestion there."""
        for uid, entry in self.entries.items():
            if (entry.label, entry.spans) == (self.label, spans):  # rejected, or it were marked
                yield Accept(uid)
                return
        near = [one for one in self.open.values() if _overlap(spans, one.spans)]
        for one in near:
            is_around = not exactly and _is_inside(spans, one.spans)
            if one.label == self.label and (one.spans == spans or is_around):
                yield self._decision(Accept, one, model)
                return
        for one in near:
            if one.label == self.label or one.spans == spans:
                yield self._decision(Reject, one, model)
        uid = f"e{self.version}-{suggestion_uid(self.label, spans)}"
        yield Add(uid, self.label, spans, check_of(self.text, spans))

    def _decision(
        self, kind: type[Accept] | type[Reject], one: Suggestion, model: int | None
    ) -> Accept | Reject:
        check = check_of(self.text, one.spans)
        return kind(one.uid, one.label, one.spans, check, one.probability, model)

    def _do(self, operation: Asked) -> None:
        """Keep in mind what is decided for a place, for the places after it."""
        if not isinstance(operation, Accept | Reject | Add):
            return
        self.open.pop(operation.uid, None)
        if isinstance(operation, Reject):
            return
        known = self.entries.get(operation.uid)
        label, spans = (known.label, known.spans) if known else (operation.label, operation.spans)
        assert label is not None
        assert spans is not None
        self.entries[operation.uid] = Entry(label, spans, Status.ACCEPTED)


def _overlap(one: Spans, other: Spans) -> bool:
    return any(a < d and c < b for a, b in one for c, d in other)


def _is_inside(one: Spans, other: Spans) -> bool:
    """Whether every part of one is in a part of the other."""
    return all(any(c <= a and b <= d for c, d in other) for a, b in one)
