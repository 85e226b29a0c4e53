"""Kernels of `scoring.py`: scores of templates that combine words or use places in the text.

One pass goes from attributes to scores, a block of sentences at a time, so that intermediate
results stay in the processor's cache:

    attributes → keys of one template → keys that may be known → rows of weights → scores

A block is a row of *positions*: its sentences, with ``reach`` positions outside any sentence
before, between and after them, so that every offset of every template is in the block.
"""

from __future__ import annotations

import numpy as np

from lacuna.features.hashing import NONE, OUTSIDE, finish, seed, step
from lacuna.features.index import EMPTY, LOWER_HALF, ONE, UPPER_HALF, may_be_known
from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray, LongArray, RealArray

BLOCK = 256  #: positions of a block, unless one sentence is longer


@kernel
def add_combined(
    types: IntArray,
    sentences: LongArray,
    word_values: HashArray,
    token_values: HashArray,
    first_term: LongArray,
    attribute: IntArray,
    offset: IntArray,
    template: LongArray,
    sieve: HashArray,
    slots: HashArray,
    wide: RealArray,
    pairs: RealArray,
    scores: RealArray,
) -> None:
    """scores[t] += weights of all known features of token t under these templates.

    Terms and attributes are as in :func:`~lacuna.features.extract.token_keys`, sieve and slots as
    in `features/index.py`; a slot holds the place of a row of weights, see `scoring.py`.
    """
    reach, longest = 0, 0
    for m in range(len(offset)):
        reach = max(reach, abs(offset[m]))
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    room = max(longest, BLOCK) + 2 * reach
    padded = np.empty((word_values.shape[1] + len(token_values), room), np.uint64)
    token = np.empty(room, np.int64)
    keys, fetched = np.empty(room, np.uint64), np.empty(room, np.uint64)
    maybe = np.empty(room + 1, np.int64)
    of_wide = np.empty((room, len(template) + 1), np.int64)
    of_pairs = np.empty((room, len(template) + 1), np.int64)
    counts = np.empty((2, room), np.int64)
    s = 0
    while s < len(sentences) - 1:
        s, size = _lay_out(types, sentences, s, reach, word_values, token_values, padded, token)
        counts[:] = 0
        for j in range(len(template)):
            terms = slice(first_term[j], first_term[j + 1])
            _template_keys(padded, reach, size, template[j], attribute[terms], offset[terms], keys)
            number = may_be_known(keys, size, sieve, maybe)
            _find(keys, maybe[:number], slots, fetched, len(wide), of_wide, of_pairs, counts)
        _add_pairs(token[reach:], counts[1, :size], of_pairs, pairs, scores)
        _add_wide(token[reach:], counts[0, :size], of_wide, wide, scores)


@kernel
def _lay_out(
    types: IntArray,
    sentences: LongArray,
    sentence: int,
    reach: int,
    word_values: HashArray,
    token_values: HashArray,
    padded: HashArray,
    token: LongArray,
) -> tuple[int, int]:
    """Fill a block with sentences; return the first one left out and the number of positions.

    padded[a, reach + i] is attribute a at position i, token[reach + i] the token, -1 outside.
    """
    words = word_values.shape[1]
    padded[:, :reach] = OUTSIDE
    token[:reach] = -1
    place = reach
    while sentence < len(sentences) - 1:
        first, last = sentences[sentence], sentences[sentence + 1]
        size = last - first
        if place > reach and place + size + reach > BLOCK:
            break
        for i in range(size):
            token[place + i] = first + i
            own = word_values[types[first + i]]
            for a in range(words):
                padded[a, place + i] = own[a]
        for a in range(len(token_values)):
            padded[words + a, place : place + size] = token_values[a, first:last]
        place += size
        padded[:, place : place + reach] = OUTSIDE
        token[place : place + reach] = -1
        place += reach
        sentence += 1
    return sentence, place - 2 * reach


@kernel
def _template_keys(
    padded: HashArray,
    reach: int,
    size: int,
    template: int,
    attribute: IntArray,
    offset: IntArray,
    keys: HashArray,
) -> None:
    """keys[i] = the key of the feature at position i, NONE if a value is missing."""
    begin = seed(template)
    for i in range(size):
        keys[i] = begin
    for m in range(len(attribute)):
        values = padded[attribute[m], reach + offset[m] :]
        for i in range(size):
            h, value = keys[i], values[i]
            keys[i] = NONE if h == NONE or value == NONE else step(h, value)
    for i in range(size):
        keys[i] = NONE if keys[i] == NONE else finish(keys[i])


@kernel
def _find(
    keys: HashArray,
    maybe: LongArray,
    slots: HashArray,
    fetched: HashArray,
    wide: int,
    of_wide: LongArray,
    of_pairs: LongArray,
    counts: LongArray,
) -> None:
    """Append the place of the feature's weights to a list of each position in `maybe`.

    All slots are fetched before the first is used, so that memory accesses overlap. A place that
    belongs to neither list is overwritten by the next one, which is faster than a branch.
    """
    last = np.uint64(slots.size - 1)
    for n in range(len(maybe)):
        fetched[n] = slots[keys[maybe[n]] & last]
    for n in range(len(maybe)):
        i = maybe[n]
        slot, at = fetched[n], keys[i]
        while slot != EMPTY and (slot ^ keys[i]) & UPPER_HALF != EMPTY:
            at += ONE
            slot = slots[at & last]
        place = np.int64(slot & LOWER_HALF) - 1  # an empty slot gives -1
        of_wide[i, counts[0, i]] = place
        counts[0, i] += 0 <= place < wide
        of_pairs[i, counts[1, i]] = place - wide
        counts[1, i] += place >= wide


@kernel
def _add_pairs(
    token: LongArray, counts: LongArray, first: LongArray, pairs: RealArray, scores: RealArray
) -> None:
    """scores[token[i]] += the rows that start at pairs[first[i, j]], for all j < counts[i]."""
    for i in range(len(counts)):
        if token[i] >= 0:
            total = scores[token[i]]
            for j in range(counts[i]):
                m, tag = first[i, j], np.int64(0)
                while tag >= 0:
                    tag = np.int64(pairs[m, 1])
                    total[tag if tag >= 0 else -1 - tag] += pairs[m, 0]
                    m += 1


@kernel
def _add_wide(
    token: LongArray, counts: LongArray, rows: LongArray, wide: RealArray, scores: RealArray
) -> None:
    """scores[token[i]] += wide[rows[i, j]] for all j < counts[i], four rows at a time."""
    for i in range(len(counts)):
        if token[i] < 0:
            continue
        total = scores[token[i]]
        fours = counts[i] - counts[i] % 4
        for j in range(0, fours, 4):
            a, b = wide[rows[i, j]], wide[rows[i, j + 1]]
            c, d = wide[rows[i, j + 2]], wide[rows[i, j + 3]]
            for k in range(len(total)):
                total[k] += (a[k] + b[k]) + (c[k] + d[k])
        for j in range(fours, counts[i]):
            a = wide[rows[i, j]]
            for k in range(len(total)):
                total[k] += a[k]
