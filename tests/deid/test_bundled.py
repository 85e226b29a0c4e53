"""The bundled model, with patterns as ``lacuna deid`` uses it: scores, look-alikes, its file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import lacuna
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, Recognizers, covered, token_range
from lacuna.deid.keys import Key
from lacuna.deid.patterns import find_patterns
from lacuna.deid.policy import load_policy
from lacuna.deid.promises import promises_of
from lacuna.deid.redact import Redactor
from lacuna.errors import ConfigError
from lacuna.io.label_map import bundled_categories
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import CrfModel
from lacuna.models.file import read_model
from lacuna.pipeline.detection import open_detection
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document, Mention

MOST_BYTES = 10_000_000
LEAST_RECALL, LEAST_PRECISION = 0.985, 0.95
CASES = Path(__file__).with_name("lookalikes.txt")
SNIPPETS = Path(__file__).with_name("snippets.txt")
KNOWN_FAILURE = "!"


@pytest.fixture(scope="module")
def model() -> CrfModel:
    loaded = lacuna.load(bundled_model())
    assert isinstance(loaded, CrfModel)
    return loaded


@pytest.fixture(scope="module")
def detector(model: CrfModel) -> Detector:
    return Detector(model, Recognizers(lambda document: find_patterns(document.text)))


def recall_and_precision(detector: Detector, notes: list[Document]) -> tuple[float, float]:
    units = calibration_units(detector, notes)
    identifiers = np.concatenate([unit.identifiers for unit in units]) >= DEFAULT_THRESHOLD
    others = np.concatenate([unit.others for unit in units]) >= DEFAULT_THRESHOLD
    found = np.count_nonzero(identifiers)
    return float(identifiers.mean()), found / (found + np.count_nonzero(others))


def test_finds_identifiers_in_notes_of_unseen_templates(detector: Detector) -> None:
    notes = list(generate(150, seed=123, split=Split.TEST))
    recall, precision = recall_and_precision(detector, notes)
    assert recall >= LEAST_RECALL
    assert precision >= LEAST_PRECISION


def snippets(part: str) -> list[Document]:
    """Return the hand-written notes of a part of the file."""
    content = SNIPPETS.read_text(encoding="utf-8")
    (chosen,) = re.findall(rf"^=== {part}\n(.*?)(?=^===|\Z)", content, re.DOTALL | re.MULTILINE)
    notes = map(marked, re.split(r"^--- .*\n", chosen, flags=re.MULTILINE)[1:])
    return [
        Document(f"{part}-{number}", text, tuple(Mention.of("ID", span) for span in spans))
        for number, (text, spans) in enumerate(notes)
    ]


@pytest.mark.parametrize(
    ("part", "least_recall", "least_precision"), [("read", 0.95, 0.94), ("unread", 0.92, 0.89)]
)
def test_hand_written_notes(
    part: str, least_recall: float, least_precision: float, detector: Detector
) -> None:
    notes = snippets(part)
    assert len(notes) == 30
    recall, precision = recall_and_precision(detector, notes)
    assert recall >= least_recall
    assert precision >= least_precision


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("file C:\\notes\\John_Smith_1234567.doc", ["John", "Smith", "1234567"]),
        ("Dr. Jo\u200bhn Smi\u200bth saw him.", ["Jo", "hn", "Smi", "th"]),
        ("Patient Smi\u00adth seen.", ["Smi", "th"]),
        ("SSN 123\u201145\u20116789 on file", ["123", "45", "6789"]),
        ("call 617\u00a0555\u200b0134 today", ["617", "555", "0134"]),
        ("in IMG_20140314_1234567.jpg", ["0314", "1234567"]),
    ],
)
def test_no_piece_of_an_identifier_stays_behind_unusual_characters(
    text: str, pieces: list[str], detector: Detector
) -> None:
    (detected,) = detector.detect([Document("case", text)])
    redactor = Redactor(load_policy("safe-harbor"), Key(bytes(32)))
    safe = redactor.redact(detected.document, detected.findings).document.text
    assert not [piece for piece in pieces if re.search(rf"(?<![a-z]){piece}(?![a-z])", safe)]
    assert "\u200b" not in safe


def sentences() -> list[str]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def case(line: str) -> object:
    failing = line.startswith(KNOWN_FAILURE)
    marks = [pytest.mark.xfail(reason="known failure")] if failing else []
    return pytest.param(line.removeprefix(KNOWN_FAILURE), marks=marks)


def marked(line: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its marks, and where the marked characters stand in it."""
    text, spans = "", []
    for piece in re.split("(⟦[^⟧]*⟧)", line):
        content = piece.strip("⟦⟧")
        if piece.startswith("⟦"):
            spans.append((len(text), len(text) + len(content)))
        text += content
    return text, spans


@pytest.mark.parametrize("line", list(map(case, sentences())))
def test_look_alikes(line: str, detector: Detector) -> None:
    text, spans = marked(line.replace("\\n", "\n"))
    (detected,) = detector.detect([Document("case", text)])
    (examined,) = detector.tagger.examine([Document("case", text)])
    wanted = np.zeros(len(examined.start), np.bool_)
    for start, end in spans:
        first, last = token_range(examined, start, end)
        wanted[first:last] = True
    (is_covered,) = covered([examined], [detected.findings])
    assert is_covered.tolist() == wanted.tolist()


def test_there_are_many_look_alikes_and_few_failures() -> None:
    lines = sentences()
    failing = [line for line in lines if line.startswith(KNOWN_FAILURE)]
    assert len(lines) >= 200
    assert len(failing) <= 27
    assert sum("⟦" in line for line in lines) >= 80
    assert sum("⟦" not in line for line in lines) >= 80


def test_it_makes_no_promise_and_says_how_to_get_one() -> None:
    with pytest.raises(ConfigError) as refused:
        open_detection(DetectionOptions(), max_missed=0.05, confidence=0.95)
    message = str(refused.value)
    assert "the bundled model makes no promise" in message
    assert "19 patients (59 for --confidence 0.95)" in message
    assert f"lacuna calibrate {bundled_model()} GOLD --max-missed 0.05 -o own.lacuna" in message
    assert "--model own.lacuna --max-missed 0.05 --confidence 0.95" in message
    stored = read_model(bundled_model())
    assert promises_of(stored) is None
    assert "promise" not in " ".join(stored.header["card"]["data"])


def test_the_file_is_small() -> None:
    assert bundled_model().stat().st_size <= MOST_BYTES


def test_the_card_says_what_it_learnt_from(model: CrfModel) -> None:
    assert "generated" in " ".join(model.card.data)
    assert "Apache-2.0" in model.card.licence
    assert model.card.documents >= 1000


def test_labels_are_those_of_i2b2(model: CrfModel) -> None:
    assert set(model.labels) <= set(bundled_categories("i2b2-2014"))
