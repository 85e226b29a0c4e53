"""Surfaces: what is kept in mind says the same as reading anew, and does not grow without end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid import replacing
from lacuna.deid.dates.reading import read_date
from lacuna.deid.dates.years import full_years
from lacuna.deid.generalising import generalise_age, generalise_date
from lacuna.deid.person_names import NameForm, name_form
from lacuna.deid.replacing import Surfaces

words = st.sampled_from(
    ["John Smith", "Dr. Lee", "03/04/2014", "March 3", "2014", "91", "nine years", "x" * 200, ""]
)


@given(st.lists(words, max_size=20), st.sampled_from(["en", "de_AT"]))
def test_what_is_kept_is_what_is_read(found: list[str], locale: str) -> None:
    kept = Surfaces(locale)
    language = locale[:2]
    for surface in found:
        assert kept.name(surface) == name_form(surface)
        assert kept.age(surface) == generalise_age(surface)
        for month_first in (False, True):
            reading = read_date(surface, language=language, month_first=month_first)
            date = kept.date(surface, month_first)
            assert (None if date is None else date.reading) == reading
            if reading is not None and date is not None:
                assert date.years == tuple(full_years(reading))
                assert date.generalised == generalise_date(reading)


def test_few_are_kept_and_none_that_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(name: str) -> NameForm:
        asked.append(name)
        return name_form(name)

    monkeypatch.setattr(replacing, "RECENT", 2)
    monkeypatch.setattr(replacing, "name_form", ask)
    kept = Surfaces("en")
    for name in ("Ann", "Ann", "Bo", "Cy", "Ann", "x" * 500, "x" * 500):
        kept.name(name)
    assert asked == ["Ann", "Bo", "Cy", "Ann", "x" * 500, "x" * 500]
    assert "Ann" not in repr(kept)
