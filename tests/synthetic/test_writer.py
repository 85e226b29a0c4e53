"""Compiling and writing templates, with a tiny language of our own."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from random import Random

import msgspec
import pytest

from lacuna.errors import CorpusFormatError
from lacuna.synthetic.clinic import assemble
from lacuna.synthetic.language import Language, Split, load_language
from lacuna.synthetic.people import NameBook, Names, Person
from lacuna.synthetic.scene import Memory, Piece, Scene
from lacuna.synthetic.template import FactScope, parse_rules, parse_words
from lacuna.synthetic.writer import check, compile_rules, tidy

ANN = Person("Ann", "Bea", "Lee", "Annie", is_male=False, number=7)
BOOK = NameBook((Names(("Tom",), ("Eva",), ("Roe",)),), (1.0,), {})
DAYS = {
    "today": date(2014, 3, 9),
    "admit": date(2014, 3, 4),
    "surgery": date(2014, 3, 5),
    "discharge": date(2014, 3, 9),
    "birth": date(1950, 3, 10),
}


def tiny(rules: str, words: str = "@fruit\nfig\n") -> Language:
    """Return English with other rules."""
    settings = replace_kinds(load_language("en"))
    parsed = {rule.name: rule for rule in parse_rules(rules, "tiny.rules.txt")}
    return replace(settings, rules=parsed, words=parse_words(words, "tiny.words.txt"))


def replace_kinds(language: Language) -> Language:
    return replace(language, settings=msgspec.structs.replace(language.settings, kinds={}))


def scene(language: Language, seed: int = 0, patient: Person = ANN) -> Scene:
    memories = {scope: Memory() for scope in FactScope}
    memories[FactScope.PATIENT].people["patient"] = patient
    rng = Random(seed)
    return Scene(rng, language.settings, BOOK, memories, DAYS, "{m}/{d}/{yy}", "{n}. ", ["doctor"])


def write(rules: str, *, seed: int = 0, patient: Person = ANN) -> list[Piece]:
    """Write rule ``top``."""
    language = tiny(rules)
    check(language)
    out: list[Piece] = []
    compile_rules(language, Split.ALL)["top"](scene(language, seed, patient), out)
    return out


def text(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("template", "pieces"),
    [
        ("{patient.last}, {fruit}", [("Lee", "PATIENT"), (", ", None), ("fig", None)]),
        ("{Mr.} {he}", [("Ms.", None), (" ", None), ("she", None)]),
        ("{age}", [("63", "AGE")]),
        ("{age.words}", [("sixty-three", "AGE")]),
        ("{age.decade}", [("60s", "AGE")]),
        ("{age:40-40}", [("40", "AGE")]),
        ("{date.iso:admit+30}", [("2014-04-03", "DATE")]),
        ("{date.iso:today-9}", [("2014-02-28", "DATE")]),
        ("{date.decade:birth}", [("1950s", "DATE")]),
        ("[=CITY {fruit} {patient.last}]", [("fig Lee", "CITY")]),
        ("{!fruit} {^fruit}", [("FIG", None), (" ", None), ("Fig", None)]),
        ("{number:7-7} {number:2.5-2.5} {number:05-05}", None),
        ("{patient.nick}", [("Annie", "PATIENT")]),
    ],
)
def test_slots(template: str, pieces: list[tuple[str, str]] | None) -> None:
    written = write(f"@top shared\n{template}\n")
    if pieces is None:
        assert text(written) == "7 2.5 05"
    else:
        assert [(piece.text, piece.label) for piece in written] == pieces


def test_age_is_counted_from_birthday_to_birthday() -> None:
    assert scene(tiny("@top shared\nx\n")).age == 63  # 64 on the next day


def test_codes_follow_their_pattern() -> None:
    for seed in range(50):
        code = text(write("@top shared\n{code:%#-??x}\n", seed=seed))
        assert code[0] in "123456789"
        assert code[1].isdigit()
        assert code[3:5].isalpha()
        assert code[3:5].isupper()
        assert (code[2], code[5]) == ("-", "x")


def test_a_rule_with_a_role_speaks_of_one_person() -> None:
    rules = "@top shared\n{dr:doctor}|{dr:pcp}|{dr:pcp}|{dr:patient}\n@dr shared\n{person.last}\n"
    written = [piece for piece in write(rules) if piece.text != "|"]
    assert [piece.label for piece in written] == ["DOCTOR", "DOCTOR", "DOCTOR", "PATIENT"]
    assert written[3].text == "Lee"


def test_words_agree_with_the_sex_of_patient_or_role() -> None:
    man = replace(ANN, is_male=True)
    assert text(write("@top shared\n{he} {his} {husband.spouse}\n")) == "she her husband"
    assert text(write("@top shared\n{he} {his} {husband.spouse}\n", patient=man)) == "he his wife"


def test_facts_stay_and_others_change() -> None:
    rules = "@top shared\n{id} {id} {other} {other}\n@id as IDNUM per patient shared\n{code:######}"
    first, _, second, _, third, _, fourth = write(f"{rules}\n@other shared\n{{code:######}}\n")
    assert first == second
    assert first.label == "IDNUM"
    assert third != fourth


def test_repetition_numbers_its_lines_and_does_not_repeat_sentences() -> None:
    lines = "@top shared\n{x*3-3}\n@x lines shared\n{item}a\n"
    assert text(write(lines)) == "1. a\n2. a\n3. a"
    for seed in range(20):
        prose = text(write("@top shared\n{x*3-9} {x}\n@x\na.\nb.\n~ c.\n", seed=seed)).split()
        assert sorted(prose[:3]) == ["a.", "b.", "c."]
        assert len(prose) == 4


def test_empty_alternatives_leave_no_space() -> None:
    pieces = [Piece("a "), Piece(""), Piece(". b "), Piece(" c"), Piece("D", "CITY"), Piece(" ")]
    assert tidy([*pieces, Piece("\n")]) == [Piece("a. b c"), Piece("D", "CITY"), Piece("\n")]


def test_lines_do_not_begin_with_the_space_between_empty_slots() -> None:
    assert tidy([Piece(" "), Piece("a\n"), Piece(" "), Piece("b\n"), Piece("   c")]) == [
        Piece("a\nb\n   c")
    ]


def test_a_sentence_ends_with_one_stop() -> None:
    pieces = [Piece("by "), Piece("A. B.", "DOCTOR"), Piece(". See Ph.D."), Piece(".")]
    assert text(tidy(pieces)) == "by A. B. See Ph.D."


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("works as a ", "engineer", "works as an engineer"),
        ("AN ", "mason", "AN mason"),
        ("is an ", "mason", "is a mason"),
        ("(A ", "usher", "(A usher"),
        ("a ", "union steward", "a union steward"),
        ("vitamin A ", "Adams", "vitamin A Adams"),
        ("an ", "hour", "an hour"),
        ("Ghana ", "editor", "Ghana editor"),
    ],
)
def test_articles_fit_the_slot_after_them(before: str, value: str, expected: str) -> None:
    assert text(tidy([Piece(before), Piece(value, "PROFESSION")])) == expected


def test_findings_share_parts_and_have_gaps() -> None:
    pieces = write("@top shared\n[#1,2 cut of] [#1 {fruit}] and [#2 bone]\n")
    document = assemble("d", tidy(pieces), group="g", meta={}, findings=True)
    assert document.text == "cut of fig and bone"
    found = {mention.surface(document.text) for mention in document.mentions}
    assert found == {"cut of … fig", "cut of … bone"}
    assert not assemble("d", pieces, group="g", meta={}, findings=False).mentions


def test_findings_of_two_templates_are_apart() -> None:
    rules = "@top shared\n{x*2-2}\n@x lines shared\n[#1 a] of [#1 b]\n"
    document = assemble("d", write(rules), group="g", meta={}, findings=True)
    assert [m.surface(document.text) for m in document.mentions] == ["a … b", "a … b"]


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{nothing}", "nothing can fill {nothing}"),
        ("{patient.shoe}", "nothing can fill {patient.shoe}"),
        ("{date:soon}", "nothing can fill {date:soon}"),
        ("{date.odd}", "nothing can fill {date.odd}"),
        ("{number:x}", "nothing can fill {number:x}"),
        ("{number}", "nothing can fill {number}"),
        ("{code}", "nothing can fill {code}"),
        ("{age:old}", "nothing can fill {age:old}"),
        ("{fruit:patient}", "nothing can fill {fruit:patient}"),
        ("{top:nobody}", "nothing can fill {top:nobody}"),
        ("{age*2-3}", "nothing can fill {age}"),
        ("[=TOWN x]", "unknown label TOWN"),
    ],
)
def test_what_cannot_be_filled_is_an_error_with_its_place(template: str, reason: str) -> None:
    with pytest.raises(CorpusFormatError) as caught:
        check(tiny(f"@top shared\nfine\n{template}\n"))
    assert str(caught.value) == f"tiny.rules.txt:3: {reason}"


def test_splits_take_their_own_templates() -> None:
    language = tiny("@top\nseen\n~ unseen\n")
    for split, expected in ((Split.TRAIN, {"seen"}), (Split.TEST, {"unseen"})):
        part = compile_rules(language, split)["top"]
        written: set[str] = set()
        for seed in range(10):
            out: list[Piece] = []
            part(scene(language, seed), out)
            written.add(text(out))
        assert written == expected
