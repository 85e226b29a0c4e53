"""Patterns of the user."""

from __future__ import annotations

import pickle

import pytest

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patterns import compile_user_pattern, find_patterns
from lacuna.errors import ConfigError


def test_finds_whole_matches_and_groups() -> None:
    whole = compile_user_pattern("study", r"\bPX-\d{2}\b", "IDNUM")
    group = compile_user_pattern("badge", r"(?i)badge (\d+)|tag (\d+)", "USERNAME")
    text = "é PX-12, Badge 7 and tag 345"
    findings = find_patterns(text, user=[whole, group])
    assert [(text[f.start : f.end], f.label) for f in findings] == [
        ("PX-12", "IDNUM"),
        ("7", "USERNAME"),
        ("345", "USERNAME"),
    ]
    assert findings[0] == Finding(2, 7, "IDNUM", Origin.PATTERN)


def test_findings_of_all_patterns_are_sorted() -> None:
    late = compile_user_pattern("all", "Seen.*", "IDNUM")
    assert [f.label for f in find_patterns("Seen on 3/14/2014", user=[late])] == ["IDNUM", "DATE"]


def test_empty_matches_are_left_out() -> None:
    pattern = compile_user_pattern("border", r"a|\b", "IDNUM")
    assert find_patterns("b", user=[pattern]) == []


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("(", "missing"),
        (r"(a)\1", "invalid escape"),
        ("(?=a)", "invalid perl operator"),
        ("a*", "empty"),
        ("a{1,2000}", "repe"),
        ("x" * 5000, "longer"),
    ],
)
def test_bad_patterns_are_refused_by_name(expression: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"pattern mine: .*{reason}"):
        compile_user_pattern("mine", expression, "IDNUM")


def test_a_label_is_needed() -> None:
    with pytest.raises(ConfigError, match="label"):
        compile_user_pattern("mine", "a", "")


def test_patterns_can_be_sent_to_worker_processes() -> None:
    pattern = compile_user_pattern("study", r"PX-\d+", "IDNUM")
    copy = pickle.loads(pickle.dumps(pattern))  # noqa: S301
    assert find_patterns("PX-1", user=[copy]) == find_patterns("PX-1", user=[pattern]) != []
