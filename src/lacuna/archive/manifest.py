"""The manifest of a run: what is finished, so that the run can be resumed after any interruption.

``manifest.jsonl`` begins with the settings of the run, each as a hash. A line follows for every
finished output, written to disk before the next: the hashed id of the input, SHA-256 of input and
output, and the tally. An incomplete last line is ignored.

Hashes of inputs and settings, and a random key, would let a reader test guesses. So the manifest is
not in the output folder ``safe/`` but beside it, in ``safe.private/``, which only its owner can
read.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from lacuna.archive.output_names import place_below
from lacuna.deid.tally import Tally
from lacuna.errors import ConfigError
from lacuna.models.file import file_digest

NAME = "manifest.jsonl"
PARTIAL = ".*.part"  #: names of unfinished files
_NOTHING = "there is no run to continue in the output folder"
_OLD = (
    "the output folder was written by an earlier version, whose runs cannot be continued;"
    " start again in a new folder"
)


class Header(msgspec.Struct, frozen=True):
    """Settings of the run as hashes; `key`: its random key, if the user gave none."""

    lacuna: str
    settings: dict[str, str]
    key: str | None = None


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


def private_folder(output: Path) -> Path:
    """Return the folder beside an output folder for what must not be passed on with it."""
    whole = output.resolve()
    return whole.parent / f"{whole.name}.private"


def stored_header(output: Path) -> Header | None:
    """Return the header of the run that wrote a folder, or ``None`` if it has none."""
    return read_manifest(output)[0]


def begin_manifest(output: Path, header: Header) -> Manifest:
    """Start a run in an output folder that is new or empty."""
    private = private_folder(output)
    _check_folder(output, "the output")
    _check_folder(private, str(private))
    if output.exists() and any(output.iterdir()):
        raise ConfigError(f"{output}: the folder is not empty; --resume continues an earlier run")
    if private.exists() and any(private.iterdir()):
        raise ConfigError(
            f"{private} contains the crosswalk of an earlier run; move it away first, or choose"
            " another output folder"
        )
    try:
        output.mkdir(parents=True, exist_ok=True)
        private.mkdir(mode=0o700, exist_ok=True)
        private.chmod(0o700)
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be created: {error.strerror}") from None
    return _begun(_locked(private / NAME, os.O_EXCL), header)


def resume_manifest(output: Path, header: Header) -> Manifest:
    """Resume a run with the same settings; unfinished files are removed first."""
    earlier, lines, size = read_manifest(output)
    _check_folder(output, "the output")
    if earlier is not None:
        _refuse_other_settings(earlier, header)
    elif output.exists() and any(output.iterdir()):
        raise ConfigError(_NOTHING)
    private = private_folder(output)
    stream = _locked(private / NAME)
    stream.truncate(size)
    output.mkdir(exist_ok=True)
    for folder in (output, private):
        remove_partial(folder)
    return _begun(stream, header) if earlier is None else Manifest(stream, lines)


def _check_folder(path: Path, name: str) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise ConfigError(f"{name} exists and is not a folder")


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


def read_manifest(output: Path) -> tuple[Header | None, dict[str, Line], int]:
    """Return the header, the lines by input, and the number of bytes in complete lines.

    There is no header if the run was killed before it was written.

    Raises
    ------
    ConfigError
        If there is no manifest, or it is damaged.
    """
    try:
        content = (private_folder(output) / NAME).read_bytes()
    except OSError:
        raise ConfigError(_OLD if (output / NAME).exists() else _NOTHING) from None
    whole = content[: content.rfind(b"\n") + 1]
    if not whole:
        return None, {}, 0
    first, *rest = whole.splitlines()
    try:
        header = msgspec.json.decode(first, type=Header)
        lines = [msgspec.json.decode(line, type=Line) for line in rest]
    except msgspec.MsgspecError:
        raise ConfigError("the manifest of the earlier run is damaged") from None
    return header, {line.input: line for line in lines}, len(whole)


@contextmanager
def locked_manifest(private: Path) -> Iterator[None]:
    """Refuse other runs during the block."""
    with _locked(private / NAME):
        yield


def _locked(path: Path, flag: int = 0) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | flag
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
