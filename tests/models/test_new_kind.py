"""A new kind of model needs one folder and one row in the registry, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import lacuna as package
from lacuna import Mention
from lacuna.models import registry
from lacuna.models.file import write_model
from tests.cli.conftest import Lacuna, lacuna
from tests.models.examples import corpus
from tests.models.toy import TOY, Toy, ToyModel

__all__ = ["lacuna"]

TEXT = "Seen by Dr. Ana in Arden."


@pytest.fixture(autouse=True)
def _row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.KINDS, TOY.name, TOY)


@pytest.fixture
def notes(tmp_path: Path, lacuna: Lacuna) -> Path:
    path = tmp_path / "notes.jsonl"
    assert lacuna("generate", "-n", "4", "-o", path).code == 0
    return path


def test_it_trains_tags_stores_and_loads_in_python(tmp_path: Path) -> None:
    model = package.train(corpus(6), Toy())
    assert isinstance(model, ToyModel)
    word, label = next(iter(model.words.items()))
    found = model.tag(f"Call {word}.").mentions
    assert found == (Mention.of(label, (5, 5 + len(word))),)
    write_model(tmp_path / "toy.lacuna", model.store())
    again = package.load(tmp_path / "toy.lacuna")
    assert again.tag(f"Call {word}.").mentions == found
    assert again.card.documents == 6


def test_the_commands_know_it(notes: Path, tmp_path: Path, lacuna: Lacuna) -> None:
    model = tmp_path / "toy.lacuna"
    trained = lacuna("train", notes, "-o", model, "--model", "toy", "--set", "times=1", "--json")
    assert trained.code == 0
    assert trained.json["config"] == {"times": 1}
    assert (
        "times: must be at least 1"
        in lacuna("train", notes, "-o", model, "--model", "toy", "--set", "times=0").err
    )
    assert "toy" in lacuna("train", notes, "-o", model, "--model", "nonsense").err
    assert "times" in lacuna("train", "--model", "toy", "--help-config").out
    assert lacuna("tag", model, notes, "--to", "jsonl", "-o", tmp_path / "found.jsonl").code == 0
    assert lacuna("evaluate", model, notes, "--json").json["strict"]["micro"]["recall"] > 0.3
    inspected = lacuna("inspect", model)
    assert inspected.code == 0
    assert "times" in inspected.out
    assert lacuna("inspect", model, "--json").json["kind"] == "toy"
    compared = lacuna("compare", notes, notes, "--models", "toy", "--json")
    assert [row["model"] for row in compared.json["models"]] == ["toy"]
    assert lacuna("train", notes, "-o", model, "--model", "toy", "--align").code == 0
    assert lacuna("inspect", model).code == 0


def test_it_de_identifies(tmp_path: Path) -> None:
    model = package.train(corpus(6), Toy())
    assert isinstance(model, ToyModel)
    word = next(iter(model.words))
    write_model(tmp_path / "toy.lacuna", model.store())
    safe = package.deidentify(f"Call {word} now.", model=tmp_path / "toy.lacuna", policy="mask")
    assert word not in safe.document.text
    assert "now." in safe.document.text
