"""The models that were taught in a project, and which of them suggests.

Files are ``models/0001.lacuna`` and so on, numbered like the rows of the table ``taught``. The row
``live`` names the model that suggests; without one it is that of ``project.toml``. A file that is
gone or was changed is never used: the hash of its row says what it was.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lacuna.web.model_files import NoSuchModelError, live_key, model_file
from lacuna.web.project import MODELS, Project
from lacuna.web.store import utc_now
from lacuna.web.teaching.gate import Compared
from lacuna.web.teaching.learnable import Version

DRAFT = ".draft"  #: beginning of the names of files that are no models yet
TEACH = "teach"  #: purpose of the models of this module

_versions = msgspec.json.Decoder(tuple[Version, ...])
_compared = msgspec.json.Decoder(Compared)


@dataclass(frozen=True, slots=True)
class Taught:
    """A model that was taught.

    Attributes
    ----------
    key
        Its number.
    made_at, made_by
        When, and for whom.
    file, sha256
        In the folder of the project, and its hash.
    base_sha256
        Hash of the model it started from; ``None`` if it started from nothing.
    parent
        Key of the model that suggested before it; ``None``: that of ``project.toml``.
    learnt_from, compared_on
        Documents, with their versions.
    went_live, why
        Whether it was allowed to suggest, and a sentence about that.
    compared
        Its scores on the gate, beside those of the model before.
    iterations, seconds
        How long it learnt.
    """

    key: int
    made_at: str
    made_by: str
    file: str
    sha256: bytes
    base_sha256: bytes | None
    parent: int | None
    learnt_from: tuple[Version, ...]
    compared_on: tuple[Version, ...]
    went_live: bool
    why: str
    compared: Compared
    iterations: int
    seconds: float


_COLUMNS = (
    "key, made_at, made_by, file, sha256, base_sha256, parent, learnt_from, compared_on,"
    " went_live, why, scores, iterations, seconds"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A model that is to be recorded; `file` is moved."""

    file: Path
    sha256: str
    base_sha256: str | None
    learnt_from: Iterable[Version]
    compared_on: Iterable[Version]
    compared: Compared
    iterations: int
    seconds: float


# --- reading


def all_taught(connection: sqlite3.Connection) -> list[Taught]:
    """Return the models that were taught, the newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM taught WHERE purpose = ? ORDER BY key DESC", (TEACH,)
    )
    return [_taught(row) for row in rows]


def _taught(row: tuple[Any, ...]) -> Taught:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    values["learnt_from"] = _versions.decode(values["learnt_from"])
    values["compared_on"] = _versions.decode(values["compared_on"])
    values["compared"] = _compared.decode(values.pop("scores"))
    values["went_live"] = bool(values["went_live"])
    return Taught(**values)


# --- writing


def record(project: Project, draft: Draft, *, who: str, goes_live: bool) -> int:
    """Keep a model, and let it suggest if it may: all of it or nothing; return its key."""
    folder = project.folder / MODELS
    with project.store.database.writing() as connection:
        (key,) = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM taught").fetchone()
        name = f"{key:04d}.lacuna"
        draft.file.chmod(0o600)
        draft.file.replace(folder / name)
        _flush_folder(folder)
        connection.execute(
            f"INSERT INTO taught ({_COLUMNS}, purpose)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                utc_now(),
                who,
                f"{MODELS}/{name}",
                bytes.fromhex(draft.sha256),
                None if draft.base_sha256 is None else bytes.fromhex(draft.base_sha256),
                live_key(connection),
                msgspec.json.encode(tuple(draft.learnt_from)).decode(),
                msgspec.json.encode(tuple(draft.compared_on)).decode(),
                goes_live,
                draft.compared.why,
                msgspec.json.encode(draft.compared).decode(),
                draft.iterations,
                draft.seconds,
                TEACH,
            ),
        )
        if goes_live:
            connection.execute("UPDATE live SET taught = ?", (key,))
    number: int = key
    return number


def _flush_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def set_live(project: Project, key: int | None) -> None:
    """Let another model suggest; ``None``: that of ``project.toml``.

    A finished model cannot: it has learnt from the gate, which could not tell if the next one is
    better.

    Raises :class:`ModelFileError` if its file cannot be used, NoSuchModelError if there is none.
    """
    if key is not None:
        model_file(project, key)
        with project.store.database.reading() as connection:
            if key not in {one.key for one in all_taught(connection)}:
                raise NoSuchModelError("a finished model does not suggest")
    with project.store.database.writing() as connection:
        connection.execute("UPDATE live SET taught = ?", (key,))


def remove_drafts(project: Project) -> None:
    """Remove what a teacher left that was killed."""
    for path in (project.folder / MODELS).glob(f"{DRAFT}*"):
        path.unlink(missing_ok=True)
