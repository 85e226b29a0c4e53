"""Writing a corpus: every document is checked against the format; all are written or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lacuna.errors import ConfigError, FormatLimitError
from lacuna.io.file_names import FileNames
from lacuna.io.formats import FORMATS, Format, Shape, format_named
from lacuna.io.inline import automatic_id
from lacuna.io.limits import Feature, Loss, allow, fit
from lacuna.io.writing import whole_file, whole_folder, whole_output
from lacuna.text.document import Document

STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Written:
    """What :func:`write_corpus` did.

    Attributes
    ----------
    documents, mentions
        How many were written.
    left_out
        What did not fit, and how often; empty unless some loss was allowed.
    """

    documents: int
    mentions: int
    left_out: Mapping[str, int]


def write_corpus(
    documents: Iterable[Document],
    path: str | Path,
    *,
    format: str,  # noqa: A002
    loss: Loss = Loss.NOTHING,
) -> Written:
    """Write `documents` to a file, a new or empty folder, or ``"-"``, the standard output.

    A file is replaced; a non-empty folder is refused. Formats with a file per document write a
    folder or, if `path` has the suffix of one of their files, a file with the one document.
    Anything that the format cannot hold is an error (:class:`FormatLimitError`) unless `loss`
    allows it.
    """
    chosen = _writable(format_named(format), path)
    tally = _Tally()
    pieces = _pieces(documents, chosen, loss, Path(path).stem, tally)
    if chosen.shape is Shape.STREAM:
        _write_stream(pieces, chosen, path)
    elif _is_one_file(chosen, path):
        _write_one(pieces, chosen, path)
    else:
        _write_folder(pieces, chosen, Path(path))
    return Written(tally.documents, tally.mentions, dict(tally.left_out))


def check_corpus(
    documents: Iterable[Document],
    path: str | Path,
    *,
    format: str,  # noqa: A002
    loss: Loss = Loss.MENTIONS,
) -> Written:
    """Return what :func:`write_corpus` would write and leave out; nothing is written."""
    chosen = _writable(format_named(format), path)
    tally = _Tally()
    names = FileNames(Path(path), chosen.name)
    for number, (id_, files) in enumerate(_pieces(documents, chosen, loss, Path(path).stem, tally)):
        if chosen.shape is Shape.STREAM:
            continue
        if number and _is_one_file(chosen, path):
            raise _needs_folder(chosen, path)
        for suffix in files:
            names.reserve(id_, suffix)
    return Written(tally.documents, tally.mentions, dict(tally.left_out))


def _writable(format_: Format, path: str | Path) -> Format:
    """Choose between one document per file and one per line, by the destination."""
    one_stream = str(path) == STANDARD_OUTPUT or Path(path).suffix == ".inline"
    if format_.name == "inline" and one_stream:
        return FORMATS["inline-lines"]
    if format_.shape is Shape.PAIRS and str(path) == STANDARD_OUTPUT:
        raise ConfigError(f"{format_.name} is {format_.shape}: it needs a folder to write to")
    return format_


def _is_one_file(format_: Format, path: str | Path) -> bool:
    if format_.shape is Shape.PAIRS or Path(path).is_dir():
        return False
    return str(path) == STANDARD_OUTPUT or Path(path).suffix.lower() in format_.suffixes


class _Tally:
    """Counts of what was written so far."""

    def __init__(self) -> None:
        self.documents = 0
        self.mentions = 0
        self.left_out: Counter[str] = Counter()


Piece = tuple[str, Mapping[str, bytes]]
"""Id of a document, and its files or its part of a stream by suffix."""


def _pieces(
    documents: Iterable[Document], format_: Format, loss: Loss, stem: str, tally: _Tally
) -> Iterator[Piece]:
    for number, document in enumerate(documents, start=1):
        if Feature.IDS not in format_.limits.holds and document.id != automatic_id(stem, number):
            allow(Feature.IDS, Loss.EXTRAS, loss, format_.name, document.id)
            tally.left_out[str(Feature.IDS)] += 1
        fitted, lost = fit(document, format_.name, format_.limits, loss)
        tally.left_out.update(lost)
        tally.documents += 1
        tally.mentions += len(fitted.mentions)
        yield document.id, _encoded(fitted, format_)


def _encoded(document: Document, format_: Format) -> Mapping[str, bytes]:
    try:
        return format_.encode(document)
    except UnicodeEncodeError:  # half of a surrogate pair
        what = Feature.ODD_CHARACTERS
        raise FormatLimitError(format_.name, what, document=ascii(document.id)) from None
    except TypeError:
        what_else = "meta data that is not JSON"
        raise FormatLimitError(format_.name, what_else, document=document.id) from None


def _write_stream(pieces: Iterator[Piece], format_: Format, path: str | Path) -> None:
    opened = whole_output() if str(path) == STANDARD_OUTPUT else whole_file(Path(path))
    with opened as stream:
        stream.write(format_.head)
        for number, (_, files) in enumerate(pieces):
            stream.write(format_.separator if number else b"")
            stream.write(b"".join(files.values()))
        stream.write(format_.tail)


def _write_one(pieces: Iterator[Piece], format_: Format, path: str | Path) -> None:
    with ExitStack() as stack:
        for number, (_, files) in enumerate(pieces):
            if number:
                raise _needs_folder(format_, path)
            is_output = str(path) == STANDARD_OUTPUT
            stream = stack.enter_context(whole_output() if is_output else whole_file(Path(path)))
            stream.write(b"".join(files.values()))


def _needs_folder(format_: Format, path: str | Path) -> ConfigError:
    return ConfigError(f"{path}: {format_.name} has one document per file; give a folder")


def _write_folder(pieces: Iterator[Piece], format_: Format, path: Path) -> None:
    with whole_folder(path) as folder:
        names = FileNames(folder, format_.name)
        for id_, files in pieces:
            for suffix, content in files.items():
                names.place(id_, suffix).write_bytes(content)
