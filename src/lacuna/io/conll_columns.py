"""Finding the columns of a conll file: those asked for, or what the beginning of the file shows.

Nobody need ask for the columns of files with the word first and the tag last, of CoNLL-2012 files,
and of files whose first column numbers the tokens (GermEval, CoNLL-U). What is taken for granted
beyond the first case is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lacuna.encoding.schemes import OUTSIDE
from lacuna.errors import ConfigError
from lacuna.io.columns import Columns, Place
from lacuna.io.conll import DOCUMENT_START
from lacuna.io.source import BYTE_ORDER_MARK, HEAD_BYTES, Source
from lacuna.io.tag_column import Style, style_of
from lacuna.types import Task

BEGIN_DOCUMENT = "#begin document"
GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=(?P<names>.*)")
LEAST_NUMBERED = 3  #: tokens before numbers are believed
LEAST_LABELLED = 4  #: tokens before tags without prefixes are believed
CONLL_2012 = 12  #: columns of such a file, at least
WORD_2012, POS_2012, NAMES_2012 = 3, 4, 10


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cells of a row are read, and as what.

    Attributes
    ----------
    picks
        Positions of the word, further columns and tags, in this order; ``None`` for all cells.
    tags
        How many of these are tags.
    names
        Names of the further columns; ``None``: by their number.
    width, has_tabs
        Number of columns of the first row, and whether they are between tabs.
    header
        Line number of the row that names the columns; 0 if there is none.
    may_be_labels
        Whether tags may have no prefix.
    is_chosen
        Whether the columns were asked for.
    """

    picks: tuple[int, ...] | None = None
    tags: int = 1
    names: tuple[str, ...] | None = None
    width: int = 0
    has_tabs: bool = False
    header: int = 0
    may_be_labels: bool = False
    is_chosen: bool = False


Row = tuple[int, list[str]]  #: line number and cells


def split_row(line: str) -> list[str]:
    """Return the cells of a line: between tabs, or between spaces if there are none."""
    cells = line.split("\t") if "\t" in line else re.split(" +", line)
    return [cell.strip(" \t\r") for cell in cells]


def is_comment(line: str) -> bool:
    """Whether a line is a comment unless it is a row: its first cell is ``#``."""
    return line[:1] == "#" and line[1:2] in ("", " ", "\t")


def is_mark(line: str) -> bool:
    """Whether a line begins or ends a document in CoNLL-2012."""
    return line.startswith(("#begin document", "#end document"))


def find_layout(source: Source) -> Layout:
    """Return how to read a file, looking at its beginning."""
    head = source.head()
    text = head.decode(source.options.encoding, errors="replace").removeprefix(BYTE_ORDER_MARK)
    lines = [line.strip(" \t\r") for line in text.split("\n")]
    if len(head) == HEAD_BYTES:
        lines.pop()  # it may be cut off
    sentences = list(_sentences(lines))
    if source.options.columns is None:
        layout = _usual(source, lines, sentences)
    else:
        layout = _chosen(source, source.options.columns, lines, sentences)
    number, cells = next((row for rows in sentences for row in rows), (0, []))
    return replace(layout, width=len(cells), has_tabs=number > 0 and "\t" in lines[number - 1])


def _usual(source: Source, lines: Sequence[str], sentences: Sequence[Sequence[Row]]) -> Layout:
    """Return the columns of a file when nobody asked for any."""
    rows = [cells for sentence in sentences for _, cells in sentence]
    width = len(rows[0]) if rows else 0
    if not source.options.tagged and width == 1:
        return Layout(picks=(0,), tags=0)
    if lines[0].startswith(BEGIN_DOCUMENT) and width >= CONLL_2012:
        source.assumed("CoNLL-2012: word in column 4, part of speech in 5, names in 11")
        return Layout((WORD_2012, POS_2012, NAMES_2012), names=("pos",))
    may_be_labels = _may_be_labels([row[-1] for row in rows])
    if _is_numbered(source, lines, sentences):
        return Layout(tuple(range(1, width)), may_be_labels=may_be_labels)
    return Layout(may_be_labels=may_be_labels)


def _sentences(lines: Sequence[str]) -> Iterator[list[Row]]:
    """Yield the rows of each sentence, without comments and marks."""
    sentence: list[Row] = []
    for number, line in enumerate(lines, start=1):
        if line and not is_comment(line) and not is_mark(line) and DOCUMENT_START not in line:
            sentence.append((number, split_row(line)))
        elif sentence and not is_comment(line):
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _may_be_labels(cells: Sequence[str]) -> bool:
    """Whether tags may have no prefix: none has one, and at least half are ``O``."""
    styles = {style_of(cell) for cell in set(cells)}
    is_half = 2 * cells.count(OUTSIDE) >= len(cells) >= LEAST_LABELLED
    return is_half and styles <= {None, Style.LABELS}


def _is_numbered(source: Source, lines: Sequence[str], sentences: Sequence[Sequence[Row]]) -> bool:
    """Whether the first column numbers the tokens; files with -DOCSTART- have no such column."""
    if not _is_counting(sentences) or any(line.startswith(DOCUMENT_START) for line in lines):
        return False
    source.assumed("column 1 numbers the tokens: word in column 2")
    return True


def _is_counting(sentences: Sequence[Sequence[Row]]) -> bool:
    """Whether the first column counts: in each sentence from 0 or 1, or on from the one before."""
    last = -1
    tokens = 0
    for sentence in sentences:
        firsts = [cells[0] for _, cells in sentence]
        if min(len(cells) for _, cells in sentence) < 3 or not all(map(str.isdecimal, firsts)):
            return False
        numbers = [int(first) for first in firsts]
        has_gap = any(after != before + 1 for before, after in pairwise(numbers))
        if has_gap or numbers[0] not in (0, 1, last + 1):
            return False
        last = numbers[-1]
        tokens += len(numbers)
    return tokens >= LEAST_NUMBERED


def _chosen(
    source: Source, asked: Columns, lines: Sequence[str], sentences: Sequence[Sequence[Row]]
) -> Layout:
    """Return the columns that were asked for, by number or by their names in the header."""
    task = source.options.task
    others = dict(asked.others)
    tags = asked.tags
    if task is Task.POS and not tags and "pos" in others:
        tags = (others.pop("pos"),)
    if task is Task.POS and len(tags) > 1:
        raise ConfigError("--column tag: parts of speech are in one column")
    if not tags and source.options.tagged:
        tags = (-1,)
    header, names = _header(lines, sentences) if asked.names else (0, [])
    if missing := sorted(asked.names.difference(names)):
        raise source.error(f"no column is named {missing[0]!r} in its header", line=header or 1)

    def position(place: Place) -> int:
        if isinstance(place, str):
            return names.index(place)
        return place - 1 if place > 0 else place

    word = asked.word
    if word is None:
        rows = [[row for row in sentence if row[0] != header] for sentence in sentences]
        word = 2 if _is_numbered(source, lines, [sentence for sentence in rows if sentence]) else 1
    picks = tuple(position(place) for place in (word, *others.values(), *tags))
    return Layout(
        picks,
        tags=len(tags),
        names=tuple(others),
        header=header,
        may_be_labels=True,
        is_chosen=True,
    )


def _header(lines: Sequence[str], sentences: Sequence[Sequence[Row]]) -> Row:
    """Return the names of the columns: of ``# global.columns =`` (CoNLL-U Plus), or the first row.

    The line number is 0 if it is not that of a row.
    """
    for line in lines:
        if match := GLOBAL_COLUMNS.fullmatch(line):
            return 0, match["names"].split()
    return sentences[0][0] if sentences else (0, [])
