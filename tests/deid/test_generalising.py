"""Saying less, and saying nothing where it is not sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.dates.reading import read_date
from lacuna.deid.generalising import generalise_age, generalise_date, generalise_zip


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("03/14/2014", "2014"),
        ("March 14th, 2014 10:30", "2014"),
        ("3/14/98", "'98"),
        ("March 2014", "2014"),
        ("20140314", "2014"),
        ("12/28/2013 - 1/3/2014", "2013-2014"),
        ("March 14-20, 2014", "2014"),
        ("3/14", None),
        ("Monday", None),
        ("Christmas 2014", None),
    ],
)
def test_of_dates_the_year_stays(surface: str, expected: str | None) -> None:
    assert generalise_date(read_date(surface)) == expected


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("89", "89"),
        ("90", "90+"),
        ("93", "90+"),
        ("104 years old", "90+ years old"),
        ("93-year-old", "90+-year-old"),
        ("91yo F", "90+yo F"),
        ("88-91", "88-90+"),
        ("90s", "90+"),
        ("90's", "90+"),
        ("early 40s", "early 40s"),
        ("96 months", "96 months"),
        ("ninety-three", "90+"),
        ("ninety", "90+"),
        ("Forty-five", "Forty-five"),
        ("nonagenarian", None),
        ("93 Smith", None),
        ("hundred", None),
        ("", None),
        ("٩٣", None),
    ],
)
def test_ages_above_89_become_90_plus(surface: str, expected: str | None) -> None:
    assert generalise_age(surface) == expected


@given(st.integers(0, 200))
def test_no_number_of_years_above_89_is_ever_shown(age: int) -> None:
    assert generalise_age(f"{age} years old") == f"{age if age < 90 else '90+'} years old"


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("02139", "021"),
        ("02139-4307", "021"),
        ("03601", "000"),
        ("89301-1234", "000"),
        ("20245", "000"),
        ("0213", None),
        ("SW1A 1AA", None),
        ("021390", None),
    ],
)
def test_of_postcodes_three_digits_stay_where_many_people_live(
    surface: str, expected: str | None
) -> None:
    assert generalise_zip(surface) == expected
