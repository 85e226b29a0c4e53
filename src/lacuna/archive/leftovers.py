"""What earlier runs left behind: runs that came to nothing, and outputs without an input."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from lacuna.archive import crosswalk
from lacuna.archive.manifest import NAME, Line, locked_manifest, private_folder, read_manifest
from lacuna.deid.run_report import HTML, JSON
from lacuna.errors import ConfigError

_OURS = frozenset({NAME, crosswalk.NAME, crosswalk.ROWS, crosswalk.PROTECTED})


def clear_void_run(output: Path) -> None:
    """Remove what a run left that made no document safe, e.g. because a column was misspelt.

    So the corrected command can be given without removing folders by hand. If there is anything
    else in the output folder or beside it, nothing is removed.
    """
    private = private_folder(output)
    if not (private / NAME).is_file() or any(p.name not in _OURS for p in private.iterdir()):
        return
    with locked_manifest(private):
        try:
            _, lines, _ = read_manifest(output)
        except ConfigError:
            return
        written = {line.output for line in lines.values()}
        there = [*output.rglob("*")] if output.is_dir() and not output.is_symlink() else []
        files = [path for path in there if path.is_symlink() or not path.is_dir()]
        ours = {output / name for name in (JSON, HTML, *written)}
        is_void = not any(line.tally.documents for line in lines.values())
        if not is_void or {*files} - ours or crosswalk.outputs_in(private) - written:
            return
        for path in files:
            path.unlink()
        for path in sorted({*there} - {*files}, reverse=True):
            path.rmdir()
        shutil.rmtree(private)


def without_input(output: Path, finished: Mapping[str, Line], inputs: Iterable[str]) -> int:
    """Return how many outputs of an earlier run are there though their input no longer is.

    `inputs` are the hashed ids of all present inputs.
    """
    gone = finished.keys() - {*inputs}
    return sum((output / finished[input_].output).exists() for input_ in gone)
