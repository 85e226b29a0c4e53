"""train --set level=category, inspect --rules and train --rules as a user calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna
from tests.pipeline.test_categories import NEW, notes


def labels(lacuna: Lacuna, model: Path, notes_file: Path, out: Path) -> list[str]:
    run = lacuna("tag", model, notes_file, "-o", out)
    assert run.code == 0, run.err
    return [mention.label for document in read_corpus([out]) for mention in document.mentions]


def test_rules_are_learnt_shown_edited_and_used(lacuna: Lacuna, tmp_path: Path) -> None:
    corpus, new, model, rules, out, categories = (
        tmp_path / name
        for name in ("c.jsonl", "n.jsonl", "m.lacuna", "rules.toml", "o.jsonl", "categories.toml")
    )
    write_corpus(notes(20), corpus, format="jsonl")
    write_corpus([NEW], new, format="jsonl")
    categories.write_text('PATIENT = "NAME"\nDOCTOR = "NAME"\n')
    train = ["train", corpus, "-o", model, "--model", "trigram-hmm"]
    large = ["--set", "level=category", "--categories", categories]
    assert lacuna(*train, *large).code == 0
    assert labels(lacuna, model, new, out) == ["DOCTOR", "PATIENT", "CITY"]
    shown = lacuna("inspect", model, "--rules", rules)
    assert shown.code == 0, shown.err
    assert "NAME: the first rule that holds gives the label" in shown.out
    assert "before" in shown.out
    assert lacuna("inspect", model, "--json").json["rules"]["NAME"]
    text = rules.read_text()
    assert 'label = "DOCTOR"' in text
    rules.write_text(text.replace('label = "DOCTOR"', 'label = "PATIENT"'))
    assert lacuna(*train, *large, "--rules", rules).code == 0
    assert labels(lacuna, model, new, out) == ["PATIENT", "PATIENT", "CITY"]


def test_a_model_of_sub_tags_on_large_categories_is_inspected(
    lacuna: Lacuna, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, model, categories = (tmp_path / name for name in ("c.jsonl", "m.lacuna", "c.toml"))
    write_corpus(notes(6), corpus, format="jsonl")
    categories.write_text('PATIENT = "NAME"\nDOCTOR = "NAME"\n')
    settings = ["level=category", "iterations=3", "subtags.outside=2", "subtags.entity=2"]
    large = [word for setting in settings for word in ("--set", setting)]
    train = ["train", corpus, "-o", model, "--model", "dp-hmm", *large, "--categories", categories]
    assert lacuna(*train).code == 0
    monkeypatch.setenv("COLUMNS", "50")  # a narrow terminal: names of rows are still shown
    shown = lacuna("inspect", model)
    assert shown.code == 0, shown.err
    assert "documents" in shown.out
    assert "sub-tags in use" in shown.out


def test_what_does_not_go_together(lacuna: Lacuna, tmp_path: Path) -> None:
    corpus, model = tmp_path / "c.jsonl", tmp_path / "m.lacuna"
    write_corpus(notes(4), corpus, format="jsonl")
    train = ["train", corpus, "-o", model, "--model", "trigram-hmm"]
    for more, message in (
        (["--categories", "i2b2-2014"], "need --set level=category"),
        (["--set", "level=category"], "give --categories"),
    ):
        run = lacuna(*train, *more)
        assert run.code == 2
        assert message in run.err
    assert "level" in lacuna("train", "--model", "trigram-hmm", "--help-config").out
    assert lacuna(*train).code == 0
    run = lacuna("inspect", model, "--rules", tmp_path / "rules.toml")
    assert run.code == 2
    assert "has no rules" in run.err
