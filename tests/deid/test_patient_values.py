"""Names and numbers that the user knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.deid.findings import Origin
from lacuna.deid.patient_values import Known, KnownValues, read_known
from lacuna.errors import CorpusFormatError


def found(text: str, kind: str, value: str) -> list[str]:
    findings = KnownValues({"p": (Known(kind, value),)}).finder("p").find(text)
    assert all(f.origin is Origin.KNOWN for f in findings)
    return [text[f.start : f.end] for f in findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jane Smith-Jones came", ["Jane Smith-Jones"]),
        ("SMITH-JONES, JANE M.", ["SMITH-JONES, JANE M"]),
        ("Smith-Jones, Jane", ["Smith-Jones, Jane"]),
        ("J. M. Smith Jones", ["J. M. Smith Jones"]),
        ("J.Smith-Jones", ["J.Smith-Jones"]),
        ("Mrs. Jones's leg", ["Jones"]),
        ("jane said", ["jane"]),
        ("Mary and jones", ["Mary", "jones"]),
        ("JM Jones", ["JM Jones"]),
        ("Smithson, Janet, Joneses", []),
    ],
)
@pytest.mark.parametrize(
    "name", ["Jane Mary Smith-Jones", "Smith-Jones, Jane Mary", "Mrs. Jane Mary Smith-Jones"]
)
def test_names_are_found_whole_and_by_parts(name: str, text: str, expected: list[str]) -> None:
    assert found(text, "name", name) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Li Wu", "Li, LI, li", ["Li", "LI"]),
        ("Will Rose", "Will will, the rose Rose", ["Will", "Rose"]),
        ("Jan van der Berg", "van der Valk; Berg; J. van der Berg", ["Berg", "J. van der Berg"]),
        ("Zoë Núñez", "ZOE nunez, Nu\u0301n\u0303ez", ["ZOE nunez", "Nu\u0301n\u0303ez"]),
        ("Dr. Ada Gray", "Dr. Brown; Dr. Gray", ["Gray"]),
        ("O'Brien", "O’Brien, OBrien", ["O’Brien"]),
        ("A B", "a b; A B", ["A B"]),
        ("Will Rose", "will rose", []),
        ("Li Wu", "li wu", ["li wu"]),
    ],
)
def test_rules_of_parts(name: str, text: str, expected: list[str]) -> None:
    assert found(text, "name", name) == expected


@pytest.mark.parametrize(
    ("kind", "value", "text", "expected"),
    [
        ("id", "12-34567", "no. 1234567, 12 34567, 12-34567", ["1234567", "12 34567", "12-34567"]),
        ("id", "1234567", "12345678 11234567", []),
        ("phone", "6175551234", "(617) 555-1234", ["617) 555-1234"]),
        ("address", "12 Elm Street", "lives at 12 Elm\nstreet", ["12 Elm\nstreet"]),
        ("date", "3/14/1953", "3/14/1953", ["3/14/1953"]),
        ("email", "a.b@c.org", "A.B@C.ORG", ["A.B@C.ORG"]),
    ],
)
def test_other_kinds(kind: str, value: str, text: str, expected: list[str]) -> None:
    assert found(text, kind, value) == expected


@pytest.mark.parametrize(
    ("kind", "value", "text", "expected"),
    [
        ("name", "John Smith", "Jo\u200bhn Smi\u00adth", ["Jo\u200bhn Smi\u00adth"]),
        ("name", "Smi\u00adth, John", "J. Smith", ["J. Smith"]),
        ("name", "John Smith", "/in/smith_john_2.doc", ["smith_john"]),
        ("name", "Ana Bront\u00eb-M\u00fcller", "bronte\u2011muller", ["bronte", "muller"]),
        ("record", "1234567", "rec_1234567.pdf", ["1234567"]),
        ("record", "1234567", "１２３\u200b４５６７", ["１２３\u200b４５６７"]),
        ("phone", "617-555-0134", "617\u2011555\u20110134", ["617\u2011555\u20110134"]),
        ("phone", "617-555-0134", "617 555\u200b0134", ["617 555\u200b0134"]),
    ],
)
def test_unusual_characters_hide_no_known_value(
    kind: str, value: str, text: str, expected: list[str]
) -> None:
    assert found(text, kind, value) == expected


def test_groups(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text(
        'group,kind,value\np1,name,"Smith, Jane"\np2,name,Lopez\n,doctor,Gray\n\n', "utf-8"
    )
    known = read_known(path)
    text = "Smith Lopez Gray"
    labels = {
        g: [(text[f.start : f.end], f.label) for f in known.finder(g).find(text)]
        for g in ("p1", "p2", None)
    }
    assert labels == {
        "p1": [("Smith", "PATIENT"), ("Gray", "DOCTOR")],
        "p2": [("Lopez", "PATIENT"), ("Gray", "DOCTOR")],
        None: [("Gray", "DOCTOR")],
    }
    assert "Smith" not in repr(known)


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("", 1, "first line"),
        ("kind,value\n", 1, "first line"),
        ("group,kind,value\np,name,A B\np,SECRET,A\n", 3, "kind must be one of"),
        ("group,kind,value\nSECRET,name\n", 2, "expected 3 cells, found 2"),
        ("group,kind,value\np,name,SECRET,x\n", 2, "expected 3 cells, found 4"),
        ("group,kind,value\np,name,--\n", 2, "letter or digit"),
        ('group,kind,value\np,name,"SECRET" x\n', 2, "quotation mark"),
        ('group,kind,value\np,name,"SECRET\n', 2, "quotation mark"),
    ],
)
def test_errors_say_where_and_never_quote(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = tmp_path / "known.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(CorpusFormatError, match=rf"known\.csv:{line}: .*{reason}") as caught:
        read_known(path)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
