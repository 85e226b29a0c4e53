"""Noise changes texts, never labels; each kind does what it says."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lacuna.synthetic import CLEAN, Noise
from lacuna.synthetic.noise import slip, spoil, wrap
from lacuna.synthetic.scene import Piece

ALL = Noise(
    careless=1,
    capitals=0.5,
    capital_lines=0.5,
    lower=0.5,
    wrapped=1,
    crlf=0.5,
    spacing=1,
    typographic=0.5,
)
letters = st.text(st.sampled_from("abcXYZ .,:\n'-09é"), max_size=30)
piece = st.builds(Piece, letters, st.sampled_from([None, "PATIENT", "DATE"]), st.just((3,)))
pieces_of_a_note = st.lists(piece, max_size=12)
seeds = st.integers(0, 1000).map(Random)


@given(pieces_of_a_note, seeds)
def test_labels_and_findings_stay_in_order(pieces: list[Piece], rng: Random) -> None:
    spoilt = spoil(pieces, ALL, rng)
    # A piece of several lines may become several pieces, all with its label.
    expected = [(p.label, p.findings) for p in pieces if p.text.strip()]
    found = [(p.label, p.findings) for p in spoilt if p.text.strip()]
    assert [key for i, key in enumerate(found) if not i or key != found[i - 1]] == [
        key for i, key in enumerate(expected) if not i or key != expected[i - 1]
    ]


@given(pieces_of_a_note, seeds)
def test_clean_is_clean(pieces: list[Piece], rng: Random) -> None:
    assert spoil(pieces, CLEAN, rng) == pieces


def spoilt_text(noise: Noise, *pieces: Piece) -> str:
    return "".join(piece.text for piece in spoil(list(pieces), noise, Random(1)))


def test_each_kind() -> None:
    note = (Piece("Seen by Dr. "), Piece("Ann O'Lee", "DOCTOR"), Piece(" today - well.\nAll's ok."))
    text = "".join(piece.text for piece in note)
    assert spoilt_text(replace(CLEAN, capitals=1), *note) == text.upper()
    assert spoilt_text(replace(CLEAN, lower=1), *note) == text.lower()
    assert spoilt_text(replace(CLEAN, crlf=1), *note) == text.replace("\n", "\r\n")
    assert spoilt_text(replace(CLEAN, typographic=1), *note) == (
        "Seen by Dr. Ann O'Lee today – well.\nAll’s ok."
    )
    assert spoilt_text(replace(CLEAN, wrapped=1), *note) == text  # shorter than any width


def test_spacing_widens_one_kind_of_gap() -> None:
    note = [Piece("Seen: by "), Piece("Dr. A, B", "DOCTOR"), Piece(", ok. Well.\n\nEnd")]
    text = "".join(piece.text for piece in note)
    seen = {
        "".join(piece.text for piece in spoil(note, replace(CLEAN, spacing=1), Random(seed)))
        for seed in range(60)
    }
    assert seen == {
        text.replace("ok. ", "ok.  "),
        text.replace("Seen: ", "Seen:\t"),
        text.replace(", ok", ",  ok"),
        text.replace("\n\n", "\n \n\n"),
    }


def test_lines_in_capitals_are_whole_lines() -> None:
    lines = [Piece(f"line {n} of\nnote\n") for n in range(40)]
    text = spoilt_text(replace(CLEAN, capital_lines=1), *lines)
    assert set(text.splitlines()[1::2]) == {"note", "NOTE"}


def test_careless_typing_is_now_and_then() -> None:
    words = Piece("the patient walked slowly along the corridor. " * 40)
    spoilt = spoilt_text(replace(CLEAN, careless=1), words)
    changed = sum(a != b for a, b in zip(spoilt.split(), words.text.split(), strict=False))
    assert spoilt != words.text
    assert 0.95 < len(spoilt) / len(words.text) < 1.05
    assert changed > 0


@given(st.text(st.sampled_from("ab \n"), max_size=200), st.integers(5, 20))
def test_wrapping_turns_spaces_into_line_ends(text: str, width: int) -> None:
    wrapped = wrap(text, width)
    assert len(wrapped) == len(text)
    assert all(a == b or (a, b) == (" ", "\n") for a, b in zip(text, wrapped, strict=True))
    for line in wrapped.split("\n"):
        assert len(line) <= width or " " not in line[1 : width + 1]


@given(st.text(st.sampled_from("abcd"), min_size=2, max_size=8), seeds)
def test_a_slip_keeps_the_first_letter(word: str, rng: Random) -> None:
    slipped = slip(word, rng)
    assert slipped[0] == word[0]
    assert abs(len(slipped) - len(word)) <= 1
