"""Word lists: whole words, case, everyday words, never lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.terms import Case, Term, TermFinder, fold, fold_words, read_terms, without_never
from lacuna.errors import CorpusFormatError


def found(text: str, *terms: Term, beside: tuple[Finding, ...] = ()) -> list[str]:
    findings = TermFinder.of(terms, Origin.LIST).find(text, beside)
    assert all(f.origin is Origin.LIST for f in findings)
    return [text[f.start : f.end] for f in findings]


def city(text: str, case: Case = Case.ANY, *, common: bool = False) -> Term:
    return Term(text, "CITY", case, common)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to Bath, then", ["Bath"]),
        ("BATH bath", ["BATH", "bath"]),
        ("Bathroom unBath Bath2", []),
        ("Bath's Bath-like (Bath)", ["Bath", "Bath", "Bath"]),
        ("Bath", ["Bath"]),
        ("", []),
    ],
)
def test_whole_words_in_any_case(text: str, expected: list[str]) -> None:
    assert found(text, city("Bath")) == expected


def test_accents_and_what_stands_between_words_do_not_matter() -> None:
    text = "São  Paulo, SAO\r\nPAULO, sa\u0303o-paulo"
    assert found(text, city("São Paulo")) == ["São  Paulo", "SAO\r\nPAULO", "sa\u0303o-paulo"]


@pytest.mark.parametrize(
    "written",
    [
        *("Smi\u00adth", "Smi\u200bth", "S\u2060m\ufeffith", "\uff33\uff4d\uff49\uff54\uff48"),
        *("_Smith_", "x_Smith_1.doc", "Lee\u200bSmith"),
    ],
)
def test_unusual_characters_hide_no_term(written: str) -> None:
    for case in Case:
        (name,) = found(f"in {written}.", city("Smith", case))
        assert fold_words(name) == ["smith"]


def test_hidden_spaces_may_be_between_words() -> None:
    terms = [city("Ann"), city("Ann Lee"), city("Annlee")]
    assert found("Ann\u200bLee", *terms) == ["Ann\u200bLee"]
    assert found("Ann\u200bMay", *terms) == ["Ann"]


def test_everyday_words_next_to_unusual_spaces() -> None:
    terms = [city("Reading", common=True), city("Bath")]
    assert found("saw Mr.\u00a0Reading", *terms) == ["Reading"]
    assert found("Bath\u00a0reading", *terms) == ["Bath", "reading"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [(Case.ANY, ["Li", "LI", "li"]), (Case.CAPITAL, ["Li", "LI"]), (Case.EXACT, ["Li"])],
)
def test_case(case: Case, expected: list[str]) -> None:
    assert found("Li, LI, li", city("Li", case)) == expected


def test_the_longest_wins_and_overlaps_stay() -> None:
    terms = [city(t) for t in ("New York", "York", "York Minster", "New")]
    assert found("New York Minster", *terms) == ["New York", "York Minster"]
    assert found("York, New York", *terms) == ["York", "York, New", "New York"][::2]


def test_labels_of_the_same_term_are_all_given() -> None:
    finder = TermFinder.of([Term("Paris", "CITY"), Term("paris", "PATIENT")], Origin.ALWAYS)
    assert {f.label for f in finder.find("Paris")} == {"CITY", "PATIENT"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She lives in Reading now", ["Reading"]),
        ("She is reading now", []),
        ("Reading is fun. Reading helps", []),
        ("saw Mr. Reading today", ["Reading"]),
        ("Mrs Reading came", ["Reading"]),
        ("- Reading comprehension", []),
        ("Hobbies:\nReading", []),
        ("SHE IS READING NOW", []),
        ("he said “Reading” again", ["Reading"]),
        ("went to Bath, Reading. Then", ["Bath", "Reading"]),
        ("BATH READING", ["BATH", "READING"]),
        ("reading Bath", ["reading", "Bath"]),
        ("Bath\nreading", ["Bath"]),
    ],
)
def test_everyday_words_need_evidence(text: str, expected: list[str]) -> None:
    assert found(text, city("Reading", common=True), city("Bath")) == expected


def test_everyday_words_count_beside_what_others_found() -> None:
    text = "rose  , smith"
    smith = Finding(8, 13, "PATIENT", Origin.MODEL)
    assert found(text, city("rose", common=True)) == []
    assert found(text, city("rose", common=True), beside=(smith,)) == []
    near = text.replace("  ", "")
    assert found(near, city("rose", common=True), beside=(Finding(6, 11, "X", Origin.MODEL),)) == [
        "rose"
    ]


def test_evidence_is_passed_on_to_both_sides() -> None:
    terms = [city(word, common=True) for word in ("rose", "hill", "park")] + [city("Bath")]
    assert found("rose hill Bath park rose", *terms) == ["rose", "hill", "Bath", "park", "rose"]


def test_never_holds_back_all_but_known_and_always() -> None:
    text = "Parkinson John Parkinson"
    never = TermFinder.of([Term("parkinson", "")], Origin.LIST).find(text)
    findings = [Finding(0, 9, "PATIENT", origin) for origin in Origin] + [
        Finding(10, 24, "PATIENT", Origin.MODEL)
    ]
    kept = without_never(findings, never)
    assert [f.origin for f in kept[:-1]] == [Origin.ALWAYS, Origin.KNOWN]
    assert kept[-1] == findings[-1]


def test_reading_a_list(tmp_path: Path) -> None:
    path = tmp_path / "cities.txt"
    path.write_text("Bath\nReading\tcommon\n\n  New York \n", "utf-8")
    assert read_terms(path, "CITY") == [
        city("Bath"),
        city("Reading", common=True),
        city("New York"),
    ]
    path.write_text("Bath\nSECRET\tSECRET\n", "utf-8")
    with pytest.raises(CorpusFormatError, match=r"cities\.txt:2: ") as caught:
        read_terms(path, "CITY")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Smith,\n  JOHN", "smith john"),
        ("O’Brien-Núñez", "o brien nunez"),
        ("Łódź 12b", "lodz 12b"),
        ("--", ""),
    ],
)
def test_folding(text: str, words: str) -> None:
    assert fold_words(text) == words.split()


@given(st.text(max_size=30))
def test_folded_characters_know_where_they_come_from(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.place)
    assert folded.text[0] == folded.text[-1] == " "
    assert "  " not in folded.text
    for character, place in zip(folded.text[1:-1], folded.place[1:-1], strict=True):
        assert (character == " ") != text[place].isalnum() or not text[place].isascii()
        if text[place].isascii() and character != " ":
            assert character == text[place].lower()


WORDS = st.sampled_from(["ann", "anna", "Ann", "lee", "Lee", "x"])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=2).map(" ".join), max_size=4),
    st.lists(WORDS | st.sampled_from([",", ". ", " ", "-", "é", "1"]), max_size=12).map("".join),
)
def test_like_a_search_for_each_term(terms: list[str], text: str) -> None:
    spans = {
        m.span(1)
        for term in terms
        for m in re.finditer(
            r"(?<![^\W_])(?=(" + term.lower().replace(" ", r"[\W_]+") + r")(?![^\W_]))",
            text.lower(),
        )
    }
    outer = {
        (s, e)
        for s, e in spans
        if not any((a, b) != (s, e) and a <= s and e <= b for a, b in spans)
    }
    findings = TermFinder.of(map(city, terms), Origin.LIST).find(text)
    assert {(f.start, f.end) for f in findings} == outer
