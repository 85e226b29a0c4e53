"""Messages between the main process and its workers, as msgpack; nothing is pickled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lacuna.archive.options import ArchiveOptions
from lacuna.deid.date_cells import DateCell
from lacuna.deid.evidence import Evidence
from lacuna.deid.keys import Key
from lacuna.deid.rewriting import OffsetMap
from lacuna.deid.tally import Tally


def encode_options(options: ArchiveOptions) -> bytes:
    """Return the first message to a worker: what to do, with the key and the threshold of the run.

    Not sent are the passphrase of a vault, which only the main process writes, and the globs that
    chose the inputs.
    """
    return msgspec.msgpack.encode(
        replace(options, passphrase="", include=(), exclude=()), enc_hook=_plain
    )


def decode_options(message: bytes) -> ArchiveOptions:
    """Return the options in the first message."""
    return msgspec.msgpack.decode(message, type=ArchiveOptions, dec_hook=_restored)


def _plain(value: Key | Path) -> bytes:
    return value.secret if isinstance(value, Key) else os.fsencode(value)


def _restored(kind: type[Any], value: bytes) -> Key | Path:
    return Key(value) if kind is Key else Path(os.fsdecode(value))


RawPath = bytes  #: a path as the system knows it, which need not be UTF-8


class FileTask(msgspec.Struct, frozen=True, array_like=True):
    """A file that is one document.

    Attributes
    ----------
    number
        Its number in the run.
    path, id, group
        Its path, which may not be UTF-8, its id (the path below the input, without suffix), its
        group.
    format
        Name of its format.
    output
        Name of the output, if the name may be kept.
    ambiguous
        Whether another output has that name, so that it must be hashed.
    bytes
        Its size when it was listed.
    """

    number: int
    path: RawPath
    id: str
    group: str | None
    format: str
    output: str
    ambiguous: bool
    bytes: int


class RowTask(msgspec.Struct, frozen=True, array_like=True):
    """A row of a table; `found`: what a first pass found in it, as held."""

    number: int
    id: str
    group: str | None
    text: str
    found: bytes | None = None
    dates: Sequence[DateCell] = ()


class FilesJob(msgspec.Struct, frozen=True, array_like=True, tag="files"):
    """Files to de-identify, whole groups.

    Attributes
    ----------
    files
        The files.
    forget
        Whether nothing more of these groups will come.
    evidence
        Of groups that have other documents, too.
    """

    files: list[FileTask]
    forget: bool = True
    evidence: dict[str, Evidence] = {}


class RowsJob(msgspec.Struct, frozen=True, array_like=True, tag="rows"):
    """Rows of a table to de-identify.

    Attributes
    ----------
    table
        The number of the table.
    rows
        The rows.
    ended
        Groups of which nothing more will come.
    evidence
        Of groups that have other documents, too.
    """

    table: int
    rows: list[RowTask]
    ended: list[str] = []
    evidence: dict[str, Evidence] = {}


class LookJob(msgspec.Struct, frozen=True, array_like=True, tag="look"):
    """Documents of groups that are apart, to detect in: files, or rows of a table."""

    files: list[FileTask] = []
    table: int = -1
    rows: list[RowTask] = []


Job = FilesJob | RowsJob | LookJob


class Original(msgspec.Struct, frozen=True, array_like=True):
    """A document before and after, for the vault."""

    id: str
    original: str
    redacted: str
    spans: list[tuple[int, int, int, int]]  #: original start, end, new start, end

    @classmethod
    def of(cls, id_: str, original: str, redacted: str, offsets: OffsetMap) -> Original:
        """Return the record of a document."""
        columns = (
            offsets.original_start,
            offsets.original_end,
            offsets.new_start,
            offsets.new_end,
        )
        return cls(id_, original, redacted, list(zip(*(c.tolist() for c in columns), strict=True)))

    @property
    def offsets(self) -> OffsetMap:
        """Where every character went."""
        table = np.array(self.spans, np.int64).reshape(-1, 4)
        return OffsetMap(*(np.ascontiguousarray(table[:, column]) for column in range(4)))


class FileDone(msgspec.Struct, array_like=True):
    """The result of a file; `reason` is why it failed."""

    number: int
    hashed_id: str
    tally: Tally
    reason: str | None = None
    input_sha256: str = ""
    output: str = ""
    output_sha256: str = ""


class RowDone(msgspec.Struct, array_like=True):
    """The result of a row: its new id, group, text and date cells, or why it failed."""

    number: int
    id: str = ""
    group: str | None = None
    text: str = ""
    reason: str | None = None
    hashed_id: str = ""
    dates: list[str] = []


class Result(msgspec.Struct, array_like=True):
    """The result of a job.

    Attributes
    ----------
    files, rows
        One entry for each task.
    table
        The table the rows belong to.
    tally
        Tally of all rows.
    originals
        Documents before and after, for the vault.
    looked_at
        Documents before and after, with what was found, for the owner: the number of the file or
        row, how many identifier tokens may be left, and an encoded
        :class:`~lacuna.deid.before_after.BeforeAfter`.
    found, evidence
        What a first pass found: by row, and by group.
    fatal
        Why the run must stop, e.g. a full disk.
    """

    files: list[FileDone] = []
    rows: list[RowDone] = []
    table: int = -1
    tally: Tally = msgspec.field(default_factory=Tally)
    originals: list[Original] = []
    looked_at: list[tuple[int, float, bytes]] = []
    found: list[tuple[int, bytes]] = []
    evidence: dict[str, Evidence] = {}
    fatal: str | None = None
    seconds: float = 0.0
