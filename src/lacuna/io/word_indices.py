"""JSON of W2NER and TOE, models of discontiguous mentions, converted to our own objects.

::

    {"sentence": ["pain", "in", "arm", "and", "leg"],
     "ner": [{"index": [0, 1, 2], "type": "ADR"}, {"index": [0, 1, 4], "type": "ADR"}]}

A mention is a list of word numbers, from 0; each object is a document of one sentence, the text of
which is its words, joined by spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

Item = dict[str, Any]


def has_word_indices(item: Item) -> bool:
    """Whether an object is in this format."""
    return "text" not in item and isinstance(item.get("sentence"), list)


def from_word_indices(item: Item) -> Item:
    """Return our own object; :class:`ValueError` if something is wrong."""
    words, found = item["sentence"], item.get("ner", [])
    if not all(isinstance(word, str) and word for word in words):
        raise ValueError("sentence must be a list of words")
    if not isinstance(found, list) or not all(isinstance(mention, dict) for mention in found):
        raise ValueError("ner must be a list of objects")
    starts = [0, *accumulate(len(word) + 1 for word in words)]
    tokens = [(start, start + len(word)) for start, word in zip(starts, words, strict=False)]
    rest = {key: value for key, value in item.items() if key not in ("sentence", "ner")}
    return rest | {
        "text": " ".join(words),
        "tokens": tokens,
        "mentions": [_mention(mention, tokens) for mention in found],
    }


def _mention(mention: Item, tokens: Sequence[tuple[int, int]]) -> Item:
    index = mention.get("index")
    if not isinstance(index, list) or not index or any(type(i) is not int for i in index):
        raise ValueError("index must be a list of word numbers")
    if min(index) < 0 or max(index) >= len(tokens) or len(set(index)) < len(index):
        raise ValueError("index must be different numbers of words of the sentence, from 0")
    index = sorted(index)
    spans: list[tuple[int, int]] = []
    for before, i in zip([-2, *index], index, strict=False):
        start, end = tokens[i]
        if i == before + 1:
            start, _ = spans.pop()
        spans.append((start, end))
    return {"label": mention.get("type"), "spans": spans}
