"""Which part of a document counts: settled mentions and spans, reviewed tokens and sentences."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given

from lacuna.text.document import Document, Mention, Span
from lacuna.text.reviewed import (
    all_reviewed,
    in_sentences,
    only,
    reviewed_mentions,
    reviewed_tokens,
    settled,
    some_reviewed,
)
from lacuna.text.tokens import tokens_of
from tests.strategies import partly_reviewed, rich_documents

TEXT = "Ann met Bob Lee. He left. Eve came."


def spans(*pairs: tuple[int, int]) -> tuple[Span, ...]:
    return tuple(Span(*pair) for pair in pairs)


def seen(document: Document) -> set[int]:
    """Return the characters of the reviewed spans."""
    assert document.reviewed is not None
    return {i for start, end in document.reviewed for i in range(start, end)}


def covered(mention: Mention) -> set[int]:
    return {i for start, end in mention.spans for i in range(start, end)}


@given(rich_documents())
def test_survives_json_values(document: Document) -> None:
    again = Document.from_dict(msgspec.json.decode(msgspec.json.encode(document.to_dict())))
    assert again == document
    assert ("reviewed" in document.to_dict()) == (document.reviewed is not None)


@pytest.mark.parametrize(
    ("reviewed", "why"),
    [
        ([[0, 4], [3, 6]], "reviewed spans must be in order and apart"),
        ([[4, 6], [0, 2]], "reviewed spans must be in order and apart"),
        ([[0, 36]], "reach beyond its text"),
        ([[3, 3]], "0 <= start < end"),
        ([[-1, 3]], "0 <= start < end"),
        (True, "reviewed"),
        ([[0]], "reviewed"),
    ],
)
def test_wrong_spans_are_refused_without_quoting_the_text(reviewed: object, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        Document.from_dict({"text": TEXT, "reviewed": reviewed})
    assert "Ann" not in str(caught.value)


def test_is_part_of_equality_and_of_what_is_shown() -> None:
    whole = Document("d", TEXT)
    part = replace(whole, reviewed=spans((0, 16)))
    assert part != whole
    assert part != replace(whole, reviewed=())
    assert part == replace(whole, reviewed=spans((0, 16)))
    assert repr(part) == "Document('d', 35 characters, 0 mentions, 1 reviewed spans)"


def test_a_token_is_reviewed_if_it_lies_wholly_inside() -> None:
    #   Ann met Bob Lee . He left . Eve came .
    document = Document("d", TEXT, reviewed=spans((1, 9), (9, 11), (12, 14), (17, 25)))
    found = reviewed_tokens(document, tokens_of(document))
    assert found is not None
    words = tokens_of(document).words(TEXT)
    inside = [word for word, own in zip(words, found.tolist(), strict=True) if own]
    assert inside == ["met", "Bob", "He", "left", "."]  # Bob: two spans that touch


def test_all_reviewed_is_the_same_as_no_spans() -> None:
    document = Document("d", TEXT)
    assert reviewed_tokens(document, tokens_of(document)) is None
    for whole in (spans((0, 35)), spans((0, 10), (10, 35))):
        assert reviewed_tokens(replace(document, reviewed=whole), tokens_of(document)) is None


def test_mentions_outside_and_across_borders_do_not_count() -> None:
    inside, across, outside = (
        Mention.of("PER", (0, 3)),
        Mention.of("PER", (8, 15)),  # Bob Lee
        Mention.of("PER", (26, 29)),
    )
    found = settled(Document("d", TEXT, (inside, across, outside), reviewed=spans((0, 11))))
    assert found.mentions == (inside,)
    assert found.reviewed == spans((0, 8))


def test_what_overlaps_an_open_mention_is_open_too() -> None:
    first, second = Mention.of("PER", (0, 11)), Mention.of("PER", (8, 15))
    found = settled(Document("d", TEXT, (first, second), reviewed=spans((0, 12), (16, 20))))
    assert found.mentions == ()
    assert found.reviewed == spans((16, 20))


@given(partly_reviewed())
def test_what_is_settled_lies_inside_and_nothing_else_is_lost(document: Document) -> None:
    found = settled(document)
    assert settled(found) == found
    assert set(found.mentions) <= set(document.mentions)
    assert all(covered(mention) <= seen(found) for mention in found.mentions)
    dropped = [mention for mention in document.mentions if mention not in found.mentions]
    lost = {i for mention in dropped for i in covered(mention)}
    assert seen(found) == seen(document) - lost
    if all(covered(mention) <= seen(document) for mention in document.mentions):
        assert found.mentions == document.mentions
    assert reviewed_mentions(document.mentions, document) == tuple(
        mention for mention in document.mentions if covered(mention) <= seen(document)
    )


@given(partly_reviewed())
def test_tokens_and_sentences_by_hand(document: Document) -> None:
    tokens = tokens_of(document)
    found = reviewed_tokens(document, tokens)
    chosen = seen(document)
    pairs = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
    expected = [set(range(start, end)) <= chosen for start, end in pairs]
    mask = np.array(expected, np.bool_) if found is None else found
    assert mask.tolist() == expected
    runs = [expected[a:b] for a, b in zip(tokens.sentences, tokens.sentences[1:], strict=False)]
    some, every = some_reviewed(tokens, mask), all_reviewed(tokens, mask)
    assert some.tolist() == [any(run) for run in runs]
    assert every.tolist() == [all(run) for run in runs]
    kept = only(tokens, in_sentences(tokens, some))
    words = [word for word, own in zip(tokens.words(document.text), mask, strict=True) if own]
    assert set(words) <= set(kept.words(document.text))
    assert len(kept.sentences) - 1 == sum(map(any, runs))
    assert only(tokens, in_sentences(tokens, np.ones(len(runs), np.bool_))) == tokens
