"""The bundled Spanish model: messy notes, sentences with look-alikes, its file, its language."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lacuna
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, Recognizers, covered, token_range
from lacuna.deid.patterns import find_patterns
from lacuna.deid.vocabulary import language_name, vocabulary_of
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import CrfModel
from lacuna.models.file import read_model
from lacuna.text.document import Document
from tests.deid.test_bundled import marked

NOTES = Path(__file__).parents[2] / "examples" / "notes-es.txt"
MOST_BYTES = 10_000_000


@pytest.fixture(scope="module")
def model() -> CrfModel:
    loaded = lacuna.load("es-clinical")
    assert isinstance(loaded, CrfModel)
    return loaded


@pytest.fixture(scope="module")
def detector(model: CrfModel) -> Detector:
    return Detector(model, Recognizers(lambda document: find_patterns(document.text)))


def test_messy_notes(detector: Detector) -> None:
    units = calibration_units(detector, list(lacuna.read(NOTES)))
    identifiers = np.concatenate([unit.identifiers for unit in units]) >= DEFAULT_THRESHOLD
    others = np.concatenate([unit.others for unit in units]) >= DEFAULT_THRESHOLD
    found = np.count_nonzero(identifiers)
    assert identifiers.mean() >= 0.94
    assert found / (found + np.count_nonzero(others)) >= 0.9


LINES = """
Revisado por la Dra. ⟦Salgado⟧ y por ⟦Nuria Poveda⟧.
Vive en ⟦Ponferrada⟧ con su ⟦hija⟧ ⟦Clara⟧, teléfono ⟦622 410 387⟧.
NHC: ⟦5540321⟧. DNI: ⟦12345678Z⟧. Nº Col: ⟦28 28 51203⟧.
Fecha de ingreso: ⟦14 de marzo de 2014⟧. Edad: ⟦71 años⟧.
Domicilio: ⟦Avda. de Galicia 14, 3º B⟧. CP: ⟦28009⟧.
INGRESA DON ⟦EUSEBIO PALACIOS⟧ DESDE URGENCIAS.
paciente ⟦julian cordero⟧, llama su ⟦mujer⟧.
Remitido por: ⟦Aurora Gil Mesa⟧. E-mail: ⟦agil@correo.ejemplo.es⟧
Enfermedad de Crohn, signo de Murphy negativo y maniobra de Lasègue dudosa.
Tratamiento con Sintrom, Adiro 100 mg y Ventolin a demanda.
TA 130/70, FC 88 lpm, SatO2 96 %, glucemia 112 mg/dl a las 12:30.
Se coloca sonda de Foley del 16 y se retira el drenaje de Redon.
Dolor desde hace tres semanas, sin fiebre ni pérdida de peso.
Hemoglobina 11,2, leucocitos 8.400, plaquetas 250.000, pH 7,38.
"""


@pytest.mark.parametrize("line", LINES.strip().split("\n"))
def test_sentences(line: str, detector: Detector) -> None:
    text, spans = marked(line)
    (detected,) = detector.detect([Document("case", text)])
    (examined,) = detector.tagger.examine([Document("case", text)])
    wanted = np.zeros(len(examined.start), np.bool_)
    for start, end in spans:
        first, last = token_range(examined, start, end)
        wanted[first:last] = True
    (is_covered,) = covered([examined], [detected.findings])
    assert is_covered.tolist() == wanted.tolist()


def test_its_file_is_small_and_holds_no_words_of_the_corpus(model: CrfModel) -> None:
    path = bundled_model("es-clinical")
    assert path.stat().st_size <= MOST_BYTES
    assert model.is_private
    assert not model.held_words()
    assert "MEDDOCAN" in model.card.licence
    assert "CC BY 4.0" in model.card.licence
    assert {"PATIENT", "DOCTOR", "CITY", "DATE", "SEX", "RELATIVE"} <= set(model.labels)


def test_it_notices_english_text(model: CrfModel) -> None:
    stored = read_model(bundled_model("es-clinical"))
    vocabulary = vocabulary_of(stored, model)
    assert vocabulary is not None
    assert language_name(stored) == vocabulary.language == "Spanish"
    notes = [note.text for note in lacuna.read(NOTES)]
    assert not any(count.is_foreign for count in vocabulary.count_all(notes))
    english = "She was seen by the nurse and then went home with her son, who will call us. " * 4
    count = vocabulary.count(english)
    assert (count.is_foreign, count.looks) == (True, "English")


def test_surrogates_and_dates_are_spanish_without_being_asked_for() -> None:
    texts = []
    for locale in (None, "es", "en"):
        pipeline = lacuna.Deidentifier(
            model="es-clinical", policy="research", key=bytes(32), locale=locale
        )
        (safe,) = pipeline.deidentify("Ingresa el 05/04/2014.")  # 5 April, or May 4
        assert isinstance(safe, lacuna.Safe)
        texts.append(safe.text)
    assert texts[0] == texts[1] != texts[2]
