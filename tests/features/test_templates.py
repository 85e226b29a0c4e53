"""The template language: families, products, printing, and errors that say where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError
from lacuna.features.templates import (
    TOKEN_ATTRIBUTES,
    WORD_ATTRIBUTES,
    Template,
    Term,
    base_name,
    parse_templates,
)

names = st.one_of(
    st.sampled_from(["word", "lower", "shape", "short", "kind", "length", "stem"]),
    st.sampled_from(["space", "header", "section", "row", "place"]),
    st.builds("{}{}".format, st.sampled_from(["prefix", "suffix"]), st.integers(1, 9)),
    st.sampled_from(["column.pos", "column.a-b.c", "meta.kind", "meta.Größe", "list.first_names"]),
    st.builds("cluster.brown.{}".format, st.integers(1, 64)),
)
terms = st.builds(Term, names, st.integers(-50, 50))
templates = st.builds(Template, st.lists(terms, min_size=1, max_size=3).map(tuple))


def printed(*lines: str) -> list[str]:
    return [str(template) for template in parse_templates(lines)]


@given(st.lists(templates, unique=True))
def test_what_is_printed_is_read_back(given_templates: list[Template]) -> None:
    assert list(parse_templates(map(str, given_templates))) == given_templates


@given(st.lists(templates))
def test_duplicates_count_once_where_they_come_first(given_templates: list[Template]) -> None:
    assert list(parse_templates(map(str, given_templates))) == list(dict.fromkeys(given_templates))


def test_families() -> None:
    assert printed("lower[-1..1]") == ["lower[-1]", "lower[0]", "lower[1]"]
    assert printed("prefix1-3[0]") == ["prefix1[0]", "prefix2[0]", "prefix3[0]"]
    assert printed("suffix2-3[0..1]") == ["suffix2[0]", "suffix2[1]", "suffix3[0]", "suffix3[1]"]
    assert printed("list.cities[0..1]") == ["list.cities[0]", "list.cities[1]"]


def test_a_line_of_several_families_is_their_product() -> None:
    assert printed("lower[0..1]  kind[0] length[-1..0]") == [
        "lower[0] kind[0] length[-1]",
        "lower[0] kind[0] length[0]",
        "lower[1] kind[0] length[-1]",
        "lower[1] kind[0] length[0]",
    ]


def test_sizes_of_cluster_paths_are_a_range() -> None:
    assert printed("cluster.my-2.9-11[0]") == [f"cluster.my-2.{size}[0]" for size in (9, 10, 11)]
    assert len(printed("cluster.brown.1-64[-1..1]")) == 3 * 64


def test_comments_and_empty_lines_are_nothing() -> None:
    assert printed("# all", "", "  ", "word[0] # this one") == ["word[0]"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("lower", "'lower' is not a term like lower[-1]"),
        ("lower[x]", "'lower[x]' is not a term like lower[-1]"),
        ("lower[0]lower[1]", "'lower[0]lower[1]' is not a term like lower[-1]"),
        ("lower[1..-1]", "'lower[1..-1]' is empty: ranges go from low to high"),
        ("prefix4-1[0]", "'prefix4-1[0]' is empty: ranges go from low to high"),
        ("lowr[0]", "unknown attribute 'lowr'; did you mean lower?"),
        ("prefix[0]", "unknown attribute 'prefix'; did you mean prefixN?"),
        ("prefixN[0]", "unknown attribute 'prefixN'; did you mean prefixN?"),
        ("sufix3[0]", "unknown attribute 'sufix3'; did you mean suffixN?"),
        ("colum.pos[0]", "unknown attribute 'colum.pos'; did you mean column.NAME?"),
        ("column.[0]", "unknown attribute 'column.'; did you mean column.NAME?"),
        ("cluster.a.65[0]", "unknown attribute 'cluster.a.65'; did you mean cluster.NAME.N?"),
        ("cluster.a.9-65[0]", "unknown attribute 'cluster.a.65'; did you mean cluster.NAME.N?"),
        ("suffix0-3[0]", "unknown attribute 'suffix0'; did you mean suffixN?"),
        ("lower[51]", "offsets reach from -50 to 50"),
        ("lower[-999999999..0]", "offsets reach from -50 to 50"),
    ],
)
def test_errors_say_where_and_what_next(line: str, reason: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_templates(["word[0]", "", f"word[0] {line}"], source="my.txt")
    assert str(error.value) == f"my.txt:3: {reason}"


def test_without_a_near_attribute_all_are_listed() -> None:
    with pytest.raises(ConfigError) as error:
        parse_templates(["qqq[0]"])
    assert all(name in str(error.value) for name in (*WORD_ATTRIBUTES, *TOKEN_ATTRIBUTES))


def test_terms_made_in_python_are_checked_too() -> None:
    with pytest.raises(ConfigError):
        Term("column.part of speech", 0)  # could not be read back


@pytest.mark.parametrize(
    ("attribute", "of_word"),
    [
        ("lower", True),
        ("prefix3", True),
        ("list.a", True),
        ("cluster.a.4", True),
        ("space", False),
        ("column.pos", False),
        ("meta.kind", False),
    ],
)
def test_what_is_of_a_word(attribute: str, of_word: bool) -> None:
    assert (base_name(attribute) in WORD_ATTRIBUTES) is of_word
    assert Template((Term(attribute, 1),)).of_word is of_word
    assert not Template((Term(attribute, 0), Term(attribute, 1))).of_word
    assert Template((Term("lower", 1), Term(attribute, 1))).of_word is of_word
