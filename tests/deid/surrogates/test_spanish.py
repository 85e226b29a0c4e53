"""Spanish notes: dates keep their notation, names and places become Spanish ones."""

from __future__ import annotations

import re

import pytest

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.surrogates.pools import load_pools
from lacuna.text.document import Document

KEY = Key(bytes(range(32)))


def instead(policy: str, *items: tuple[str, str]) -> list[str]:
    """Return what stands in place of (label, text) pairs of one note."""
    text, findings = "", []
    for label, value in items:
        text += "- "
        findings.append(Finding(len(text), len(text) + len(value), label, Origin.KNOWN))
        text += f"{value}\n"
    redactor = Redactor(load_policy(policy), KEY, locale="es")
    return list(redactor.redact(Document("d", text), findings).instead)


DATES = [
    ("14 de marzo de 2014", r"\d{1,2} de [a-z]+ de 201[345]", "2014"),
    (
        "3 al 11 de mayo de 2021",
        r"\d{1,2}( de [a-z]+)?( de 202\d)? al \d{1,2} de [a-z]+ de 202[012]",
        "2021",
    ),
    ("3 de mayo del año 2021", r"\d{1,2} de [a-z]+ del año 202[012]", "2021"),
    ("14-mar-2014", r"\d{1,2}-[a-z]{3}-201[345]", "2014"),
    ("MARZO DE 2014", r"[A-Z]+ DE 201[345]", "2014"),
    ("30.06.1949", r"\d\d\.\d\d\.19(48|49|50)", "1949"),
]


@pytest.mark.parametrize(("written", "shifted", "year"), DATES)
def test_dates_are_shifted_in_their_notation_or_keep_the_year(
    written: str, shifted: str, year: str
) -> None:
    (moved,) = instead("research", ("DATE", written))
    assert re.fullmatch(shifted, moved)
    assert moved != written
    assert instead("safe-harbor", ("DATE", written)) == [year]


def test_numeric_dates_are_read_day_first() -> None:
    given, shown = instead("research", ("DATE", "05/04/2014"), ("DATE", "5 de abril de 2014"))
    assert re.match(r"\d+", shown)
    assert given.startswith(f"{int(shown.split()[0]):02d}/")


def test_ages_of_over_89_years() -> None:
    ages = [("AGE", "93 años"), ("AGE", "63 años"), ("AGE", "nonagenaria")]
    assert instead("safe-harbor", *ages) == ["90+ años", "63 años", "90+"]


def test_names_and_places_are_spanish() -> None:
    pools = load_pools("es")
    street, city, phone = instead(
        "research",
        ("STREET", "C/ Ramón Pelayo 42, 3º izda"),
        ("CITY", "Cuenca"),
        ("PHONE", "612 345 098"),
    )
    assert re.fullmatch(r"C/ \w+ \w+ \d\d, \dº izda", street)
    assert city in {town for towns in pools.cities.values() for town in towns}
    assert not any(name.endswith("ville") for names in pools.cities.values() for name in names)
    assert re.fullmatch(r"6\d\d \d{3} \d{3}", phone)
    assert all(len(job.split()) <= 3 for job in pools.professions)


def test_the_surrogate_of_an_identity_number_keeps_its_form() -> None:
    (number,) = instead("research", ("IDNUM", "48291033-K"))
    assert re.fullmatch(r"\d{8}-[A-Z]", number)
