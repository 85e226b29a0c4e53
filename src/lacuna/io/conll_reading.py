"""Reading conll files: see :mod:`lacuna.io.conll`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from lacuna.io.conll import (
    DOCUMENT_START,
    column_names,
    join,
    mentions_of,
    numbered_names,
    places,
    scheme_meta,
)
from lacuna.io.conll_columns import find_layout, is_comment, is_mark, split_row
from lacuna.io.ignored_tags import IgnoredTags
from lacuna.io.source import Source
from lacuna.io.tag_column import Style, TagColumn
from lacuna.text.document import Document, Mention, Tokens
from lacuna.types import Task

STARTS = re.compile(
    rf"{DOCUMENT_START}(?:[ \t]+(?:\((?P<id>.*)\))?[^)]*)?"
    r"|#begin document \((?P<id2012>.*)\)(?:; part (?P<part>\d+))?;?"
    r"|# ?newdoc(?:\s+id\s*=\s*(?P<idu>.+))?"
)
BLANKS = " \t\r"


class _Draft:
    """The lines of one document, while they are read."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.cells: list[str] = []  # row after row
        self.width = 0  # number of columns in the file, once known
        self.kept = 1  # number of columns that are read
        self.borders = [0]  # of sentences, in rows
        self.lines: list[int] = []  # of the first row of each sentence
        self.is_between = True  # whether the next row begins a sentence

    def begin_sentence(self, line: int, kept: int) -> None:
        self.is_between = False
        self.kept = kept
        self.lines.append(line)

    def end_sentence(self) -> None:
        if not self.is_between:
            self.is_between = True
            self.borders.append(len(self.cells) // self.kept)

    def columns(self) -> list[list[str]]:
        """Return the columns that are read; none if there are no rows."""
        return [self.cells[i :: self.kept] for i in range(self.kept)] if self.cells else []


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a file one by one."""
    reader = _Reader(source)
    header, is_picked = reader.layout.header, reader.layout.picks is not None
    known = reader.known_tags
    draft: _Draft | None = None
    for number, line in source.records():
        line = line.strip(BLANKS)
        if not line:
            if draft is not None:
                draft.end_sentence()
            continue
        if line.startswith(("#", DOCUMENT_START)):
            if id_ := reader.new_id(line):
                if draft is not None:
                    yield reader.document(draft)
                draft = _Draft(id_)
                continue
            if reader.skips(line, draft):
                continue
        if number == header:
            continue
        draft = draft or _Draft(source.id)
        row = line.split(" ")
        if len(row) != draft.width or "" in row or "\t" in line:
            row = reader.odd_row(line, number, draft)
        if is_picked:
            row = reader.picked(row)
        if draft.is_between:
            draft.begin_sentence(number, len(row))
        if row[-1] not in known:
            reader.check(row, number)
        draft.cells += row
    if draft is not None:
        yield reader.document(draft)
    reader.report()


class _Reader:
    """What one file says about all its lines, and what is counted over them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.task = source.options.task
        self.layout = find_layout(source)
        self.tags = [
            TagColumn(may_be_labels=self.layout.may_be_labels) for _ in range(self.layout.tags)
        ]
        #: Tags that need no check; those of several columns are checked one by one.
        self.known_tags = self.tags[0].known if len(self.tags) == 1 else set[str]()
        self.starts = 0
        self.comments = 0
        self.ignored = IgnoredTags(self.layout)

    def new_id(self, line: str) -> str | None:
        """Return the id of the document that a line begins; ``None`` if it begins none."""
        match = STARTS.fullmatch(line)
        if match is None:
            return None
        self.starts += 1
        if match["id2012"] and match["part"]:
            return f"{match['id2012']}-{match['part']}"
        named = match["id"] or match["id2012"] or match["idu"]
        return named or f"{self.source.id}-{self.starts}"

    def skips(self, line: str, draft: _Draft | None) -> bool:
        """Whether a line is a comment, or the end of a document of CoNLL-2012."""
        if is_mark(line):
            return True
        if not is_comment(line):
            return False
        is_row = self._is_row(line, draft)
        self.comments += not is_row
        return not is_row

    def _is_row(self, line: str, draft: _Draft | None) -> bool:
        """Whether a line that begins with ``#`` has the columns of a row, and tags."""
        cells = split_row(line)
        width = (draft.width if draft is not None else 0) or self.layout.width
        if width and (len(cells), "\t" in line) != (width, self.layout.has_tabs):
            return False
        if len(cells) < max(self._least_columns, 2):
            return False
        tags = self._tags(self.picked(cells))
        are_tags = all(column.is_one(tag) for column, tag in zip(self.tags, tags, strict=True))
        return self.task is Task.POS or are_tags

    def check(self, row: Sequence[str], number: int) -> None:
        """Raise if a cell of a tag column is not a tag."""
        for column, cell in zip(self.tags, self._tags(row), strict=True):
            if self.task is Task.POS:
                column.known.add(cell)
            elif not column.check(cell):
                raise self.source.error(self._no_tag(column), line=number)

    def odd_row(self, line: str, number: int, draft: _Draft) -> list[str]:
        """Return the columns of a first line, or of one with tabs or several spaces."""
        row = split_row(line)
        is_first = not draft.width or (self._may_vary and draft.is_between)
        width, least = (self._fixed_width if is_first else draft.width), self._least_columns
        if len(row) < least or "" in row or len(row) != (width or len(row)):
            filled = sum(1 for cell in row if cell)
            reason = f"expected {width or f'at least {least}'} columns, got {filled}"
            raise self.source.error(reason, line=number)
        draft.width = len(row)
        return row

    @property
    def _may_vary(self) -> bool:
        """Whether sentences may differ in their number of columns (as in CoNLL-2012)."""
        return self.layout.names is not None

    @property
    def _fixed_width(self) -> int:
        """Number of columns that all documents have; 0 if it is up to them."""
        return 0 if self.layout.picks is None or self._may_vary else self.layout.width

    @property
    def _least_columns(self) -> int:
        if self.layout.names is None:
            return 2 if self.layout.tags else 1
        return max(pick + 1 if pick >= 0 else -pick for pick in self.layout.picks or (0,))

    def picked(self, row: Sequence[str]) -> list[str]:
        """Return the cells of a row that are read: the word, further columns, tags."""
        picks = self.layout.picks
        if picks is None:
            return list(row)
        return [row[pick] for pick in picks if -len(row) <= pick < len(row)]

    def _tags(self, row: Sequence[str]) -> Sequence[str]:
        return row[len(row) - self.layout.tags :]

    def _no_tag(self, column: TagColumn) -> str:
        if column.style in (Style.LABELS, Style.BRACKETS):
            return "a tag is written in another way than those before"
        which = "the tag column" if self.layout.is_chosen else "the last column"
        return (
            f"{which} is not a tag such as O or B-LABEL (parts of speech: task pos; tags in another"
            " column: --column tag=NUMBER)"
        )

    def document(self, draft: _Draft) -> Document:
        """Return the document of a draft that is complete."""
        draft.end_sentence()
        layers = self.layout.tags
        columns = draft.columns() or [[] for _ in range(1 + layers)]
        words, between, tags = columns[0], columns[1 : len(columns) - layers], columns[-layers:]
        text = join(words, draft.borders)
        borders = np.asarray(draft.borders, dtype=np.int32)
        is_pos = self.task is Task.POS
        names = self.layout.names
        if names is None:
            names = numbered_names(len(between)) if is_pos else column_names(len(between))
        named = dict(zip(names, map(tuple, between), strict=bool(words))) if words else {}
        if is_pos and layers and words:
            named["pos"] = tuple(tags[0])
        tokens = Tokens(*places(words), borders, named)
        if is_pos or not layers:
            return Document(draft.id, text, tokens=tokens)
        self.ignored.count(between)
        return self._tagged(draft, Document(draft.id, text, tokens=tokens), tags)

    def _tagged(self, draft: _Draft, document: Document, tags: Sequence[list[str]]) -> Document:
        """Return a document with the mentions of all layers."""
        tokens = document.tokens
        assert tokens is not None
        mentions: dict[Mention, None] = {}
        for column, cells in zip(self.tags, tags, strict=True):
            chunked = []
            for line, (i, j) in zip(draft.lines, pairwise(draft.borders), strict=True):
                try:
                    chunked.append(column.chunks(cells[i:j]))
                except ValueError as error:
                    raise self.source.error(str(error), line=line) from None
            mentions |= dict.fromkeys(mentions_of(chunked, tokens))
        meta = {}
        if len(tags) == 1 and mentions and self.tags[0].style is not Style.BRACKETS:
            spelled = self.tags[0].spelled(tags[0])
            meta = scheme_meta([spelled[i:j] for i, j in pairwise(draft.borders)])
        return replace(document, mentions=tuple(mentions), meta=meta)

    def report(self) -> None:
        """Say what was skipped in the file, and what was taken for granted."""
        self.source.skipped("comment lines", self.comments)
        if self.tags and self.tags[0].style is Style.LABELS and not self.layout.is_chosen:
            self.source.assumed("that tags without prefixes are labels of mentions")
        for what, count in self.ignored.found():
            self.source.skipped(what, count)
