"""Rewriting: all else stays byte for byte, and offsets can be followed both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.rewriting import Replacement, offset_map, rewrite
from lacuna.errors import RedactionError
from tests.strategies import spans_in, texts


@st.composite
def rewritings(draw: st.DrawFn) -> tuple[str, list[Replacement]]:
    text = draw(texts)
    spans = draw(spans_in(len(text), 4)) if text and draw(st.booleans()) else ()
    return text, [Replacement(s, e, draw(st.text(max_size=4))) for s, e in spans]


@given(rewritings())
def test_characters_outside_stay_and_map_both_ways(case: tuple[str, list[Replacement]]) -> None:
    text, replacements = case
    new, offsets = rewrite(text, replacements), offset_map(replacements)
    replaced = {i for r in replacements for i in range(r.start, r.end)}
    kept = [i for i in range(len(text)) if i not in replaced]
    for i in kept:
        start, end = offsets.to_new(i, i + 1)
        assert (new[start:end], end - start) == (text[i], 1)
        assert offsets.to_original(start, end) == (i, i + 1)
    size = len(kept) + sum(len(r.text) for r in replacements)
    assert len(new) == size


@given(rewritings())
def test_a_part_of_what_was_replaced_maps_to_the_whole(
    case: tuple[str, list[Replacement]],
) -> None:
    text, replacements = case
    new, offsets = rewrite(text, replacements), offset_map(replacements)
    for r in replacements:
        for i in range(r.start, r.end):
            start, end = offsets.to_new(i, i + 1)
            assert new[start:end] == r.text
        start, end = offsets.to_new(r.start, r.end)
        for i in range(start, end):
            assert offsets.to_original(i, i + 1) == (r.start, r.end)
    assert offsets.to_new(0, len(text)) == (0, len(new))


def test_by_hand() -> None:
    text = "Seen by Dr. Smith on 3/14."
    replacements = [Replacement(8, 17, "[NAME-1]"), Replacement(21, 25, "")]
    new, offsets = rewrite(text, replacements), offset_map(replacements)
    assert new == "Seen by [NAME-1] on ."
    assert offsets.to_new(18, 20) == (17, 19)
    assert offsets.to_original(17, 21) == (18, 26)
    assert offsets.to_original(10, 12) == (8, 17)


@pytest.mark.parametrize("spans", [[(3, 5), (4, 6)], [(4, 5), (1, 2)], [(3, 2)], [(2, 99)]])
def test_overlaps_disorder_and_places_outside_are_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(RedactionError, match="in order and disjoint"):
        rewrite("somebody", [Replacement(s, e, "") for s, e in spans])
