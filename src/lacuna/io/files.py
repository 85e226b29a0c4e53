"""Reading and writing documents from Python: ``lacuna.read`` and ``lacuna.write``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from os import PathLike, fspath

from lacuna.errors import ConfigError
from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS, format_of_name
from lacuna.io.label_map import LabelMap
from lacuna.io.limits import Loss
from lacuna.io.output import Written, write_corpus
from lacuna.io.source import Assumed, Skipped
from lacuna.text.document import Document
from lacuna.types import Task


def warn(skipped: Skipped) -> None:
    """Warn of something in a file that documents cannot hold."""
    warnings.warn(f"{skipped.path}: skipped {skipped.count} {skipped.what}", stacklevel=2)


def warn_of(assumed: Assumed) -> None:
    """Warn of something that a file does not say."""
    warnings.warn(f"{assumed.path}: assumed {assumed.what}", stacklevel=2)


def read(
    *paths: str | PathLike[str],
    format: str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    task: Task = Task.NER,
    group_from: str | None = None,
    label_map: LabelMap | None = None,
    labels: Collection[str] | None = None,
    on_skip: Callable[[Skipped], None] = warn,
    on_assume: Callable[[Assumed], None] = warn_of,
    columns: Sequence[str] = (),
) -> Iterator[Document]:
    """Read documents from files, folders and globs, one at a time.

    Parameters
    ----------
    paths
        Folders are read with all folders below them.
    format
        Name of the format; by default it is detected for each file.
    encoding, task, on_skip, on_assume
        See :class:`~lacuna.io.source.ReadOptions`; by default what is skipped or assumed gives a
        warning.
    columns
        Columns of conll files, as ``["word=2", "tag=3", "tag=4"]``; tags of several columns nest.
    group_from, label_map, labels
        See :class:`~lacuna.io.corpus.Selection`.

    Raises
    ------
    CorpusFormatError
        If a path does not exist (at once), or a file is malformed (when it is read).
    """
    return read_corpus(
        [fspath(path) for path in paths],
        format=format,
        encoding=encoding,
        task=task,
        group_from=group_from,
        label_map=label_map,
        labels=labels,
        on_skip=on_skip,
        on_assume=on_assume,
        columns=columns,
    )


def write(
    documents: Iterable[Document],
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    loss: Loss = Loss.NOTHING,
) -> Written:
    """Write documents to a file, or to a new or empty folder: all of them or none.

    Parameters
    ----------
    documents
        What to write.
    path
        A file is replaced; a folder with files in it is refused.
    format
        Name of the format; by default that of the file's suffix.
    loss
        What may be left out because the format cannot hold it; nothing by default.

    Raises
    ------
    FormatLimitError
        If the format cannot hold something that `loss` does not allow to leave out.
    """
    return write_corpus(documents, fspath(path), format=format or _format_of(path), loss=loss)


def _format_of(path: str | PathLike[str]) -> str:
    if found := format_of_name(path):
        return found
    raise ConfigError(f"{path}: its name says no format; name one of {', '.join(FORMATS)}")
