"""Documents as JSON values, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from lacuna import Document, Mention
from tests.strategies import laid_out_documents, rich_documents


@given(document=rich_documents())
def test_back_from_a_dict_it_is_the_same(document: Document) -> None:
    assert Document.from_dict(document.to_dict()) == document


@given(document=rich_documents() | laid_out_documents())
def test_a_dict_holds_what_a_line_of_jsonl_holds(document: Document) -> None:
    line = json.dumps(document.to_dict())
    assert json.loads(line) == document.to_dict()
    assert Document.from_dict(json.loads(line)) == document


def test_only_the_text_is_needed_and_unknown_keys_are_kept() -> None:
    assert Document.from_dict({"text": "Ana"}) == Document("text", "Ana")
    assert Document.from_dict({"text": "Ana"}, default_id="n-1").id == "n-1"
    item = {"id": 7, "text": "Ana", "group": 3, "ward": "B", "meta": {"age": 4}}
    assert Document.from_dict(item) == Document("7", "Ana", group="3", meta={"age": 4, "ward": "B"})
    assert item["meta"] == {"age": 4}


def test_what_is_written() -> None:
    document = Document(
        "n", "Pain in arm and leg.", (Mention.of("ADR", (0, 7), (16, 19), probability=0.5),), "p"
    )
    assert document.to_dict() == {
        "id": "n",
        "text": "Pain in arm and leg.",
        "group": "p",
        "mentions": [{"label": "ADR", "spans": [[0, 7], [16, 19]], "probability": 0.5}],
    }


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "missing required field `text`"),
        ({"text": 5}, r"Expected `str`, got `int` - at `\$.text`"),
        ({"text": "secret", "mentions": [{"label": "X"}]}, "missing required field `spans`"),
        (
            {"text": "secret", "mentions": [{"label": "X", "spans": [[0, 9]]}]},
            "ends at 9",
        ),
        ({"text": "secret", "tokens": [[0, 9]]}, "tokens reach beyond the text"),
        ({"text": "secret", "sentences": [[0, 1]]}, "sentences and columns need tokens"),
        ({"text": "secret", "a": 1, "meta": {"a": 2}}, "both in meta and outside it"),
    ],
)
def test_what_does_not_fit_is_named_and_not_quoted(item: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        Document.from_dict(item)
    assert "secret" not in str(error.value)
