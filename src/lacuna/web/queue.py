"""Which document a person reviews next, and why.

Documents are handed out by need, but every fifth turn is for those that are held out. There,
patients are drawn at random, each as likely as any other, and all documents of a patient are handed
out before those of the next. Only these tell honestly how good a model is, because nobody chose
them, and because what is promised is about patients. Turns by need hand out no held-out documents
as long as there are others.

Documents by need come in batches of twenty. What an uncertain word adds to the need counts a third
if the word is in a document of the batch already, so that nobody is asked the same again and again.
Other notes of patients with a reviewed note count a little more: their reader knows the patient.

Turns are counted by documents that are decided (done, or put off). So the answer depends only on
the state of the project, and is the same if asked twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from lacuna.deid.keys import Key
from lacuna.web.document_pages import NO_NEED
from lacuna.web.documents_table import Row, places, select_row
from lacuna.web.operations import State
from lacuna.web.parts import IS_HELD_OUT
from lacuna.web.store import WAITING, Store

EVERY = 5  #: turns, of which the last is random
BATCH = 20  #: documents by need in which a word counts once
REPEATED = 1 / 3  #: what a word counts for that is in the batch already
KNOWN_PATIENT = 1.1  #: factor of the need of patients with a reviewed document
POOL = 100  #: documents of the queue; among as many with the greatest need turns choose

_words = msgspec.json.Decoder(dict[str, float])


class Reason(StrEnum):
    """Why a document is handed out."""

    NEED = "need"  #: a person is needed most
    RANDOM = "random"  #: held out; the patient is drawn at random
    REST = "rest"  #: held out; only such documents are left


class Place(NamedTuple):
    """A document of the queue, by its key."""

    key: int
    reason: Reason


class Candidate(NamedTuple):
    """A document that waits.

    key, need, held_out
        As in :class:`~lacuna.web.documents_table.Row`.
    unit, draw
        Its patient, and a random number that orders patients; always the same for a patient.
    is_drawn
        Whether the patient was drawn before.
    words
        Uncertain words, and what each adds to the need.
    is_known
        Whether another document of the patient is reviewed.
    """

    key: int
    need: float | None
    held_out: bool
    unit: tuple[str, str] = ("", "")
    draw: int = 0
    is_drawn: bool = False
    words: Mapping[str, float] = {}
    is_known: bool = False


def queue_order(
    candidates: Iterable[Candidate],
    *,
    turn: int = 0,
    batch: Sequence[Collection[str]] = (),
) -> list[Place]:
    """Return all candidates in the order in which they are handed out.

    Parameters
    ----------
    candidates
        In any order.
    turn
        How many documents were decided before.
    batch
        The words of each document of the present batch that was decided before.
    """
    every = list(candidates)
    drawn = sorted(
        (one for one in every if one.held_out),
        key=lambda one: (not one.is_drawn, one.draw, one.unit, one.key),
        reverse=True,
    )
    by_need = _by_need([one for one in every if not one.held_out], batch)
    order: list[Place] = []
    chosen = next(by_need, None)
    while drawn or chosen is not None:
        is_random = (turn + len(order)) % EVERY == EVERY - 1
        if chosen is None or (is_random and drawn):
            order.append(Place(drawn.pop().key, Reason.RANDOM if is_random else Reason.REST))
        else:
            order.append(Place(chosen.key, Reason.NEED))
            chosen = next(by_need, None)
    return order


def _by_need(candidates: list[Candidate], batch: Sequence[Collection[str]]) -> Iterator[Candidate]:
    """Yield the candidates, each time the one with the greatest need beside those before it."""
    left = {one.key: one for one in candidates}
    count, seen = len(batch), {word for words in batch for word in words}
    while left:
        if count % BATCH == 0:
            seen = set()
        best = min(left.values(), key=lambda one: (-need_beside(one, seen), one.key))
        yield left.pop(best.key)
        seen.update(best.words)
        count += 1


def need_beside(candidate: Candidate, seen: Collection[str]) -> float:
    """Return the need of a document if some of its words were in documents of the batch."""
    if candidate.need is None:
        return NO_NEED
    again = sum(share for word, share in candidate.words.items() if word in seen)
    need = candidate.need - (1 - REPEATED) * again
    return need * KNOWN_PATIENT if candidate.is_known else need


def next_place(order: Sequence[Place], after: int | None) -> Place | None:
    """Return the place after a document; the first follows the last, and one that is not there."""
    keys = [place.key for place in order]
    if not keys:
        return None
    return order[(keys.index(after) + 1) % len(keys)] if after in keys else order[0]


# --- in a project


def queue(store: Store, *, limit: int = 50) -> list[tuple[Row, Reason]]:
    """Return the documents that are handed out next, at most :data:`POOL`."""
    with store.database.reading() as connection:
        order = _order(connection)[:limit]
        rows = [select_row(connection, place.key) for place in order]
    pairs = zip(rows, order, strict=True)
    return [(row, place.reason) for row, place in pairs if row is not None]


def next_in_queue(store: Store, after: int | None = None) -> tuple[Row, Reason] | None:
    """Return the document to review after another one; ``None`` if none waits.

    If its patient is drawn with that, this is stored, and the patient stays drawn.
    """
    with store.database.reading() as connection:
        place = next_place(_order(connection), after)
    if place is None:
        return None
    row = store.row(place.key)
    assert row is not None  # documents are never removed
    if row.held_out and not row.sampled:
        store.mark_sampled(_drawn_with(store, row))
        row = store.row(place.key)
        assert row is not None
    return row, place.reason


def _drawn_with(store: Store, row: Row) -> list[int]:
    """Return all documents of the patients who are drawn with that of a row, or were passed.

    A patient whose documents are done already cannot be handed out, but the turn has come.
    """
    with store.database.reading() as connection:
        draws = _draws(connection)
        rows = connection.execute(f"SELECT key, grp, id FROM document WHERE {IS_HELD_OUT}")
        last = draws.number(*row.unit)
        return [key for key, *names in rows if draws.number(*_unit(*names)) <= last]


def _draws(connection: sqlite3.Connection) -> Key:
    """Return the key that gives patients their numbers."""
    (secret,) = connection.execute("SELECT secret FROM project").fetchone()
    return Key(secret).derive("random turns")


def _unit(group: str | None, id_: str) -> tuple[str, str]:
    return ("document", id_) if group is None else ("group", group)


def _order(connection: sqlite3.Connection) -> list[Place]:
    (turn,) = connection.execute(
        "SELECT count(*) FROM document WHERE state IN (?, ?)", (State.DONE, State.LATER)
    ).fetchone()
    by_need = list(_waiting_by_need(connection))
    every = [*by_need, *_held_out(connection)]
    return queue_order(every, turn=turn, batch=_batch(connection))[:POOL]


def _waiting_by_need(connection: sqlite3.Connection) -> Iterator[Candidate]:
    rows = connection.execute(
        "SELECT key, need, coalesce(words, '{}'), EXISTS (SELECT 1 FROM document AS other"
        " WHERE other.grp = document.grp AND other.state = ?) FROM document"
        " LEFT JOIN suggestion ON suggestion.document = key"
        f" WHERE NOT {IS_HELD_OUT} AND state IN ({places(len(WAITING))})"
        f" ORDER BY coalesce(need, {NO_NEED}) DESC, key LIMIT ?",
        (State.DONE, *WAITING, POOL),
    )
    for key, need, words, is_known in rows:
        known = bool(is_known)
        yield Candidate(key, need, False, words=_words.decode(words), is_known=known)


def _held_out(connection: sqlite3.Connection) -> Iterator[Candidate]:
    draws = _draws(connection)
    drawn = {
        _unit(*names)
        for names in connection.execute(
            f"SELECT grp, id FROM document WHERE {IS_HELD_OUT} AND sampled"
        )
    }
    rows = connection.execute(
        f"SELECT key, grp, id FROM document WHERE {IS_HELD_OUT}"
        f" AND state IN ({places(len(WAITING))})",
        tuple(WAITING),
    )
    for key, *names in rows:
        unit = _unit(*names)
        yield Candidate(key, None, True, unit, draws.number(*unit), unit in drawn)


def _batch(connection: sqlite3.Connection) -> list[Collection[str]]:
    """Return the words of the documents of the present batch that are done."""
    (done,) = connection.execute(
        f"SELECT count(*) FROM document WHERE NOT {IS_HELD_OUT} AND state = ?", (State.DONE,)
    ).fetchone()
    rows = connection.execute(
        "SELECT coalesce(words, '{}') FROM document LEFT JOIN suggestion"
        f" ON suggestion.document = key WHERE NOT {IS_HELD_OUT} AND state = ?"
        " ORDER BY decided_at DESC, key DESC LIMIT ?",
        (State.DONE, done % BATCH),
    )
    return [_words.decode(words) for (words,) in rows]
