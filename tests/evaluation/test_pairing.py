from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ScoringError
from lacuna.evaluation.pairing import pair
from lacuna.text.document import Document


def corpus(*names: str) -> list[Document]:
    return [Document(name, f"text of {name}") for name in names]


def named(documents: list[Document], *names: str) -> list[Document]:
    return [Document(name, d.text) for name, d in zip(names, documents, strict=True)]


def ids(gold: list[Document], predicted: list[Document]) -> list[tuple[str, str]]:
    return [(a.id, b.id) for a, b in pair(gold, predicted)]


@given(st.permutations(["a", "b", "c", "d", "e"]))
def test_pairs_by_id_in_gold_order_whatever_the_order(order: list[str]) -> None:
    names = ["a", "b", "c", "d", "e"]
    assert ids(corpus(*names), corpus(*order)) == [(name, name) for name in names]


def test_ids_go_before_equal_texts() -> None:
    same = [Document("a", "text"), Document("b", "text")]
    assert ids(same, same[::-1]) == [("a", "a"), ("b", "b")]


def test_pairs_by_position_where_ids_differ_and_texts_are_equal() -> None:
    gold = corpus("a", "b", "c")
    assert ids(gold, named(gold, "a", "x", "y")) == [("a", "a"), ("b", "x"), ("c", "y")]


def test_repeated_ids_pair_by_position() -> None:
    gold = corpus("a", "b", "c")
    twice = named(gold, "x", "x", "a")
    assert ids(twice, gold) == [("x", "a"), ("x", "b"), ("a", "c")]


def test_documents_stream_while_ids_agree() -> None:
    taken: list[str] = []

    def watched(side: str) -> Iterator[Document]:
        for document in corpus("a", "b"):
            taken.append(side + document.id)
            yield document

    pairs = pair(watched("gold "), watched("predicted "))
    next(pairs)
    assert taken == ["gold a", "predicted a"]


@pytest.mark.parametrize(
    ("gold", "predicted", "reason"),
    [
        ("abc", "ab", "document c of the gold corpus has no partner"),
        ("ab", "abc", "document c of the predicted corpus has no partner"),
        ("abc", "axc", "document b of the gold corpus has no partner"),
        ("abc", "acb_", "document _ of the predicted corpus has no partner"),
        ("abb", "ab", "document b of the gold corpus has no partner"),
        ("ab", "aba", "document a of the predicted corpus has no partner"),
        ("bca", "cabb", "document b occurs twice"),
    ],
)
def test_a_document_without_partner_is_named(gold: str, predicted: str, reason: str) -> None:
    with pytest.raises(ScoringError, match=f"^{reason}$"):
        ids(corpus(*gold), corpus(*predicted))


def test_empty_corpora_have_no_pairs() -> None:
    assert ids([], []) == []
    with pytest.raises(ScoringError, match="document a of the gold corpus has no partner"):
        ids(corpus("a"), [])
