"""The trigram HMM and parts of speech on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus

LINES = ["The DT", "patient NN", "sleeps VBZ", ". ."], ["A DT", "nurse NN", "walks VBZ", ". ."]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conll"
    path.write_text("\n\n".join("\n".join(sentence) for sentence in LINES * 5) + "\n")
    return path


@pytest.fixture
def pos(lacuna: Lacuna, gold: Path, tmp_path: Path) -> Path:
    path = tmp_path / "pos.lacuna"
    run = lacuna("train", gold, "--task", "pos", "-o", path, "--dev", gold)
    assert run.code == 0, run.err
    assert "dev accuracy 1.0000" in run.err
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(8), path, format="jsonl")
    return path


def test_mentions_by_trigram_hmm(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.lacuna"
    train = ("train", notes, "-o", model, "--model", "trigram-hmm", "--dev", notes, "--json")
    told = lacuna(*train).json
    assert told["dev_f1"] > 0.9
    assert lacuna(*train).json["sha256"] == told["sha256"]
    assert lacuna("evaluate", model, notes, "--json").json["strict"]["micro"]["f1"] > 0.9
    assert "interpolation" in lacuna("inspect", model).out
    assert "suffixes" in lacuna("train", "--model", "trigram-hmm", "--help-config").out
    given = lacuna(*train, "--set", "interpolation=[0.2, 0.3, 0.5]").json
    assert given["sha256"] != told["sha256"]
    assert lacuna(*train, "--set", "interpolation=[0, 0, 1]").code == 2
    by_folds = ("train", notes, "-o", model, "--model", "trigram-hmm", "--folds", 2, "--json")
    assert lacuna(*by_folds).json["dev_f1"] > 0.5


def test_parts_of_speech(lacuna: Lacuna, pos: Path, gold: Path, tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_text("The nurse sleeps.\n")
    shown = lacuna("tag", pos, text, "--task", "pos")
    assert "The/DT nurse/NN sleeps/VBZ./." in shown.out
    out = tmp_path / "found.jsonl"
    assert lacuna("tag", pos, text, "-o", out).code == 0
    (found,) = read_corpus([out])
    assert found.tokens is not None
    assert found.tokens.columns["pos"] == ("DT", "NN", "VBZ", ".")
    assert "nurse NN O" in lacuna("tag", pos, text, "--to", "conll").out
    told = lacuna("evaluate", pos, gold, "--json").json
    assert {"accuracy", "known", "unknown", "tokens", "seconds"} <= set(told)
    assert (told["accuracy"], told["tokens"]) == (1.0, 40)
    assert "unknown words" in lacuna("evaluate", pos, gold, "--task", "pos").out
    assert "parts of speech" not in lacuna("inspect", pos).err
    wrong = lacuna("tag", pos, text, "--task", "ner")
    assert wrong.code == 2
    assert "for the task pos, not ner" in wrong.err


def test_pos_as_a_column(lacuna: Lacuna, pos: Path, notes: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.lacuna"
    train = ("train", notes, "-o", model, "--pos", pos, "--set", "iterations=5")
    told = lacuna(*train, "--dev", notes, "--json").json
    assert told["dev_f1"] > 0.9
    assert lacuna("evaluate", model, notes, "--json").json["strict"]["micro"]["f1"] > 0.9
    inspected = lacuna("inspect", model).out
    assert "parts of speech: settings" in inspected
    assert "column.pos[0]" in inspected
    no_columns = lacuna(*train[:-2], "--model", "trigram-hmm")
    assert no_columns.code == 2
    assert "cannot use token columns" in no_columns.err
    no_pos = lacuna("train", notes, "-o", model, "--pos", model)
    assert no_pos.code == 2
    assert "not a part-of-speech model" in no_pos.err
    adapted = lacuna("train", notes, "-o", tmp_path / "n.lacuna", "--from", model)
    assert adapted.code == 2
    assert "only a CRF of flat mentions can be adapted" in adapted.err
