"""What the second pass is told of the other occurrences of a word, against plain Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document
from lacuna.features.layout import value_hashes
from lacuna.features.token_table import TokenTable, token_table
from lacuna.models.crf.elsewhere import COLUMNS, VOTES, FirstPass, evidence
from lacuna.models.crf.elsewhere_phrases import LONGEST
from lacuna.models.crf.word_forms import WordForms
from lacuna.text.document import Tokens
from tests.models.crf import reference_elsewhere as plain

LABELS = ("O", "PER", "LOC", "A")  # not in order of the alphabet
Found = dict[plain.Range, str]


def table_of(words: Sequence[str]) -> TokenTable:
    """Return the table of a document of these words, which may be of any characters."""
    ends = np.cumsum([len(word) + 1 for word in words]).astype(np.int32)
    sizes = np.array([len(word) for word in words], np.int32)
    tokens = Tokens(ends - 1 - sizes, ends - 1, np.array([0, len(words)] if words else [0]))
    return token_table([Document("d", "".join(f"{word} " for word in words), tokens=tokens)])


def told(
    words: Sequence[str], found: Found, share: object, borders: Sequence[int] | None = None
) -> dict[str, list[int]]:
    places = sorted(found)
    start, end = (np.array([p[i] for p in places], np.int64) for i in (0, 1))
    label = np.array([LABELS.index(found[p]) for p in places], np.int64)
    first = FirstPass(LABELS, np.array(share, float).reshape(-1, len(LABELS)), start, end, label)
    cuts = np.array([0, len(words)] if borders is None else borders)
    values = evidence(table_of(words), first, cuts)
    return {name: values[f"column.{name}"].tolist() for name in COLUMNS}


def texts(columns: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    return [(name, columns[name]) for name in COLUMNS]


def as_values(columns: dict[str, list[str]]) -> dict[str, list[int]]:
    """Return the values that stand for these texts."""
    made = {}
    for name, values in texts(columns):
        hashes = value_hashes(["", *values])[1:]
        made[name] = np.where(np.array(values, object) == "", 0, hashes).tolist()
    return made


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[str], Found, list[list[float]]]:
    """Draw words, mentions that do not overlap, and shares."""
    forms = st.sampled_from(["ann", "Ann", "ANN", "Bo", "bo", "x1", "x"])
    words = draw(st.lists(forms, max_size=14))
    found: Found = {}
    place = 0
    while place < len(words):
        size = draw(st.integers(0, 3))
        if size and place + size <= len(words):
            found[place, place + size] = draw(st.sampled_from(LABELS[1:]))
        place += max(size, 1)
    weights = st.lists(st.integers(0, 1000), min_size=4, max_size=4).filter(any)
    shares = [np.array(draw(weights)) for _ in words]
    return words, found, [(w / w.sum()).tolist() for w in shares]


@given(documents())
def test_all_columns_are_those_of_plain_python(
    drawn: tuple[list[str], Found, list[list[float]]],
) -> None:
    words, found, share = drawn
    columns = plain.columns(words, found, LABELS, np.array(share).reshape(-1, 4))
    assert told(words, found, share) == as_values(columns)


@given(documents(), documents())
def test_nothing_is_told_across_borders(
    one: tuple[list[str], Found, list[list[float]]],
    two: tuple[list[str], Found, list[list[float]]],
) -> None:
    shift = len(one[0])
    later = {(a + shift, b + shift): label for (a, b), label in two[1].items()}
    both = told(one[0] + two[0], one[1] | later, one[2] + two[2], [0, shift, shift + len(two[0])])
    apart = [told(*drawn) for drawn in (one, two)]
    assert both == {name: apart[0][name] + apart[1][name] for name in COLUMNS}


def test_only_what_is_wanted_is_made() -> None:
    first = FirstPass(LABELS, np.zeros((1, 4)), *np.zeros((3, 0), np.int64))
    made = evidence(table_of(["Ann"]), first, np.array([0, 1]), VOTES)
    assert set(made) == {f"column.{name}" for name in VOTES}


def test_a_document_may_end_in_a_word_that_begins_longer_mentions() -> None:
    words = ["Ann", "Bo", "met", "Ann"]
    found: Found = {(0, 2): "PER", (3, 4): "PER"}
    share = np.tile([1.0, 0, 0, 0], (4, 1))
    columns = plain.columns(words, found, LABELS, share)
    assert columns["within"] == ["", "", "", "PER"]
    assert told(words, found, share) == as_values(columns)


@pytest.mark.parametrize("size", [LONGEST, LONGEST + 1])
def test_long_mentions_are_not_looked_for(size: int) -> None:
    words = [f"W{n}" for n in range(size)] * 2
    found: Found = {(0, size): "PER"}
    columns = plain.columns(words, found, LABELS, np.tile([1.0, 0, 0, 0], (len(words), 1)))
    assert any(columns["whole"]) == (size == LONGEST)
    share = np.tile([1.0, 0, 0, 0], (len(words), 1))
    assert told(words, found, share) == as_values(columns)


# --- words


def test_words_are_told_apart_as_python_does() -> None:
    words = ["Straße", "STRASSE", "ΟΔΟΣ", "οδος", "οδοσ", "İ", "i̇", "Ⅷ", "ⅷ", "²x", "½x", "ǅ", "𝐀",
             "ﬁ", "FI", "Ａ", "ａ", "x٣", "ἀ", "ij", "é", "É"]  # fmt: skip
    forms = WordForms.of(table_of(words))
    for a, one in enumerate(words):
        assert forms.name[a] == plain.may_be_name(one)
        for b, other in enumerate(words):
            assert (forms.word[a] == forms.word[b]) == (one == other)
            assert (forms.folded[a] == forms.folded[b]) == (one.casefold() == other.casefold())
            assert (forms.lowered[a] == forms.word[b]) == (one.lower() == other)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)))
def test_any_words_are_told_apart_as_python_does(words: list[str]) -> None:
    forms = WordForms.of(table_of(words))
    assert forms.name.tolist() == [plain.may_be_name(word) for word in words]
    folded = [word.casefold() for word in words]
    for a in range(len(words)):
        same = [folded[a] == other for other in folded]
        assert (forms.folded[a] == forms.folded).tolist() == same
