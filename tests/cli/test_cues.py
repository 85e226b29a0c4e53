"""What sub-tags have learnt, as a user asks for it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.models.examples import work_histories

SETTINGS = ("subtags.outside=16", "rare=2", "restarts=5")


@pytest.fixture
def histories(tmp_path: Path) -> Path:
    path = tmp_path / "histories.jsonl"
    write_corpus(work_histories(60), path, format="jsonl")
    return path


@pytest.fixture
def model(lacuna: Lacuna, histories: Path, tmp_path: Path) -> Path:
    path = tmp_path / "dp.lacuna"
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    assert lacuna("train", histories, "-o", path, "--model", "dp-hmm", *settings).code == 0
    return path


def test_inspect_shows_cues(lacuna: Lacuna, model: Path, histories: Path) -> None:
    shown = lacuna("inspect", model, "--corpus", histories).out
    announces, _, follows = shown.partition("what follows mentions")
    (row,) = (line for line in announces.splitlines() if line.startswith("PROFESSION"))
    assert "as 100% ×" in row
    assert "worked" in row
    assert any("until" in line for line in follows.splitlines() if line.startswith("PROFESSION"))
    told = lacuna("inspect", model, "--corpus", histories, "--json").json["cues"]
    first = told[0]
    assert (first["label"], first["side"], first["words"][0]["name"]) == (
        "PROFESSION",
        "before",
        "as",
    )
    assert first["beyond"][0]["words"][0]["name"] == "worked"


def test_inspect_draws_the_sub_tags_around_a_label(
    lacuna: Lacuna, model: Path, histories: Path, tmp_path: Path
) -> None:
    graph = tmp_path / "graph.svg"
    arguments = ("inspect", model, "--svg", graph, "--label", "PROFESSION")
    assert lacuna(*arguments, "--corpus", histories).code == 0
    words = list(Xml.fromstring(graph.read_bytes()).itertext())
    assert "dp-hmm: sub-tags around PROFESSION" in words
    assert {"as", "until", "before PROFESSION"} <= set(words)
    assert any("nurse" in word for word in words)


def test_words_that_are_not_rare_stand_in_the_file(lacuna: Lacuna, model: Path) -> None:
    run = lacuna("inspect", model, "--label", "PROFESSION")
    assert run.code == 0
    assert "train --set spell=false leaves them out" in run.err
    assert "worked" in run.out


def test_where_no_word_is_known_that_is_said(
    lacuna: Lacuna, histories: Path, tmp_path: Path
) -> None:
    graph, silent = tmp_path / "graph.svg", tmp_path / "silent.lacuna"
    settings = ("--model", "dp-hmm", "--set", "spell=false")
    assert lacuna("train", histories, "-o", silent, *settings).code == 0
    run = lacuna("inspect", silent, "--svg", graph, "--label", "PROFESSION")
    assert run.code == 0
    assert "words are not shown" in run.err
    assert "worked" not in run.out + graph.read_text()
    assert "what leads to mentions" in run.out


def test_a_label_that_is_not_there_is_an_error(lacuna: Lacuna, model: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.svg"
    run = lacuna("inspect", model, "--svg", graph, "--label", "NOPE")
    assert run.code == 2
    assert "it has PROFESSION" in run.err
    assert not graph.exists()


def test_a_model_without_sub_tags_is_an_error(
    lacuna: Lacuna, histories: Path, tmp_path: Path
) -> None:
    path = tmp_path / "trigram.lacuna"
    lacuna("train", histories, "-o", path, "--model", "trigram-hmm")
    run = lacuna("inspect", path, "--label", "PROFESSION")
    assert run.code == 2
    assert "no sub-tags" in run.err
