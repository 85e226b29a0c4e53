"""No document that a model or its ancestors have seen counts in a sealed score of that model.

Ancestors are the model file that training started from and, if that was made in this project, all
models behind it. A file is known by its hash, and by its card: a model that was calibrated or
trained further elsewhere still names the card of the one it came from. If the file of a model was
removed, nobody knows its card any more; then it counts as an ancestor, unless it came from the
file in question itself.

What a model has seen is not only the documents it learnt from or was compared on, but all documents
of the same patients, and all with the same words: the same note may have been imported twice, with
another id or for another patient.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from lacuna.deid.keys import Key
from lacuna.errors import LacunaError
from lacuna.models.base import NO_CARD, Card
from lacuna.models.file import file_digest
from lacuna.models.registry import load
from lacuna.web.documents_table import places
from lacuna.web.finishing.sealed import SealedPatient
from lacuna.web.parts import Part, part_of

TRACES = 64  #: so few values that one tells nothing about a person
_versions = msgspec.json.Decoder(list[tuple[int, int]])


class SealBrokenError(LacunaError):
    """A document that a model may have seen would count in its sealed score."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model and its ancestors have seen: keys, patients and words of documents."""

    keys: frozenset[int]
    units: frozenset[tuple[str, str]]
    words: frozenset[bytes]


# --- ancestors


def ancestors(connection: sqlite3.Connection, folder: Path, base: Path | None) -> list[int]:
    """Return the keys of the models made in this project that a model file comes from."""
    rows = connection.execute(
        "SELECT key, file, sha256, base_sha256 FROM taught ORDER BY key"
    ).fetchall()
    if base is None or not rows:
        return []
    by_hash: dict[bytes, list[int]] = {}
    for key, _, sha256, _ in rows:
        by_hash.setdefault(sha256, []).append(key)
    behind = {key: base_sha256 for key, _, _, base_sha256 in rows}
    cards = {*_cards(base)} - {_printed(NO_CARD)}
    digest = bytes.fromhex(file_digest(base))
    waiting = list(by_hash.get(digest, []))
    for key, file, _, base_sha256 in rows:
        card = _own_card(folder / file)
        if card in cards or (card is None and base_sha256 != digest):
            waiting.append(key)
    found: set[int] = set()
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += by_hash.get(behind[key], [])
    return sorted(found)


def _own_card(file: Path) -> bytes | None:
    try:
        return _cards(file)[0]
    except (LacunaError, OSError):
        return None  # removed


def _cards(file: Path) -> tuple[bytes, ...]:
    """Return the card of a model file, and of those that it was adapted from."""
    state = file.stat()
    return _cards_of(file, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _cards_of(file: Path, *_: int) -> tuple[bytes, ...]:
    return tuple(map(_printed, load(file).card.lineage()))


def _printed(card: Card) -> bytes:
    return msgspec.json.encode(card, order="deterministic")


def documents_of_models(connection: sqlite3.Connection, models: Sequence[int]) -> frozenset[int]:
    """Return the documents that models learnt from or were compared on."""
    keys: set[int] = set()
    for learnt, compared in connection.execute(
        f"SELECT learnt_from, compared_on FROM taught WHERE key IN ({places(len(models))})",
        tuple(models),
    ):
        keys.update(key for key, _ in (*_versions.decode(learnt), *_versions.decode(compared)))
    return frozenset(keys)


# --- what was seen


def seen_with(connection: sqlite3.Connection, keys: Iterable[int]) -> Seen:
    """Return everything that counts as seen if these documents were."""
    wanted = frozenset(keys)
    units, words = set(), set()
    for key, id_, group, text in connection.execute("SELECT key, id, grp, text FROM document"):
        if key in wanted:
            units.add(("document", id_) if group is None else ("group", group))
            words.add(words_of(text))
    return Seen(wanted, frozenset(units), frozenset(words))


def words_of(text: str) -> bytes:
    """Return a hash of the words of a text, whatever is between them."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).digest()


def trace_of(secret: bytes, kind: str, name: str | bytes) -> int:
    """Return one of few numbers that an erased patient or text leaves behind."""
    content = name if isinstance(name, str) else name.hex()
    return Key(secret).derive("traces").number(kind, content) % TRACES


def is_touched(connection: sqlite3.Connection, patient: SealedPatient, seen: Seen) -> bool:
    """Return whether a model that has seen something may have seen a patient.

    Also if the patient came after another was erased who left the same trace behind: they may be
    the same.
    """
    if patient.unit in seen.units or patient.keys & seen.keys:
        return True
    (secret,) = connection.execute("SELECT secret FROM project").fetchone()
    of_unit = trace_of(secret, *patient.unit)
    for key in patient.keys:
        text, imported_at, fold = connection.execute(
            "SELECT text, imported_at, fold FROM document WHERE key = ?", (key,)
        ).fetchone()
        own = words_of(text)
        if own in seen.words or part_of(fold) is not Part.SEAL:
            return True
        if {of_unit, trace_of(secret, "text", own)} & _traces(connection, imported_at):
            return True
    return False


def _traces(connection: sqlite3.Connection, before: str) -> set[int]:
    """Return what was left behind by those who were erased before a time."""
    rows = connection.execute("SELECT traces FROM erasure WHERE at <= ?", (before,))
    return {trace for (traces,) in rows for trace in msgspec.json.decode(traces)}


def check_seal(
    connection: sqlite3.Connection, patients: Iterable[SealedPatient], seen: Seen
) -> None:
    """Raise :class:`SealBrokenError` if a model that has seen something is scored with it."""
    if any(is_touched(connection, patient, seen) for patient in patients):
        raise SealBrokenError(
            "a model would be scored with documents that it, or a model it comes from, has seen"
        )
