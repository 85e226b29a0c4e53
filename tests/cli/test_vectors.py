"""vectors as a user calls it, and models that look at what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.io.output import write_corpus
from lacuna.models.registry import load
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus

FEW = ("--clusters", "4,12", "--dimensions", 8, "--min-count", 2)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(40), path, format="jsonl")
    return path


def test_vectors_writes_clusters_and_says_what_it_did(
    lacuna: Lacuna, notes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "words.clusters"
    run = lacuna("vectors", notes, "-o", out, *FEW)
    assert run.code == 0, run.err
    assert " in 4, 12 clusters → " in run.err
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert {tuple(map(len, bits.split("."))) for bits, _, _ in lines} == {(2, 4)}
    assert len({bits.split(".")[1] for bits, _, _ in lines}) == 12
    counts = [int(count) for _, _, count in lines]
    assert counts == sorted(counts, reverse=True)
    told = lacuna("vectors", notes, "-o", out, *FEW, "--json").json
    assert told["clusters"] == [4, 12]
    assert told["dimensions"] == 8
    assert told["words"] == len(lines)
    assert told["word_tokens"] == sum(counts)
    shown = lacuna("vectors", notes, "-o", "-", *FEW, "--json")
    assert shown.out == out.read_text()  # the same seed, the same bytes


def test_text_in_words_and_lines(lacuna: Lacuna, tmp_path: Path) -> None:
    raw, out = tmp_path / "raw.txt", tmp_path / "words.clusters"
    raw.write_text("the u.s. army\nthe U.S. navy\nthe u.s. navy\n" * 3)
    for more, words in (
        (("--tokenized",), {"the", "u.s.", "army", "navy"}),
        (("--tokenized", "--cased"), {"the", "u.s.", "U.S.", "army", "navy"}),
    ):
        assert lacuna("vectors", raw, "-o", out, *FEW, *more).code == 0
        assert {line.split("\t")[1] for line in out.read_text().splitlines()} == words
    assert lacuna("vectors", raw, "-o", out, *FEW).code == 0
    assert "u" in out.read_text().split()


def test_vectors_refuses_what_makes_no_sense(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "words.clusters"
    for arguments, reason in (
        (("--clusters", "1,5"), "2 to 65,536 clusters"),
        (("--clusters", "70000"), "2 to 65,536 clusters"),
        (("--clusters", "5,3"), "numbers of clusters must rise"),
        (("--clusters", "5,many"), "--clusters needs numbers with commas"),
        (("--clusters", "60000,60001,60002,60003,60004"), "do not fit into 64 bits"),
        (("--min-count", 10**6), "fewer than two words occur at least 1,000,000 times"),
        (("--dimensions", 0), "--dimensions"),
        (("--seed", -1), "--seed"),
    ):
        run = lacuna("vectors", notes, "-o", out, *arguments)
        assert run.code == 2
        assert reason in run.err
        assert "Traceback" not in run.err
    assert lacuna("vectors", tmp_path / "none.txt", "-o", out).code == 2
    assert lacuna("vectors", notes).code == 2
    assert not out.exists()


@pytest.mark.parametrize(
    ("model", "seen"), [("crf", "cluster.v.2[-1]"), ("class-hmm", "cluster.v.2[0]")]
)
def test_models_look_at_every_granularity(
    lacuna: Lacuna, notes: Path, tmp_path: Path, model: str, seen: str
) -> None:
    clusters, out = tmp_path / "words.clusters", tmp_path / "m.lacuna"
    assert lacuna("vectors", notes, "-o", clusters, *FEW).code == 0
    more = ("--set", f"clusters.v={clusters}", "--set", "iterations=5")
    run = lacuna("train", notes, "-o", out, "--model", model, *more)
    assert run.code == 0, run.err
    clusters.unlink()
    templates = load(out).store().header["templates"]
    assert seen in templates
    assert "cluster.v.1[0]" in templates
    assert not any("cluster.v.3" in template for template in templates)
    assert lacuna("evaluate", out, notes, "--json").json["strict"]["micro"]["f1"] > 0.9
