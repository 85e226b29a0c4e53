"""Mentions in the terminal: readable without colours, whatever they share."""

from __future__ import annotations

import io
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from lacuna import Document, Mention, Tokens
from lacuna.cli.highlight import colours, highlighted, with_tags
from lacuna.text.overlap import overlapping_pairs
from tests.strategies import documents, rich_documents

PAIN = "Pain in arm and leg, says Ana."
MARK = re.compile("⟨([^⟨⟩]*)⟩")


def shown(text: str, *mentions: Mention) -> str:
    return highlighted(Document("d", text, mentions), {}).plain


def test_mentions_apart_have_their_label_behind_them() -> None:
    found = shown("Ana met Bo.", Mention.of("PER", (8, 10)), Mention.of("PER", (0, 3)))
    assert found == "Ana⟨PER⟩ met Bo⟨PER⟩."


def test_a_mention_with_a_gap() -> None:
    found = shown(PAIN, Mention.of("ADR", (0, 7), (16, 19)), Mention.of("PER", (26, 29)))
    assert found == (
        "⟨1a⟩Pain in⟨ADR 1a⟩ arm and ⟨1b⟩leg⟨ADR 1b⟩, says Ana⟨PER⟩.\n\n1 ADR  Pain in … leg"
    )


def test_gaps_and_overlaps() -> None:
    found = shown(PAIN, Mention.of("ADR", (0, 11)), Mention.of("ADR", (0, 7), (16, 19)))
    assert found == (
        "⟨2⟩⟨1a⟩Pain in⟨ADR 1a⟩ arm⟨ADR 2⟩ and ⟨1b⟩leg⟨ADR 1b⟩, says Ana.\n\n"
        "1 ADR  Pain in … leg\n"
        "2 ADR  Pain in arm"
    )


def test_nested_crossing_and_twice_labelled() -> None:
    nested = shown("St Mary of Bruck\n", Mention.of("HOSP", (0, 16)), Mention.of("CITY", (11, 16)))
    assert nested == (
        "⟨1⟩St Mary of ⟨2⟩Bruck⟨CITY 2⟩⟨HOSP 1⟩\n\n1 HOSP  St Mary of Bruck\n2 CITY  Bruck"
    )
    crossing = shown("a b c", Mention.of("X", (0, 3)), Mention.of("Y", (2, 5)))
    assert crossing == "⟨1⟩a ⟨2⟩b⟨X 1⟩ c⟨Y 2⟩\n\n1 X  a b\n2 Y  b c"
    twice = shown("Bo", Mention.of("X", (0, 2)), Mention.of("Y", (0, 2)))
    assert twice == "⟨1⟩⟨2⟩Bo⟨Y 2⟩⟨X 1⟩\n\n1 X  Bo\n2 Y  Bo"
    touching = shown("abc", Mention.of("X", (0, 1), (2, 3)), Mention.of("Y", (1, 2)))
    assert touching == "⟨1a⟩a⟨X 1a⟩b⟨Y⟩⟨1b⟩c⟨X 1b⟩\n\n1 X  a … c"


def test_probabilities_are_shown_beside_labels() -> None:
    sure = Mention.of("X", (0, 1), probability=0.987)
    assert shown("B", sure) == "B⟨X 0.99⟩"
    crossing = shown("a b", sure, Mention.of("X", (0, 3), probability=0.5))
    assert crossing == "⟨1⟩⟨2⟩a⟨X 2⟩ b⟨X 1⟩\n\n1 X 0.50  a b\n2 X 0.99  a"


def test_many_parts_have_letters_enough() -> None:
    found = shown("x " * 30, Mention.of("X", *((2 * i, 2 * i + 1) for i in range(30))))
    assert "⟨1z⟩x⟨X 1z⟩ ⟨1aa⟩x⟨X 1aa⟩ ⟨1ab⟩" in found


def test_the_list_keeps_to_one_line() -> None:
    long = Mention.of("X", (0, 3), (4, 400))
    *_, line = shown("a\nb " + "word " * 80, long).splitlines()
    assert line.startswith("1 X  a b … word word")
    assert line.endswith("…")
    assert len(line) <= 80


def test_colours_are_those_of_labels_and_what_is_shared_is_underlined() -> None:
    document = Document("d", "St Bruck", (Mention.of("H", (0, 8)), Mention.of("C", (3, 8))))
    found = highlighted(document, {"H": "red", "C": "blue"})
    at = {str(span.style): found.plain[span.start : span.end] for span in found.spans}
    assert at["underline"] == "Bruck"
    assert at["bold blue"] == "Bruck"
    assert at["dim red"] in {"⟨1⟩", "⟨H 1⟩"}
    stream = io.StringIO()
    Console(file=stream, no_color=True, force_terminal=False, width=80).print(found)
    assert stream.getvalue() == "⟨1⟩St ⟨2⟩Bruck⟨C 2⟩⟨H 1⟩\n\n1 H  St Bruck\n2 C  Bruck\n"


def test_characters_that_steer_a_terminal_are_not_sent_to_it() -> None:
    text = "a\x1b[31mb\x0cBo\r\nc\x07"
    start = text.index("Bo")
    found = shown(text, Mention.of("P\x1b", (start, start + 2)))
    assert found == "a\ufffd[31mb Bo⟨P\ufffd⟩ \nc\ufffd"
    tokens = Tokens(np.array([0, 1]), np.array([1, 2]), np.array([0, 2]), {"pos": ("N\x1b", "V")})
    assert with_tags(Document("d", "a\x1b", tokens=tokens)).plain == "a/N\ufffd\ufffd/V"


@given(documents(text=st.text("ab \n", min_size=1, max_size=12)))
def test_marks_say_exactly_where_mentions_are(document: Document) -> None:
    found = highlighted(document, colours(m.label for m in document.mentions)).plain
    crossed = {i for pair in overlapping_pairs(document.mentions) for i in pair}
    several = [m for i, m in enumerate(document.mentions) if i in crossed or m.is_discontiguous]
    text = found.rpartition("\n\n1 ")[0] if several else found
    seen: dict[str, int] = {}
    spans: list[tuple[str, int, int]] = []
    position = 0
    for piece in re.split("(⟨[^⟨⟩]*⟩)", text):
        mark = MARK.fullmatch(piece)
        if mark is None:
            position += len(piece)
        elif (name := mark[1]).rpartition(" ")[2] in seen:
            spans.append((name.partition(" ")[0], seen[name.rpartition(" ")[2]], position))
        elif name[0].isdigit():
            seen[name] = position
    expected = [(m.label, span.start, span.end) for m in several for span in m.spans]
    assert sorted(spans) == sorted(expected)


@given(rich_documents())
def test_no_text_is_lost(document: Document) -> None:
    found = highlighted(document, {})
    assert isinstance(found, Text)
    plain = Document(document.id, document.text)
    assert len(highlighted(plain, {}).plain) == len(document.text)
