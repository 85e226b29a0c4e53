"""docs/policies.md says what the policies do, label by label."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lacuna.deid.actions import ACTIONS
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind, known_categories
from lacuna.deid.policy import load_policy, policies
from lacuna.deid.redact import Redactor
from lacuna.text.document import Document

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text("utf-8")
COLUMNS = re.findall("`([a-z-]+)`", PAGE[PAGE.index("| identifier | labels |") :].splitlines()[0])
FOUND = [
    ("Mr. John Smith", "PATIENT"),
    ("93", "AGE"),
    ("12 Main Street", "STREET"),
    ("Boston", "CITY"),
    ("MA", "STATE"),
    ("02139", "ZIP"),
    ("Jones", "DOCTOR"),
    ("March 14th, 2014", "DATE"),
    ("4/2", "DATE"),
    ("Smith", "PATIENT"),
    ("617-555-0134", "PHONE"),
    ("jsmith@mgh.org", "EMAIL"),
    ("44-71-20", "MEDICALRECORD"),
]


def actions(label: str) -> list[str]:
    chosen = (load_policy(name).action(label) for name in COLUMNS)
    return [next(n for n, record in ACTIONS.items() if type(a) is record) for a in chosen]


@pytest.mark.parametrize("label", known_categories())
def test_the_page_lists_every_label_as_it_is(label: str) -> None:
    kind = load_policy("mask").kind(label)
    row = f"| `{label}` | {kind} | {' | '.join(actions(label))} |"
    assert row in PAGE


def test_the_table_of_hipaa_is_as_the_policies_are() -> None:
    table = PAGE[PAGE.index("## HIPAA") : PAGE.index("## Label by label")]
    rows = [
        line.strip("|").split("|") for line in table.splitlines() if re.match(r"\| [A-R] \|", line)
    ]
    assert [row[0].strip() for row in rows] == list("ABBCC" + "DEFGHIJKLMNOPQR")
    seen = set()
    for row in rows:
        for label in re.findall("`([A-Z-]+)`", row[2]):
            seen.add(label)
            written = [re.split("[:; ]", cell.strip())[0] for cell in row[3:6]]
            assert written == actions(label), label
    labels = {label for label in known_categories() if "_" not in label}
    foreign = {"CALLE", "TERRITORIO", "PAIS", "INSTITUCION", "FECHAS", "PROFESION"}
    assert seen == labels - foreign - {"STATE", "COUNTRY"}


def test_the_tables_have_a_column_for_each_policy() -> None:
    assert sorted(COLUMNS) == list(policies())


def test_the_page_names_all_kinds_and_actions() -> None:
    assert ", ".join(IdentifierKind) in PAGE.replace("\n", " ")
    assert all(f"| `{action}` |" in PAGE for action in ACTIONS)


@pytest.mark.parametrize("name", policies())
def test_the_example_is_what_comes_out(name: str) -> None:
    start = PAGE.index("```\n") + 4
    note = PAGE[start : PAGE.index("```", start)]
    found, place = [], 0
    for surface, label in FOUND:
        place = note.index(surface, place)
        found.append(Finding(place, place + len(surface), label, Origin.MODEL))
        place += len(surface)
    new = Redactor(load_policy(name), Key(bytes(32))).redact(Document("note", note), found)
    if name == "research":  # depends on the version of Faker
        shown = PAGE[PAGE.index("`research` (names") :].split("```\n")[1]
        pattern = re.sub(r"\\?[A-Za-z]{4,}", r"\\w+", re.escape(shown))
        assert re.fullmatch(pattern, new.document.text)
    else:
        assert f"```\n{new.document.text}```" in PAGE
