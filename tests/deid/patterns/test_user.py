"""Patterns of the user."""

from __future__ import annotations

import msgspec
import pytest

from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patterns import compile_user_pattern
from lacuna.deid.policy import UserPattern
from lacuna.errors import ConfigError
from lacuna.pipeline.detection import open_recognizers
from lacuna.text.document import Document


def found(text: str, **patterns: UserPattern) -> list[Finding]:
    """Return what patterns of the user and built-in patterns find, sorted."""
    recognizers = open_recognizers(DetectionOptions(user_patterns=patterns))
    return sorted(recognizers.findings(Document("d", text)))


def test_finds_whole_matches_and_groups() -> None:
    whole = UserPattern(r"\bPX-\d{2}\b", "IDNUM")
    group = UserPattern(r"(?i)badge (\d+)|tag (\d+)", "USERNAME")
    text = "é PX-12, Badge 7 and tag 345"
    findings = found(text, study=whole, badge=group)
    assert [(text[f.start : f.end], f.label) for f in findings] == [
        ("PX-12", "IDNUM"),
        ("7", "USERNAME"),
        ("345", "USERNAME"),
    ]
    assert findings[0] == Finding(2, 7, "IDNUM", Origin.PATTERN)


def test_findings_of_built_in_patterns_stay() -> None:
    late = UserPattern("Seen.*", "IDNUM")
    assert [f.label for f in found("Seen on 3/14/2014", all=late)] == ["IDNUM", "DATE"]


def test_empty_matches_are_left_out() -> None:
    pattern = compile_user_pattern("border", UserPattern(r"a|\b", "IDNUM"))
    assert list(pattern("b")) == []


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
        compile_user_pattern("mine", UserPattern(expression, "IDNUM"))


def test_a_label_is_needed() -> None:
    with pytest.raises(ConfigError, match="label"):
        compile_user_pattern("mine", UserPattern("a", ""))


def test_patterns_can_be_sent_to_worker_processes() -> None:
    pattern = UserPattern(r"PX-\d+", "IDNUM")
    copy = msgspec.msgpack.decode(msgspec.msgpack.encode(pattern), type=UserPattern)
    assert found("PX-1", study=copy) == found("PX-1", study=pattern) != []
