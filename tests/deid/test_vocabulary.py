"""Unknown words, and documents in another language than the model's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid import vocabulary
from lacuna.deid.vocabulary import SLICE, Vocabulary, language_name, vocabulary_of, word_types
from lacuna.models.bundled import bundled_model
from lacuna.models.file import StoredModel, read_model
from lacuna.models.registry import restore
from lacuna.synthetic import Split, generate

SPANISH = """Paciente de 67 años que acude al servicio de urgencias por disnea progresiva y tos
desde hace tres semanas. En la exploración física se observan crepitantes en ambas bases y edemas en
los miembros inferiores. La radiografía de tórax muestra signos de congestión. Se inicia tratamiento
con furosemida intravenosa con mejoría rápida. Es dado de alta al quinto día en buen estado general,
con cita en consulta el lunes próximo con su médico de cabecera."""
GERMAN = """Der Patient stellte sich mit zunehmender Atemnot und Husten in der Notaufnahme vor. Die
Beschwerden bestehen seit drei Wochen. Bei der körperlichen Untersuchung fanden sich feinblasige
Rasselgeräusche über beiden Lungenfeldern sowie Unterschenkelödeme beidseits. Im Röntgenbild zeigte
sich eine Stauung. Wir begannen eine Therapie mit Furosemid intravenös, darunter besserte sich der
Zustand rasch. Die Entlassung erfolgte am fünften Tag in gutem Allgemeinzustand."""
FRENCH = """Le patient a été admis aux urgences pour une dyspnée croissante et une toux depuis trois
semaines. L'examen clinique retrouve des râles crépitants aux deux bases ainsi que des œdèmes des
membres inférieurs. La radiographie montre une surcharge vasculaire. Un traitement par furosémide
intraveineux a été commencé avec une amélioration rapide. Il est sorti au cinquième jour en bon état
général, avec un rendez-vous chez son médecin traitant."""
ENGLISH = """She came to the clinic with a cough that had started three weeks before and would not
go away. On examination there were crackles at both bases and her ankles were swollen. The film of
the chest shows that the heart is large. We began furosemide by mouth, and by the end of the week
she could walk to the shop again. She will be seen by her own doctor in a month."""
TABLE = "\n".join(
    f"{name} {value} mmol/L {flag}"
    for name, value, flag in zip(
        ("Sodium", "Potassium", "Chloride", "Bicarbonate", "Urea", "Creatinine", "Glucose") * 6,
        range(42),
        ("High", "Low", "Normal") * 14,
        strict=True,
    )
)
SHORTHAND = """68F w hx HTN, DM, CKD, CHF p/w SOB, orthopnea, PND. PE: NAD, JVP up, bibasilar
crackles, pitting edema bilat LE. CXR: pulm edema, small effusions. EKG: AFib, LVH. Labs: BNP high,
Cr stable. A/P: acute CHF exacerbation. IV Lasix BID, strict I/O, daily weights, tele, echo,
cardiology consult. Hold metformin, SSI, heparin SQ, low Na diet, PT eval. Dispo: floor. Code: full.
Dtr updated."""


@pytest.fixture(scope="module")
def bundled() -> Vocabulary:
    stored = read_model(bundled_model())
    vocabulary = vocabulary_of(stored, restore(stored))
    assert vocabulary is not None
    return vocabulary


def test_the_bundled_model_is_english(bundled: Vocabulary) -> None:
    assert bundled.language == "English"
    assert bundled.known is not None
    assert len(bundled.known) > 10_000


@pytest.mark.parametrize("text", [SPANISH, GERMAN, FRENCH], ids=["es", "de", "fr"])
def test_other_languages_are_noticed(bundled: Vocabulary, text: str) -> None:
    assert bundled.count(text).is_foreign
    assert bundled.count(text.upper()).is_foreign
    assert not bundled.count(text[:150]).is_foreign  # too few words to tell


@pytest.mark.parametrize("text", [TABLE, SHORTHAND], ids=["table", "shorthand"])
def test_english_without_sentences_is_english(bundled: Vocabulary, text: str) -> None:
    assert bundled.count(text).words >= 50
    assert not bundled.count(text).is_foreign
    assert not bundled.count(text.upper()).is_foreign


def test_english_notes_are_english(bundled: Vocabulary) -> None:
    notes = [note.text for note in generate(150, seed=31, split=Split.TEST)]
    written = Path(__file__).with_name("snippets.txt").read_text(encoding="utf-8")
    notes += re.split(r"^---.*\n", re.sub("[⟦⟧]", "", written), flags=re.MULTILINE)
    counts = [bundled.count(text) for note in notes for text in (note, note.upper())]
    assert sum(one.words >= 50 for one in counts) > 200
    assert not any(one.is_foreign for one in counts)


def known(*words: str, language: str = "") -> Vocabulary:
    return Vocabulary(word_types(words), language)


def test_words_are_runs_of_two_letters_in_any_case() -> None:
    counts = known("seen", "année", "müller").count(
        "SEEN a 3x Seen-again, ANNÉE Mu\u0308ller 東京 ok2"
    )
    # seen, Seen, again, ANNÉE, Müller (decomposed, so another word), 東京, ok
    assert (counts.words, counts.unknown) == (7, 4)
    assert known().count("") == (0, 0, False, "")


def test_a_long_text_is_counted_in_slices() -> None:
    text = "seen here " * (SLICE // 5)
    counts = known("seen").count(text)
    assert abs(counts.words - SLICE // 5 * 2) <= 4  # a word at the border may be cut
    assert counts.unknown is not None
    assert abs(counts.unknown - SLICE // 5) <= 4


@given(st.lists(st.sampled_from([SPANISH, GERMAN, TABLE, SHORTHAND, "", "seen here"])))
def test_texts_together_are_counted_as_each_alone(bundled: Vocabulary, texts: list[str]) -> None:
    for counting in (bundled, replace(bundled, counts_unknown=False)):
        assert counting.count_all(texts) == [counting.count(text) for text in texts]


def test_unknown_words_are_counted_where_they_are_needed() -> None:
    uncounted = replace(known("seen"), counts_unknown=False)
    assert uncounted.count("seen here") == (2, None, False, "")


def test_without_a_language_nothing_is_foreign() -> None:
    assert not known("seen").count(GERMAN).is_foreign
    assert known("seen", language="English").count(GERMAN).is_foreign


def test_the_other_language_is_named_if_we_know_it(bundled: Vocabulary) -> None:
    assert [bundled.count(text).looks for text in (SPANISH, GERMAN, SHORTHAND)] == [
        "Spanish",
        "",
        "",
    ]


@pytest.mark.parametrize("letters", [str.lower, str.upper])
def test_without_words_another_language_must_be_recognised(letters: Callable[[str], str]) -> None:
    spanish = Vocabulary(None, "Spanish", counts_unknown=False)
    texts = [letters(text) for text in (SPANISH, GERMAN, TABLE, ENGLISH)]
    counts = spanish.count_all(texts)
    assert [one.is_foreign for one in counts] == [False, False, False, True]
    assert counts[-1].looks == "English"
    assert counts[-1].unknown is None
    assert counts == [spanish.count(text) for text in texts]


def test_lists_of_function_words_share_none() -> None:
    english, spanish = (set(words.split()) for words in vocabulary._FUNCTION_WORDS.values())
    assert not english & spanish


@pytest.mark.parametrize(("header", "name"), [({"language": "en"}, "English"), ({}, "")])
def test_the_language_is_in_the_header(header: dict[str, object], name: str) -> None:
    assert language_name(StoredModel("crf", header, {"weights": np.zeros(1)})) == name
    assert language_name(StoredModel("crf", {"language": ["en"]}, {})) == ""
