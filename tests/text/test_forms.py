"""Forms are told from running text by the share of mentions after a label and a colon."""

from __future__ import annotations

import pytest

from lacuna import Document, Mention
from lacuna.text.forms import share_in_forms


def note(text: str, *words: str) -> Document:
    """Return a document in which each of the words is a mention."""
    places = [(text.index(word), text.index(word) + len(word)) for word in words]
    return Document("a", text, tuple(Mention.of("X", place) for place in places))


@pytest.mark.parametrize(
    "text", ["Name: Roe", "x\n  Unit No: Roe", "x\r Ärztin: Dr Roe", "a:\nb: Roe"]
)
def test_mentions_after_a_label(text: str) -> None:
    assert share_in_forms([note(text, "Roe")]) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Roe: name",  # before the colon
        "Name:\nRoe",  # on the next line
        "10:30 Roe came",  # no letter
        "https://x.org/ Roe",
        f"{'long ' * 9}: Roe",
        "Roe",
    ],
)
def test_mentions_in_running_text(text: str) -> None:
    assert share_in_forms([note(text, "Roe")]) == 0.0


def test_several_mentions_of_a_line() -> None:
    assert share_in_forms([note("x\nName: Ann Roe\nMoe", "Ann", "Roe", "Moe")]) == 2 / 3


def test_the_share_counts_mentions_of_all_documents() -> None:
    documents = [
        note("Name: Roe\nRuiz left.", "Roe", "Ruiz"),
        note("Seen by Lowe and Moe", "Lowe", "Moe"),
    ]
    assert share_in_forms(documents) == 0.25
    assert share_in_forms([]) == share_in_forms([note("Name: Roe")]) == 0.0
