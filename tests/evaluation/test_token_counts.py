from __future__ import annotations

from collections import Counter

from hypothesis import given

from lacuna.evaluation.counts import Counts
from lacuna.evaluation.token_counts import (
    IDENTIFIER,
    LabelSetTable,
    binary,
    label_sets,
    relabelled,
    token_counts,
)
from lacuna.text.document import Document, Mention, Tokens
from lacuna.text.tokens import tokens_of
from tests.evaluation.cases import Pair, document, pairs


def labels_of_token(doc: Document, start: int, end: int) -> frozenset[str]:
    """Look at every character of the token and every span of every mention."""
    return frozenset(
        m.label
        for m in doc.mentions
        for c in range(start, end)
        if any(span.start <= c < span.end for span in m.spans)
    )


def table_of(pair: Pair) -> LabelSetTable:
    return label_sets(tokens_of(pair[0]), pair[0].mentions, pair[1].mentions)


@given(pairs())
def test_label_sets_equal_a_look_at_every_character(pair: Pair) -> None:
    tokens = tokens_of(pair[0])
    expected = Counter(
        (labels_of_token(pair[0], s, e), labels_of_token(pair[1], s, e))
        for s, e in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
    )
    assert table_of(pair) == expected
    assert table_of(pair).total() == len(tokens)


@given(pairs())
def test_token_counts_equal_counting_pairs(pair: Pair) -> None:
    tokens = tokens_of(pair[0])
    gold, predicted = (
        {
            (i, label)
            for i, (s, e) in enumerate(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
            for label in labels_of_token(side, s, e)
        }
        for side in pair
    )
    expected = {
        label: Counts(
            sum(name == label for _, name in gold & predicted),
            sum(name == label for _, name in predicted - gold),
            sum(name == label for _, name in gold - predicted),
        )
        for _, label in gold | predicted
    }
    assert token_counts(table_of(pair)) == expected
    covered = [{i for i, _ in side} for side in (gold, predicted)]
    any_label = token_counts(binary(table_of(pair))).get(IDENTIFIER, Counts())
    assert any_label == Counts(
        len(covered[0] & covered[1]), len(covered[1] - covered[0]), len(covered[0] - covered[1])
    )


def test_by_hand() -> None:
    tokens = Tokens([0, 3, 8], [2, 7, 10], [0, 3])  # type: ignore[arg-type]
    gold = [Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 9))]  # PER | PER LOC | LOC
    predicted = [Mention.of("PER", (1, 2)), Mention.of("PER", (2, 3), (9, 10))]  # PER | - | PER
    table = label_sets(tokens, gold, predicted)
    assert token_counts(table) == {"PER": Counts(1, 1, 1), "LOC": Counts(0, 0, 2)}
    assert token_counts(binary(table)) == {IDENTIFIER: Counts(2, 0, 1)}
    one_name = relabelled(table, {"LOC": "PER"})
    assert token_counts(one_name) == {"PER": Counts(2, 0, 1)}


def test_nested_mentions_of_one_label_count_once() -> None:
    gold = document(Mention.of("PER", (0, 5)), Mention.of("PER", (1, 3)), size=8)
    table = label_sets(tokens_of(gold), gold.mentions, ())
    assert token_counts(table) == {"PER": Counts(0, 0, 5)}


def test_no_tokens_no_counts() -> None:
    table = label_sets(Tokens([], [], [0]), [Mention.of("PER", (0, 5))], [])  # type: ignore[arg-type]
    assert table == Counter()
    assert token_counts(binary(table)) == {}
