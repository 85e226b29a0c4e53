"""train --align and --no-align as a user calls them."""

from __future__ import annotations

from pathlib import Path

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.models.aligned.patients import patients
from tests.models.aligned.test_aligned import NOTES


def test_a_model_that_aligns(lacuna: Lacuna, tmp_path: Path) -> None:
    train, notes, model = (tmp_path / name for name in ("train.jsonl", "notes.jsonl", "m.lacuna"))
    write_corpus(patients(40), train, format="jsonl")
    write_corpus(NOTES, notes, format="jsonl")
    run = lacuna("train", train, "-o", model, "--model", "trigram-hmm", "--align", "--json")
    assert run.code == 0, run.err
    found = {}
    for option in ("--align", "--no-align"):
        switch = ["--no-align"] if option == "--no-align" else []
        out = tmp_path / f"{option}.jsonl"
        assert lacuna("tag", model, notes, "-o", out, *switch).code == 0
        found[option] = [len(document.mentions) for document in read_corpus([out])]
    assert found == {"--align": [1, 1, 0, 0], "--no-align": [1, 0, 0, 0]}
    told = lacuna("inspect", model, "--json")
    assert told.json["kind"] == "aligned"
    assert told.json["labels"] == ["PROFESSION"]
    assert "words of its training text" in told.err
    shown = lacuna("inspect", model)
    assert "agreement" in shown.out
    new = tmp_path / "new.jsonl"
    write_corpus(patients(10, seed=5), new, format="jsonl")
    scores = [
        lacuna("evaluate", model, new, "--json", *switch).json["strict"]["micro"]["recall"]
        for switch in ([], ["--no-align"])
    ]
    assert scores[0] > scores[1]


def test_groups_from_names_of_files(lacuna: Lacuna, tmp_path: Path) -> None:
    train, model, folder = (tmp_path / name for name in ("train.jsonl", "m.lacuna", "notes"))
    write_corpus(patients(40), train, format="jsonl")
    assert lacuna("train", train, "-o", model, "--model", "trigram-hmm", "--align").code == 0
    folder.mkdir()
    for name, document in zip(("p1-a", "p1-b", "p2-a"), NOTES, strict=False):
        (folder / f"{name}.txt").write_text(document.text)
    counts: list[list[int]] = []
    for switch in ([], ["--group-from", "p[0-9]"]):
        out = tmp_path / f"{len(counts)}.jsonl"
        assert lacuna("tag", model, folder, "-o", out, *switch).code == 0
        counts.append([len(document.mentions) for document in read_corpus([out])])
    assert counts == [[1, 0, 0], [1, 1, 0]]


def test_parts_of_speech_are_not_aligned(lacuna: Lacuna, tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("A DT\n\n")
    run = lacuna("train", path, "-o", tmp_path / "m", "--task", "pos", "--align")
    assert run.code == 2
    assert "only mentions can be aligned" in run.err
