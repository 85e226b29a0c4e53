"""Years that show an age over 89 go, in whatever way they show it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.dates.reading import read_date
from lacuna.deid.dates.years import OldAge, full_years, is_birth, is_birth_column
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.patterns import find_patterns
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.text.document import Document

NOW = date.today().year
POLICIES = {name: load_policy(name) for name in ("safe-harbor", "research")}


def safe(text: str, policy: str = "safe-harbor") -> str:
    redactor = Redactor(POLICIES[policy], Key(bytes(32)))
    return redactor.redact(Document("d", text), find_patterns(text)).document.text


def test_the_year_of_birth_of_the_very_old_goes() -> None:
    for policy in POLICIES:
        old = safe("Mrs Edith Smith, aged 101 (born 2 June 1921).", policy)
        assert old == "Mrs Edith Smith, aged 90+ (born [DATE-1])."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"DOB 02/06/{NOW - 95}.", "DOB [DATE-1]."),
        (f"DOB 02/06/{NOW - 95 - NOW // 100 * 100 + 100:02d}.", "DOB [DATE-1]."),
        (f"DOB 02/06/{NOW - 50}.", f"DOB {NOW - 50}."),
        ("CABG in 1995, DOB 02/06/1921.", "CABG in 1995, DOB [DATE-1]."),
        ("Seen 3/14/2011, DOB 02/06/1921.", "Seen 2011, DOB [DATE-1]."),
        # an age over 89 anywhere: years of birth go, others stay
        ("Aged 92. Born 3 May 1950, seen 3/14/2020.", "Aged 90+. Born [DATE-1], seen 2020."),
        ("In her nineties. DOB: 3/5/1950, seen 3/14/20.", "In her 90+. DOB: [DATE-1], seen '20."),
        # any year shows it, not only that of birth
        ("Tonsils out in 1925. Seen 3/14/2020.", "Tonsils out in [DATE-1]. Seen 2020."),
        ("Tonsils out in 1925. Seen 3/14/1990.", "Tonsils out in 1925. Seen 1990."),
        # without a year that could be that of the note, this year counts
        (f"Tonsils in {NOW - 95}, knee in {NOW - 92}.", "Tonsils in [DATE-1], knee in [DATE-2]."),
    ],
)  # fmt: skip
def test_years_by_hand(text: str, expected: str) -> None:
    assert safe(text) == expected


def test_shifted_dates_of_birth_go_too() -> None:
    shifted = safe("Seen 3/14/2020, DOB 02/06/1921, knee in March 1925.", "research")
    assert "DOB [DATE-1], knee in " in shifted
    assert "192" in shifted  # other dates are shifted: this policy keeps ages in the text apart
    assert "[DATE" not in safe("Seen 3/14/2020, DOB 02/06/1951.", "research")
    assert "[DATE" not in safe("Seen 3/14/1998, DOB 02/06/1921.", "research")  # 77 then


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("number", ["1427", "2934"])
def test_numbers_that_are_no_years_are_hidden(policy: str, number: str) -> None:
    text = f"Room {number} was hot."
    finding = Finding(5, 9, "DATE", Origin.MODEL)
    redactor = Redactor(POLICIES[policy], Key(bytes(32)))
    assert redactor.redact(Document("d", text), [finding]).document.text == "Room [DATE-1] was hot."


@given(st.integers(1900, NOW), st.integers(1900, NOW), st.booleans())
def test_a_year_stays_only_with_an_age_up_to_89(seen: int, born: int, cued: bool) -> None:
    text = f"Seen 14 March {seen}. {'Born' if cued else 'Op'} 3 May {born}."
    shown = safe(text)
    near = [] if cued else [year for year in (seen, born) if NOW - year < 90]
    latest = max(near, default=NOW)
    assert (shown.endswith(f" {born}.")) == (latest - born < 90)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("born ", True),
        ("Born in Leeds on ", True),
        ("DOB: ", True),
        ("D.O.B. ", True),
        ("d.o.b ", True),
        ("Date of birth\n", True),
        ("Birthdate (approx.) ", False),
        ("Fecha de nacimiento: ", True),
        ("geb. am ", True),
        ("b. ", True),
        ("newborn ", False),
        ("Born here. Seen ", False),
        ("born 3/4/1950, seen ", False),
        ("bob. ", False),
        ("", False),
        ("stillborn and very much later on, in the following week, ", False),
    ],
)
def test_births_are_known_by_the_word_before(before: str, expected: bool) -> None:
    assert is_birth(f"{before}1921", len(before)) is expected


def test_columns_of_births() -> None:
    births = ["dob", "DOB", "birth_date", "dateOfBirth", "fecha_nacimiento", "patient.dob"]
    assert all(map(is_birth_column, births))
    assert not any(
        map(is_birth_column, ["visit_date", "doby", "date", "seen", "fecha_internacion", "gebucht"])
    )


def test_two_digits_mean_a_year_that_has_come() -> None:
    for written in range(100):
        reading = read_date(f"03/14/{written:02d}")
        assert reading is not None
        (year,) = full_years(reading)
        assert year % 100 == written
        assert NOW - 100 < year <= NOW + 1 or 1950 <= year < 2000


def test_without_years_there_is_no_age() -> None:
    assert not OldAge((), True).shows([], is_birth=True)
