"""Flat mentions to tags and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.encoding.flat import chunks_of_path, mentions_of, tag_document
from lacuna.encoding.schemes import Scheme, decode, moves, tag_set
from lacuna.text.overlap import flatten
from lacuna.text.tokens import tokens_of
from tests.strategies import documents


@given(documents(), st.sampled_from([Scheme.BIO, Scheme.BILOU]))
def test_tags_give_back_the_flat_mentions_up_to_white_space(
    document: Document, scheme: Scheme
) -> None:
    tagged = tag_document(document)
    kept, dropped = flatten(document.mentions)
    found = mentions_of(tagged.tags(scheme), tagged.tokens)
    blank = [m for m in kept if not any(_touches(m, s, e) for s, e in _ranges(document))]
    assert len(found) == len(kept) - len(blank)
    assert tagged.left_out.total() == len(dropped) + len(blank)
    for mention, original in zip(found, [m for m in kept if m not in blank], strict=True):
        assert mention.label == original.label
        assert original.start <= mention.start < mention.end <= original.end


def _ranges(document: Document) -> list[tuple[int, int]]:
    tokens = tokens_of(document)
    return list(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))


def _touches(mention: Mention, start: int, end: int) -> bool:
    return mention.start < end and start < mention.end


@given(documents())
def test_no_mention_crosses_a_sentence_after_joining(document: Document) -> None:
    tagged = tag_document(document)
    borders = set(tagged.tokens.sentences.tolist())
    for chunk in tagged.chunks:
        assert not borders & set(range(chunk.start + 1, chunk.end))
    assert borders <= set(range(len(tagged.tokens) + 1))


def test_sentences_without_a_crossing_mention_stay() -> None:
    text = "See Ana.\n\nBob said no.\n\nThen he left."
    plain = tag_document(Document("a", text))
    crossing = tag_document(Document("a", text, (Mention.of("N", (4, 13)),)))
    assert len(plain.tokens.sentences) == 4
    assert len(crossing.tokens.sentences) == 3


def valid_path(data: st.DataObject, tags: tuple[str, ...], scheme: Scheme, size: int) -> list[int]:
    """Draw a path that follows the rules, ends included."""
    table = moves(tags, scheme).allowed
    path: list[int] = []
    for _ in range(size):
        options = np.flatnonzero(table[path[-1] if path else 0]).tolist()
        path.append(data.draw(st.sampled_from(options)))
    while path and not table[path[-1], 0]:
        options = np.flatnonzero(table[path[-1]]).tolist()
        path.append(min(options, key=lambda k: not table[k, 0]))
    return path


@pytest.mark.parametrize("scheme", [Scheme.IO, Scheme.BIO, Scheme.BILOU])
@given(data=st.data())
def test_chunks_of_a_path_are_those_of_its_tags(scheme: Scheme, data: st.DataObject) -> None:
    tags = tag_set(["A", "B"], scheme)
    path = valid_path(data, tags, scheme, data.draw(st.integers(0, 12)))
    found = chunks_of_path(np.array(path, np.int32), tags, np.array([0, len(path)]))
    expected = decode([tags[k] for k in path])
    assert [
        (tags[k][2:], start, end)
        for k, start, end in zip(
            found.tag.tolist(), found.start.tolist(), found.end.tolist(), strict=True
        )
    ] == [tuple(chunk) for chunk in expected]


def test_chunks_end_with_the_label_and_with_the_sentence() -> None:
    path = np.array([1, 2, 3, 0, 1, 1, 2], np.int32)
    tags = ["O", "I-A", "I-A", "I-B"]  # two states of one tag
    found = chunks_of_path(path, tags, np.array([0, 5, 7]))
    assert [part.tolist() for part in found] == [[0, 2, 4, 5], [2, 3, 5, 7], [1, 3, 1, 1]]
    none = chunks_of_path(np.zeros(0, np.int32), tags, np.array([0]))
    assert [part.tolist() for part in none] == [[], [], []]
