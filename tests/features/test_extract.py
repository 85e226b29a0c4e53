"""Keys, rows and the cut-off against plain Python over whole corpora."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lacuna.features.extract import FeatureIndex, build_index
from lacuna.features.index import KnownKeys
from lacuna.features.plan import make_plan
from lacuna.features.presets import PRESETS, load_templates
from lacuna.features.templates import parse_templates
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from tests.features.firing import keys_by_token, rows_by_token
from tests.features.reference import Value, assert_same, features, table_of
from tests.features.strategies import corpora

PLAN = make_plan(
    parse_templates(
        """
        lower[-2..1]
        prefix2[0]
        suffix3[1]
        space[0..1]
        header[-1]
        column.pos[0]
        meta.kind[0]
        lower[-1] lower[0]
        lower[0] lower[1]
        kind[-2] short[0] shape[3]
        prefix3[-1] section[0]
        row[1] place[0] lower[0]
        column.pos[-1] column.pos[0]
        """.splitlines()
    )
)


def expected(documents: list[Document]) -> list[list[Value]]:
    """Return the feature of each token under each template of PLAN."""
    columns = [
        [
            None if value is None else (str(template), value)
            for value in features(template, documents)
        ]
        for template in PLAN.templates
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def index_of(documents: list[Document], min_count: int = 1) -> FeatureIndex:
    table = table_of(documents)
    return build_index(table, number_types(table.hashes), PLAN, min_count=min_count)


@given(corpora)
def test_keys_are_features_of_plain_python(documents: list[Document]) -> None:
    keys = keys_by_token(table_of(documents), PLAN)
    assert keys.shape[1] == len(PLAN.templates)
    values = [value for row in expected(documents) for value in row]
    assert_same(values, keys.reshape(-1))  # also: no two templates share a key


@given(corpora, corpora, st.integers(0, 4))
def test_rows_are_known_features_in_order_of_index(
    training: list[Document], others: list[Document], min_count: int
) -> None:
    counts = Counter(value for row in expected(training) for value in row if value is not None)
    index = index_of(training, min_count)
    known = {value for value, count in counts.items() if count >= min_count}
    assert len(index) == len(known)
    row_of: dict[Value, int] = {}
    for documents in (training, others):
        table = table_of(documents)
        rows = index.rows(table, number_types(table.hashes))
        assert rows.by_word.dtype == rows.by_token.dtype == np.int32
        found = rows_by_token(table, PLAN, rows)
        for wanted, row in zip(expected(documents), found.tolist(), strict=True):
            for value, number in zip(wanted, row, strict=True):
                assert number == (row_of.setdefault(value, number) if value in known else -1)
    assert sorted(row_of.values()) == list(range(len(index)))


@given(corpora)
def test_an_index_is_no_more_than_its_plan_and_hashes(documents: list[Document]) -> None:
    index, table = index_of(documents), table_of(documents)
    stored = FeatureIndex(PLAN, KnownKeys.of(index.keys.hashes.copy()))
    numbered = number_types(table.hashes)
    first, second = index.rows(table, numbered), stored.rows(table, numbered)
    assert np.array_equal(first.by_word, second.by_word)
    assert np.array_equal(first.by_token, second.by_token)


def test_a_sentence_does_not_see_the_next() -> None:
    plan = make_plan(parse_templates(["lower[1]", "lower[-1]", "lower[0] lower[1]", "space[1]"]))
    one = keys_by_token(table_of([Document("a", "He left. Bo came.")]), plan)
    two = keys_by_token(table_of([Document("a", "She left. Al came.")]), plan)
    same = one == two
    #                 next   before  pair   space
    assert same[1].tolist() == [True, False, True, True]  # left
    assert same[2].tolist() == [True, True, True, True]  # the full stop
    assert same[3].tolist() == [True, True, False, True]  # Bo, Al
    assert len({*one[2, [0, 3]].tolist(), *one[5, [0, 3]].tolist()}) == 2  # after is after


def test_unseen_words_keep_what_they_share() -> None:
    plan = make_plan(parse_templates(["word[0]", "suffix2[0]", "word[0] word[1]"]))
    table = table_of([Document("a", "hospital ward")])
    index = build_index(table, number_types(table.hashes), plan)
    other = table_of([Document("b", "capital")])
    rows = rows_by_token(other, plan, index.rows(other, number_types(other.hashes)))
    assert (rows[0] >= 0).tolist() == [False, True, False]


def test_a_cut_off_counts_tokens_not_types() -> None:
    plan = make_plan(parse_templates(["lower[0]", "lower[-1]", "kind[0] kind[1]"]))
    table = table_of([Document("a", "no no no yes")])
    numbered = number_types(table.hashes)
    # lower[0]: no 3, yes 1. lower[-1]: no 3, before 1. kinds: small small 3, small after 1.
    sizes = [len(build_index(table, numbered, plan, min_count=n)) for n in range(6)]
    assert sizes == [6, 6, 3, 3, 0, 0]


def test_nothing_to_look_at() -> None:
    for documents in ([], [Document("a", "")], [Document("a", " \n")]):
        table = table_of(documents)
        index = build_index(table, number_types(table.hashes), PLAN)
        assert len(index) == 0
        assert index.rows(table, number_types(table.hashes)).by_token.shape[0] == 0
    table = table_of([Document("a", "word")])
    assert len(build_index(table, number_types(table.hashes), make_plan(()))) == 0


def test_presets_run_on_an_index_of_another_corpus() -> None:
    for name in PRESETS:
        plan = make_plan(load_templates(name))
        table = table_of(
            [Document("a", "Name: Ann Lee\nSex: F"), Document("b", "Seen by Dr. Lee.")]
        )
        index = build_index(table, number_types(table.hashes), plan, min_count=2)
        other = table_of([Document("c", "Name: Bo Lee")])
        rows = index.rows(other, number_types(other.hashes))
        assert rows.by_word.max() < len(index)
        assert rows_by_token(other, plan, rows).max(axis=1).min() >= 0
