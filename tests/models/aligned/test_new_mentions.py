"""Which new mentions are believed: by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lacuna import Document, Mention, Span
from lacuna.models.aligned.mentions import NewLabel, believes, learn_free, whole_mentions
from lacuna.models.aligned.repeated_words import (
    LabelledDocument,
    labelled_document,
    true_labels,
)
from lacuna.text.tokens import tokens_of

TEXT = "Ann  Lee saw Lee"
ANN_LEE, LEE = Mention.of("PER", (0, 8)), Mention.of("PER", (13, 16))


def item(name: str, group: str | None, *mentions: Mention) -> LabelledDocument:
    return labelled_document(Document(name, TEXT, mentions, group))


def true(*mentions: Mention) -> Document:
    return Document("truth", TEXT, mentions)


def test_whole_mentions_are_those_of_the_group() -> None:
    items = [item("a", "g", ANN_LEE), item("b", "g", LEE), item("c", None, ANN_LEE)]
    assert whole_mentions(items) == {
        items[0].document.unit: {("PER", "Ann Lee"), ("PER", "Lee")},
        items[2].document.unit: {("PER", "Ann Lee")},
    }


def test_a_mention_like_one_found_or_of_a_free_label_is_believed() -> None:
    one = item("a", None)
    whole = frozenset({("PER", "Ann Lee")})
    for free, mention, expected in (
        (frozenset(), ANN_LEE, True),
        (frozenset(), LEE, False),
        (frozenset({"PER"}), LEE, True),
        (frozenset({"LOC"}), LEE, False),
        (frozenset(), Mention.of("LOC", (0, 8)), False),
    ):
        assert believes(one, whole, free)(mention) == expected


@pytest.mark.parametrize(
    ("right", "wrong", "free"), [(2, 1, {"PER"}), (1, 1, set()), (0, 2, set()), (0, 0, set())]
)
def test_a_label_is_free_where_most_of_its_new_mentions_are_right(
    right: int, wrong: int, free: set[str]
) -> None:
    """In each document "Ann Lee" is found and the second "Lee" is new."""
    items = [item(f"d{i}", None, ANN_LEE) for i in range(right + wrong)]
    truth = [true(ANN_LEE, LEE)] * right + [true(ANN_LEE)] * wrong
    sure = NewLabel("PER", {"PER": 0.9, "O": 0.1})
    new = {i: {1: sure, 3: sure} for i in range(right + wrong)}
    assert learn_free(items, truth, new, frozenset()) == free


def test_new_mentions_like_another_do_not_count() -> None:
    items = [item("a", "g", LEE), item("b", "g")]
    sure = NewLabel("PER", {"PER": 0.9, "O": 0.1})
    assert learn_free(items, [true(LEE), true(LEE)], {1: {3: sure}}, frozenset()) == frozenset()
    assert learn_free(items[1:], [true(LEE)], {0: {3: sure}}, frozenset()) == {"PER"}


def test_new_mentions_where_nobody_has_reviewed_do_not_count() -> None:
    """The first "Ann Lee" was reviewed, the second "Lee" was not."""
    sure, partly = NewLabel("PER", {"PER": 0.9, "O": 0.1}), (Span(0, 12),)
    truth = [true(LEE), replace(true(ANN_LEE), reviewed=partly)]
    items = [item("a", None), item("b", None)]
    assert learn_free(items, truth, {0: {3: sure}, 1: {3: sure}}, frozenset()) == {"PER"}
    whole = [true(LEE), true(ANN_LEE)]
    assert learn_free(items, whole, {0: {3: sure}, 1: {3: sure}}, frozenset()) == frozenset()


def test_labels_that_nobody_has_reviewed_are_unknown() -> None:
    partly = replace(true(ANN_LEE, LEE), reviewed=(Span(0, 12),))
    assert true_labels(partly, tokens_of(partly)) == ["PER", "PER", "O", ""]
