"""conll files as people have them: columns, words without tags, nothing to learn, one document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lacuna as library
from lacuna import Crf, Document
from lacuna.io.corpus import read_corpus
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus

NESTED = "1\tDer\tO\tO\n2\tFC\tB-ORG\tO\n3\tBonn\tI-ORG\tB-LOC\n"


def test_columns_are_chosen_and_what_was_assumed_is_said(tmp_path: Path, lacuna: Lacuna) -> None:
    path = tmp_path / "n.tsv"
    path.write_text(f"# source\n{NESTED}")
    out = tmp_path / "out.jsonl"
    run = lacuna("convert", path, out)
    assert run.code == 0
    assert "assumed: column 1 numbers the tokens: word in column 2" in run.err
    assert "skipped: 1 comment lines" in run.err
    assert "skipped: 2 tags in column 3 (--column tag=3 --column tag=4 reads" in run.err
    columns = ("--column", "word=2", "--column", "tag=3", "--column", "tag=4")
    run = lacuna("convert", path, out, *columns)
    assert "assumed" not in run.err
    assert "tags in column" not in run.err
    (document,) = read_corpus([out])
    assert [m.surface(document.text) for m in document.mentions] == ["FC Bonn", "Bonn"]


def test_columns_that_say_nothing_are_a_usage_error(tmp_path: Path, lacuna: Lacuna) -> None:
    path = tmp_path / "n.tsv"
    path.write_text(NESTED)
    run = lacuna("stats", path, "--column", "word")
    assert run.code == 2
    assert "--column word: expected word, tag or another name" in run.err


def test_words_without_tags_can_be_tagged(tmp_path: Path, lacuna: Lacuna) -> None:
    path, model = tmp_path / "n.conll", tmp_path / "m.lacuna"
    library.save(library.train(corpus(20), Crf(iterations=20)), model)
    document: Document = next(d for d in corpus(20) if d.mentions)
    path.write_text("\n".join(document.text.split()) + "\n")
    run = lacuna("tag", model, path, "--to", "conll")
    assert run.code == 0
    assert "B-" in run.out
    assert [line.split()[0] for line in run.out.splitlines()[2:] if line] == document.text.split()
    run = lacuna("evaluate", model, path)
    assert run.code == 2
    assert "n.conll:1: expected at least 2 columns, got 1" in run.err


@pytest.mark.parametrize("command", [("train", "n", "-o", "m"), ("compare", "n", "n")])
def test_a_corpus_without_mentions_is_refused(
    tmp_path: Path, lacuna: Lacuna, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("n").write_text("-DOCSTART- (a) O\n\nAnna O\n\n-DOCSTART- (b) O\n\nlebt O\n")
    run = lacuna(*command)
    assert run.code == 2
    assert "nothing to learn: no mention in 2 documents" in run.err
    assert not Path("m").exists()


def test_an_old_model_may_learn_that_nothing_is_mentioned(tmp_path: Path, lacuna: Lacuna) -> None:
    old, notes = tmp_path / "old.lacuna", tmp_path / "n.conll"
    library.save(library.train(corpus(6), Crf(iterations=5)), old)
    notes.write_text("Anna O\nlebt O\n")
    new = tmp_path / "new.lacuna"
    assert lacuna("train", notes, "-o", new, "--from", old, "--set", "iterations=2").code == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--folds", "3"), "3 folds need at least 3 documents: the corpus is one document"),
        (
            ("--align",),
            "held-out predictions need at least 2 documents: the corpus is one document",
        ),
        (("--set", "two_pass=true"), "documents: the corpus is one document"),
        (("--private",), "no feature can occur in 3 documents.*: the corpus is one document"),
    ],
)
def test_one_document_is_named_as_the_cause(
    tmp_path: Path, lacuna: Lacuna, options: tuple[str, ...], reason: str
) -> None:
    notes = tmp_path / "n.conll"
    notes.write_text("Anna B-PER\nlebt O\n\nin O\nBonn B-LOC\n")
    run = lacuna("train", notes, "-o", tmp_path / "m.lacuna", *options)
    assert run.code == 2
    message = " ".join(run.err.split())
    assert re.search(reason, message)
    assert "Begin each with a line -DOCSTART-" in message


def test_few_groups_are_named_as_the_cause(tmp_path: Path, lacuna: Lacuna) -> None:
    notes = tmp_path / "n.jsonl"
    line = '{"text": "Anna", "group": "p%d", "mentions": [{"label": "P", "spans": [[0, 4]]}]}\n'
    for groups, reason in (
        ([1, 1, 1], "all 3 documents of the corpus are of one group"),
        ([1, 1, 2], "the 3 documents of the corpus are of 2 groups"),
        ([1, 2], "the corpus has 2"),
    ):
        notes.write_text("".join(line % group for group in groups))
        run = lacuna("train", notes, "-o", tmp_path / "m.lacuna", "--folds", 3)
        assert run.code == 2
        assert f"3 folds need at least 3 documents: {reason}" in " ".join(run.err.split())


def test_blocks_of_a_file_without_document_borders_are_said(tmp_path: Path, lacuna: Lacuna) -> None:
    notes, out = tmp_path / "n.conll", tmp_path / "m.lacuna"
    notes.write_text("Anna B-PER\nlebt O\n\nin O\nBonn B-LOC\n\n" * 180)
    quick = ("--set", "iterations=2")
    run = lacuna("train", notes, "-o", out, *quick)
    assert "training cut them into 6 blocks of about 60 sentences" in " ".join(run.err.split())
    assert lacuna("train", notes, "-o", out, *quick, "--json").json["blocks"] == 6
    run = lacuna("train", notes, "-o", out, *quick, "--set", "lexicon=false")
    assert "training cut" not in run.err
    bordered = tmp_path / "b.conll"
    bordered.write_text("-DOCSTART- O\n\nAnna B-PER\nlebt O\n\n" * 6)
    assert "training cut" not in lacuna("train", bordered, "-o", out, *quick).err
