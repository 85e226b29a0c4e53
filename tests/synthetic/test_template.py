"""The template language: what it means, and where its errors are."""

from __future__ import annotations

import pytest

from lacuna.errors import CorpusFormatError
from lacuna.synthetic.template import (
    Choice,
    FactScope,
    Mark,
    Slot,
    Text,
    parse_body,
    parse_rules,
    parse_words,
    slots,
)


def test_text_slots_choices_and_marks() -> None:
    assert parse_body("T {number:36.5-40.1}, {^sign*2-3} [=CITY {city}] [a|{b}|]") == (
        Text("T "),
        Slot("number", "36.5-40.1", 1, 1, ""),
        Text(", "),
        Slot("sign", "", 2, 3, "^"),
        Text(" "),
        Mark("CITY", (), (Slot("city", "", 1, 1, ""),)),
        Text(" "),
        Choice(((Text("a"),), (Slot("b", "", 1, 1, ""),), ())),
    )


def test_findings_are_numbered() -> None:
    assert parse_body("[#1,2 cut] of [#2 bone]") == (
        Mark(None, (1, 2), (Text("cut"),)),
        Text(" of "),
        Mark(None, (2,), (Text("bone"),)),
    )


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (r"\[a\] \{b\} \\ \#", r"[a] {b} \ #"),
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        ("a | b", "a | b"),
        ("5 < 6 > 2 \"x\" 'y'", "5 < 6 > 2 \"x\" 'y'"),
    ],
)
def test_other_characters_stand_for_themselves(template: str, text: str) -> None:
    assert parse_body(template) == (Text(text),)


def test_slots_are_found_at_any_depth() -> None:
    body = parse_body("{a} [x {b}|[=CITY {c} [{d}]]]")
    assert [slot.name for slot in slots(body)] == ["a", "b", "c", "d"]


def test_rules_with_options_blocks_and_splits() -> None:
    content = '# note\n@a\none\n~ two\n\n@b lines as CITY per stay shared\n~"""\nx\n\n  y\n"""\n'
    first, second = parse_rules(content, "f.txt")
    assert [(t.source, t.held_out, t.line) for t in first.templates] == [
        ("one", False, 3),
        ("two", True, 4),
    ]
    assert (first.separator, first.label, first.scope, first.shared) == (" ", None, None, False)
    assert [(t.source, t.held_out) for t in second.templates] == [("x\n\n  y", True)]
    assert (second.separator, second.label, second.scope, second.shared) == (
        "\n",
        "CITY",
        FactScope.STAY,
        True,
    )


def test_word_lists_keep_their_order_and_drop_repetitions() -> None:
    assert parse_words("@w\nb, a ,b\nc d,\n", "w.txt") == {"w": ("b", "a", "c d")}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("@a\nfine\nnot {closed\n", "f.txt:3: { is not closed"),
        ("@a\nnot [closed {x}\n", "f.txt:2: [ is not closed"),
        ("@a\nnot opened]\n", "f.txt:2: ] without its opening bracket"),
        ("@a\n{}\n", "f.txt:2: a slot is"),
        ("@a\n{x*4-2}\n", "f.txt:2: the range of a repeated slot"),
        ("@a\nend \\\n", "f.txt:2: a backslash at the end"),
        ("text\n@a\nx\n", "f.txt:1: text before the first @name"),
        ("@\nx\n", "f.txt:1: a rule needs a name"),
        ("@a\n@b\nx\n", "f.txt:1: rule a has no templates"),
        ("@a sometimes\nx\n", "f.txt:1: unknown option 'sometimes'"),
        ("@a per year\nx\n", "f.txt:1: per needs patient, stay or note"),
        ('@a\n"""\nx\n', "f.txt:1: a template of several lines is not closed"),
        ('@a\n"""\nfine\n{x\n"""\n', "f.txt:4: { is not closed"),
    ],
)
def test_errors_name_file_and_line(content: str, place: str) -> None:
    with pytest.raises(CorpusFormatError) as caught:
        parse_rules(content, "f.txt")
    assert str(caught.value).startswith(place)


@pytest.mark.parametrize("content", ["@w\n", "@w lines\na\n"])
def test_bad_word_lists(content: str) -> None:
    with pytest.raises(CorpusFormatError, match=r"w\.txt:1: word list w"):
        parse_words(content, "w.txt")
