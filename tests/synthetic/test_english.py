"""The English pack: how much there is, and that the splits are apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from lacuna.errors import ConfigError
from lacuna.synthetic import Split, generate, languages
from lacuna.synthetic.language import SMALLEST_DIVIDED, Language, bodies, load_language, portion
from lacuna.synthetic.people import NameBook, name_book, without_accents
from lacuna.synthetic.scene import Piece
from lacuna.synthetic.template import Body, Choice, Mark, Slot, Text
from lacuna.synthetic.writer import compile_rules, load_pack
from tests.synthetic.test_writer import ANN, scene

#: Words that are identifiers wherever they stand; only formats (shared rules) may use them bare.
IDENTIFYING = {
    "city",
    "state",
    "state.short",
    "country",
    "profession",
    "organization",
    "last",
    "first.male",
    "first.female",
    "street.name",
    "place.other",
    "ward.name",
    "holiday",
    "domain",
    "hospital.word",
    "saint",
    "hospital.any",
    "street.any",
    "department.named",
    "phone.any",
}


@pytest.fixture(scope="module")
def english() -> Language:
    return load_language("en")


def test_there_are_hundreds_of_templates(english: Language) -> None:
    own = english.templates
    assert len({template.source for template in own}) > 1200
    assert sum(template.held_out for template in own) > 250


def test_no_template_is_in_both_splits(english: Language) -> None:
    held_out = {template.source for template in english.templates if template.held_out}
    assert not held_out & {t.source for t in english.templates if not t.held_out}
    for rule in english.rules.values():
        train, test = (set(bodies(rule, split)) for split in (Split.TRAIN, Split.TEST))
        assert train
        assert test
        assert rule.shared == bool(train & test), rule.name


def test_only_formats_names_and_skeletons_are_shared(english: Language) -> None:
    files = {r.templates[0].path for r in english.rules.values() if r.shared and not r.label}
    prose = files - {
        "en/facts.rules.txt",
        "en/fields.rules.txt",
        "en/people.rules.txt",
        "en/notes.rules.txt",
    }
    names = {r.name for r in english.rules.values() if r.templates[0].path in prose and r.shared}
    assert names == {"dr.formal", "findings.noun", "holiday.date", "meds"}


def test_half_of_the_templates_have_no_identifier(english: Language) -> None:
    labelling = {name for name, rule in english.rules.items() if rule.label}

    def identifies(body: Body) -> bool:
        for node in body:
            match node:
                case Mark(str()):
                    return True
                case Mark(_, _, inner):
                    if identifies(inner):
                        return True
                case Choice(options):
                    if any(map(identifies, options)):
                        return True
                case Slot(name):
                    role = name.split(".")[0] in english.settings.roles | {"person": None}
                    if role or name.split(".")[0] in ("date", "age") or name in labelling:
                        return True
                    if name in ("dr", "relative", "pt.name", "signature", "address", "user"):
                        return True
        return False

    plain = [t for t in english.templates if not identifies(t.body)]
    assert len(plain) > len(english.templates) / 2


def test_identifying_words_are_always_labelled(english: Language) -> None:
    def bare(body: Body) -> list[str]:
        names = []
        for node in body:
            match node:
                case Slot(name):
                    names.append(name)
                case Choice(options):
                    names += [name for option in options for name in bare(option)]
                case Mark(None, _, inner):
                    names += bare(inner)
        return names

    for rule in english.rules.values():
        if rule.label or rule.name in IDENTIFYING:
            continue
        for template in rule.templates:
            assert not set(bare(template.body)) & IDENTIFYING, f"{template.path}:{template.line}"


def test_literal_text_holds_no_dates_or_phone_numbers(english: Language) -> None:
    days = {day.lower() for day in english.settings.weekdays}

    def literals(body: Body) -> str:
        parts = []
        for node in body:
            match node:
                case Text(text):
                    parts.append(text)
                case Choice(options):
                    parts += map(literals, options)
                case Mark(None, _, inner):
                    parts.append(literals(inner))
        return " ".join(parts)

    for template in english.templates:
        words = set(literals(template.body).lower().replace(",", " ").split())
        assert not words & days, f"{template.path}:{template.line}"


@pytest.mark.parametrize(("split", "is_male"), list(product(Split, (True, False))))
def test_every_rule_can_be_written(english: Language, split: Split, is_male: bool) -> None:
    patient = replace(ANN, is_male=is_male)
    for name, part in compile_rules(english, split).items():
        for seed in range(3):
            out: list[Piece] = []
            part(scene(english, seed, patient), out)
            assert out, name


def test_values_are_partly_held_out(english: Language) -> None:
    for name, words in english.words.items():
        train, test = (set(portion(words, split)) for split in (Split.TRAIN, Split.TEST))
        assert train | test == set(portion(words, Split.ALL)) == set(words)
        assert bool(test - train) == (len(words) >= SMALLEST_DIVIDED), name
        assert train & test, name


def test_names_of_many_origins_some_never_seen_in_training(english: Language) -> None:
    def last_names(book: NameBook) -> set[str]:
        return {name for origin in book.origins for name in origin.last}

    train, test = (last_names(name_book(english, split)) for split in (Split.TRAIN, Split.TEST))
    assert len(train) > 5000
    assert len(test - train) > 500
    assert {"Smith", "Nguyen", "Kowalski", "Okafor", "Patel"} <= train | test
    assert all(name.replace(" ", "").replace("-", "").strip("'")[:1].isalpha() for name in train)


def test_accents_are_taken_off() -> None:
    assert without_accents("Müller Açaí Ñandú") == "Muller Acai Nandu"


def test_unknown_languages_are_named() -> None:
    assert languages() == ["en"]
    with pytest.raises(ConfigError, match="no synthetic notes in language 'xx'"):
        generate(1, language="xx")


def test_packs_are_read_once() -> None:
    assert load_pack("en", Split.TRAIN) is load_pack("en", Split.TRAIN)
