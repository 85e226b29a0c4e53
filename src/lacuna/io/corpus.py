"""Reading a corpus: files, folders and globs, in any mixture of formats."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path, PurePath

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.columns import parse_columns
from lacuna.io.detect import detect_format, main_file
from lacuna.io.formats import FORMATS, Format, Shape, format_named
from lacuna.io.label_map import LabelMap
from lacuna.io.source import Assumed, ReadOptions, Skipped, Source, ignore
from lacuna.text.document import Document
from lacuna.text.overlap import overlapping_pairs
from lacuna.types import Task

STANDARD_INPUT = "-"
BRAT_SETTINGS = frozenset({"annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf"})
SUFFIXES = frozenset(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)


class Keep(StrEnum):
    """Which documents to keep."""

    ALL = "all"
    DISCONTIGUOUS = "discontiguous"  #: with a discontiguous mention
    OVERLAPPING = "overlapping"  #: with two mentions that share a character


@dataclass(frozen=True, slots=True)
class Selection:
    """How the documents read are changed and which are kept; applied in this order.

    Attributes
    ----------
    group_from
        A regular expression searched in each id; its first group, or else the whole match,
        becomes the document's group. Ids without a match, or with an empty one, keep the group
        they have; if no id of the corpus matches, that is an error.
    label_map
        New names for labels.
    labels
        Labels to keep, by their new names; ``None`` keeps all.
    keep
        Documents to keep, by the mentions they then have.
    """

    group_from: str | None = None
    label_map: LabelMap = field(default_factory=LabelMap)
    labels: Collection[str] | None = None
    keep: Keep = Keep.ALL


def read_corpus(
    paths: Sequence[str | Path],
    *,
    format: str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    task: Task = Task.NER,
    group_from: str | None = None,
    label_map: LabelMap | None = None,
    labels: Collection[str] | None = None,
    keep: Keep = Keep.ALL,
    on_bytes: Callable[[int], None] = ignore,
    on_skip: Callable[[Skipped], None] = ignore,
    annotator: str | None = None,
    on_assume: Callable[[Assumed], None] = ignore,
    columns: Sequence[str] = (),
    tagged: bool = True,
    piece_characters: int | None = None,
) -> Iterator[Document]:
    """Read documents from `paths`, one at a time.

    Parameters
    ----------
    paths
        Files, folders (recursively, sorted, hidden files ignored), globs, ``"-"`` for the standard
        input. Ids of files are relative to the given folder.
    format
        Name of the format; ``None``: auto-detected for each file.
    encoding, task, on_bytes, on_skip, annotator, on_assume, tagged, piece_characters
        How to read: see :class:`ReadOptions`.
    columns
        Columns of conll files as ``"word=2"``, ``"tag=3"``: see :mod:`lacuna.io.columns`.
    group_from, label_map, labels, keep
        Which documents to keep, and how to change them: see :class:`Selection`.

    Paths are looked up at once; files are opened, and errors in them raised, on iteration.
    """
    options = ReadOptions(
        encoding,
        task,
        on_bytes,
        on_skip,
        annotator,
        on_assume=on_assume,
        columns=parse_columns(columns),
        tagged=tagged,
        piece_characters=piece_characters,
    )
    selection = Selection(group_from, label_map or LabelMap(), labels, keep)
    sources = find_sources(paths, format=format, options=options)
    return _select(_unique(_read_all(sources, format)), group_pattern(group_from), selection)


def corpus_bytes(paths: Sequence[str | Path], *, format: str | None = None) -> int | None:  # noqa: A002
    """Return how many bytes reading `paths` will take; ``None`` if that cannot be known."""
    sizes = [
        file.stat().st_size
        for source in find_sources(paths, format=format)
        for file in _files(source)
    ]
    return None if STANDARD_INPUT in map(str, paths) else sum(sizes)


def _files(source: Source) -> Iterator[Path]:
    if source.path is None:
        return
    yield source.path
    if source.path.suffix in {".ann", ".pipe"}:
        texts = (source.path.with_suffix(suffix) for suffix in (".txt", ".text"))
        yield from (path for path in texts if path.is_file())


def find_sources(
    paths: Sequence[str | Path],
    *,
    format: str | None = None,  # noqa: A002
    options: ReadOptions | None = None,
) -> list[Source]:
    """Return the files that `paths` name, each once, in reading order."""
    forced = None if format is None else format_named(format)
    options = options or ReadOptions()
    found = [entry for path in paths for entry in _expand(str(path), forced)]
    if not found:
        raise ConfigError("no files to read")
    return [Source(path, id_, options) for path, id_ in dict.fromkeys(found)]


def _expand(path: str, forced: Format | None) -> list[tuple[Path | None, str]]:
    if path == STANDARD_INPUT:
        return [(None, "stdin")]
    files: list[tuple[Path, Path]] = []  # file, and the path that its id is made of
    if Path(path).exists():
        files = _files_below(Path(path), forced)
    elif glob.has_magic(path):
        for match in sorted(glob.glob(path, recursive=True)):  # noqa: PTH207
            files += _files_below(Path(match), forced)
    else:
        raise CorpusFormatError(path, "no such file or folder")
    if not files:
        raise CorpusFormatError(path, "no files to read")
    return [(_main(file, forced), file_id(relative)) for file, relative in files]


def _files_below(path: Path, forced: Format | None) -> list[tuple[Path, Path]]:
    if not path.is_dir():
        return [(path, Path(path.name))]
    below = sorted(
        (file.relative_to(path).parts, file) for file in path.rglob("*") if file.is_file()
    )
    files = [
        (file, Path(*parts))
        for parts, file in below
        if not any(part.startswith(".") for part in parts) and file.name not in BRAT_SETTINGS
    ]
    if forced is None:
        return files
    fitting = [entry for entry in files if entry[0].suffix.lower() in forced.suffixes]
    return fitting or files


def _main(file: Path, forced: Format | None) -> Path:
    """Return the file to read for `file`, the same for both of a pair, unless only text is read."""
    return file if forced is not None and forced.shape is not Shape.PAIRS else main_file(file)


def file_id(relative: PurePath) -> str:
    """Return the id of a file: its path below the folder without the suffix of a format."""
    name = relative.as_posix()
    suffix = relative.suffix
    return name.removesuffix(suffix) if suffix.lower() in SUFFIXES else name


def _read_all(
    sources: Sequence[Source], format_name: str | None
) -> Iterator[tuple[Source, Document]]:
    for source in sources:
        reader = FORMATS[format_name or detect_format(source)]
        for document in reader.read(source):
            yield source, document


def _unique(documents: Iterator[tuple[Source, Document]]) -> Iterator[Document]:
    seen: set[str] = set()
    for source, document in documents:
        if document.id in seen:
            raise source.error(f"the id {document.id!r} occurs twice in the corpus")
        seen.add(document.id)
        yield document


def _select(
    documents: Iterator[Document], pattern: re.Pattern[str] | None, selection: Selection
) -> Iterator[Document]:
    matched = read_any = False
    for document in documents:
        read_any = True
        if pattern is not None and (group := group_of(pattern, document.id)):
            matched = True
            document = replace(document, group=group)
        document = selection.label_map.apply(document)
        if selection.labels is not None:
            kept = tuple(m for m in document.mentions if m.label in selection.labels)
            document = replace(document, mentions=kept)
        if _is_wanted(document, selection.keep):
            yield document
    if pattern is not None and read_any and not matched:
        raise ConfigError("the pattern for groups matches no document id")


def group_of(pattern: re.Pattern[str], id_: str) -> str | None:
    """Return the group that an id names, if any."""
    match = pattern.search(id_)
    return match and match[1 if pattern.groups else 0]


def group_pattern(pattern: str | None) -> re.Pattern[str] | None:
    """Return the regular expression that takes groups from ids."""
    try:
        return None if pattern is None else re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"the pattern for groups is not a regular expression: {error}") from None


def _is_wanted(document: Document, keep: Keep) -> bool:
    if keep is Keep.DISCONTIGUOUS:
        return any(mention.is_discontiguous for mention in document.mentions)
    if keep is Keep.OVERLAPPING:
        return bool(overlapping_pairs(document.mentions))
    return True
