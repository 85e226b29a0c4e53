"""Tag schemes as tables: IO, IOB1, BIO, BILOU and IOBES.

A tag is ``O`` or a prefix, a dash and a label: ``B-PER``. A chunk is a label on a token range.
Three tables define the schemes: which prefix a token of a chunk gets (:data:`SPELLINGS`), which
pairs of adjacent prefixes belong to one chunk (:data:`CONTINUES`) and which prefixes may follow one
another (:data:`FOLLOWERS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lacuna.types import BoolArray, IntArray, LongArray

OUTSIDE = "O"


class Scheme(StrEnum):
    """How the tokens of a chunk are marked."""

    IO = "IO"
    IOB1 = "IOB1"
    BIO = "BIO"
    BILOU = "BILOU"
    IOBES = "IOBES"


class Chunk(NamedTuple):
    """Tokens ``[start, end)`` of a sentence under one label."""

    label: str
    start: int
    end: int


class Spelling(NamedTuple):
    """The prefix of each token of a chunk by its position in the chunk."""

    first: str  #: in a chunk of several tokens
    inside: str
    last: str
    only: str  #: in a chunk of one token
    touching: str  #: first token, directly after a chunk of the same label


SPELLINGS: dict[Scheme, Spelling] = {
    #                      first inside last only touching
    Scheme.IO: Spelling("I", "I", "I", "I", "I"),
    Scheme.IOB1: Spelling("I", "I", "I", "I", "B"),
    Scheme.BIO: Spelling("B", "I", "I", "B", "B"),
    Scheme.BILOU: Spelling("B", "I", "L", "U", ""),  # "": no special prefix
    Scheme.IOBES: Spelling("B", "I", "E", "S", ""),
}

#: (previous prefix, prefix) of one chunk, given equal labels; any other pair starts a new one.
#: conlleval does the same, and it reads all five schemes alike: an ``I-X`` after ``O`` or after
#: another label starts a chunk.
CONTINUES = frozenset({("B", "I"), ("B", "L"), ("I", "I"), ("I", "L")})

#: IOBES spells the last and the only token of a chunk differently.
BILOU_LETTER = {"E": "L", "S": "U"}

#: Previous prefix -> prefixes that may follow; lower case: only with the same label.
Followers = Mapping[str, Sequence[str]]

#: A sentence begins after ``O`` and ends before ``O``.
FOLLOWERS: dict[Scheme, Followers] = {
    Scheme.IO: {"O": "OI", "I": "OI"},
    Scheme.IOB1: {"O": "OI", "I": "OIb", "B": "OIb"},
    Scheme.BIO: {"O": "OB", "B": "OBi", "I": "OBi"},
    Scheme.BILOU: {"O": "OBU", "B": "il", "I": "il", "L": "OBU", "U": "OBU"},
    Scheme.IOBES: {"O": "OBS", "B": "ie", "I": "ie", "E": "OBS", "S": "OBS"},
}


class Tag(NamedTuple):
    """The two parts of a tag; the label of ``O`` is empty."""

    prefix: str
    label: str


NO_TAG = Tag(OUTSIDE, "")


def encode(chunks: Iterable[Chunk], length: int, scheme: Scheme) -> list[str]:
    """Return the tags of a sentence of `length` tokens from chunks that do not overlap.

    IO joins touching chunks of one label; every other scheme keeps them apart.
    """
    spelling = SPELLINGS[scheme]
    tags = [OUTSIDE] * length
    before = Chunk("", 0, 0)
    for chunk in sorted(chunks, key=lambda c: c.start):
        label, start, end = chunk
        if not before.end <= start < end <= length:
            raise ValueError(f"chunks must be apart and inside the sentence, got {start}-{end}")
        tags[start:end] = [f"{spelling.inside}-{label}"] * (end - start)
        tags[end - 1] = f"{spelling.last if end - start > 1 else spelling.only}-{label}"
        touches = before.end == start and before.label == label
        if touches and spelling.touching:
            tags[start] = f"{spelling.touching}-{label}"
        elif end - start > 1:
            tags[start] = f"{spelling.first}-{label}"
        before = chunk
    return tags


def decode(tags: Sequence[str]) -> list[Chunk]:
    """Return the chunks of one sentence; never raises: anything else than a tag counts as ``O``."""
    chunks: list[Chunk] = []
    label, start, previous = "", 0, OUTSIDE
    for i, tag in enumerate(tags):
        if tag == OUTSIDE and previous == OUTSIDE:
            continue
        prefix, tag_label = parse_tag(tag) or NO_TAG
        if not (tag_label == label and (previous, prefix) in CONTINUES):
            if label:
                chunks.append(Chunk(label, start, i))
            label, start = tag_label, i
        previous = prefix
    if label:
        chunks.append(Chunk(label, start, len(tags)))
    return chunks


@lru_cache(maxsize=4096)
def parse_tag(tag: str) -> Tag | None:
    """Split a tag into its parts (E and S read as L and U); ``None`` if it is not a tag."""
    if tag == OUTSIDE:
        return NO_TAG
    prefix, dash, label = tag.partition("-")
    prefix = BILOU_LETTER.get(prefix, prefix)
    return Tag(prefix, label) if dash and label and prefix in {"B", "I", "L", "U"} else None


def detect(sentences: Iterable[Sequence[str]]) -> Scheme:
    """Name the scheme of some tag sequences.

    * E- or S- occurs: IOBES; L- or U- occurs: BILOU;
    * a chunk starts with I-, and B- occurs only where IOB1 needs it: IOB1;
    * otherwise, also without any mention: BIO.

    Any document with at least one chunk is recognised correctly, except IO, which is read as IOB1
    without loss.
    """
    pairs = {pair for tags in sentences for pair in zip((OUTSIDE, *tags), tags, strict=False)}
    spelled = {tag[:2] for _, tag in pairs}
    if spelled & {"E-", "S-"}:
        return Scheme.IOBES
    if spelled & {"L-", "U-"}:
        return Scheme.BILOU
    starts = {(tag[:2], _touches(before, tag)) for before, tag in pairs if _starts(before, tag)}
    is_iob1 = ("I-", False) in starts and ("B-", False) not in starts
    return Scheme.IOB1 if is_iob1 else Scheme.BIO


def _touches(before: str, tag: str) -> bool:
    """Whether both tags are of chunks of one label."""
    return before != OUTSIDE and before.partition("-")[2] == tag.partition("-")[2]


def _starts(before: str, tag: str) -> bool:
    """Whether a chunk starts at `tag`."""
    left, right = parse_tag(before) or NO_TAG, parse_tag(tag) or NO_TAG
    continues = left.label == right.label and (left.prefix, right.prefix) in CONTINUES
    return right.prefix != OUTSIDE and not continues


def tag_set(labels: Iterable[str], scheme: Scheme) -> tuple[str, ...]:
    """Return every tag of a scheme over `labels`, ``O`` first."""
    prefixes = [prefix for prefix in FOLLOWERS[scheme] if prefix != OUTSIDE]
    return (OUTSIDE, *(f"{prefix}-{label}" for label in labels for prefix in prefixes))


def tag_numbers(sequence: Iterable[str], tags: Sequence[str]) -> IntArray:
    """Return the position in `tags` of every tag of a sequence."""
    number = {tag: k for k, tag in enumerate(tags)}
    return np.array([number[tag] for tag in sequence], np.int32)


class Moves(NamedTuple):
    """Which labels may follow one another, begin and end a sequence.

    ``allowed[i, j]``: label j may follow label i.
    """

    allowed: BoolArray
    first: BoolArray
    last: BoolArray

    @classmethod
    def unrestricted(cls, labels: int) -> Moves:
        """Return the moves of a chain without constraints."""
        anything = np.ones(labels, np.bool_)
        return cls(np.ones((labels, labels), np.bool_), anything, anything)

    def split(self, states: int | LongArray) -> Moves:
        """Return the moves between labels that consist of `states` states each.

        All labels have as many, or label k has states[k].
        """
        own = np.repeat(np.arange(len(self.first)), states)
        return Moves(self.allowed[np.ix_(own, own)], self.first[own], self.last[own])

    def with_border(self) -> BoolArray:
        """Return all moves as one table, with the border of a sequence as the last label.

        Its last row says what begins a sequence, its last column what ends one. No sequence is
        empty: the border does not follow itself.
        """
        table = np.zeros((len(self.first) + 1,) * 2, np.bool_)
        table[:-1, :-1], table[-1, :-1], table[:-1, -1] = self
        return table


def moves(tags: Sequence[str], scheme: Scheme | Followers) -> Moves:
    """Return which of the tags may follow one another, begin and end a sentence.

    `scheme` is the name of a scheme or a table as in :data:`FOLLOWERS`. What may follow ``O`` may
    begin a sentence, and what ``O`` may follow may end one.
    """
    followers = FOLLOWERS[scheme] if isinstance(scheme, Scheme) else scheme
    table = np.zeros((len(tags), len(tags)), np.bool_)
    for i, j in _allowed_pairs([_as_spelled(tag) for tag in tags], followers):
        table[i, j] = True
    outside = tags.index(OUTSIDE)
    return Moves(table, table[outside], table[:, outside])


def _as_spelled(tag: str) -> Tag:
    """Split a tag into its parts, without translating E and S."""
    prefix, _, label = tag.partition("-")
    return Tag(prefix, label)


def _allowed_pairs(tags: Sequence[Tag], followers: Followers) -> Iterator[tuple[int, int]]:
    for i, before in enumerate(tags):
        for j, after in enumerate(tags):
            same_label = after.prefix.lower() if after.label == before.label else after.prefix
            if after.prefix in followers[before.prefix] or same_label in followers[before.prefix]:
                yield i, j


class Heuristic(StrEnum):
    """How mentions are read off a structure that does not say which parts belong together."""

    ALL = "all"  #: every mention that the structure allows
    ENOUGH = "enough"  #: as few mentions as explain the structure
