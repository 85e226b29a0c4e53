"""Atomic writing of a file, a folder or the standard output: everything or nothing.

Content is written under a temporary name in the same folder, which is renamed at the end. After an
error or an interruption, the folder is as it was before.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lacuna.errors import ConfigError

SPOOL_BYTES = 1 << 26  # of standard output kept in memory; more goes to an unnamed file


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for writing; it changes only when the block ends without an error.

    If it is a symbolic link, the file it points to changes and the link stays.
    """
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder, a file is needed")
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with path.open("wb") as stream:
            yield stream
        return
    path = path.resolve() if path.is_symlink() else path
    temporary = _temporary_name(path)
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill; it becomes `path` when the block ends without an error.

    `path` may be missing or an empty folder; a non-empty one is refused.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise ConfigError(f"{path}: exists and is not a folder")
    if path.is_dir() and any(path.iterdir()):
        raise ConfigError(f"{path}: folder is not empty")
    temporary = _temporary_name(path)
    try:
        temporary.mkdir()
        yield temporary
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def whole_output() -> Iterator[BinaryIO]:
    """Open the standard output; everything is sent at the end, or nothing on an error."""
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        yield spool  # type: ignore[misc]
        spool.seek(0)
        shutil.copyfileobj(spool, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _temporary_name(path: Path) -> Path:
    """Choose a hidden name in the same folder, so that renaming is atomic."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ConfigError(f"{path}: its folder does not exist")
    return folder / f".{path.absolute().name[:80]}.{secrets.token_hex(6)}.part"
