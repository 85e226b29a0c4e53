"""Kinds of files that are not read: what they are called, and how to convert them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from lacuna.errors import ConfigError
from lacuna.io.detect import BY_SUFFIX

READ = (".txt", ".text", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".xml", ".conll")
_TO_TEXT = "save it as plain text (.txt, UTF-8) in the program that made it"
_TO_TABLE = "save it as CSV (UTF-8) in the program that made it"
_WORD, _SHEET = ("a Word document", _TO_TEXT), ("a spreadsheet", _TO_TABLE)
_IMAGE = ("an image", "turn it into text with a program for text recognition (OCR)")
_ARCHIVE = ("an archive", "unpack it first")
_PAGE = ("a web page", _TO_TEXT)
_MAIL = ("an e-mail", _TO_TEXT)
#: What files of other kinds are, and how to make them readable. Only these suffixes are named in
#: messages and reports: any other ending of a name could be a part of somebody's name.
OTHER_KINDS: Mapping[str, tuple[str, str]] = {
    ".doc": _WORD,
    ".docx": _WORD,
    ".odt": ("a text document", _TO_TEXT),
    ".rtf": ("a text with formatting", _TO_TEXT),
    ".pdf": ("a PDF", "extract its text, e.g. with pdftotext note.pdf note.txt"),
    ".xls": _SHEET,
    ".xlsx": _SHEET,
    ".ods": _SHEET,
    ".html": _PAGE,
    ".htm": _PAGE,
    ".eml": _MAIL,
    ".msg": _MAIL,
    ".png": _IMAGE,
    ".jpg": _IMAGE,
    ".jpeg": _IMAGE,
    ".tif": _IMAGE,
    ".tiff": _IMAGE,
    ".dcm": _IMAGE,
    ".zip": _ARCHIVE,
    ".gz": _ARCHIVE,
    ".tar": _ARCHIVE,
    ".7z": _ARCHIVE,
    ".md": ("a text", "use --format txt to read it as plain text"),
    ".log": ("a text", "use --format txt to read it as plain text"),
}
assert not OTHER_KINDS.keys() & BY_SUFFIX.keys()


def kinds_in_words(names: Iterable[str]) -> str:
    """Return how many files of each kind there are, e.g. ``.docx 3, .pdf 2, others 1``."""
    kinds = Counter(_kind(name) for name in names)
    order = sorted(kinds.items(), key=lambda entry: (entry[0] == _OTHERS, -entry[1], entry[0]))
    return ", ".join(f"{kind} {count:,}" for kind, count in order)


def not_read(path: str) -> ConfigError:
    """Return the error for the one file of an input, naming its kind if it is a usual one."""
    suffix = PurePosixPath(path).suffix.lower()
    known = f"lacuna reads {', '.join(READ)}"
    if suffix not in OTHER_KINDS:
        return ConfigError(f"{path}: not a kind of file that is read; {known}; or give --format")
    what, advice = OTHER_KINDS[suffix]
    return ConfigError(f"{path}: {what} ({suffix}) is not read; {advice}; {known}")


_OTHERS = "others"


def _kind(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in OTHER_KINDS else _OTHERS
