"""Features of few groups are left out: counted one by one in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document
from lacuna.features.extract import build_index, feature_keys, in_enough_groups
from lacuna.features.plan import make_plan
from lacuna.features.templates import parse_templates
from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import number_types
from tests.features.reference import table_of

TEMPLATES = ["lower[-1..2]", "suffix2[0]", "lower[-1] lower[0]", "place[0]"]
texts = st.lists(st.sampled_from(["ab", "cb", "Ab", "d", "."]), max_size=6).map(" ".join)


def keys_of(table: TokenTable) -> set[int]:
    """Return the keys of all features of a table."""
    numbered = number_types(table.hashes)
    plan = make_plan(parse_templates(TEMPLATES))
    return set(build_index(table, numbered, plan).keys.hashes.tolist())


@given(st.lists(st.tuples(texts, st.integers(0, 3)), min_size=1, max_size=6), st.integers(1, 4))
def test_groups_are_counted_not_tokens(drawn: list[tuple[str, int]], least: int) -> None:
    documents = [Document(str(i), text) for i, (text, _) in enumerate(drawn)]
    table = table_of(documents)
    found: dict[int, set[int]] = {}
    for document, (_, number) in zip(documents, drawn, strict=True):
        for key in keys_of(table_of([document])):
            found.setdefault(key, set()).add(number)
    numbered = number_types(table.hashes)
    index = build_index(table, numbered, make_plan(parse_templates(TEMPLATES)))
    group = np.repeat(np.array([g for _, g in drawn], np.int64), np.diff(table.documents))
    kept = in_enough_groups(index, table, numbered, group, least=least)
    expected = {key for key, groups in found.items() if len(groups) >= least}
    assert set(kept.keys.hashes.tolist()) == expected


def test_another_key_gives_other_hashes_of_the_same_features() -> None:
    table = table_of([Document("a", "Ann saw Bo .")])
    numbered = number_types(table.hashes)
    templates = parse_templates(TEMPLATES)
    plain, one, two = (
        feature_keys(table, numbered, make_plan(templates, key=key)) for key in (0, 5**20, 7**20)
    )
    for a, b in ((plain, one), (one, two)):
        for left, right in zip((*a.by_word, a.by_token), (*b.by_word, b.by_token), strict=True):
            assert ((left == 0) == (right == 0)).all()
            assert not set(left[left != 0].tolist()) & set(right[right != 0].tolist())
