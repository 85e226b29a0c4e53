"""From findings to a plan: nothing found is left out, nothing is cut in half."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.resolution import resolve
from lacuna.errors import RedactionError
from lacuna.text.tokens import tokenize
from tests.deid.strategies import texts_with_findings

Case = tuple[str, list[Finding]]
MODEL, LIST, PATTERN, KNOWN = Origin.MODEL, Origin.LIST, Origin.PATTERN, Origin.KNOWN


def find(text: str, part: str, label: str, origin: Origin = MODEL, sure: float = 1.0) -> Finding:
    start = text.index(part)
    return Finding(start, start + len(part), label, origin, sure)


def planned(text: str, *findings: Finding) -> list[tuple[str, str]]:
    return [(text[f.start : f.end], f.label) for f in resolve(text, findings)]


@given(texts_with_findings())
def test_every_character_found_is_planned_but_for_white_space_at_borders(case: Case) -> None:
    text, findings = case
    plan = resolve(text, findings)
    covered = {i for span in plan for i in range(span.start, span.end)}
    for finding in findings:
        part = text[finding.start : finding.end]
        first = finding.start + len(part) - len(part.lstrip())
        last = finding.start + len(part.rstrip())
        assert set(range(first, last)) <= covered


@given(texts_with_findings())
def test_plans_are_in_order_apart_and_cut_no_token(case: Case) -> None:
    text, findings = case
    plan = resolve(text, findings)
    assert all(a.end <= b.start for a, b in pairwise(plan))
    tokens = tokenize(text)
    inner = {i for s, e in zip(tokens.start, tokens.end, strict=True) for i in range(s + 1, e)}
    clitics = {i for i in inner if text[i] in "'’" or text[i - 1] in "'’"}
    runs = {i for i in inner if not text[i - 1].isalnum() and text[i] == text[i - 1]}
    for span in plan:
        assert span.start < span.end
        assert not {span.start, span.end} & (inner - clitics - runs)


@given(texts_with_findings())
def test_a_plan_adds_only_the_rest_of_words_that_were_found_in_part(case: Case) -> None:
    text, findings = case
    for span in resolve(text, findings):
        assert any(f.start < span.end and span.start < f.end for f in findings)
        assert any(f.label == span.label and f.origin == span.origin for f in findings)


@given(texts_with_findings())
def test_the_order_of_findings_does_not_matter(case: Case) -> None:
    text, findings = case
    plan = resolve(text, findings)
    assert resolve(text, list(reversed(findings))) == plan


def test_the_longest_finding_gives_the_label_then_trust_then_probability() -> None:
    text = "to Smith Memorial Hospital"
    known = find(text, "Smith", "PATIENT", KNOWN)
    assert planned(text, known, find(text, "Smith Memorial Hospital", "HOSPITAL")) == [
        ("Smith Memorial Hospital", "HOSPITAL")
    ]
    pattern = find(text, "Smith", "A", PATTERN, 0.6)
    model = find(text, "Smith", "B", MODEL, 0.9)
    assert planned(text, model, pattern) == [("Smith", "A")]
    assert planned(text, model, pattern._replace(probability=0.5)) == [("Smith", "B")]
    less, more = find(text, "Smith", "A", MODEL, 0.3), find(text, "Smith", "B", MODEL, 0.6)
    assert planned(text, less, more) == [("Smith", "B")]


def test_what_hides_all_comes_before_what_leaves_something_to_be_seen() -> None:
    text = "on 03/14/2014"
    findings = [find(text, "03/14/2014", "DATE", PATTERN), find(text, "2014", "TERM", LIST)]
    assert [f.label for f in resolve(text, findings)] == ["DATE"]
    assert [f.label for f in resolve(text, findings, lenient={"DATE"})] == ["TERM"]
    (span,) = resolve(text, findings, lenient={"DATE"})
    assert text[span.start : span.end] == "03/14/2014"


def test_many_findings_in_one_word_take_linear_time() -> None:
    text = "a" * 200_000
    (span,) = resolve(text, [Finding(i, i + 1, "X", MODEL) for i in range(0, 200_000, 2)])
    assert (span.start, span.end) == (0, 200_000)


def test_many_invisible_characters_take_linear_time() -> None:
    text = "a" + "\u200b" * 200_000
    (span,) = resolve(text, [Finding(0, 1, "X", MODEL)])
    assert (span.start, span.end) == (0, 200_001)


def test_chains_of_overlaps_are_one_span() -> None:
    text = "one two three four"
    assert planned(
        text,
        find(text, "one two", "A"),
        find(text, "two three", "B"),
        find(text, "three four", "C"),
    ) == [("one two three four", "C")]


def test_touching_spans_join_only_when_different_detectors_found_them() -> None:
    text = "03/14/2014"
    head, tail = find(text, "03/14", "DATE", PATTERN), find(text, "/2014", "DATE", MODEL)
    assert planned(text, head, tail) == [("03/14/2014", "DATE")]
    assert len(planned(text, head, tail._replace(origin=PATTERN))) == 2
    assert len(planned(text, head, tail._replace(label="ID"))) == 2
    text = "Dr. Smith John"
    assert planned(text, find(text, "Smith", "D"), find(text, "John", "D", LIST)) == [
        ("Smith", "D"),
        ("John", "D"),
    ]


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("Mr Smithson,", "Smith", "Smithson"),
        ("O'Brien's", "Brien", "O'Brien"),
        ("O'Brien", "O", "O'Brien"),
        ("John's", "John", "John"),
        ("tel 5551234x", "555", "5551234"),
        ("40years", "40", "40"),
        (" Smith \n", " Smith \n", "Smith"),
        ("Zoe\u0308!", "Zoe", "Zoe\u0308"),
        ("👍🏽 ok", "👍", "👍🏽"),
        ("Dr. Smi\u200bth saw", "Smi", "Smi\u200bth"),
        ("Dr. Smi\u200bth saw", "th", "Smi\u200bth"),
        ("Dr. Smi\u00adth saw", "th", "Smi\u00adth"),
        ("S\u200bm\u00ad\ufeffi\u2060th,", "m", "S\u200bm\u00ad\ufeffi\u2060th"),
        ("no 1234\u200b567.", "567", "1234\u200b567"),
        ("a \u200bSmith\u200b b", "Smith", "\u200bSmith\u200b"),
        ("by:\u200bSmith", "Smith", "\u200bSmith"),
        ("Smith\u200b, b", "Smith", "Smith\u200b"),
        ("\u0e2a\u0e21\u200b\u0e0a\u0e32\u0e22", "\u0e2a\u0e21", "\u0e2a\u0e21"),
        ("12 Oak St #3F.", "12 Oak St #3", "12 Oak St #3F"),
        ("seen: 68M today", "68", "68"),
    ],
)
def test_words_are_found_whole_and_white_space_is_left(text: str, part: str, whole: str) -> None:
    assert planned(text, find(text, part, "X")) == [(whole, "X")]


def test_white_space_alone_is_nothing() -> None:
    assert resolve("a \n b", [Finding(1, 4, "X", MODEL)]) == []


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 9)])
def test_findings_outside_the_text_are_refused_without_quoting_it(start: int, end: int) -> None:
    with pytest.raises(RedactionError) as error:
        resolve("Smith", [Finding(start, end, "X", MODEL)])
    assert "Smith" not in str(error.value)
