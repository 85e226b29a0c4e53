"""train, tag, evaluate and inspect as a user calls them."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus
from tests.models.hypergraph.gapped_examples import GAPPED_NOTES


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
    assert "--folds cannot be combined" in both.err


def test_train_tries_penalties(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.lacuna"
    few = ("--set", "iterations=5")
    alone = lacuna("train", notes, "-o", out, "--tune")
    assert alone.code == 2
    assert "--tune needs held-out documents" in alone.err
    run = lacuna("train", notes, "-o", out, "--tune", "--dev", notes, *few, "--json")
    tried = {one["config"]["l2"]: one["f1"] for one in run.json["tried"]}
    assert list(tried) == [0.03, 0.1, 0.3, 1.0]
    assert run.json["dev_f1"] == tried[run.json["config"]["l2"]] == max(tried.values())
    assert "l2 0.3: F1 " in run.err
    told = lacuna("inspect", out, "--json").json
    assert told["config"]["l2"] == run.json["config"]["l2"]
    assert told["card"]["scores"][0]["f1"] == run.json["dev_f1"]
    folds = lacuna("train", notes, "-o", out, "--tune", "--folds", 2, *few, "--json").json
    assert [one["config"]["l2"] for one in folds["tried"]] == list(tried)
    (score,) = lacuna("inspect", out, "--json").json["card"]["scores"]
    assert score == {
        "how": "strict, by 2 folds, which chose iterations and l2",
        "f1": folds["dev_f1"],
    }


def test_train_privately(lacuna: Lacuna, notes: Path, model: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "p.lacuna", tmp_path / "q.lacuna"
    told = lacuna("train", notes, "-o", out, "--private", "--json").json
    again = lacuna("train", notes, "-o", other, "--private", "--json").json
    seeded = lacuna("train", notes, "-o", other, "--private", "--seed", 1, "--json").json
    assert told["sha256"] == again["sha256"] != seeded["sha256"]
    run = lacuna("inspect", out, "--json")
    assert (run.json["private"], run.json["words"]) == (True, 0)
    assert run.json["card"]["data"] == []
    assert "warning" not in run.err
    refused = lacuna("train", notes, "-o", other, "--private", "--from", model)
    assert refused.code == 2
    assert "only a private model" in refused.err


def test_train_with_word_lists(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    names, out = tmp_path / "towns.tsv", tmp_path / "m.lacuna"
    names.write_text("Arden\t7\nEvora\t70\n")
    run = lacuna("train", notes, "-o", out, "--set", f"word_lists.towns={names}")
    assert run.code == 0, run.err
    names.unlink()
    text = tmp_path / "note.txt"
    text.write_text("The patient lives in Arden.\n")
    assert "Arden⟨LOC⟩" in lacuna("tag", out, text).out
    told = lacuna("inspect", out, "--json").json
    assert told["config"]["word_lists"] == {"towns": "towns.tsv"}
    assert "list.towns[0]" in told["templates"]
    missing = lacuna("train", notes, "-o", out, "--set", f"word_lists.towns={names}")
    assert missing.code == 2
    assert "towns.tsv: cannot be read" in missing.err


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


def test_tag_shows_probabilities(lacuna: Lacuna, model: Path, tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_text("Seen by Dr. Ana Sato in Arden today.\n")
    assert re.search(r"Ana Sato⟨PER [01]\.\d\d⟩", lacuna("tag", model, text, "--probabilities").out)
    assert "Ana Sato⟨PER⟩" in lacuna("tag", model, text).out


def test_tag_takes_text_from_a_pipe(
    lacuna: Lacuna, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content, shown in (
        (b"Seen by Dr. Ana Sato in Arden.\n", "Dr. Ana Sato⟨PER⟩ in Arden⟨LOC⟩."),
        (b'{"id": "n", "text": "Seen by Dr. Ana Sato."}\n', "Dr. Ana Sato⟨PER⟩."),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        run = lacuna("tag", model, "-")
        assert run.code == 0, run.err
        assert shown in run.out


def test_tag_takes_the_format_from_the_name(lacuna: Lacuna, model: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "note.txt", tmp_path / "found.conll"
    text.write_text("Seen by Dr. Ana Sato.\n")
    run = lacuna("tag", model, text, "-o", out)
    assert run.code == 0, run.err
    assert "Ana B-PER\nSato I-PER\n" in out.read_text()
    assert "1 document, 1 mention →" in run.err
    refused = lacuna("tag", model, text, "-o", tmp_path / "found.txt")
    assert refused.code == 2
    assert "txt cannot hold mentions" in refused.err


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
    assert "warning: this model contains" in shown.err
    assert f"{told['words']} words of its training text; train --private" in shown.err
    assert told["words"] > 20


def test_inspect_shows_the_card_and_what_was_learnt(
    lacuna: Lacuna, notes: Path, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "adapted.lacuna"
    lacuna("train", notes, "-o", out, "--from", model, "--licence", "all \x1b[31mmine")
    told = lacuna("inspect", out, "--features", 3, "--json").json
    assert told["card"]["data"] == ["notes.jsonl"]
    assert told["card"]["licence"] == "all \x1b[31mmine"
    assert told["card"]["adapted_from"]["licence"] == ""
    assert {tag: len(best) for tag, best in told["strongest"].items()} == dict.fromkeys(
        ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"], 3
    )
    many = lacuna("inspect", out, "--features", 100, "--json").json["strongest"]
    weights = {feature["name"]: feature["weight"] for feature in many["B-LOC"]}
    assert weights["lower[-1]=in"] > 0 > weights["short[1]=Xx"]
    shown = lacuna("inspect", out).out
    for text in ("notes.jsonl", "mentions of LOC", "adapted from", "all \ufffd[31mmine"):
        assert text in shown
    assert "\x1b[31m" not in shown


def test_inspect_a_model_of_two_passes(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "two.lacuna"
    lacuna("train", notes, "-o", out, "--set", "two_pass=true", "--set", "iterations=5")
    told = lacuna("inspect", out, "--json").json
    assert told["words"] > 20
    assert told["card"]["documents"] == 20
    assert list(told["strongest"]) == ["first pass", "second pass"]
    assert "second pass: strongest features" in lacuna("inspect", out).out


@pytest.mark.parametrize("command", ["tag", "evaluate", "inspect"])
def test_what_is_no_model_is_refused(lacuna: Lacuna, command: str, notes: Path) -> None:
    arguments = [command, notes] if command == "inspect" else [command, notes, notes]
    run = lacuna(*arguments)
    assert run.code == 2
    assert "notes.jsonl" in run.err
    assert "Traceback" not in run.err


def test_inspect_shows_what_states_stand_for(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "states.lacuna"
    settings = ("--set", "states=2", "--set", "iterations=10")
    lacuna("train", notes, "-o", out, "--model", "class-hmm", *settings)
    told = lacuna("inspect", out, "--corpus", notes, "--json").json
    assert [state["name"] for state in told["states"]][:2] == ["O 1", "O 2"]
    assert sum(state["tokens"] for state in told["states"]) == told["card"]["tokens"]
    assert 0 <= told["split"]["PER"]["bits"] <= told["split"]["PER"]["most_bits"] <= 1
    shown = lacuna("inspect", out, "--corpus", notes).out
    assert "state I-PER 1" in shown
    crf = tmp_path / "crf.lacuna"
    lacuna("train", notes, "-o", crf, "--set", "iterations=2")
    refused = lacuna("inspect", crf, "--corpus", notes)
    assert refused.code == 2
    assert "class-hmm" in refused.err


def test_help_names_every_kind_of_model(lacuna: Lacuna) -> None:
    from lacuna.models.registry import trainable

    told = " ".join(lacuna("train", "--help").out.split()).replace("- ", "-")  # cut at line ends
    assert all(kind in told for kind in trainable())


def test_evaluate_counts_only_the_labels_asked_for(
    lacuna: Lacuna, notes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.lacuna"
    lacuna("train", notes, "-o", out, "--set", "iterations=20")
    every = lacuna("evaluate", out, notes, "--json").json["strict"]
    people = lacuna("evaluate", out, notes, "--labels", "PER", "--json").json["strict"]
    assert len(every["labels"]) > 1
    assert people["labels"] == {"PER": every["labels"]["PER"]}
    assert people["micro"] == every["labels"]["PER"]


def test_mentions_with_gaps_are_found_and_read_off_as_asked(lacuna: Lacuna, tmp_path: Path) -> None:
    notes, path = tmp_path / "gaps.jsonl", tmp_path / "m.lacuna"
    write_corpus(GAPPED_NOTES, notes, format="jsonl")
    told = lacuna(
        *("train", notes, "-o", path, "--model", "li", "--heuristic", "all"),
        *("--set", "iterations=60", "--set", "tolerance=0", "--json"),
    ).json
    assert told["config"]["heuristic"] == "all"
    every, enough = (
        lacuna("evaluate", path, notes, "--json", *more).json
        for more in ((), ("--heuristic", "enough"))
    )
    assert enough["strict"]["micro"]["f1"] == 1
    assert enough["discontiguous"]["micro"]["tp"] == len(GAPPED_NOTES)
    assert every["strict"]["micro"]["recall"] == 1
    assert every["strict"]["micro"]["precision"] == 0.5
    found = tmp_path / "found.jsonl"
    assert lacuna("tag", path, notes, "-o", found, "--heuristic", "enough").code == 0
    assert [d.mentions for d in read_corpus([str(found)])] == [d.mentions for d in GAPPED_NOTES]


def test_only_models_of_gaps_have_a_heuristic(
    lacuna: Lacuna, model: Path, notes: Path, tmp_path: Path
) -> None:
    run = lacuna("tag", model, notes, "--heuristic", "all")
    assert run.code == 2
    assert "has no heuristic" in run.err
    run = lacuna("train", notes, "-o", tmp_path / "m.lacuna", "--heuristic", "all")
    assert run.code == 2
    assert "heuristic" in run.err
