"""A copy of a project at one moment, made while people work in it.

SQLite copies the database as it is at one moment. Models and reports are copied afterwards; they
are written before the database names them and are not changed, so the copy has all it names.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.web.database import copy_database
from lacuna.web.network_mounts import refuse_network
from lacuna.web.project import DATABASE, EXPORTS, MODELS, owner_only
from lacuna.web.project_file import NAME, NO_FILES, Settings, read_settings

FOLDERS = (MODELS, "reports")
SUFFIXES = (".toml", ".lacuna")  #: of files beside project.toml: policies and models


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What was copied.

    Attributes
    ----------
    documents, files
        How many.
    elsewhere
        Files that ``project.toml`` names outside of the project, or by an absolute path: the copy
        names the same files.
    """

    documents: int
    files: int
    elsewhere: tuple[str, ...]


def back_up(folder: Path, target: Path) -> BackedUp:
    """Copy a project to a new folder, completely or not at all.

    Raises :class:`ConfigError` if the target exists, or cannot be used.
    """
    if not (folder / NAME).is_file():
        raise ConfigError(f"{folder}: is no project")
    _check(folder, target)
    draft = target.with_name(f".{target.name}.partial-{os.getpid()}")
    try:
        with owner_only():
            draft.mkdir(mode=0o700)
            copy_database(folder / DATABASE, draft / DATABASE)
            for name in (MODELS, EXPORTS):
                (draft / name).mkdir()
            files = list(_files(folder))
            for path in files:
                _copy(path, draft / path.relative_to(folder))
        settings = read_settings(folder / NAME)
        documents = _count(draft / DATABASE)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return BackedUp(documents, len(files) + 1, tuple(_elsewhere(folder, settings)))


def _check(folder: Path, target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: exists already")
    if not target.absolute().parent.is_dir():
        raise ConfigError(f"{target}: its folder does not exist")
    if target.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{target}: is inside the project")
    refuse_network(target.absolute().parent)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files to copy besides the database; what is being written has a dot in front."""
    beside = [one for one in folder.iterdir() if one.suffix in SUFFIXES]
    inside = [one for name in FOLDERS for one in (folder / name).rglob("*")]
    for path in sorted((*beside, *inside)):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path


def _copy(path: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    with path.open("rb") as source, copy.open("xb") as stream:
        shutil.copyfileobj(source, stream)
        stream.flush()
        os.fsync(stream.fileno())


def _count(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        if connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise ConfigError(f"{database}: the copy is damaged")
        (documents,) = connection.execute("SELECT count(*) FROM document").fetchone()
        connection.execute("PRAGMA journal_mode = DELETE")  # leaves no further files behind
    number: int = documents
    return number


def _elsewhere(folder: Path, settings: Settings) -> Iterator[str]:
    names = [] if settings.model in NO_FILES else [settings.model]
    names += [settings.policy] if settings.policy.endswith(".toml") else []
    root = folder.resolve()
    for name in names:
        if Path(name).is_absolute() or not (root / name).resolve().is_relative_to(root):
            yield name
