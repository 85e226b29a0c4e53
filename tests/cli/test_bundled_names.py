"""Bundled models are named instead of paths, in every command that takes a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import lacuna as library
from lacuna.models.bundled import BUNDLED, bundled_model, bundled_models, model_path
from tests.cli.conftest import Lacuna

NOTE = "Seen by Dr. Margaret Holloway on 03/18/2024.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(NOTE, "utf-8")
    return path


def test_models_lists_every_bundled_model(lacuna: Lacuna) -> None:
    run = lacuna("models")
    assert run.code == 0
    listed = lacuna("models", "--json").json
    assert [one["name"] for one in listed] == [*bundled_models()]
    for one in listed:
        assert one["name"] in run.out
        assert Path(one["path"]).stat().st_size == one["bytes"]
        assert {"PATIENT", "PERSON"} & set(one["labels"])
        assert one["language"]
        assert one["licence"]


def test_a_name_stands_for_the_file(lacuna: Lacuna, note: Path, tmp_path: Path) -> None:
    named = lacuna("tag", BUNDLED, note, "--to", "jsonl")
    assert named.code == 0
    assert named.out == lacuna("tag", bundled_model(), note, "--to", "jsonl").out
    assert "Holloway" not in lacuna("deid", note, "-o", "-", "--model", BUNDLED).out
    digest = lacuna("inspect", BUNDLED, "--json").json["sha256"]
    assert digest == lacuna("inspect", bundled_model(), "--json").json["sha256"]
    gold = tmp_path / "gold.jsonl"
    lacuna("generate", "-n", 3, "-o", gold)
    assert lacuna("evaluate", BUNDLED, gold).code == 0
    assert lacuna("evaluate", "--pipeline", BUNDLED, gold).code == 0
    refused = lacuna("calibrate", BUNDLED, gold, "--max-missed", 0.2)
    assert "a bundled model makes no promise" in refused.err


def test_the_locale_is_the_language_of_the_model(lacuna: Lacuna, tmp_path: Path) -> None:
    path = tmp_path / "nota.txt"
    path.write_text("Ingresa el 05/04/2014.\n", "utf-8")
    deid = ("deid", path, "-o", "-", "--policy", "research", "--key", tmp_path / "k.key")
    spanish = lacuna(*deid, "--model", "es-clinical").out
    assert spanish == lacuna(*deid, "--model", "es-clinical", "--locale", "es").out
    assert spanish != lacuna(*deid, "--model", "es-clinical", "--locale", "en").out


def test_projects_take_a_name(lacuna: Lacuna, tmp_path: Path) -> None:
    assert lacuna("project", "init", tmp_path / "ward", "--model", BUNDLED).code == 0
    assert f'model = "{BUNDLED}"' in (tmp_path / "ward" / "project.toml").read_text("utf-8")
    assert lacuna("project", "status", tmp_path / "ward").code == 0


def test_any_other_name_is_a_path() -> None:
    assert model_path("./en-clinical") == Path("en-clinical")
    assert model_path("names.lacuna") == Path("names.lacuna")
    assert library.load(BUNDLED).labels == library.load(bundled_model()).labels
