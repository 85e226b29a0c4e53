"""compare, pictures and tables by document as a user asks for them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from lacuna.io.output import write_corpus
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.registry import load, trainable
from lacuna.pipeline import comparing
from lacuna.pipeline.comparing import Compared
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(12), path, format="jsonl")
    return path


FEW = ("--models", "crf", "--set", "crf.iterations=15")


def test_compare_shows_one_row_for_each_model(lacuna: Lacuna, notes: Path) -> None:
    run = lacuna("compare", notes, notes, *FEW)
    assert run.code == 0, run.err
    (row,) = [line.split() for line in run.out.splitlines() if line.startswith("crf ")]
    assert row[1:4] == ["1.0000", "1.0000", "1.0000"]
    assert len(row) == 7
    assert "crf: F1 1.0000, trained in" in run.err
    told = lacuna("compare", notes, notes, *FEW, "--json").json
    assert (told["training_documents"], told["test_documents"]) == (12, 12)
    (crf,) = told["models"]
    assert crf["model"] == "crf"
    assert (crf["f1"], crf["fp"], crf["fn"]) == (1.0, 0, 0)
    assert {"training_seconds", "seconds", "tokens_per_second", "bytes"} < set(crf)


def test_compare_knows_every_model(lacuna: Lacuna, notes: Path) -> None:
    run = lacuna("compare", notes, notes, "--json")
    assert run.code == 0, run.err
    rows = run.json["models"]
    assert {row["model"] for row in rows} == set(trainable())
    scores = [row["f1"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0.7


def test_compare_takes_the_options_of_a_corpus(lacuna: Lacuna, notes: Path) -> None:
    told = lacuna("compare", notes, notes, *FEW, "--labels", "PER", "--json").json
    everything = lacuna("compare", notes, notes, *FEW, "--json").json
    assert 0 < told["models"][0]["tp"] < everything["models"][0]["tp"]


def test_compare_goes_on_after_a_failure_and_says_so(
    lacuna: Lacuna, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = comparing.compare

    def with_a_failure(*arguments: object, **options: object) -> object:
        yield Compared("broken", None, "it \x1b[31mbroke")
        yield from real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(comparing, "compare", with_a_failure)
    run = lacuna("compare", notes, notes, *FEW)
    assert run.code == 1
    lines = run.out.splitlines()
    assert lines[-2].startswith("crf ")
    assert lines[-1].startswith("broken: it \ufffd[31mbroke")
    assert "broken: failed" in run.err
    told = lacuna("compare", notes, notes, *FEW, "--json")
    assert told.code == 1
    assert [row["model"] for row in told.json["models"]] == ["crf", "broken"]


def test_compare_refuses_what_it_cannot_do(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    for arguments, said in (
        ((notes, notes, "--models", "magic"), f"known are {', '.join(trainable())}"),
        ((notes, notes, "--set", "iterations=3"), "MODEL.key=value"),
        (("-", "-"), "only once"),
        ((notes, empty), "there are no documents"),
        ((notes, tmp_path / "none.jsonl"), "none.jsonl"),
    ):
        run = lacuna("compare", *arguments)
        assert run.code == 2, arguments
        assert said in run.err


def test_pictures_and_rows_by_document(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    model, graph, chart = tmp_path / "m.lacuna", tmp_path / "graph.svg", tmp_path / "chart.svg"
    lacuna("train", notes, "-o", model, "--set", "iterations=15")
    assert lacuna("inspect", model, "--svg", graph).code == 0
    drawn = Xml.fromstring(graph.read_bytes())
    nodes = [element for element in drawn.iter() if element.get("class") == "node"]
    assert len(nodes) == 5
    assert "exp(weight)" in graph.read_text()
    run = lacuna("evaluate", model, notes, "--per-document", "--svg", chart)
    assert run.code == 0, run.err
    for name in ("d0", "d7", "mean of documents", "whole corpus"):
        assert f"\n{name} " in run.out
    assert "mean of documents" not in lacuna("evaluate", model, notes).out
    told = lacuna("evaluate", model, notes, "--per-document", "--json").json
    assert len(told["per_document"]) == 12
    assert told["document_mean"]["strict"]["f1"] == 1.0
    bars = {
        element.findtext("{http://www.w3.org/2000/svg}title")
        for element in Xml.fromstring(chart.read_bytes()).iter()
        if element.get("class") == "share"
    }
    right = {label: counts["tp"] for label, counts in told["strict"]["labels"].items()}
    assert {f"{label}: {count} right" for label, count in right.items()} <= bars
    other = tmp_path / "other.svg"
    assert lacuna("score", notes, notes, "--per-document", "--svg", other).code == 0
    assert other.read_bytes() == chart.read_bytes()
    both = lacuna("score", notes, notes, "--agreement", "--svg", other)
    assert both.code == 2


@pytest.mark.parametrize("kind", trainable())
def test_every_chain_is_drawn(lacuna: Lacuna, notes: Path, tmp_path: Path, kind: str) -> None:
    path, graph = tmp_path / "m.lacuna", tmp_path / "graph.svg"
    lacuna("train", notes, "-o", path, "--model", kind)
    run = lacuna("inspect", path, "--svg", graph)
    model = load(path)
    if not isinstance(model, ChainTagger):
        assert kind in {"shared", "split"}
        assert run.code == 2
        assert "not a chain" in run.err
        return
    assert run.code == 0
    assert len(set(model.state_names)) == model.chain().labels
    drawn = Xml.fromstring(graph.read_bytes())
    nodes = [element for element in drawn.iter() if element.get("class") == "node"]
    assert len(nodes) == model.chain().labels
    assert ("Probability that" in graph.read_text()) == kind.endswith("hmm")


def test_parts_of_speech_are_drawn(lacuna: Lacuna, tmp_path: Path) -> None:
    text, path, graph = (tmp_path / name for name in ("t.conll", "m.lacuna", "graph.svg"))
    text.write_text("The DT\ndog NN\nbarks VB\n\nA DT\ncat NN\nruns VB\n")
    lacuna("train", text, "-o", path, "--task", "pos")
    assert lacuna("inspect", path, "--svg", graph).code == 0
    words = list(Xml.fromstring(graph.read_text()).itertext())
    moves = {
        move: float(p) for move, _, p in (word.rpartition(" ") for word in words) if "→" in move
    }
    assert max(moves, key=moves.__getitem__) in {"DT → NN", "NN → VB"}
    assert "depends on the tag before" in " ".join(" ".join(words).split())


def test_two_passes_are_drawn(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    model, graph = tmp_path / "two.lacuna", tmp_path / "graph.svg"
    lacuna("train", notes, "-o", model, "--set", "two_pass=true", "--set", "iterations=5")
    assert lacuna("inspect", model, "--svg", graph, "--json").code == 0
    assert "two-pass: which tag follows which" in graph.read_text()
