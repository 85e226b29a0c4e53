"""Saying less, and saying nothing where it is not sure."""

from __future__ import annotations

from datetime import date

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
        ("1427", None),
        ("2934", None),
        ("1899", None),
        ("1900", "1900"),
        ("03/14/2914", None),
        ("18450314", None),
        ("1998-1427", None),
        ("3/14/30", "'30"),
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
        ("92 years 3 months", "90+ years 3 months"),
        ("92 años y 3 meses", "90+ años y 3 meses"),
        ("92 Jahre 3 Monate", "90+ Jahre 3 Monate"),
        ("92yrs 1 day", "90+yrs 1 day"),
        ("92 3 months", "90+ 3 months"),
        ("92.5 years", "90+ years"),
        ("95-month-old", "95-month-old"),
        ("2 years 11 months", "2 years 11 months"),
        ("1100 months", None),
        ("92y 3 moons", None),
        ("90-something", "90+"),
        ("in her 90s", "in her 90+"),
        ("nineties", "90+"),
        ("nonagenarian", "90+"),
        ("one hundred and two", "90+"),
        ("93 Smith", None),
        ("hundred", "90+"),
        ("93 ٩", None),
        ("", None),
        ("٩٣", None),
    ],
)
def test_ages_above_89_become_90_plus(surface: str, expected: str | None) -> None:
    assert generalise_age(surface) == expected


@given(st.integers(1000, 2999))
def test_only_1900_to_next_year_is_a_year(number: int) -> None:
    is_year = 1900 <= number <= date.today().year + 1
    assert generalise_date(read_date(str(number))) == (str(number) if is_year else None)


@given(
    st.integers(91, 130),
    st.sampled_from(["years", "yrs", "años", "Jahre", "ans", "y", "jaar"]),
    st.integers(0, 40),
    st.sampled_from(["months", "days", "meses", "Monate", "weeks", "Tage", "mois", "moons"]),
    st.sampled_from([" ", ", ", " and ", " y ", "-", ""]),
)
def test_months_beside_the_years_hide_nothing_less(
    age: int, years: str, more: int, unit: str, joint: str
) -> None:
    shown = generalise_age(f"{age} {years}{joint}{more} {unit}")
    assert shown is None or str(age) not in shown


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
