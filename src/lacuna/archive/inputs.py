"""The inputs of a run: the files below a folder, their formats and groups.

Text files stay text; other formats with one document per file become text under a name that ends
in ``.txt``. Files with many documents are tables: JSON lines, CSV and Parquet keep their format,
other formats with many documents become JSON lines. Annotations are not copied. Files of unknown
formats, hidden files, and links that lead out of the folder are skipped and counted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from lacuna.archive.file_kinds import kinds_in_words, not_read
from lacuna.archive.options import InputOptions
from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.corpus import BRAT_SETTINGS, file_id, group_of, group_pattern
from lacuna.io.decoding import Encodings
from lacuna.io.detect import BY_SUFFIX, detect_format
from lacuna.io.formats import FORMATS, Shape, format_named
from lacuna.io.source import ReadOptions, Source
from lacuna.text.plurals import counted

TEXT_SUFFIXES = (".txt", ".text")
#: Table formats that are not formats of a corpus, by suffix.
PLAIN_TABLES = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
#: What is skipped, in the plural (as in reports) and in the singular.
HIDDEN, OUTSIDE = (
    "hidden files and settings",
    "symbolic links that lead nowhere or out of the folder",
)
NO_FILES, UNREADABLE = "entries that are not files", "folders that cannot be read"
OTHER_FILES = "files of a kind that is not read"
WITHOUT_DOCUMENTS = "patients of --known without a document"
SKIPPED = {
    HIDDEN: "hidden file or settings file",
    OUTSIDE: "symbolic link that leads nowhere or out of the folder",
    NO_FILES: "entry that is not a file",
    UNREADABLE: "folder that cannot be read",
    OTHER_FILES: "file of a kind that is not read",
    WITHOUT_DOCUMENTS: "patient of --known without a document",
}
_ANNOTATIONS = {".ann": ".txt", ".pipe": ".text"}


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to de-identify.

    Attributes
    ----------
    folder, name
        The input folder, and the path of the file below it.
    format
        Name of its format.
    bytes
        Its size.
    """

    folder: Path
    name: str
    format: str
    bytes: int

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.folder / self.name

    @property
    def id(self) -> str:
        """Id of its document, or the prefix of the ids of its documents."""
        return file_id(self._shown)

    @property
    def _shown(self) -> PurePosixPath:
        """The name with bytes that are not UTF-8 written as escapes."""
        return PurePosixPath(os.fsencode(self.name).decode(errors="backslashreplace"))

    @property
    def is_table(self) -> bool:
        """Whether it may contain many documents."""
        return self.format not in FORMATS or FORMATS[self.format].shape is Shape.STREAM

    @property
    def output(self) -> str:
        """Name of its output, if the name may be kept."""
        name, suffix = str(self._shown), self._shown.suffix.lower()
        if self.format in PLAIN_TABLES.values():
            is_usual = PLAIN_TABLES.get(suffix) == self.format
            return name if is_usual else f"{name}.{self.format}"
        if self.is_table:
            is_usual = BY_SUFFIX.get(suffix) == self.format == "jsonl"
            return name if is_usual else f"{name}.jsonl"
        return name if suffix in TEXT_SUFFIXES else f"{name}.txt"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files in the order of their names, and what was skipped."""

    files: tuple[InputFile, ...]
    skipped: Mapping[str, int]

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files)


def list_inputs(path: Path, options: InputOptions) -> Inputs:
    """List the files of a folder, or the one file."""
    if options.format is not None and options.format not in PLAIN_TABLES.values():
        format_named(options.format)
    if not path.exists():
        raise ConfigError(f"{path}: no such file or folder")
    skipped: Counter[str] = Counter()
    files = []
    others = []
    folder = path.parent if path.is_file() else path
    for name, size in _found(path, skipped):
        if options.include and not _matches(name, options.include):
            continue
        if _matches(name, options.exclude):
            continue
        chosen = options.format or _format(folder, name, options.encodings.declared)
        if chosen is None:
            others.append(name)
        elif chosen:
            files.append(InputFile(folder, name, chosen, size))
    if others and path.is_file():
        raise not_read(str(path))
    if others:
        skipped[f"{OTHER_FILES} ({kinds_in_words(others)})"] = len(others)
    if not files:
        raise ConfigError(_nothing_to_read(path, options, skipped))
    return Inputs(tuple(files), skipped)


def _nothing_to_read(path: Path, options: InputOptions, skipped: Mapping[str, int]) -> str:
    why = [f"skipped: {in_words(what, count)}" for what, count in skipped.items()]
    if _globs(options):
        why.append("see --include and --exclude")
    return f"{path}: nothing to read; {'; '.join(why) or 'the folder is empty'}"


def _globs(options: InputOptions) -> bool:
    return bool(options.include or options.exclude)


def in_words(what: str, count: int) -> str:
    """Return what was skipped, and how often, in the singular or plural."""
    noun, bracket, kinds = what.partition(" (")
    return f"{counted(count, SKIPPED.get(noun, noun), noun)}{bracket}{kinds}"


def groups_of(files: Sequence[InputFile], options: InputOptions) -> list[str | None]:
    """Return the group of each file, by the pattern for groups."""
    pattern = group_pattern(options.group_from)
    if pattern is None:
        return [None] * len(files)
    groups = [group_of(pattern, file.id) or None for file in files]
    if files and not any(groups):
        raise ConfigError("the pattern for groups matches no document id")
    return groups


def encoding_of(path: Path, format_: str, encodings: Encodings) -> str:
    """Return the encoding of a file of a corpus; XML names its own."""
    is_xml = FORMATS[format_].suffixes == (".xml",)
    return encodings.declared if is_xml else encodings.of_file(path)


def _found(path: Path, skipped: Counter[str]) -> Iterator[tuple[str, int]]:
    """Yield the path below the folder, and the size, of each file."""
    if path.is_file():
        yield path.name, _size(path)
        return
    root = os.path.realpath(path)
    for entry, name, is_hidden in _below(path, "", skipped):
        if is_hidden or entry.name in BRAT_SETTINGS:
            skipped[HIDDEN] += 1
        elif entry.is_symlink() and not _is_below(entry.path, root):
            skipped[OUTSIDE] += 1
        elif os.path.isfile(entry.path):  # noqa: PTH113  # a link may lead to itself
            yield name, _size(entry)
        else:
            skipped[NO_FILES] += 1


def _below(
    folder: Path | str, prefix: str, skipped: Counter[str], *, is_hidden: bool = False
) -> Iterator[tuple[os.DirEntry[str], str, bool]]:
    """Yield everything except folders, in order, with its path below the first folder."""
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        skipped[UNREADABLE] += 1
        return
    for entry in ordered:
        hidden = is_hidden or entry.name.startswith(".")
        if entry.is_dir(follow_symlinks=False):
            inside = f"{prefix}{entry.name}/"
            yield from _below(entry.path, inside, skipped, is_hidden=hidden)
        else:
            yield entry, prefix + entry.name, hidden


def _is_below(path: str, root: str) -> bool:
    """Whether a link leads to something in the folder; one that leads to itself does."""
    return Path(os.path.realpath(path)).is_relative_to(root)


def _size(file: Path | os.DirEntry[str]) -> int:
    try:
        return file.stat().st_size
    except OSError:  # gone: reading it will report that
        return 0


def _matches(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _format(folder: Path, name: str, encoding: str) -> str | None:
    """Return the format of a file, ``None`` if it is unknown, "" if it contains no text."""
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122  # there may be a million
    if suffix in TEXT_SUFFIXES:
        return "txt"
    if suffix in _ANNOTATIONS:
        is_known = (folder / name).with_suffix(_ANNOTATIONS[suffix]).is_file()
        return "" if is_known else None
    if suffix in PLAIN_TABLES:
        return PLAIN_TABLES[suffix]
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if suffix != ".xml":
        return None
    try:
        return detect_format(Source(folder / name, name, ReadOptions(encoding)))
    except CorpusFormatError:
        return "i2b2"  # its reader will report what is wrong
