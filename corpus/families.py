"""Check the corpus, and count it.

::

    python corpus/families.py

prints a row for each family, and one line for each fault: an unknown label, a mark that begins or
ends with a space, an id out of order, a word that is marked in one place of a note but not in
another. Words that are rightly unmarked elsewhere (the verb *will* beside a man called *Will*) are
listed in ``look_alikes.tsv``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lacuna
from lacuna.text.document import Document, Mention

HERE = Path(__file__).parent
PERSONS = frozenset(("PATIENT", "DOCTOR", "NAME"))
LABELS = PERSONS | frozenset(
    (
        "ACCOUNT",
        "AGE",
        "CITY",
        "COUNTRY",
        "DATE",
        "DEVICE",
        "EMAIL",
        "FAX",
        "HEALTHPLAN",
        "HOSPITAL",
        "IDNUM",
        "IP",
        "LICENSE",
        "LOCATION_OTHER",
        "MEDICALRECORD",
        "ORGANIZATION",
        "PHONE",
        "PROFESSION",
        "ROOM",
        "SSN",
        "STATE",
        "STREET",
        "URL",
        "USERNAME",
        "VEHICLE",
        "ZIP",
    )
)


@dataclass(frozen=True, slots=True)
class Family:
    """Notes of one style sheet."""

    name: str
    title: str
    split: str
    notes: tuple[Document, ...]


def families(split: str | None = None) -> list[Family]:
    """Read all families, or those of one split."""
    table = tomllib.loads((HERE / "families.toml").read_text(encoding="utf-8"))
    return [
        Family(name, row["title"], row["split"], tuple(lacuna.read(HERE / f"{name}.txt")))
        for name, row in table.items()
        if split in (None, row["split"])
    ]


def faults(family: Family) -> Iterator[str]:
    """Yield what is wrong with a family."""
    known = look_alikes()
    for number, note in enumerate(family.notes, start=1):
        if note.id != f"{family.name}-{number:02}":
            yield f"{note.id}: expected the id {family.name}-{number:02}"
        for mention in note.mentions:
            surface = mention.surface(note.text)
            if mention.label not in LABELS:
                yield f"{note.id}: unknown label {mention.label}"
            if surface != surface.strip():
                yield f"{note.id}: {mention.label} {surface!r} has a space at its border"
        for word in sorted(unmarked(note)):
            if (note.id, word) not in known:
                yield f"{note.id}: {word!r} is marked in one place and unmarked in another"


def unmarked(note: Document) -> set[str]:
    """Return identifiers, and parts of names of people, that also stand unmarked in the note."""
    rest = blanked(note)
    whole = {
        surface
        for mention in note.mentions
        if mention.label != "AGE" and len(surface := mention.surface(note.text)) > 2
    }
    parts = {
        word
        for mention in note.mentions
        if mention.label in PERSONS
        for word in re.findall(r"\w{4,}", mention.surface(note.text))
    }
    return {w for w in whole if stands(w, rest)} | {w for w in parts if stands(w, rest, re.I)}


def blanked(note: Document) -> str:
    """Return the text with a sign in place of every marked character."""
    text = [*note.text]
    for mention in note.mentions:
        for start, end in places(mention):
            text[start:end] = "\0" * (end - start)
    return "".join(text)


def places(mention: Mention) -> Iterator[tuple[int, int]]:
    """Yield the borders of the parts of a mention."""
    return ((span.start, span.end) for span in mention.spans)


def stands(word: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> bool:
    """Return whether a text contains a word or phrase as such."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags) is not None


def look_alikes() -> frozenset[tuple[str, str]]:
    """Return what is rightly marked in one place only: pairs of id and words."""
    lines = (HERE / "look_alikes.tsv").read_text(encoding="utf-8").splitlines()
    return frozenset((id_, word) for id_, word in (line.split("\t") for line in lines))


def main() -> None:
    """Print the table and the faults; exit with 1 if there are any."""
    found = 0
    print("| family | what | split | notes | words | identifiers |\n|---|---|---|---|---|---|")
    totals = [0, 0, 0]
    for family in families():
        counts = [
            len(family.notes),
            sum(len(note.text.split()) for note in family.notes),
            sum(len(note.mentions) for note in family.notes),
        ]
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        row = " | ".join(f"{n:,}" for n in counts)
        print(f"| {family.name} | {family.title} | {family.split} | {row} |")
        for fault in faults(family):
            sys.stderr.write(f"{fault}\n")
            found += 1
    print(f"| all | | | {' | '.join(f'{n:,}' for n in totals)} |")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
