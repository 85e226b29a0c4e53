"""The hand-written notes in ``corpus/``: whole, marked everywhere, and apart from one another."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from lacuna.text.document import Document, Mention

CORPUS = Path(__file__).parents[1] / "corpus"
CODE = runpy.run_path(str(CORPUS / "families.py"))
FAMILIES: list[Any] = CODE["families"]()


def test_every_file_is_a_family_of_one_split() -> None:
    assert [f.name for f in FAMILIES] == sorted(
        (path.stem for path in CORPUS.glob("w*.txt")), key=lambda name: int(name[1:])
    )
    assert {f.split for f in FAMILIES} == {"train", "dev", "test"}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_marks(family: Any) -> None:
    assert len(family.notes) >= 30
    assert list(CODE["faults"](family)) == []


def test_words_that_are_marked_only_once_are_found() -> None:
    text = "Dr Ida Vosper of Elm Ward called. vosper again, ELM WARD, Idas, Elm Ward"
    marks = (Mention.of("DOCTOR", (3, 13)), Mention.of("HOSPITAL", (17, 25)))
    assert CODE["unmarked"](Document("n", text, marks)) == {"Vosper", "Elm Ward"}


def test_no_sentence_is_in_two_notes() -> None:
    """Families were written apart: no run of twelve words is in two of them."""
    owner: dict[tuple[str, ...], str] = {}
    for family in FAMILIES:
        for note in family.notes:
            words = note.text.lower().split()
            for run in zip(*(words[k:] for k in range(12)), strict=False):
                assert owner.setdefault(run, family.name) == family.name, note.id
