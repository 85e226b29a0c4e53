"""External knowledge of words: word lists with counts, and clusters of words.

A word list is a UTF-8 file of ``word<TAB>count`` (or just ``word``) lines, clusters are
``bits<TAB>word<TAB>count``, the bits being the path to the word in a binary tree. With dots between
the bits, the same in all lines, they are the numbers of its clusters at several granularities. A
word is looked up as it is written, then in lower case; an entry also counts for its lower-case form
if the file does not contain that form itself. Among equals the one with the highest count wins.

Only hashes are kept: a model file with a word list does not contain the words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.errors import CorpusFormatError
from lacuna.features.hashing import finish, hash_numbers, seed, step
from lacuna.io.source import Source
from lacuna.kernels import kernel
from lacuna.text.characters import code_points, lower_table
from lacuna.text.word_types import WordTypes, hash_tokens, number_types
from lacuna.types import CodeArray, HashArray, IntArray

AnyArray = npt.NDArray[Any]
BandArray = npt.NDArray[np.int8]
HIGHEST_BAND = 6

_COUNT = re.compile(r"0*[1-9][0-9]{0,17}", re.ASCII)
PATH_BITS = 64
PATH_SIZES = (4, 6, 10, 20)  #: bits of paths in a tree that get templates
_BITS = re.compile(r"[01]+(\.[01]+)*")


class WordForms(NamedTuple):
    """Hashes of some words, as written and in lower case."""

    written: HashArray
    lower: HashArray

    @classmethod
    def of(cls, codes: CodeArray, start: IntArray, end: IntArray) -> WordForms:
        """Return the forms of the words ``codes[start[i]:end[i]]``."""
        lowered, first, last = lower_table()[codes], start.view(), end.view()
        for array in (lowered, first, last):
            array.flags.writeable = False  # as the kernel is compiled for
        return cls(hash_tokens(codes, first, last), hash_tokens(lowered, first, last))


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """Words and how frequent they are.

    Attributes
    ----------
    types
        The entries, as word types.
    bands
        ``bands[i]`` is ⌊log₁₀ count⌋ of entry i, at most 6.
    """

    types: WordTypes
    bands: BandArray

    def __post_init__(self) -> None:
        _check(self.types, self.bands, least=0, most=HIGHEST_BAND)

    def values(self, forms: WordForms) -> HashArray:
        """Return the band of each word as a 64-bit hash, 0 if it is not in the list."""
        ids = _find(self.types, forms)
        values = np.zeros(len(ids), np.uint64)
        values[ids >= 0] = hash_numbers(self.bands[ids[ids >= 0]].astype(np.int64))
        return values

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all that needs to be stored."""
        return {"hashes": self.types.hashes, "bands": self.bands}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> WordList:
        """Undo :meth:`to_arrays`; ValueError if they do not fit together."""
        types = WordTypes.of_distinct(array_part(arrays, "hashes", np.uint64))
        return cls(types, array_part(arrays, "bands", np.int8))


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Words and their paths in a binary tree, or their clusters at several granularities.

    Attributes
    ----------
    types
        The entries, as word types.
    paths
        ``paths[i]`` is the path of entry i, beginning at the highest of 64 bits.
    lengths
        ``lengths[i]`` is the number of bits it has.
    borders
        Granularity g, from 1, is the bits ``borders[g - 1]`` to ``borders[g]`` of each path; empty
        for a tree.
    """

    types: WordTypes
    paths: HashArray
    lengths: IntArray
    borders: IntArray = field(default_factory=lambda: np.zeros(0, np.int32))

    def __post_init__(self) -> None:
        _check(self.types, self.paths, least=0, most=np.iinfo(np.uint64).max)
        _check(self.types, self.lengths, least=1, most=PATH_BITS)
        if len(self.borders) and (
            self.borders[0] != 0
            or (np.diff(self.borders) < 1).any()
            or (self.lengths != self.borders[-1]).any()
        ):
            raise ValueError("the borders of granularities must rise from 0 to the path's end")

    @property
    def sizes(self) -> Sequence[int]:
        """What ``cluster.NAME.N`` is for by default: numbers of bits, or every granularity."""
        return range(1, len(self.borders)) if len(self.borders) else PATH_SIZES

    def values(self, forms: WordForms, size: int) -> HashArray:
        """Return a 64-bit hash for each word, 0 if it has no path.

        Of the first `size` bits in a tree, otherwise of the cluster at granularity `size`. Beyond
        the finest, no word has a value.
        """
        ids = _find(self.types, forms)
        if not len(self.borders):
            return path_values(ids, self.paths, self.lengths, size)
        if size >= len(self.borders):
            return np.zeros(len(ids), np.uint64)
        bits = (self.borders[size] - self.borders[size - 1]).astype(np.int32)
        shifted = self.paths << self.borders[size - 1].astype(np.uint64)
        return path_values(ids, shifted, np.full(len(shifted), bits, np.int32), int(bits))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all that needs to be stored."""
        arrays: dict[str, AnyArray] = {"hashes": self.types.hashes, "paths": self.paths}
        arrays["lengths"] = self.lengths
        if len(self.borders):
            arrays["borders"] = self.borders
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Clusters:
        """Undo :meth:`to_arrays`; ValueError if they do not fit together."""
        types = WordTypes.of_distinct(array_part(arrays, "hashes", np.uint64))
        paths, lengths = (
            array_part(arrays, "paths", np.uint64),
            array_part(arrays, "lengths", np.int32),
        )
        if "borders" not in arrays:
            return cls(types, paths, lengths)
        return cls(types, paths, lengths, array_part(arrays, "borders", np.int32))


def read_word_list(path: Path) -> WordList:
    """Read a file of ``word<TAB>count`` or ``word`` lines; a word without count has count 1."""
    entries = sorted(_entries(path, _parse_listed), key=lambda entry: -entry.frequency)
    types, origin = _with_lower_forms([entry.word for entry in entries])
    bands = np.array([min(len(str(e.frequency)) - 1, HIGHEST_BAND) for e in entries], np.int8)
    return WordList(types, bands[origin])


def read_clusters(path: Path) -> Clusters:
    """Read a file of ``bits<TAB>word<TAB>count`` lines, with dots in the same places or none."""
    entries = sorted(_entries(path, _parse_clustered), key=lambda entry: -entry.frequency)
    borders = _borders_of(path, entries)
    types, origin = _with_lower_forms([entry.word for entry in entries])
    bits = [entry.bits.replace(".", "") for entry in entries]
    paths = np.array([int(own.ljust(PATH_BITS, "0"), 2) for own in bits], np.uint64)
    lengths = np.array([len(own) for own in bits], np.int32)
    return Clusters(types, paths[origin], lengths[origin], borders)


def _borders_of(path: Path, entries: Sequence[_Entry]) -> IntArray:
    """Return the borders of granularities, none for paths in a tree."""
    layouts = {
        tuple(map(len, entry.bits.split("."))) if "." in entry.bits else () for entry in entries
    }
    if len(layouts) > 1:
        raise CorpusFormatError(path, "all lines must have dots between the same bits, or none")
    sizes = next(iter(layouts), ())
    return np.cumsum([0, *sizes] if sizes else [], dtype=np.int32)


class _Entry(NamedTuple):
    word: str
    frequency: int
    bits: str = ""


def _entries(path: Path, parse: Callable[[list[str]], _Entry]) -> Iterator[_Entry]:
    for number, line in Source(path, path.name).records():
        if line.strip():
            try:
                yield parse(line.split("\t"))
            except ValueError as error:
                raise CorpusFormatError(path, str(error), line=number) from None


def _parse_listed(cells: list[str]) -> _Entry:
    if len(cells) > 2 or not cells[0].strip():
        raise ValueError("expected a word, or a word and its count with a tab between them")
    return _Entry(cells[0].strip(), _parse_count(cells[1]) if len(cells) == 2 else 1)


def _parse_clustered(cells: list[str]) -> _Entry:
    if len(cells) != 3 or not cells[1].strip():
        raise ValueError("expected bits, a word and its count with tabs between them")
    if not _BITS.fullmatch(cells[0]) or len(cells[0].replace(".", "")) > PATH_BITS:
        raise ValueError(f"bits must be 1 to {PATH_BITS} times 0 or 1")
    return _Entry(cells[1].strip(), _parse_count(cells[2]), cells[0])


def _parse_count(cell: str) -> int:
    if not _COUNT.fullmatch(cell.strip()):
        raise ValueError("a count must be a whole number of at least 1")
    return int(cell)


def _with_lower_forms(words: Sequence[str]) -> tuple[WordTypes, IntArray]:
    """Return the word types of all words and their lower-case forms, and the word each belongs to.

    Written forms come first, so that a lower-case form counts only if no entry has it.
    """
    end = np.cumsum([len(word) for word in words], dtype=np.int32)
    start = np.concatenate((np.zeros(1, np.int32), end))[:-1]
    hashes = np.concatenate(WordForms.of(code_points("".join(words)), start, end))
    first = number_types(hashes).first
    return WordTypes.build(hashes[first]), first % max(len(words), 1)


def _find(types: WordTypes, forms: WordForms) -> IntArray:
    """Return the entry of each word, -1 if there is none."""
    written, lower = types.lookup(forms.written), types.lookup(forms.lower)
    return np.where(written >= 0, written, lower)


def array_part(arrays: Mapping[str, AnyArray], name: str, kind: type[np.generic]) -> AnyArray:
    """Return the array of one dimension with a name; a ValueError if there is none."""
    part = arrays.get(name)
    if part is None or part.dtype != kind or part.ndim != 1:
        raise ValueError(f"{name} must be an array of {kind.__name__}")
    return part


def _check(types: WordTypes, values: AnyArray, *, least: int, most: int) -> None:
    if values.shape != types.hashes.shape:
        raise ValueError("there must be one value for each distinct word")
    if len(values) and not (least <= values.min() and values.max() <= most):
        raise ValueError(f"values must lie between {least} and {most}")


@kernel
def path_values(ids: IntArray, paths: HashArray, lengths: IntArray, size: int) -> HashArray:
    """Return for each entry number a hash of the first `size` bits of its path, 0 for -1.

    Paths begin at the highest bit; one that is shorter than `size` is used as it is.
    """
    values = np.zeros(len(ids), np.uint64)
    for i in range(len(ids)):
        if ids[i] >= 0:
            bits = min(size, lengths[ids[i]])
            first_bits = paths[ids[i]] >> np.uint64(PATH_BITS - bits)
            values[i] = finish(step(seed(bits), first_bits))
    return values
