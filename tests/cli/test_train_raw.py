"""``lacuna train --raw``: documents without annotations to learn from too."""

from __future__ import annotations

from pathlib import Path

import lacuna as library
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus

QUICK = ("--model", "class-hmm", "--set", "states=2", "--set", "iterations=4")


def test_training_with_raw_text_says_how_much(tmp_path: Path, lacuna: Lacuna) -> None:
    notes, raw, model = tmp_path / "notes.jsonl", tmp_path / "raw", tmp_path / "m.lacuna"
    library.write(corpus(4), notes)
    raw.mkdir()
    (raw / "a.txt").write_text("Ana Quist lives in Bruck.\n")
    (raw / "b.txt").write_text("Call Emre Ueda about the results.\n")
    train = ("train", notes, "-o", model, *QUICK, "--raw", raw)
    done = lacuna(*train)
    assert done.code == 0
    assert ", 13 of raw text, " in done.err
    assert (
        lacuna("train", notes, "-o", model, *QUICK, "--raw", raw, "--json").json["raw_tokens"] == 13
    )
    card = library.load(model).card
    assert card.raw_tokens == 13
    assert card.data == ("notes.jsonl", "raw")
    assert "tokens of raw text" in lacuna("inspect", model).out


def test_raw_text_may_be_words_only_and_have_annotations(tmp_path: Path, lacuna: Lacuna) -> None:
    notes, words, model = tmp_path / "notes.jsonl", tmp_path / "raw.conll", tmp_path / "m.lacuna"
    library.write(corpus(4), notes)
    words.write_text("Ana\nlives\nhere\n\nno\nfever\n")
    train = ("train", notes, "-o", model, *QUICK, "--json", "--labels", "PER")
    found = lacuna(*train, "--raw", words, "--raw", notes).json
    assert found["raw_tokens"] == 5 + found["tokens"]


def test_a_model_of_labels_given_words_refuses_it(tmp_path: Path, lacuna: Lacuna) -> None:
    done = lacuna("train", tmp_path / "none", "-o", tmp_path / "m.lacuna", "--raw", tmp_path)
    assert done.code == 2
    message = " ".join(done.err.split())
    assert "a crf model cannot learn from raw text: it models labels given the words" in message
    assert "trigram-hmm, class-hmm, dp-hmm" in message
