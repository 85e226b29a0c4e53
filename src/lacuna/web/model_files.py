"""The model files of a project: the one that ``project.toml`` names, and those that it was taught.

Key 0 is the model of ``project.toml``, other keys are rows of the table ``taught``. Which of them
suggests is in the table ``live``. A taught file is used only as it was written: its hash is in the
table.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.bundled import bundled_model, bundled_models
from lacuna.models.file import file_digest
from lacuna.web.project import Project
from lacuna.web.project_file import BUNDLED, NO_MODEL

ADVICE = "put it back, or name another one with lacuna serve --model FILE"
OF_SETTINGS = 0  #: key of the model that ``project.toml`` names


class ModelFile(NamedTuple):
    """A model file that can be used: its key, path and hash, in hexadecimal."""

    key: int
    path: Path
    sha256: str


class NoSuchModelError(ConfigError):
    """There is no model with a key, or the project names none."""


class ModelGoneError(ModelFileError):
    """The file of a model that was taught is gone, or was changed."""


def model_path(project: Project) -> Path | None:
    """Return the file of the model that suggests: a taught one, or that of ``project.toml``.

    Raises :class:`ModelGoneError` if a taught one is gone or was changed.
    """
    key = live_key(project.store.database.reader)
    return base_path(project) if key is None else model_file(project, key).path


def base_path(project: Project) -> Path | None:
    """Return the model file that ``project.toml`` names; ``None`` if it names none."""
    name = project.settings.model
    if name == NO_MODEL:
        return None
    return bundled_model() if name == BUNDLED else bundled_models().get(name, project.folder / name)


def live_key(connection: sqlite3.Connection) -> int | None:
    """Return the key of the taught model that suggests; ``None``: that of ``project.toml``."""
    row = connection.execute("SELECT taught FROM live").fetchone()
    key: int | None = row[0]
    return key


def model_file(project: Project, key: int) -> ModelFile:
    """Return a model file of a project.

    Raises
    ------
    NoSuchModelError
        If there is none with this key.
    ModelFileError
        If the file is gone, or is not as it was written.
    """
    if key == OF_SETTINGS:
        path, expected = base_path(project), None
        if path is None:
            raise NoSuchModelError("the project names no model")
    else:
        path, expected = _taught(project, key)
    try:
        found = file_digest(path)
    except OSError:
        kind = ModelFileError if expected is None else ModelGoneError
        raise kind(path.name, f"cannot be read; {ADVICE}") from None
    if expected is not None and found != expected:
        raise ModelGoneError(path.name, f"was changed since it was written; {ADVICE}")
    return ModelFile(key, path, found)


def _taught(project: Project, key: int) -> tuple[Path, str]:
    row = project.store.database.reader.execute(
        "SELECT file, sha256 FROM taught WHERE key = ?", (key,)
    ).fetchone()
    if row is None:
        raise NoSuchModelError("there is no such model")
    folder = project.folder.resolve()
    path = (folder / row[0]).resolve()
    if not path.is_relative_to(folder):
        raise ModelFileError(path.name, "is not in the folder of the project")
    return path, row[1].hex()
