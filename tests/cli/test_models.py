"""train, tag, evaluate and inspect as a user calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(20), path, format="jsonl")
    return path


@pytest.fixture
def model(lacuna: Lacuna, notes: Path, tmp_path: Path) -> Path:
    path = tmp_path / "names.lacuna"
    run = lacuna("train", notes, "-o", path, "--set", "iterations=20")
    assert run.code == 0, run.err
    assert "→" in run.err
    return path


def test_train_says_what_it_did(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    run = lacuna("train", notes, "-o", tmp_path / "m.lacuna", "--dev", notes, "--json")
    told = run.json
    assert {"model", "seconds", "tokens", "iterations", "parameters", "peak_memory_mb"} <= set(told)
    assert told["dev_f1"] == 1.0
    again = lacuna("train", notes, "-o", tmp_path / "n.lacuna", "--dev", notes, "--json").json
    assert again["sha256"] == told["sha256"]


def test_train_settings(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    listed = lacuna("train", "--help-config")
    assert listed.code == 0
    assert "l2" in listed.out
    wrong = lacuna("train", notes, "-o", tmp_path / "m.lacuna", "--set", "l22=1")
    assert wrong.code == 2
    assert "did you mean l2" in wrong.err
    assert not (tmp_path / "m.lacuna").exists()
    assert "unknown model" in lacuna("train", notes, "-o", "x", "--model", "magic").err
    assert lacuna("train", notes).code == 2


def test_train_by_folds_and_from_a_model(
    lacuna: Lacuna, notes: Path, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.lacuna"
    told = lacuna("train", notes, "-o", out, "--folds", 3, "--set", "iterations=8", "--json").json
    assert 0.5 < told["dev_f1"] <= 1
    adapted = lacuna("train", notes, "-o", out, "--from", model, "--json").json
    assert adapted["tokens"] == told["tokens"]
    both = lacuna("train", notes, "-o", out, "--folds", 3, "--from", model)
    assert both.code == 2
    assert "--folds goes neither" in both.err


def test_tag_writes_and_shows(lacuna: Lacuna, model: Path, tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_text("Seen by Dr. Ana Sato in Arden today.\n")
    shown = lacuna("tag", model, text)
    assert "Ana Sato⟨PER⟩ in Arden⟨LOC⟩" in shown.out
    out = tmp_path / "found.jsonl"
    assert lacuna("tag", model, text, "-o", out, "--probabilities").code == 0
    (found,) = read_corpus([out])
    assert [m.surface(found.text) for m in found.mentions] == ["Ana Sato", "Arden"]
    assert all(0.5 < (m.probability or 0) <= 1 for m in found.mentions)
    brat = lacuna("tag", model, text, "-o", tmp_path / "brat", "--to", "brat")
    assert brat.code == 0
    assert (tmp_path / "brat" / "note.ann").read_text().startswith("T1\tPER 12 20\tAna Sato")


def test_evaluate(lacuna: Lacuna, model: Path, notes: Path) -> None:
    told = lacuna("evaluate", model, notes, "--json").json
    assert told["strict"]["micro"]["f1"] == 1.0
    assert told["tokens_per_second"] > 0
    assert "tokens/s" in lacuna("evaluate", model, notes).err
    page = model.with_suffix(".html")
    assert lacuna("evaluate", model, notes, "--errors", page).code == 0
    assert "<h1>0 errors</h1>" in page.read_text()


def test_inspect(lacuna: Lacuna, model: Path) -> None:
    told = lacuna("inspect", model, "--json").json
    assert told["kind"] == "crf"
    assert told["labels"] == ["LOC", "PER"]
    assert len(told["sha256"]) == 64
    shown = lacuna("inspect", model)
    assert "B-PER → I-PER" in shown.out


@pytest.mark.parametrize("command", ["tag", "evaluate", "inspect"])
def test_what_is_no_model_is_refused(lacuna: Lacuna, command: str, notes: Path) -> None:
    arguments = [command, notes] if command == "inspect" else [command, notes, notes]
    run = lacuna(*arguments)
    assert run.code == 2
    assert "notes.jsonl" in run.err
    assert "Traceback" not in run.err
