"""Patterns see through dashes, spaces, digits, invisible characters and underscores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.findings import Finding
from lacuna.deid.patterns import compile_user_pattern, find_patterns
from lacuna.deid.policy import UserPattern
from tests.deid.test_bundled import snippets
from tests.deid.test_folding import HIDDEN, disguised

SNIPPETS = [document.text for part in ("read", "unread") for document in snippets(part)]
FULL_WIDTH = {str(digit): chr(0xFF10 + digit) for digit in range(10)}


def found(text: str) -> set[tuple[str, str]]:
    return {(text[f.start : f.end], f.label) for f in find_patterns(text)}


@pytest.mark.parametrize(
    ("text", "identifier", "label"),
    [
        ("123\u201145\u20116789", "", "SSN"),
        ("SSN 123\u201345\u20136789", "123\u201345\u20136789", "SSN"),
        ("617\u2011555\u20110134", "", "PHONE"),
        ("03\u201114\u20112014", "", "DATE"),
        ("15\u2011Aug\u20111979", "", "DATE"),
        ("617 555\u200b0134", "", "PHONE"),
        ("617\u00a0555\u202f0134", "", "PHONE"),
        ("1234567\u00ad8", "", "IDNUM"),
        ("1234567\u200b8", "", "IDNUM"),
        ("ssn１２３-４５-６７８９", "１２３-４５-６７８９", "SSN"),
        ("MRN \u2014 12345", "12345", "MEDICALRECORD"),
        ("M\u00adRN 12345", "12345", "MEDICALRECORD"),
        ("john\u200b.smith@ex\u00adample.org", "", "EMAIL"),
        ("\u0666\u0661\u0667-555-0134", "", "PHONE"),
        ("John_Smith_1234567.doc", "1234567", "IDNUM"),
        ("IMG_20140314_1234567.jpg", "20140314", "DATE"),
        ("IMG_20140314_1234567.jpg", "1234567", "IDNUM"),
        ("617_555_0134", "", "PHONE"),
        ("123_45_6789", "", "SSN"),
        ("3_Mar_2014", "", "DATE"),
        ("December_3_2014", "", "DATE"),
        ("MRN_E12_3456", "E12_3456", "MEDICALRECORD"),
        ("scan_03-14-2014_v2", "03-14-2014", "DATE"),
        ("jane_doe+lab@example.co.uk", "", "EMAIL"),
        ("https://example.org/a_1234567_b", "", "URL"),
        ("called\u2014617-555-0134", "617-555-0134", "PHONE"),
    ],
)
def test_finds(text: str, identifier: str, label: str) -> None:
    assert (identifier or text, label) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "BP 120\u201370",
        "500\u20131000 mg",
        "L4\u20135 disc",
        "_______",
        "x_1_2_3",
        "size_10_12",
        "½",
    ],
)
def test_finds_nothing(text: str) -> None:
    assert found(text) == set()


def covers(findings: list[Finding], start: int, end: int, text: str) -> bool:
    """Whether findings cover all characters of a span that can be seen."""
    covered = {i for f in findings for i in range(f.start, f.end)}
    return all(i in covered or text[i] in HIDDEN for i in range(start, end))


@pytest.mark.parametrize(
    "twins",
    [{"-": "\u2011"}, {"-": "\u2013"}, {" ": "\u00a0"}, FULL_WIDTH],
    ids=["hyphen", "en dash", "space", "digits"],
)
@pytest.mark.parametrize("text", SNIPPETS)
def test_disguised_characters_hide_nothing(text: str, twins: dict[str, str]) -> None:
    disguised = "".join(twins.get(character, character) for character in text)
    findings = find_patterns(disguised)
    for finding in find_patterns(text):
        assert covers(findings, finding.start, finding.end, disguised)


@pytest.mark.parametrize("invisible", ["\u200b", "\u00ad", "\u2060", "\ufeff"])
@pytest.mark.parametrize("text", SNIPPETS)
def test_an_invisible_character_in_each_identifier_hides_nothing(text: str, invisible: str) -> None:
    middles = {(f.start + f.end) // 2 for f in find_patterns(text)}
    disguised, place = "", []
    for i, character in enumerate(text):
        disguised += invisible if i in middles else ""
        place.append(len(disguised))
        disguised += character
    findings = find_patterns(disguised)
    for finding in find_patterns(text):
        assert covers(findings, place[finding.start], place[finding.end - 1] + 1, disguised)


IDENTIFIERS = ("617-555-0134", "SSN 123-45-6789", "MRN: 1234567", "15-Aug-1979", "a.b@mail.org")


@given(st.sampled_from(IDENTIFIERS), st.data())
def test_any_disguise_of_an_identifier_is_found(text: str, data: st.DataObject) -> None:
    new, place = data.draw(disguised(text))
    (finding,) = find_patterns(text)
    findings = find_patterns(new)
    assert covers(findings, place[finding.start], place[finding.end - 1] + 1, new)


@given(st.text(st.sampled_from("0123 -/_.@:aMRN\u2011\u2014\u00a0\u200b\u00ad\uff11"), max_size=40))
def test_findings_are_sorted_and_inside_the_text(text: str) -> None:
    findings = find_patterns(text)
    assert findings == sorted(findings)
    assert all(0 <= f.start < f.end <= len(text) for f in findings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PX\u2011123456", ["PX\u2011123456"]),
        ("PX-12\u00ad3456 and PX-12\u200b3456", ["PX-12\u00ad3456", "PX-12\u200b3456"]),
        ("PX-１２３４５６", ["PX-１２３４５６"]),
        ("PX-123456 ‑", ["PX-123456"]),
    ],
)
def test_patterns_of_the_user_see_through_disguises(text: str, expected: list[str]) -> None:
    find = compile_user_pattern("study", UserPattern(r"\bPX-[0-9]{6}\b", "IDNUM"))
    assert [text[f.start : f.end] for f in find(text)] == expected


def test_patterns_of_the_user_may_name_unusual_characters() -> None:
    find = compile_user_pattern("range", UserPattern("Bed\u00a0[0-9]\u2013[0-9]", "IDNUM"))
    assert [(f.start, f.end) for f in find("in Bed\u00a01\u20132")] == [(3, 10)]
