"""What earlier runs left behind: runs that came to nothing, and outputs without an input."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from lacuna.archive import crosswalk
from lacuna.archive.known_check import HITS
from lacuna.archive.manifest import NAME, Line, locked_manifest, private_folder, read_manifest
from lacuna.deid.run_report import HTML, JSON
from lacuna.errors import ConfigError

_OURS = frozenset({NAME, crosswalk.NAME, crosswalk.ROWS, crosswalk.PROTECTED, HITS})


def clear_void_run(output: Path, *, folder_too: bool = False) -> None:
    """Remove what a run left that made no document safe, e.g. because a column was misspelt.

    So the corrected command can be given without removing folders by hand. If there is anything
    else in the output folder or beside it, nothing is removed.

    Parameters
    ----------
    output
        The output folder.
    folder_too
        Whether to remove the output folder as well.
    """
    private = private_folder(output)
    if not (private / NAME).is_file() or any(p.name not in _OURS for p in private.iterdir()):
        return
    with locked_manifest(private):
        try:
            _, lines, _ = read_manifest(output)
        except ConfigError:
            return
        if any(line.tally.documents for line in lines.values()):
            return
        written = {line.output for line in lines.values()}
        there = [*output.rglob("*")] if output.is_dir() and not output.is_symlink() else []
        files = [path for path in there if path.is_symlink() or not path.is_dir()]
        ours = {output / name for name in (JSON, HTML, *written)}
        if {*files} - ours or crosswalk.outputs_in(private) - written:
            return
        for path in files:
            path.unlink()
        for path in sorted({*there} - {*files}, reverse=True):
            path.rmdir()
        shutil.rmtree(private)
        if folder_too:
            output.rmdir()


def files_written(output: Path) -> int:
    """Return how many inputs a run has finished in an output folder."""
    try:
        return len(read_manifest(output)[1])
    except ConfigError:
        return 0


def without_input(output: Path, finished: Mapping[str, Line], inputs: Iterable[str]) -> list[str]:
    """Return the outputs of an earlier run that are there though their input no longer is.

    `inputs` are the hashed ids of all present inputs.
    """
    gone = finished.keys() - {*inputs}
    outputs = [finished[input_].output for input_ in gone]
    return sorted(name for name in outputs if (output / name).exists())
