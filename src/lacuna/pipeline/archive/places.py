"""Where outputs go: only below the output folder, and never through a link."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from lacuna.errors import StoppedError


def place_below(folder: Path, name: str) -> Path:
    """Return the path of an output; its folder exists afterwards.

    Raises
    ------
    StoppedError
        When the name would lead out of the folder, or over a symbolic link.
    """
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts or not relative.parts:
        raise StoppedError("an output would lie outside the output folder")
    place = folder
    for part in relative.parts[:-1]:
        place = place / part
        if place.is_symlink():
            raise StoppedError("a symbolic link stands in the way in the output folder")
        place.mkdir(exist_ok=True)
    place = place / relative.parts[-1]
    if place.is_symlink():
        raise StoppedError("a symbolic link stands in the way in the output folder")
    return place
