"""The manifest of a run: what is finished, so that the run can be resumed after any interruption.

``manifest.jsonl`` begins with the settings of the run, each as a hash. A line follows for every
finished output, written to disk before the next: the hashed id of the input, SHA-256 of input and
output, and the tally. An incomplete last line is ignored.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from lacuna.archive.output_names import place_below
from lacuna.deid.run_report import Tally
from lacuna.errors import ConfigError
from lacuna.models.file import file_digest

NAME = "manifest.jsonl"
PARTIAL = ".*.part"  #: names of unfinished files


class Header(msgspec.Struct, frozen=True):
    """Settings of the run as hashes; `salt` hashes ids if no secret key is needed."""

    lacuna: str
    settings: dict[str, str]
    salt: str | None = None


class Line(msgspec.Struct, frozen=True):
    """A finished output; `groups`: whether any of its documents has a group."""

    input: str
    input_sha256: str
    output: str
    output_sha256: str
    groups: bool
    tally: Tally


def hashed_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the hashes of settings, by name."""
    return {name: hashlib.sha256(v.encode()).hexdigest()[:16] for name, v in settings.items()}


class Manifest:
    """The open manifest of a run, locked against other runs."""

    def __init__(self, stream: BinaryIO, finished: dict[str, Line]) -> None:
        self._stream = stream
        self.finished = finished

    def add(self, lines: Iterable[Line]) -> None:
        """Add finished outputs and wait until they are on disk."""
        content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        if content:
            self._stream.write(content)
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Close the file and release the lock."""
        self._stream.close()


def stored_header(folder: Path) -> Header | None:
    """Return the header of the run that wrote a folder, or ``None`` if it has none."""
    return _read(folder)[0]


def begin_manifest(folder: Path, header: Header) -> Manifest:
    """Start a run in a folder that is new or empty."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError("the output exists and is not a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConfigError("the output folder is not empty; --resume continues an earlier run")
    return _begun(_locked(folder / NAME), header)


def resume_manifest(folder: Path, header: Header) -> Manifest:
    """Resume a run with the same settings; unfinished files are removed first."""
    earlier, lines, size = _read(folder)
    if earlier is not None:
        _refuse_other_settings(earlier, header)
    stream = _locked(folder / NAME)
    stream.truncate(size)
    remove_partial(folder)
    return _begun(stream, header) if earlier is None else Manifest(stream, lines)


def _begun(stream: BinaryIO, header: Header) -> Manifest:
    stream.write(msgspec.json.encode(header) + b"\n")
    stream.flush()
    os.fsync(stream.fileno())
    return Manifest(stream, {})


def _refuse_other_settings(earlier: Header, header: Header) -> None:
    differ = sorted(
        name
        for name in earlier.settings.keys() | header.settings.keys()
        if earlier.settings.get(name) != header.settings.get(name)
    )
    if differ or earlier.lacuna != header.lacuna:
        what = ", ".join(differ) or "version of lacuna"
        raise ConfigError(f"the earlier run had other settings and cannot be continued: {what}")


def remove_partial(folder: Path) -> None:
    """Remove unfinished files of a killed run."""
    for path in folder.rglob(PARTIAL):
        path.unlink(missing_ok=True)


def is_there(folder: Path, line: Line, path: Path) -> bool:
    """Whether an output exists as it was written and its input is unchanged."""
    try:
        output = place_below(folder, line.output)
        return file_digest(output) == line.output_sha256 and file_digest(path) == line.input_sha256
    except OSError:
        return False


def _read(folder: Path) -> tuple[Header | None, dict[str, Line], int]:
    """Return the header, the lines by input, and the number of bytes in complete lines.

    There is no header if the run was killed before it was written.
    """
    try:
        content = (folder / NAME).read_bytes()
    except OSError:
        raise ConfigError("there is no run to continue in the output folder") from None
    whole = content[: content.rfind(b"\n") + 1]
    if not whole:
        return None, {}, 0
    first, *rest = whole.splitlines()
    try:
        header = msgspec.json.decode(first, type=Header)
        lines = [msgspec.json.decode(line, type=Line) for line in rest]
    except msgspec.MsgspecError:
        raise ConfigError("the manifest in the output folder is damaged") from None
    return header, {line.input: line for line in lines}, len(whole)


def _locked(path: Path) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        stream = os.fdopen(os.open(path, flags, 0o600), "ab")
    except OSError as error:
        raise ConfigError(f"the manifest cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise ConfigError("another run is writing to the output folder") from None
    return stream
