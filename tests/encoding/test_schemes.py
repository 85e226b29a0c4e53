"""Tag schemes: hand-worked cases, and the laws every scheme keeps."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.encoding.schemes import (
    OUTSIDE,
    Chunk,
    Moves,
    Scheme,
    decode,
    detect,
    encode,
    moves,
    parse_tag,
    tag_numbers,
    tag_set,
)

LABELS = ("PER", "LOC", "NAME-X")
SEPARATING = [scheme for scheme in Scheme if scheme is not Scheme.IO]

tags = st.sampled_from(
    ["O", *(f"{prefix}-{label}" for prefix in "BILUES" for label in ("PER", "LOC"))]
)
noise = st.text(max_size=4) | tags


@st.composite
def chunk_lists(draw: st.DrawFn) -> tuple[list[Chunk], int]:
    """Draw chunks that are apart, many of them touching, and the sentence length."""
    length = draw(st.integers(0, 9))
    borders = sorted(draw(st.sets(st.integers(0, length))))
    chunks = [
        Chunk(draw(st.sampled_from(LABELS)), start, end)
        for start, end in itertools.pairwise(borders)
        if draw(st.booleans())
    ]
    return chunks, length


def touching_alike(chunks: list[Chunk]) -> bool:
    return any(a.end == b.start and a.label == b.label for a, b in itertools.pairwise(chunks))


# PER PER | PER, LOC with the two PER chunks touching
CHUNKS = [Chunk("PER", 0, 2), Chunk("PER", 2, 3), Chunk("LOC", 3, 6)]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        (Scheme.IO, "I-PER I-PER I-PER I-LOC I-LOC I-LOC O"),
        (Scheme.IOB1, "I-PER I-PER B-PER I-LOC I-LOC I-LOC O"),
        (Scheme.BIO, "B-PER I-PER B-PER B-LOC I-LOC I-LOC O"),
        (Scheme.BILOU, "B-PER L-PER U-PER B-LOC I-LOC L-LOC O"),
        (Scheme.IOBES, "B-PER E-PER S-PER B-LOC I-LOC E-LOC O"),
    ],
)
def test_one_sentence_in_every_scheme(scheme: Scheme, expected: str) -> None:
    assert encode(CHUNKS, 7, scheme) == expected.split()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I-PER O I-PER", [("PER", 0, 1), ("PER", 2, 3)]),  # I after O starts
        ("B-PER I-LOC", [("PER", 0, 1), ("LOC", 1, 2)]),  # I after another label starts
        ("L-PER I-PER", [("PER", 0, 1), ("PER", 1, 2)]),  # nothing continues after L
        ("B-PER U-PER I-PER", [("PER", 0, 1), ("PER", 1, 2), ("PER", 2, 3)]),
        ("I-PER L-PER L-PER", [("PER", 0, 2), ("PER", 2, 3)]),
        ("B-NAME-X I-NAME-X", [("NAME-X", 0, 2)]),  # the label keeps its own dash
        ("PER B- X-PER", []),  # not tags at all
    ],
)
def test_decoding_by_hand(sentence: str, expected: list[tuple[str, int, int]]) -> None:
    assert decode(sentence.split()) == expected


@given(chunk_lists(), st.sampled_from(SEPARATING))
def test_decode_inverts_encode(drawn: tuple[list[Chunk], int], scheme: Scheme) -> None:
    chunks, length = drawn
    assert decode(encode(chunks, length, scheme)) == chunks


@given(chunk_lists())
def test_io_joins_exactly_what_touches_under_one_label(drawn: tuple[list[Chunk], int]) -> None:
    chunks, length = drawn
    assert (decode(encode(chunks, length, Scheme.IO)) == chunks) != touching_alike(chunks)


@given(st.lists(noise, max_size=12), st.sampled_from(SEPARATING))
def test_decoding_never_raises_and_settles(sentence: list[str], scheme: Scheme) -> None:
    chunks = decode(sentence)
    assert decode(encode(chunks, len(sentence), scheme)) == chunks
    covered = {i for chunk in chunks for i in range(chunk.start, chunk.end)}
    assert covered == {
        i for i, tag in enumerate(sentence) if (parse_tag(tag) or ("O", ""))[0] != OUTSIDE
    }


@given(chunk_lists(), st.sampled_from(Scheme))
def test_encoding_makes_only_allowed_moves(drawn: tuple[list[Chunk], int], scheme: Scheme) -> None:
    chunks, length = drawn
    every_tag = tag_set(LABELS, scheme)
    table = moves(every_tag, scheme).allowed
    path = [every_tag.index(tag) for tag in ["O", *encode(chunks, length, scheme), "O"]]
    assert all(table[i, j] for i, j in itertools.pairwise(path))


@given(st.data(), st.sampled_from(Scheme))
def test_allowed_paths_are_what_encoding_makes(data: st.DataObject, scheme: Scheme) -> None:
    """Every path through the table is the encoding of its own decoding: no move too many."""
    every_tag = tag_set(("PER", "LOC"), scheme)
    table = moves(every_tag, scheme).allowed
    path = [0]
    for _ in range(data.draw(st.integers(0, 6))):
        path.append(data.draw(st.sampled_from(table[path[-1]].nonzero()[0].tolist())))
    sentence = [every_tag[i] for i in path[1:]]
    if table[path[-1], 0]:
        assert encode(decode(sentence), len(sentence), scheme) == sentence


def test_bio_table_by_hand() -> None:
    every_tag = tag_set(("A", "B"), Scheme.BIO)
    assert every_tag == ("O", "B-A", "I-A", "B-B", "I-B")
    assert moves(every_tag, Scheme.BIO).allowed.astype(int).tolist() == [
        [1, 1, 0, 1, 0],
        [1, 1, 1, 1, 0],
        [1, 1, 1, 1, 0],
        [1, 1, 0, 1, 1],
        [1, 1, 0, 1, 1],
    ]


def test_numbers_of_tags() -> None:
    assert tag_numbers(["I-A", "O", "I-A"], ("O", "B-A", "I-A")).tolist() == [2, 0, 2]
    assert tag_numbers([], ("O",)).dtype == np.int32


def test_neighbours_of_o_begin_and_end_a_sentence() -> None:
    bilou = moves(("O", "B-A", "I-A", "L-A", "U-A"), Scheme.BILOU)
    assert bilou.first.tolist() == [True, True, False, False, True]
    assert bilou.last.tolist() == [True, False, False, True, True]


def test_the_border_comes_last_and_does_not_follow_itself() -> None:
    io = moves(("O", "I-A"), Scheme.IO)._replace(first=np.array([True, False]))
    assert io.with_border().astype(int).tolist() == [[1, 1, 1], [1, 1, 1], [1, 0, 0]]
    assert Moves.unrestricted(1).with_border().tolist() == [[True, True], [True, False]]


def test_states_of_one_tag_move_as_the_tag_does() -> None:
    whole = moves(("O", "B-A", "I-A"), Scheme.BIO)
    halves = whole.split(2)
    for i, j in itertools.product(range(6), repeat=2):
        assert halves.allowed[i, j] == whole.allowed[i // 2, j // 2]
    assert halves.first.tolist() == [True, True, True, True, False, False]
    assert halves.last.all()


@given(chunk_lists(), st.sampled_from(SEPARATING))
def test_detection_names_the_scheme_of_any_sentence_with_a_chunk(
    drawn: tuple[list[Chunk], int], scheme: Scheme
) -> None:
    chunks, length = drawn
    sentence = encode(chunks, length, scheme)
    detected = detect([["O"], sentence])
    assert detected is (scheme if chunks else Scheme.BIO)
    assert encode(decode(sentence), length, detected) == sentence


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["O O", ""], Scheme.BIO),
        (["I-PER O", "B-LOC O"], Scheme.BIO),  # an I- start, but also a B- IOB1 would not write
        (["I-PER B-PER", "O"], Scheme.IOB1),
        (["B-PER", "I-PER I-PER"], Scheme.BIO),
        (["B-PER I-PER", "U-LOC"], Scheme.BILOU),
        (["B-PER E-PER"], Scheme.IOBES),
    ],
)
def test_detection_by_hand(sentences: list[str], expected: Scheme) -> None:
    assert detect([sentence.split() for sentence in sentences]) is expected


@pytest.mark.parametrize("chunks", [[("A", 0, 2), ("A", 1, 3)], [("A", 2, 2)], [("A", 0, 9)]])
def test_encoding_refuses_chunks_that_do_not_fit(chunks: list[tuple[str, int, int]]) -> None:
    with pytest.raises(ValueError, match="chunks must be apart"):
        encode([Chunk(*chunk) for chunk in chunks], 3, Scheme.BIO)
