"""Surrogates read naturally: over 80 pairs of texts, before and after, reviewed by eye.

The names depend on the key and the version of Faker. With other ones than those of the table, words
that are surrogates may be others, but equal words stay equal, and all else stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

import faker
import pytest

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.text.document import Document

LINES = (Path(__file__).parent / "natural.txt").read_text("utf-8").splitlines()
MADE_WITH = next(line.removeprefix("# Faker ") for line in LINES if line.startswith("# Faker "))
MARKED = re.compile(r"\{([^{}|]*)\|([A-Z-]+)\}")
LETTER = "(?:[A-Za-z]|[^\\x00-\\x7f‘’º])"  # or a mark
PIECES = re.compile(rf"['’]s\b|\d+(?:st|nd|rd|th)\b|\d+|{LETTER}+|.", re.IGNORECASE)
TAGS = {"name", "location", "date"}
ORDINAL = r"(?:\d*1\dth|(?:\d*[02-9])?(?:1st|2nd|3rd|[04-9]th))"
SEVERAL = " || "


BEFORE = [line[2:] for line in LINES if line.startswith("> ")]
AFTER = [line[2:] for line in LINES if line.startswith("< ")]
PAIRS = list(zip(BEFORE, AFTER, strict=True))
KEYS = [bytes(range(i, 32 + i)) for i in range(4)]


def redacted(marked: str, key: bytes) -> str:
    """Return the documents of a patient, written with marks, after redaction."""
    redactor = Redactor(load_policy("research"), Key(key))
    new = []
    for i, document in enumerate(marked.split(SEVERAL)):
        text, found, done = "", [], 0
        for match in MARKED.finditer(document):
            text += document[done : match.start()]
            found.append(Finding(len(text), len(text) + len(match[1]), match[2], Origin.MODEL))
            text += match[1]
            done = match.end()
        text += document[done:]
        new.append(redactor.redact(Document(str(i), text, group="g"), found).document.text)
    return SEVERAL.join(new)


def pattern(before: str, after: str) -> str:
    """Return what a text must look like, whatever the names: equal surrogates are equal."""
    kept = {word.lower() for word in PIECES.findall(MARKED.sub(r"\1", before))} | TAGS
    several = f"(?: {LETTER}+)*" if "PROFESSION" in before else ""  # words of one surrogate
    groups: dict[str, int] = {}
    parts: list[str] = []
    for piece in PIECES.findall(after):
        word = piece.lower()
        if piece[0].isdigit():
            parts.append(r"\d+" if piece.isdigit() else ORDINAL)
        elif piece in ("'s", "’s"):
            parts.append(f"{piece[0]}s?")  # Charles' instead of Kevin's
        elif word == "org":
            parts.append("(?:com|net|org)")
        elif word in kept or not re.fullmatch(f"{LETTER}+", piece):
            parts.append(re.escape(piece))
        elif several and parts[-1] == r"\ " and parts[-2].startswith("("):
            parts.pop()  # belongs to the surrogate before it
        elif word in groups:
            parts.append(rf"(?:\{groups[word]})")
        else:
            groups[word] = len(groups) + 1
            parts.append(f"({LETTER}{'+' if len(piece) > 1 else ''}{several})")
    return "(?i)" + "".join(parts)


def test_the_table_has_eighty_rows() -> None:
    assert len(PAIRS) >= 80


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[before[:40] for before in BEFORE])
def test_surrogates_read_naturally(before: str, after: str) -> None:
    for key in KEYS:
        assert re.fullmatch(pattern(before, after), redacted(before, key))
    if faker.VERSION == MADE_WITH:
        assert redacted(before, KEYS[0]) == after
