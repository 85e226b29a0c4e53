"""Alignment against brute force over characters, its inverse, and cutting tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text.align import AlignedMention, Alignment, align, ranges_to_spans, split_tokens
from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.text.tokens import tokenize
from tests.strategies import documents


def tokens_at(
    *borders: tuple[int, int],
    sentences: tuple[int, ...] | None = None,
    columns: dict[str, tuple[str, ...]] | None = None,
) -> Tokens:
    start, end = (np.array([b[i] for b in borders], np.int32) for i in (0, 1))
    everything = (0, len(borders)) if borders else (0,)
    return Tokens(start, end, np.array(sentences or everything, np.int32), columns or {})


def brute_range(span: Span, tokens: Tokens) -> tuple[int, int] | None:
    """Return the tokens all of whose characters, and no others of any token, are in the span."""
    inside = [
        sum(span.start <= i < span.end for i in range(start, end)) / (end - start)
        for start, end in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
    ]
    touched = [t for t, share in enumerate(inside) if share > 0]
    if not touched or any(inside[t] < 1 for t in touched):
        return None
    return touched[0], touched[-1] + 1


@given(documents())
def test_alignment_is_that_of_brute_force(document: Document) -> None:
    tokens = tokenize(document.text)
    aligned = []
    misaligned = []
    for mention in document.mentions:
        ranges = [brute_range(span, tokens) for span in mention.spans]
        if None in ranges:
            misaligned.append(mention)
        else:
            aligned.append(AlignedMention(mention, tuple(r for r in ranges if r)))
    assert align(document.mentions, tokens) == Alignment(tuple(aligned), tuple(misaligned))


@given(documents(), st.data())
def test_ranges_come_back_from_their_spans(document: Document, data: st.DataObject) -> None:
    tokens = tokenize(document.text)
    if not len(tokens):
        return
    index = st.integers(0, len(tokens))
    chosen = data.draw(st.lists(index, min_size=2, max_size=6, unique=True))
    borders = sorted(chosen)[: len(chosen) // 2 * 2]
    ranges = tuple(zip(borders[::2], borders[1::2], strict=True))
    spans = ranges_to_spans(ranges, tokens)
    mention = Mention("X", spans)
    assert align([mention], tokens) == Alignment((AlignedMention(mention, ranges),), ())


@given(documents())
def test_after_splitting_only_white_space_is_misaligned(document: Document) -> None:
    tokens = tokenize(document.text)
    split = split_tokens(tokens, document.mentions)
    for mention in align(document.mentions, split).misaligned:
        assert any(
            not ((tokens.start < span.end) & (tokens.end > span.start)).any()
            for span in mention.spans
        )


@given(documents())
def test_splitting_keeps_every_border_and_adds_only_those_of_mentions(document: Document) -> None:
    tokens = tokenize(document.text)
    split = split_tokens(tokens, document.mentions)
    borders = {b for m in document.mentions for span in m.spans for b in span}
    new = set(split.start.tolist()) - set(tokens.start.tolist())
    assert set(tokens.start.tolist()) <= set(split.start.tolist())
    assert set(tokens.end.tolist()) <= set(split.end.tolist())
    assert new <= borders
    assert len(split) == len(tokens) + len(new)
    assert (split.end - split.start).sum() == (tokens.end - tokens.start).sum()
    first_of = [int(split.start[i]) for i in split.sentences[:-1]]
    assert first_of == [int(tokens.start[i]) for i in tokens.sentences[:-1]]


def test_by_hand() -> None:
    tokens = tokens_at((0, 4), (5, 10), (10, 11), (14, 16))
    whole = Mention.of("PER", (0, 10))
    spaced = Mention.of("PER", (4, 11))  # white space in front
    parts = Mention.of("PER", (0, 4), (13, 20))
    inner = Mention.of("PER", (5, 9))
    empty = Mention.of("PER", (11, 14))
    half_empty = Mention.of("PER", (0, 4), (11, 13))
    found = align((parts, inner, whole, empty, spaced, half_empty), tokens)
    assert found.aligned == (
        AlignedMention(parts, ((0, 1), (3, 4))),
        AlignedMention(whole, ((0, 2),)),
        AlignedMention(spaced, ((1, 3),)),
    )
    assert found.misaligned == (inner, empty, half_empty)


@pytest.mark.parametrize("tokens", [tokens_at(), tokens_at((3, 5))])
def test_no_mentions_and_no_tokens(tokens: Tokens) -> None:
    mention = Mention.of("PER", (0, 2))
    assert align((), tokens) == Alignment((), ())
    assert align((mention,), tokens) == Alignment((), (mention,))
    assert split_tokens(tokens, (mention,)) == tokens


def test_halves_share_the_columns_and_stay_in_their_sentence() -> None:
    tokens = tokens_at(
        (0, 3), (3, 9), (10, 12), sentences=(0, 2, 3), columns={"pos": ("NN", "CD", "VB")}
    )
    mentions = (Mention.of("A", (4, 6)), Mention.of("B", (5, 11)), Mention.of("C", (3, 9)))
    assert split_tokens(tokens, mentions) == tokens_at(
        *((0, 3), (3, 4), (4, 5), (5, 6), (6, 9), (10, 11), (11, 12)),
        sentences=(0, 5, 7),
        columns={"pos": ("NN", "CD", "CD", "CD", "CD", "VB", "VB")},
    )


def test_tokens_that_need_no_cut_are_the_same() -> None:
    tokens = tokens_at((0, 4), (5, 10))
    assert split_tokens(tokens, (Mention.of("A", (0, 4), (5, 10)),)) is tokens
