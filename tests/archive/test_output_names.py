"""Names of outputs: plain words and counters stay, everything else becomes a keyed hash."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.archive.options import Rename
from lacuna.archive.output_names import PLAIN_WORDS, SafeNames
from lacuna.deid.detector import Recognizers
from lacuna.deid.keys import Key

KEY = Key(bytes(32))
HASH = "[0-9a-f]{16}"


def names(rename: Rename = Rename.AUTO, key: Key = KEY) -> SafeNames:
    return SafeNames(Recognizers(lambda _: ()), key, rename)


@pytest.mark.parametrize(
    "name",
    [
        "note.txt",
        "notes/Discharge Summary-2.txt",
        "visit 3/letter_1.TXT",
        "ed.txt",
        "note0001.jsonl",
        "progress-notes.xml.txt",
        "1/note-1.txt",
        "12/report (3).txt",
    ],
)
def test_plain_names_stay(name: str) -> None:
    assert names().output(name, None, ()) == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("smith_john/b.txt", f"{HASH}/{HASH}.txt"),
        ("smith_john/note.txt", f"{HASH}/note.txt"),
        ("note-ann.txt", rf"{HASH}\.txt"),
        ("2014/note.txt", f"{HASH}/note.txt"),  # a year
        ("2014/03/02/note.txt", f"{HASH}/{HASH}/{HASH}/note.txt"),
        ("note-03-02.txt", rf"{HASH}\.txt"),  # a day
        ("note0302.txt", rf"{HASH}\.txt"),
        ("note3112.txt", rf"{HASH}\.txt"),
        ("note44712.txt", rf"{HASH}\.txt"),  # too long for a counter
        ("447/1203.txt", rf"{HASH}/{HASH}\.txt"),  # a number in pieces
        ("note.smith", HASH),
        ("note.smith.txt", rf"{HASH}\.txt"),
        ("nöte.txt", rf"{HASH}\.txt"),
        ("note²²²².txt", rf"{HASH}\.txt"),
        ("note ١٩٩٩.txt", rf"{HASH}\.txt"),
        ("../note.txt", rf"{HASH}\.txt"),
        ("report.json", rf"{HASH}\.json"),
        ("manifest.jsonl", rf"{HASH}\.jsonl"),
    ],
)
def test_other_names_are_hashed(name: str, expected: str) -> None:
    assert re.fullmatch(expected, names().output(name, None, ()))


@pytest.mark.parametrize(
    ("name", "group", "expected"),
    [
        ("12/note-3.txt", "12", rf"{HASH}/note-3\.txt"),
        ("patient-12-note-3.txt", "12", rf"{HASH}\.txt"),
        ("patient-12/note-3.txt", "patient-12", rf"{HASH}/note-3\.txt"),
        ("patient/12/note-3.txt", "patient/12", rf"{HASH}/{HASH}/note-3\.txt"),
        ("note-12.txt", "p12", r"note-12\.txt"),
    ],
)
def test_parts_that_show_the_group_are_hashed(name: str, group: str, expected: str) -> None:
    assert re.fullmatch(expected, names().output(name, group, ()))


def test_numbers_found_in_the_document_are_hashed() -> None:
    found = ["room 4471", "12"]
    assert names().id("note/4471", None, found) != "note/4471"
    assert names().id("note/12", None, found) == "note/12"


word = st.sampled_from(sorted(PLAIN_WORDS)) | st.text("abcdefgh", min_size=2, max_size=6)
number = st.integers(0, 99999).map(str)
parts = st.lists(st.lists(word | number, min_size=1, max_size=3).map("-".join), min_size=1)


@given(parts, st.sampled_from([None, "7", "12", "note 3"]))
def test_every_part_is_plain_or_hashed(path: list[str], group: str | None) -> None:
    """Nothing but plain words and counters survives; the rest is the same in the whole run."""
    old = "/".join(path)
    new = names().id(old, group, ()).split("/")
    assert len(new) == len(path)
    for before, after in zip(path, new, strict=True):
        if after == before:
            for piece in before.split("-"):
                assert piece in PLAIN_WORDS or (piece.isdigit() and len(piece) <= 4)
                assert not re.fullmatch("19..|20..", piece)
            assert group is None or f"-{group}-".replace(" ", "-") not in f"-{before}-"
        else:
            assert after == names().hashed("part", before)
    assert names(Rename.KEEP).id(old, group, ()) == old
    assert not {*names(Rename.HASH).id(old, group, ()).split("/")} & {*path}


def test_another_key_gives_other_names() -> None:
    assert names().group("4471203") != names(key=Key.random()).group("4471203")
