"""Paths that people type: only below the folder that the server was started for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lacuna.web.project import EXPORTS
from lacuna.web.server.problems import Problem

MOST_ENTRIES = 500


def path_below(root: Path, given: str) -> Path:
    """Return a path below `root`, which is resolved; all links in it are followed.

    Raises :class:`Problem` if it leads elsewhere.
    """
    try:
        path = (root / Path(given).expanduser()).resolve()
    except (OSError, ValueError, RuntimeError):
        raise Problem(422, "This cannot be a path.", kind="path") from None
    if not path.is_relative_to(root):
        raise outside(root)
    return path


def outside(root: Path) -> Problem:
    """Return the answer to a path that leads out of the folder."""
    detail = f"Only files below {root} can be used; lacuna serve --root FOLDER takes another."
    return Problem(403, detail, kind="outside-root")


def existing_below(root: Path, given: str) -> Path:
    """Return a file or folder below `root` that has nothing in it that leads elsewhere."""
    path = path_below(root, given)
    if not path.exists():
        raise Problem(422, "There is no such file or folder.", kind="no-file")
    inside = path.rglob("*") if path.is_dir() else ()
    if any(one.is_symlink() and not one.resolve().is_relative_to(root) for one in inside):
        raise outside(root)
    return path


def new_below(root: Path, given: str, project: Path) -> Path:
    """Return a path below `root` to write to: new or an empty folder, and not in the project.

    Parameters
    ----------
    root
        Folder below which it has to be.
    given
        What a person typed.
    project
        Folder of the project; only its exports may be written to.
    """
    path, folder = path_below(root, given), project.resolve()
    if path.is_relative_to(folder) and not path.is_relative_to(folder / EXPORTS):
        raise Problem(422, "This is the folder of the project; choose another.", kind="path")
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise exists_already()
    if not path.parent.is_dir():
        raise Problem(422, "Its folder does not exist.", kind="path")
    return path


def exists_already() -> Problem:
    """Return the answer to a path that must be new."""
    return Problem(409, "There is such a file or folder already.", kind="exists")


def entries(root: Path, given: str) -> dict[str, Any]:
    """Return a folder and what is in it; of an unfinished path, what begins like it."""
    path = path_below(root, given)
    beginning = ""
    if not path.is_dir() and path != root:
        path, beginning = path.parent, path.name
    if not path.is_dir():
        raise Problem(422, "There is no such folder.", kind="no-file")
    try:
        found = [
            {"name": one.name, "folder": one.is_dir()}
            for one in sorted(path.iterdir())
            if not one.name.startswith(".")
            and one.name.startswith(beginning)
            and one.resolve().is_relative_to(root)
        ]
    except OSError:
        raise Problem(422, "The folder cannot be read.", kind="no-file") from None
    found.sort(key=lambda one: not one["folder"])
    return {"path": str(path), "entries": found[:MOST_ENTRIES]}
