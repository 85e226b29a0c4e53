"""The bundled model, with patterns as ``lacuna deid`` uses it: scores, look-alikes, its file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lacuna
from lacuna.deid.calibrating import redacted_up_to
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, covered, token_range
from lacuna.deid.patterns import find_patterns
from lacuna.io.label_map import bundled_categories
from lacuna.models.base import Examined
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import CrfModel
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document
from lacuna.types import BoolArray

MOST_BYTES = 10_000_000
LEAST_RECALL, LEAST_PRECISION = 0.985, 0.95
CASES = Path(__file__).with_name("lookalikes.txt")
KNOWN_FAILURE = "!"


@pytest.fixture(scope="module")
def model() -> CrfModel:
    loaded = lacuna.load(bundled_model())
    assert isinstance(loaded, CrfModel)
    return loaded


@pytest.fixture(scope="module")
def detector(model: CrfModel) -> Detector:
    return Detector(model, (lambda document: find_patterns(document.text),))


def in_mentions(examined: Examined, document: Document) -> BoolArray:
    inside = np.zeros(len(examined.start), np.bool_)
    for mention in document.mentions:
        for span in mention.spans:
            first, last = token_range(examined, span.start, span.end)
            inside[first:last] = True
    return inside


def test_finds_identifiers_in_notes_of_unseen_templates(
    model: CrfModel, detector: Detector
) -> None:
    notes = list(generate(150, seed=123, split=Split.TEST))
    examined = model.examine([replace(note, mentions=()) for note in notes])
    redacted = np.concatenate([redacted_up_to(detector, e) for e in examined]) >= DEFAULT_THRESHOLD
    gold = np.concatenate([in_mentions(e, n) for e, n in zip(examined, notes, strict=True)])
    both = np.count_nonzero(redacted & gold)
    assert both / np.count_nonzero(gold) >= LEAST_RECALL
    assert both / np.count_nonzero(redacted) >= LEAST_PRECISION


def sentences() -> list[str]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def case(line: str) -> object:
    failing = line.startswith(KNOWN_FAILURE)
    marks = [pytest.mark.xfail(reason="known failure")] if failing else []
    return pytest.param(line.removeprefix(KNOWN_FAILURE), marks=marks)


def marked(line: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a sentence without its marks, and where the marked characters stand in it."""
    text, spans = "", []
    for piece in re.split("(⟦[^⟧]*⟧)", line.replace("\\n", "\n")):
        content = piece.strip("⟦⟧")
        if piece.startswith("⟦"):
            spans.append((len(text), len(text) + len(content)))
        text += content
    return text, spans


@pytest.mark.parametrize("line", list(map(case, sentences())))
def test_look_alikes(line: str, detector: Detector) -> None:
    text, spans = marked(line)
    (detected,) = detector.detect([Document("case", text)])
    (examined,) = detector.tagger.examine([Document("case", text)])
    wanted = np.zeros(len(examined.start), np.bool_)
    for start, end in spans:
        first, last = token_range(examined, start, end)
        wanted[first:last] = True
    assert covered(examined, detected.findings).tolist() == wanted.tolist()


def test_there_are_many_look_alikes_and_few_failures() -> None:
    lines = sentences()
    failing = [line for line in lines if line.startswith(KNOWN_FAILURE)]
    assert len(lines) >= 90
    assert len(failing) <= 7
    assert sum("⟦" in line for line in lines) >= 40
    assert sum("⟦" not in line for line in lines) >= 40


def test_the_file_is_small() -> None:
    assert bundled_model().stat().st_size <= MOST_BYTES


def test_the_card_says_what_it_learnt_from(model: CrfModel) -> None:
    assert "generated" in " ".join(model.card.data)
    assert "Apache-2.0" in model.card.licence
    assert model.card.documents >= 1000


def test_labels_are_those_of_i2b2(model: CrfModel) -> None:
    assert set(model.labels) <= set(bundled_categories("i2b2-2014"))
