"""How probable it is that a mention stands exactly where the best path has it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from lacuna.encoding.chain import PathChunks
from lacuna.encoding.schemes import Scheme
from lacuna.inference.chain import Chain
from lacuna.inference.segments import Segment, segment_probabilities
from lacuna.inference.windows import Window, window_probabilities
from lacuna.types import IntArray, LongArray, RealArray


def mention_probabilities(
    chain: Chain,
    emission: RealArray,
    sentences: LongArray,
    path: IntArray,
    chunks: PathChunks,
    tags: Sequence[str],
    scheme: Scheme,
) -> list[float]:
    """Return a probability for each chunk of a path of states; state k has the tag tags[k]."""
    spelt_out = len(set(tags)) == len(tags) and scheme is not Scheme.IO
    sentence = np.searchsorted(sentences, chunks.start, side="right") - 1
    found: list[float] = []
    for s, group in groupby(range(len(sentence)), key=sentence.tolist().__getitem__):
        first, last = int(sentences[s]), int(sentences[s + 1])
        places = [(int(chunks.start[c]) - first, int(chunks.end[c]) - first) for c in group]
        rows, states = emission[first:last], path[first:last]
        if spelt_out:
            segments = [_segment(states, *place, tags, scheme) for place in places]
            found += segment_probabilities(chain, rows, segments).tolist()
        else:
            windows = [_window(states, *place, tags, scheme) for place in places]
            found += window_probabilities(chain, rows, windows).tolist()
    return found


def _segment(
    states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme
) -> Segment:
    """Return the one path that spells a mention, and what must not follow it."""
    inside = f"I-{tags[states[start]][2:]}"
    goes_on = scheme is Scheme.BIO and inside in tags
    return Segment(start, states[start:end].tolist(), tags.index(inside) if goes_on else -1)


def _window(states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme) -> Window:
    """Return which states leave a mention at [start, end) of a sentence as it is.

    Inside, the states with its tags; beside it, those that do not prolong it.
    """
    names = np.array(tags)
    left, right = max(start - 1, 0), min(end + 1, len(states))
    fits = np.ones((right - left, len(tags)), np.bool_)
    fits[start - left : end - left] = names == names[states[start:end], None]
    inside = names == f"I-{tags[states[start]][2:]}"
    if scheme is not Scheme.BILOU and end < right:
        fits[-1, inside] = False
    if scheme is Scheme.IO and left < start:
        fits[0, inside] = False
    return Window(left, fits)
