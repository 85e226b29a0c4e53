"""Dates: notations are kept, the days between them stay, what cannot be read is not guessed."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.dates.reading import read_date
from lacuna.deid.dates.shifting import secret_offset, shift_date
from lacuna.deid.keys import Key

#: Notations that Python's own parser reads, as an independent judge.
NOTATIONS = (
    "%m/%d/%Y",
    "%m/%d/%y",
    "%m-%d-%Y",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%B %d, %Y",
    "%b %d %Y",
    "%d %B %Y",
    "%d-%b-%y",
    "%d%b%Y",
    "%Y%m%d",
    "%m/%d/%Y %H:%M",
    "%Y-%m-%dT%H:%M:%S",
)
days = st.dates(date(1970, 1, 1), date(2048, 12, 31))
offsets = st.integers(-365, 365).filter(bool)


def shifted(surface: str, by: int, year: int = 2000, **options: object) -> str | None:
    reading = read_date(surface, **options)  # type: ignore[arg-type]
    return None if reading is None else shift_date(reading, by, assumed_year=year)


@given(days, offsets, st.sampled_from(NOTATIONS), st.booleans())
def test_dates_move_by_exactly_the_offset_and_keep_their_notation(
    day: date, offset: int, notation: str, upper: bool
) -> None:
    surface = datetime(day.year, day.month, day.day, 17, 45, 10).strftime(notation)
    surface = surface.upper() if upper else surface
    month_first = not notation.startswith("%d")
    moved = shifted(surface, offset, month_first=month_first)
    assert moved is not None
    expected = day + timedelta(offset)
    if day.month == 5:  # "May" may be whole or cut short; it is taken as whole
        notation = notation.replace("%b", "%B")
    if 1969 <= expected.year <= 2048:
        assert datetime.strptime(moved, notation).date() == expected
    assert re.sub(r"\d+", "0", re.sub("[^\\W\\d_]+", "a", moved)) == re.sub(
        r"\d+", "0", re.sub("[^\\W\\d_]+", "a", surface)
    )
    assert moved.isupper() == surface.isupper()


@given(days, days, offsets)
def test_intervals_stay(one: date, other: date, offset: int) -> None:
    first, second = (
        datetime.strptime(str(shifted(day.strftime("%B %d, %Y"), offset)), "%B %d, %Y").date()
        for day in (one, other)
    )
    assert second - first == other - one


@given(days, offsets)
def test_shifting_there_and_back_gives_the_date_again(day: date, offset: int) -> None:
    surface = f"{day:%B} {day.day}, {day.year}"
    there = shifted(surface, offset)
    assert there is not None
    assert there != surface
    assert shifted(there, -offset) == surface


@pytest.mark.parametrize(
    ("surface", "by", "expected"),
    [
        ("03/14/2014", 50, "05/03/2014"),
        ("3/14/14", 50, "5/3/14"),
        ("12/31/99", 1, "01/01/00"),
        ("March 14th, 2014", 8, "March 22nd, 2014"),
        ("MARCH 14TH", 7, "MARCH 21ST"),
        ("14 Mar", 50, "3 May"),
        ("3/14", 50, "5/3"),
        ("03/05", 30, "04/04"),
        ("March 2014", 50, "May 2014"),
        ("Mar '14", 350, "Feb '15"),
        ("03/2014", -80, "12/2013"),
        ("2014-03", 50, "2014-05"),
        ("2014", 200, "2015"),
        ("3/98", 50, "5/98"),
        ("'98", -200, "'97"),
        ("August", 31, "September"),
        ("Monday", 3, "Thursday"),
        ("Mon.", -1, "Sun."),
        ("Monday, March 14", 1, "Tuesday, March 15"),
        ("20140314", 50, "20140503"),
        ("03/14/2014 10:30 AM", 1, "03/15/2014 10:30 AM"),
        ("2014-03-14T10:30:00Z", 1, "2014-03-15T10:30:00Z"),
        # ranges
        ("03/14-03/20/2014", 50, "05/03-05/09/2014"),
        ("March 14-20, 2014", 3, "March 17-23, 2014"),
        ("March 28-31, 2014", 3, "March 31-April 3, 2014"),
        ("December 28-30, 2014", 3, "December 31, 2014-January 2, 2015"),
        ("28-30 March 2014", 3, "31 March-2 April 2014"),
        ("March 28th to 30th", 3, "March 31st to April 2nd"),
        ("from March to May 2014", 31, "from April to June 2014"),
        ("2010 - 2014", 200, "2011 - 2015"),
        # languages
        ("14 de marzo de 2014", 50, "3 de mayo de 2014"),
        ("del 12 al 14 de mayo de 2013", 1, "del 13 al 15 de mayo de 2013"),
        ("14. März 2014", 50, "3. Mai 2014"),
        ("14. Marz 2014", 2, "16. Marz 2014"),
        ("1er janvier 2014", 50, "20 février 2014"),
        ("14 aout 2014", 180, "10 fevrier 2015"),
        ("14 maart 2014", 50, "3 mei 2014"),
        ("LUNES", 1, "MARTES"),
        # where the numbers say so, the day is first
        ("29/12/2013", 2, "31/12/2013"),
        ("98/03/14", 1, "98/03/15"),
    ],
)
def test_by_hand(surface: str, by: int, expected: str) -> None:
    assert shifted(surface, by) == expected


def test_the_locale_decides_what_numbers_and_shared_words_mean() -> None:
    assert shifted("03/04/2014", 30, month_first=True) == "04/03/2014"
    assert shifted("03/04/2014", 30, month_first=False) == "03/05/2014"
    assert shifted("April 2014", 31, language="de") == "Mai 2014"
    assert shifted("April 2014", 31, language="en") == "May 2014"


def test_the_assumed_year_decides_whether_there_is_a_february_29() -> None:
    assert shifted("2/28", 1, 2013) == "3/1"
    assert shifted("2/28", 1, 2012) == "2/29"
    assert shifted("2/29", 1, 2013) == "3/1"
    assert shifted("2/28-3/1/2012", 1, 2013) == "2/29-3/2/2012"


@pytest.mark.parametrize(
    "surface",
    [
        "",
        "yesterday",
        "Christmas 2014",
        "the 1990s",
        "13/14/2014",
        "02/29/2013",
        "2013-14",
        "10:30",
        "14",
        "March 31-20, 2014",
        "0/0/2014",
        "winter of 2013",
        "٣/٤/٢٠١٤",
        "3/14/2014 Smith",
        "1/" * 100,
        "14/" * 30 + "2014",
    ],
)
def test_what_cannot_be_read_is_not_guessed(surface: str) -> None:
    assert read_date(surface) is None


def test_the_calendar_ends() -> None:
    assert shifted("12/31/2999", 1) is None
    assert shifted("01/01/1000", -1) is None


@given(st.text(max_size=30) | st.text("0123456789/-. ,MarchtyT:'", max_size=30), offsets)
def test_any_text_is_read_or_refused(text: str, offset: int) -> None:
    moved = shifted(text, offset)
    assert moved is None or isinstance(moved, str)


@given(st.binary(min_size=32, max_size=32), st.text(max_size=3), st.integers(7, 400))
def test_offsets_lie_within_bounds_are_never_zero_and_whole_weeks_on_request(
    secret: bytes, group: str, most: int
) -> None:
    unit = ("group", group)
    offset = secret_offset(Key(secret), unit, max_days=most)
    assert 1 <= abs(offset) <= most
    assert offset == secret_offset(Key(secret), unit, max_days=most)
    weeks = secret_offset(Key(secret), unit, max_days=most, weeks=True)
    assert weeks % 7 == 0
    assert 7 <= abs(weeks) <= most


def test_offsets_use_their_whole_range() -> None:
    key = Key(bytes(32))
    seen = {secret_offset(key, ("group", str(i)), max_days=7) for i in range(500)}
    assert seen == {*range(-7, 0), *range(1, 8)}
