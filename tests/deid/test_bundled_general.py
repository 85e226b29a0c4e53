"""The bundled model for general English: letters and the like, sentences, its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lacuna
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, Recognizers
from lacuna.deid.patterns import find_patterns
from lacuna.deid.vocabulary import language_name
from lacuna.models.bundled import bundled_model, bundled_models
from lacuna.models.crf import CrfModel
from lacuna.models.file import read_model
from lacuna.text.document import Document
from tests.deid.test_bundled import marked

LETTERS = Path(__file__).parents[2] / "examples" / "letters.txt"
MOST_BYTES, MOST_TOGETHER = 10_000_000, 29_000_000


@pytest.fixture(scope="module")
def model() -> CrfModel:
    loaded = lacuna.load("en-general")
    assert isinstance(loaded, CrfModel)
    return loaded


@pytest.fixture(scope="module")
def detector(model: CrfModel) -> Detector:
    return Detector(model, Recognizers(lambda document: find_patterns(document.text)))


def test_letters_and_the_like(detector: Detector) -> None:
    units = calibration_units(detector, list(lacuna.read(LETTERS)))
    identifiers = np.concatenate([unit.identifiers for unit in units]) >= DEFAULT_THRESHOLD
    others = np.concatenate([unit.others for unit in units]) >= DEFAULT_THRESHOLD
    found = np.count_nonzero(identifiers)
    assert identifiers.mean() >= 0.95
    assert found / (found + np.count_nonzero(others)) >= 0.85


SENTENCES = """
Dear Mrs ⟦Applegarth⟧, I met your brother ⟦Casimir⟧ in ⟦Rotterdam⟧.
On ⟦4 June 2012⟧ the ⟦Regional Court⟧ dismissed the appeal of Mr ⟦Tomasz Wilk⟧.
Please call ⟦Sunita Rao⟧ on ⟦020 7946 0321⟧ or write to ⟦s.rao@post.example⟧.
The applicant, a ⟦Turkish⟧ national, was born in ⟦1961⟧ and lives in ⟦Izmir⟧.
regards, ⟦odette⟧
"""


@pytest.mark.parametrize("line", SENTENCES.strip().split("\n"))
def test_what_is_found_in_sentences(line: str, detector: Detector) -> None:
    text, spans = marked(line)
    (detected,) = detector.detect([Document("case", text)])
    covered = {place for f in detected.findings for place in range(f.start, f.end)}
    assert all(set(range(*span)) <= covered for span in spans)


@pytest.mark.parametrize(
    "text",
    [
        "Please remember that the side door must stay shut while the works go on.",
        "The recipe serves everybody. Chop the onions and warm the oil.",
        "Thank you for your patience. We hope that this may help.",
    ],
)
def test_nothing_is_found_in_plain_sentences(text: str, detector: Detector) -> None:
    (detected,) = detector.detect([Document("case", text)])
    assert not detected.findings


def test_its_file_is_small_and_holds_no_words_of_the_cases(model: CrfModel) -> None:
    path = bundled_model("en-general")
    assert path.stat().st_size <= MOST_BYTES
    assert model.is_private
    assert not model.held_words()
    assert "MIT" in model.card.licence
    assert language_name(read_model(path)) == "English"


def test_all_bundled_models_fit_into_a_wheel() -> None:
    assert {"en-clinical", "en-general", "es-clinical"} <= set(bundled_models())
    assert sum(path.stat().st_size for path in bundled_models().values()) <= MOST_TOGETHER
