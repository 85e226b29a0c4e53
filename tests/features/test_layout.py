"""Attributes of places against plain Python; the layouts of real notes by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from lacuna.features.layout import place_values
from lacuna.features.resources import LEXICAL
from lacuna.features.templates import TOKEN_ATTRIBUTES
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize
from tests.features.reference import Value, assert_same, lower, table_of, token_values
from tests.features.strategies import ANCHORS, corpora

NAMES = [name for name in TOKEN_ATTRIBUTES if "." not in name and name not in LEXICAL]


@given(corpora)
def test_every_attribute_is_that_of_plain_python(documents: list[Document]) -> None:
    every = [*documents, *ANCHORS]
    values = place_values(table_of(every), NAMES)
    for a, name in enumerate(NAMES):
        assert_same([v for d in every for v in token_values(name, d)], values[a])


@given(corpora)
def test_documents_do_not_look_at_each_other(documents: list[Document]) -> None:
    alone = [place_values(table_of([document]), NAMES) for document in documents]
    together = place_values(table_of(documents), NAMES)
    assert together.tolist() == np.concatenate([together[:, :0], *alone], axis=1).tolist()


def by_word(name: str, text: str) -> dict[str, Value]:
    """Return the value of each word of `text`, after comparing it with the kernel's."""
    document = Document("note", text)
    values = token_values(name, document)
    assert_same(values, place_values(table_of([document]), [name])[0])
    return dict(zip(tokenize(text).words(text), values, strict=True))


NOTE = """\
VALE CLINIC

Patient: Wallace, Ann   Unit No: ED80\tSex: F
Date of birth: 3/4
HPI: Seen at 9:30
by Dr. Bo: well.
Social History
Lives alone.
Datos del paciente.
\tNombre:  Eva
Uses a cane. Often
one two three four five six seven eight nine: ten
* Aspirin
"""


@pytest.mark.parametrize(
    ("word", "header"),
    [
        ("VALE", None),
        ("Patient", None),
        ("Wallace", "patient"),
        ("Unit", "patient"),  # until another field has its colon
        ("ED", "unit no"),
        ("F", "sex"),
        ("3", "date of birth"),
        ("9", "hpi"),
        ("30", "hpi"),  # 9:30 is no header
        ("well", "by dr bo"),  # signs are no words
        ("Eva", "nombre"),
        ("ten", None),  # nine words
        ("Aspirin", None),
    ],
)
def test_headers_by_hand(word: str, header: str | None) -> None:
    assert by_word("header", NOTE)[word] == (tuple(header.split()) if header else None)


@pytest.mark.parametrize(
    ("word", "section"),
    [
        ("VALE", None),
        ("Patient", "vale clinic"),
        ("Wallace", "patient"),
        ("ED", "patient"),  # later fields make no section
        ("birth", "patient"),
        ("HPI", "date of birth"),
        ("Seen", "hpi"),
        ("well", "hpi"),  # "by" is lower case
        ("Lives", "social history"),
        ("Datos", "lives alone"),  # a short sentence looks like a title
        ("Nombre", "datos del paciente"),
        ("Uses", "nombre"),
        ("one", "nombre"),  # there is text after the full stop of the previous line
        ("Aspirin", "nombre"),
    ],
)
def test_sections_by_hand(word: str, section: str | None) -> None:
    assert by_word("section", NOTE)[word] == (tuple(section.split()) if section else None)


def test_rows_by_hand() -> None:
    rows = by_word("row", NOTE)
    assert rows["VALE"] is None
    assert rows["Wallace"] == lower("VALE")  # blank lines are no lines
    assert rows["birth"] == "patient"
    assert rows["Aspirin"] == "one"


def test_space_by_hand() -> None:
    space = by_word("space", "a b  c\td\ne\r\nf\n \ng,\r\n\r\nh")
    kinds = ["document", "space", "spaces", "tab", "line break", "line break", "blank line"]
    assert [space[word] for word in "abcdefg"] == kinds
    assert space[","] == "nothing"
    assert space["h"] == "blank line"


def test_place_by_hand() -> None:
    places = by_word("place", "aaaa bbbb\ncccc dddd")  # tenth = 10 · start // 19
    assert places == {"aaaa": (0, True), "bbbb": (2, False), "cccc": (5, True), "dddd": (7, False)}


def test_runs_by_hand() -> None:
    runs = by_word("run", "On (22-10-04), a@b.org: one_two 7 J.R. 98.6")
    date = ("d", "sign -", "d", "sign -", "d")
    assert [runs[word] for word in ("22", "-", "04")] == [date] * 3
    assert runs["org"] == ("x", "sign @", "x", "sign .", "x")
    assert runs["J"] == ("X", "sign .", "X")  # the stop after it does not belong to it
    assert runs["98"] == ("d", "sign .", "d")
    assert runs["7"] is None
    assert runs["("] is None


def test_letters_by_hand() -> None:
    letters = by_word("letters", "MR ROE, 3RD\nfell at home\nO2 given")
    assert letters["ROE"] == letters[","] == (True, True)
    assert letters["fell"] == letters["given"] == (False, True)
    letters = by_word("letters", "MR ROE\nMet Ann" + " at home" * 24)
    assert letters["ROE"] == (True, False)
    assert letters["Ann"] is letters["at"] is None


def test_leads_by_hand() -> None:
    note = "12 Fax 973 70, (52)\nTel.: +1-2 x\n3"
    leads = by_word("lead", note)
    assert leads["12"] is leads["3"] is None  # no word before it on its line
    assert leads["Fax"] is leads["x"] is None  # words
    assert [leads[word] for word in ("973", "70", "(", "52")] == ["fax"] * 4
    assert [leads[word] for word in ("+", "1", "2")] == ["tel"] * 3


def test_earlier_headers_by_hand() -> None:
    note = "Surname: Roe\nName: Ann Roe 12 the\nNote: the Roe girl, room 12\nAnn left"
    document = Document("note", note)
    assert by_word("earlier", note)["left"] is None  # lower case
    assert token_values("earlier", document) == [
        *[None] * 3,
        *[None, None, None, ("surname",), None, None],
        *[None, None, None, ("surname",), None, None, None, ("name",)],
        *[("name",), None],
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("12 de Junio de 2002", ["day", None, "month", None, "year"]),
        ("OCT 32 0 1899 2100", ["month", None, None, None, None]),
        ("1/2/03", ["numeric"] * 5),
        ("2003-12-31", ["numeric"] * 5),
        ("31.12.2003", ["numeric"] * 5),
        ("1/2-03", ["day", None, "day", None, "day"]),
        ("1 / 2/03", ["day", None, "day", None, "day"]),
        ("1/40/03", ["day", None, None, None, "day"]),
        ("1/2/003", ["day", None, "day", None, None]),
        ("1,2,03", ["day", None, "day", None, "day"]),
    ],
)
def test_dates_by_hand(text: str, parts: list[str | None]) -> None:
    document = Document("note", text)
    assert token_values("date", document) == parts
    assert_same(parts, place_values(table_of([document]), ["date"])[0])


def test_hashes_of_runs_and_dates_never_change() -> None:
    table = table_of([Document("note", "Born: 1-2-2003 May\nOn May")])
    values = place_values(table, ["run", "date", "earlier"])
    few = values[0, 2], values[1, 2], values[1, 7], values[2, 9]
    assert [int(value) % 10**6 for value in few] == [720275, 623299, 94747, 180513]
