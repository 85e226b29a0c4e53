"""What was found in every document of a run, for the owner: as JSON lines, and as a web page.

Workers finish in any order, so the documents are put in a temporary file first, which has no name,
is readable by its owner only, and vanishes with the process. At the end they are written in the
order of the input. The page has room for some hundred documents: those to look at first.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np

from lacuna.archive.manifest import private_folder
from lacuna.archive.options import ArchiveOptions
from lacuna.deid.before_after import BeforeAfter
from lacuna.errors import ConfigError, StoppedError
from lacuna.io.writing import whole_file
from lacuna.pictures.review_page import review_page
from lacuna.types import FloatArray, LongArray

SHOWN = 500  #: documents on the page
SHOWN_BYTES = 1 << 25  #: of their records

_encode = msgspec.json.Encoder().encode


class FoundDocuments:
    """Collects documents before and after; `folder` is where the temporary file is."""

    def __init__(self, folder: Path) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._place = array("q")  # of each document: file, row, where it begins, its size
        self._need = array("d")
        self._outputs: dict[int, str] = {}
        self._dropped: set[int] = set()
        self._size = 0

    def add(self, file: int, row: int, need: float, document: bytes) -> None:
        """Add a document by its number, with how many identifiers may be left in it."""
        try:
            self._file.seek(self._size)
            self._file.write(document)
        except OSError as error:
            raise StoppedError(f"cannot write what was found: {error.strerror}") from None
        self._place.extend((file, row, self._size, len(document)))
        self._need.append(need)
        self._size += len(document)

    def add_one(self, document: BeforeAfter) -> None:
        """Add the only document."""
        self.add(1, 0, document.expected_missed, msgspec.msgpack.encode(document))

    def name_output(self, file: int, output: str) -> None:
        """Note the name of the output that the rows of a table are in."""
        self._outputs[file] = output

    def drop(self, file: int) -> None:
        """Leave out the rows of a table that failed."""
        self._dropped.add(file)

    def write(self, findings: Path | None, review: Path | None, failed: Sequence[str] = ()) -> None:
        """Write all findings, the page, or both; `failed`: documents that failed, in words."""
        places, need = self._index()
        if findings is not None:
            with private_file(findings) as stream:
                for place in places:
                    stream.write(_encode(self._document(place).as_json()) + b"\n")
        if review is not None:
            first = _first_to_look_at(need, places[:, 3])
            shown = ((number + 1, self._document(places[number])) for number in first)
            with private_file(review) as stream:
                for piece in review_page(shown, len(first), len(places), failed):
                    stream.write(piece.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()

    def _index(self) -> tuple[LongArray, FloatArray]:
        """Return where the documents are and what they need, in the order of the input."""
        places = np.array(self._place, np.int64).reshape(-1, 4)
        need = np.array(self._need, np.float64)
        stays = ~np.isin(places[:, 0], list(self._dropped))
        places, need = places[stays], need[stays]
        order = np.lexsort((places[:, 1], places[:, 0]))
        return places[order], need[order]

    def _document(self, place: LongArray) -> BeforeAfter:
        file, _, start, size = place.tolist()
        self._file.seek(start)
        document = msgspec.msgpack.decode(self._file.read(size), type=BeforeAfter)
        if file not in self._outputs:
            return document
        named = msgspec.structs.replace(document.place, output=self._outputs[file])
        return msgspec.structs.replace(document, place=named)


@contextmanager
def open_found(options: ArchiveOptions) -> Iterator[FoundDocuments | None]:
    """Open what is collected for the owner, if anything was asked for."""
    wanted = options.findings or options.review
    if wanted is None:
        yield None
        return
    with closing(FoundDocuments(wanted.resolve().parent)) as found:
        yield found


@contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that only its owner can read; it is written completely or not at all."""
    try:
        with whole_file(path) as stream:
            os.fchmod(stream.fileno(), 0o600)
            yield stream
    except OSError as error:
        raise StoppedError(f"{path}: cannot be written: {error.strerror}") from None


def _first_to_look_at(need: FloatArray, sizes: LongArray) -> list[int]:
    """Return the documents that the page shows: those most in need that fit, largest need first."""
    chosen: list[int] = []
    room = SHOWN_BYTES
    for number in np.argsort(-need, kind="stable").tolist():
        if len(chosen) < SHOWN and sizes[number] <= room:
            chosen.append(number)
            room -= int(sizes[number])
    return chosen


def check_owners_files(options: ArchiveOptions) -> None:
    """Refuse files for the owner that would be passed on, be read as inputs, or cannot be written.

    They may be in the private folder of the run.
    """
    output, source = options.output, options.input.resolve()
    given = {path.resolve() for path in _given_files(options)}
    for option, path in (("--findings", options.findings), ("--review", options.review)):
        if path is None:
            continue
        place = path.resolve()
        if place in given:
            raise ConfigError(f"{path}: is needed for something else; {option} needs a new file")
        given.add(place)
        if output is not None and place.is_relative_to(output.resolve()):
            raise ConfigError(
                f"{option} must not be in the output, which is passed on: it shows the originals"
            )
        if place == source or (source.is_dir() and place.is_relative_to(source)):
            raise ConfigError(f"{option} must not be in the input, where it would be read")
        if place.is_dir():
            raise ConfigError(f"{path}: is a folder; {option} needs a file")
        has_private = output is not None and options.keeps_books and source.exists()
        private = private_folder(output) if output is not None and has_private else None
        if not place.parent.is_dir() and place.parent != private:
            raise ConfigError(f"{path}: its folder does not exist")
        if place.parent.is_dir() and not os.access(place.parent, os.W_OK):
            raise ConfigError(f"{path}: its folder cannot be written to")


def _given_files(options: ArchiveOptions) -> Iterator[Path]:
    """Yield the files that a run reads or writes besides its inputs and outputs."""
    detection = options.detection
    names = (detection.model, detection.known, detection.always, detection.never)
    yield from (Path(name) for name in names if name is not None)
    yield from (Path(name) for _, name in detection.lists)
    if options.vault is not None:
        yield options.vault
