"""A project: a folder with documents under review.

::

    ward7/
      project.toml     name, labels with keys and colours, policy (project_file.py)
      review.db        documents, decisions, the log of edits (store.py)
      models/          models that were trained in this project
      exports/         what was exported

Only the owner can read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy, load_policy
from lacuna.errors import ConfigError
from lacuna.web.database import create_database, open_database
from lacuna.web.project_file import NAME, Label, Settings, parse_settings, read_settings, written
from lacuna.web.store import Store

DATABASE, MODELS, EXPORTS = "review.db", "models", "exports"
OWNER_ONLY = 0o077  # what a umask takes away


@dataclass(frozen=True, slots=True)
class Project:
    """An open project."""

    folder: Path
    settings: Settings
    store: Store

    @property
    def exports(self) -> Path:
        """Where exports go by default."""
        return self.folder / EXPORTS

    def labels(self) -> tuple[Label, ...]:
        """Return the labels of ``project.toml``, then others that mentions have."""
        return self.settings.with_labels(self.store.counts().labels)

    def policy(self, name: str | None = None) -> Policy:
        """Return a policy by its name; by default that of ``project.toml``."""
        name = name or self.settings.policy
        return load_policy(self.folder / name if name.endswith(".toml") else name)

    @property
    def key(self) -> Key:
        """The secret that decides who is held out, pseudonyms, surrogates and date offsets."""
        row = self.store.database.reader.execute("SELECT secret FROM project").fetchone()
        return Key(row[0])

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def create_project(folder: Path, settings: Settings) -> Project:
    """Make a project in a new or empty folder.

    Raises :class:`ConfigError` if the folder has files, or is on a network file system.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"{folder}: exists and is not a folder")
    if folder.is_dir() and any(folder.iterdir()):
        is_project = (folder / NAME).exists()
        what = "is a project already" if is_project else "folder is not empty"
        raise ConfigError(f"{folder}: {what}")
    if not folder.absolute().parent.is_dir():
        raise ConfigError(f"{folder}: its folder does not exist")
    content = written(settings).encode()
    checked = parse_settings(content, folder / NAME)
    with owner_only():
        folder.mkdir(exist_ok=True)
        folder.chmod(0o700)
        for name in (MODELS, EXPORTS):
            (folder / name).mkdir()
        database = create_database(folder / DATABASE)
        with database.writing() as connection:
            secret = Key.random().secret
            connection.execute("INSERT INTO project (key, secret) VALUES (1, ?)", (secret,))
        (folder / NAME).write_bytes(content)  # last: now it is a project
    return Project(folder, checked, Store(database))


def open_project(folder: Path) -> Project:
    """Open a project; its database is migrated if an older version of lacuna made it.

    Raises :class:`ConfigError` if it is none, or ``project.toml`` is wrong.
    """
    if not (folder / NAME).is_file():
        raise ConfigError(f"{folder}: is no project; make one with: lacuna project init {folder}")
    settings = read_settings(folder / NAME)
    return Project(folder, settings, Store(open_database(folder / DATABASE)))


@contextmanager
def owner_only() -> Iterator[None]:
    """Make files that only their owner can read; for the whole process, while the block runs."""
    before = os.umask(OWNER_ONLY)
    try:
        yield
    finally:
        os.umask(before)
