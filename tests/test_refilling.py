"""Notes of the corpus with other identifiers: what stays, what goes together, what is random."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest

from lacuna.text.document import Document, Mention

RECIPE = Path(__file__).parent.parent / "recipes" / "en_clinical"
sys.path.append(str(RECIPE))
from mixture import Mixture, copies, corpus_notes, written  # noqa: E402
from notation import cased, other_age, other_code, other_date  # noqa: E402
from refilling import Slots, refilled, unchanged  # noqa: E402
from values import Values  # noqa: E402

NOTE = """\
⟦HOSPITAL|Larkfield Cottage Hospital⟧   ⟦DATE|03/04/2021⟧
Mrs ⟦PATIENT|Margaret Birtwhistle⟧, ⟦AGE|71⟧, hosp no ⟦MEDICALRECORD|LC-0042-17⟧,
of ⟦STREET|14 Quarry Road⟧, ⟦CITY|Thrapston⟧. Her son ⟦NAME|Desmond⟧ (⟦NAME|D. Birtwhistle⟧)
rang ⟦PHONE|01832 555 0147⟧ on ⟦DATE|Tuesday⟧. ⟦PATIENT|MARGARET⟧ was a
⟦PROFESSION|lollipop lady⟧. Seen ⟦DATE|14-Mar-21⟧ by ⟦DOCTOR|M. Oduya⟧, ⟦DOCTOR|oduya⟧.
Spells it ⟦PATIENT|B-I-R-T-W-H-I-S-T-L-E⟧; mail ⟦EMAIL|m.birtwhistle@lanternmail.com⟧.
"""


def read(marked: str) -> Document:
    text, mentions = "", []
    for piece in re.split(r"(⟦[^⟧]*⟧)", marked):
        if piece.startswith("⟦"):
            label, _, surface = piece[1:-1].partition("|")
            mentions.append(Mention.of(label, (len(text), len(text) + len(surface))))
            text += surface
        else:
            text += piece
    return Document("note", text, tuple(mentions))


@pytest.fixture(scope="module")
def values() -> Values:
    notes = [read(NOTE), *corpus_notes(Mixture(families=3))]
    return Values.of(
        notes, dict.fromkeys(["cottage", "hospital", "road", "baker", "bell", "banks"], 100)
    )


def filled(values: Values, seed: int, marked: str = NOTE) -> list[tuple[str, str]]:
    """Return label and text of the slots after refilling."""
    pieces = refilled(read(marked), values, Random(seed))
    return [(piece.label, piece.text) for piece in pieces if piece.label]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_outside_the_marks_stays_and_marks_cover_the_new_values(
    values: Values, seed: int
) -> None:
    note = read(NOTE)
    pieces = refilled(note, values, Random(seed))
    plain = [piece.text for piece in pieces if not piece.label]
    assert "⟦⟧".join(plain) == re.sub("⟦[^⟧]*⟧", "⟦⟧", NOTE).removeprefix("⟦⟧")
    new = written("new", pieces, "note")
    assert [m.surface(new.text) for m in new.mentions] == [p.text for p in pieces if p.label]
    assert [m.label for m in new.mentions] == [
        {"NAME": "PATIENT"}.get(m.label, m.label) for m in note.mentions
    ]
    assert written("same", unchanged(note), "note").text == note.text


def test_the_seed_decides(values: Values) -> None:
    assert filled(values, 3) == filled(values, 3)
    assert len({tuple(filled(values, seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize("seed", range(20))
def test_names_of_a_person_go_together(values: Values, seed: int) -> None:
    found = [t for label, t in filled(values, seed) if label in ("PATIENT", "NAME", "DOCTOR")]
    patient, son, short, again, doctor, small, spelt = found
    assert short[0] == son[0]
    family = short.removeprefix(f"{son[0]}. ")
    assert patient.endswith(f" {family}")
    assert again == patient.removesuffix(f" {family}").upper()
    assert small == doctor[3:].lower()
    assert spelt == "-".join(letter for letter in family.upper() if letter.isalpha())


@pytest.mark.parametrize("seed", range(20))
def test_notation_stays(values: Values, seed: int) -> None:
    found = dict(filled(values, seed))
    dates = [text for label, text in filled(values, seed) if label == "DATE"]
    assert re.fullmatch(r"\d\d/\d\d/\d{4}", dates[0])
    assert dates[1].endswith("day")
    assert re.fullmatch(r"\d\d-[A-Z][a-z]{2}-\d\d", dates[2])
    assert re.fullmatch(r"[A-Z]{2}-0\d{3}-\d\d", found["MEDICALRECORD"])
    assert re.fullmatch(r"0\d{4} \d{3} \d{4}", found["PHONE"])
    assert re.fullmatch(r"\d\d \S+ Road", found["STREET"])
    assert 18 <= int(found["AGE"]) <= 99


def test_equal_surfaces_get_equal_values(values: Values) -> None:
    marked = "⟦CITY|Hove⟧ ⟦CITY|Hove⟧ ⟦IDNUM|A-1⟧ ⟦IDNUM|A-1⟧ ⟦DATE|3/4⟧ ⟦DATE|3/4⟧ ⟦CITY|HOVE⟧"
    for seed in range(10):
        texts = [text for _, text in filled(values, seed, marked)]
        assert texts[0] == texts[1]
        assert texts[2] == texts[3]
        assert texts[4] == texts[5]
        assert texts[6] == texts[0].upper()


@pytest.mark.parametrize(
    ("surface", "form"),
    [
        ("3.4.51", r"\d{1,2}\.\d{1,2}\.\d\d"),
        ("2021-03-14", r"\d{4}-\d\d-\d\d"),
        ("20210314", r"(19|20)\d{6}"),
        ("3rd of May", r"(\d{1,2}(st|nd|rd|th)) of [A-Z][a-z]+"),
        ("june third ninety one", r"[a-z]+ [a-z]+ [a-z]+ [a-z]+"),
        ("14/iv/98", r"\d\d/[ivx]+/\d\d"),
        ("Mon 4th", r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2}(st|nd|rd|th)"),
    ],
)
def test_dates_keep_notation_and_order(surface: str, form: str) -> None:
    for seed in range(30):
        new = other_date(surface, Random(seed))
        assert re.fullmatch(form, new), new
    assert len({other_date(surface, Random(seed)) for seed in range(30)}) > 5


def test_codes_ages_and_letters() -> None:
    rng = Random(1)
    assert re.fullmatch(r"[A-Z]{2} 0\d-\d[a-z]", other_code("QX 07-4b", rng))
    assert re.fullmatch(r"ext \d{3}", other_code("ext 712", rng, letters=False))
    assert re.fullmatch(r"[a-z]+ [a-z]+ [a-z]+", other_code("five oh one", rng))
    assert all(1 <= int(other_age("7", rng)) <= 17 for _ in range(20))
    assert re.fullmatch("[a-z-]+", other_age("sixteen", rng))
    assert other_age("4½", rng) == "4½"
    assert re.fullmatch(r"\d0s", other_age("60s", rng))
    assert [cased("HOVE", "Bath"), cased("hove", "Bath"), cased("J", "Bath")] == [
        "BATH",
        "bath",
        "Bath",
    ]


def test_copies_of_a_note_are_one_group_and_some_are_in_other_letters(values: Values) -> None:
    note = read(NOTE)
    made = list(copies(note, Mixture(written=2, cased=1, refills=3), values, seed=5))
    assert len(made) == 2 + 2 + 3
    assert {one.group for one in made} == {"note"}
    assert len({one.id for one in made}) == len(made)
    assert made[2].text == note.text.lower()
    assert made[3].text == note.text.upper()
    assert [one.text for one in made] == [
        one.text for one in copies(note, Mixture(written=2, cased=1, refills=3), values, seed=5)
    ]


def test_models_learn_from_families_for_training_only() -> None:
    ids = {note.id.split("-")[0] for note in corpus_notes(Mixture())}
    assert not ids & {"w5", "w8", "w13", "w17", "w21", "w28"}
    assert len(ids) >= 15
    dense = corpus_notes(Mixture(sparse=0))
    assert 0 < len(dense) < len(corpus_notes(Mixture()))


def test_slots_can_be_filled_one_by_one(values: Values) -> None:
    slots = Slots(Document("n", "x"), values, Random(2))
    assert slots.fill("STATE", "a b 3") == "a b 3"  # no other has this form
    assert slots.fill("COUNTRY", "Wales") in {"Wales", *values.shared["COUNTRY"][False, False, 1]}
