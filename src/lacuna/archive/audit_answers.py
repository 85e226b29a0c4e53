"""Answers of an audit: a CSV file to fill in, or the JSON file that the page saves.

::

    draw,document,leaks                 {"draw": "8c1f…", "answers": {"a.txt": 0, "b.txt": 2}}
    8c1f…,a.txt,0
    8c1f…,b.txt,2
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from lacuna.errors import ConfigError
from lacuna.io.source import BYTE_ORDER_MARK

HEADER = ("draw", "document", "leaks")


class Given(NamedTuple):
    """Answers as they were given: the sample, and the leaks by document."""

    draw: str
    leaks: Mapping[str, int]


def empty_answers(draw: str, names: Sequence[str]) -> bytes:
    """Return a CSV file with a row for each document and no number yet."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([HEADER, *((draw, n, "") for n in names)])
    return stream.getvalue().encode()


def read_answers(path: Path) -> Given:
    """Return the answers in a CSV or JSON file.

    Raises
    ------
    ConfigError
        If the file is malformed, or a document has no number of leaks.
    """
    try:
        content = path.read_text("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8") from None
    is_json = content.lstrip().startswith("{")
    draw, entries = _from_json(path, content) if is_json else _from_csv(path, content)
    leaks: dict[str, int] = {}
    for name, value in entries:
        if name in leaks:
            raise ConfigError(f"{path}: has two answers for {name}")
        leaks[name] = number_of_leaks(value, f"{path}: {name}")
    return Given(draw, leaks)


def number_of_leaks(value: Any, place: str) -> int:
    """Return a number of leaks, or raise an error that names the place."""
    text = str(value).strip() if not isinstance(value, bool) else "?"
    if value is None or not text:
        raise ConfigError(f"{place}: has no answer; every document needs a number of leaks")
    if not text.isdecimal():
        raise ConfigError(f"{place}: the number of leaks must be 0, 1, 2 …")
    return int(text)


def _from_json(path: Path, content: str) -> tuple[str, Iterable[tuple[str, Any]]]:
    try:
        values = msgspec.json.decode(content)
        return str(values["draw"]), dict(values["answers"]).items()
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError):
        raise ConfigError(f"{path}: is no file of answers saved by the page of an audit") from None


def _from_csv(path: Path, content: str) -> tuple[str, Iterable[tuple[str, Any]]]:
    delimiter = ";" if content.partition("\n")[0].count(";") else ","  # some spreadsheets
    lines = [row for row in csv.reader(io.StringIO(content), delimiter=delimiter) if row]
    header, rows = lines[:1], lines[1:]
    if header != [[*HEADER]] or any(len(row) != len(HEADER) for row in rows):
        raise ConfigError(f"{path}: must have the columns {', '.join(HEADER)}")
    draws = {row[0] for row in rows}
    if len(draws) != 1:
        raise ConfigError(f"{path}: must have the answers of one sample")
    return draws.pop(), [(row[1], row[2]) for row in rows]
