"""``train``, ``evaluate``, ``convert`` and ``calibrate`` with documents reviewed in part."""

from __future__ import annotations

from pathlib import Path

import pytest

import lacuna as library
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus
from tests.models.test_reviewed_parts import halves


@pytest.fixture
def partly(tmp_path: Path) -> Path:
    path = tmp_path / "partly.jsonl"
    library.write(halves(corpus(12, seed=1)), path)
    return path


def test_training_says_what_was_not_reviewed(partly: Path, tmp_path: Path, lacuna: Lacuna) -> None:
    model = tmp_path / "m.lacuna"
    train = ("train", partly, "-o", model, "--set", "iterations=5")
    done = lacuna(*train)
    assert done.code == 0
    assert "not reviewed: " in done.err
    assert "a crf model does not learn from" in done.err
    assert "only what is wholly known" in lacuna(*train[:-2], "--model", "ppm-hmm").err
    counts = lacuna(*train, "--json", "--dev", partly).json["unreviewed"]
    assert counts["tokens"] > 100
    assert counts["mentions"] == 0
    graph = lacuna(*train, "--model", "split", "--json").json["unreviewed"]
    assert graph["sentences"] > counts["sentences"] > 0
    folds = lacuna("train", partly, "-o", model, "--folds", "2", "--set", "iterations=5", "--json")
    assert folds.json["dev_f1"] > 0.5
    adapted = lacuna("train", partly, "-o", tmp_path / "n.lacuna", "--from", model)
    assert adapted.code == 0


def test_whole_documents_have_no_such_message(tmp_path: Path, lacuna: Lacuna) -> None:
    notes, model = tmp_path / "notes.jsonl", tmp_path / "m.lacuna"
    library.write(corpus(4), notes)
    done = lacuna("train", notes, "-o", model, "--set", "iterations=2")
    assert "not reviewed" not in done.err


def test_scores_count_the_part_and_promises_refuse_it(
    partly: Path, tmp_path: Path, lacuna: Lacuna
) -> None:
    model = tmp_path / "m.lacuna"
    library.save(library.train(corpus(12, seed=1), library.Crf(iterations=20)), model)
    scores = lacuna("evaluate", model, partly, "--json").json
    assert scores["strict"]["micro"]["f1"] == 1.0
    assert scores["tokens"] < sum(len(library.tokens(d.text)) for d in corpus(12, seed=1))
    for refused in (
        ("calibrate", model, partly, "--max-missed", "0.2", "-o", tmp_path / "own.lacuna"),
        ("evaluate", "--pipeline", model, partly),
        ("score", partly, partly, "--agreement"),
    ):
        done = lacuna(*refused)
        assert (done.code, "reviewed only in part" in done.err) == (2, True)


def test_formats_that_cannot_hold_it_say_so(partly: Path, tmp_path: Path, lacuna: Lacuna) -> None:
    refused = lacuna("convert", partly, tmp_path / "brat", "--to", "brat")
    assert refused.code == 2
    assert "brat cannot hold which part was reviewed" in refused.err
    assert "--loss mentions" in refused.err
    assert (
        lacuna("convert", partly, tmp_path / "brat", "--to", "brat", "--loss", "mentions").code == 0
    )
    assert lacuna("convert", partly, tmp_path / "same.jsonl").code == 0
    assert list(library.read(tmp_path / "same.jsonl")) == list(library.read(partly))
