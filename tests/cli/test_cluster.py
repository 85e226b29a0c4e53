"""cluster as a user calls it, and models that look at what it writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lacuna.io.output import write_corpus
from lacuna.models.registry import load
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(40), path, format="jsonl")
    return path


def test_cluster_writes_paths_and_says_what_it_did(
    lacuna: Lacuna, notes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "words.paths"
    run = lacuna("cluster", notes, "-o", out, "--clusters", 8)
    assert run.code == 0, run.err
    assert "in 8 clusters → " in run.err
    assert "mutual information" in run.err
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert len({bits for bits, _, _ in lines}) == 8
    assert lines == sorted(lines, key=lambda line: (line[0], -int(line[2])))
    told = lacuna("cluster", notes, "-o", out, "--clusters", 8, "--json").json
    assert told["clusters"] == 8
    assert told["words"] == len(lines)
    assert 0 < told["information"] <= told["word_information"]
    shown = lacuna("cluster", notes, "-o", "-", "--clusters", 8, "--json")
    assert shown.out == out.read_text()


def test_cluster_refuses_what_makes_no_sense(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "words.paths"
    for arguments in (("--clusters", 1), ("--clusters", 10_001), ("--min-count", 10**6)):
        run = lacuna("cluster", notes, "-o", out, *arguments)
        assert run.code == 2
        assert "Traceback" not in run.err
    assert lacuna("cluster", tmp_path / "none.txt", "-o", out).code == 2
    assert lacuna("cluster", notes).code == 2
    assert not out.exists()


@pytest.mark.parametrize(
    ("model", "seen"),
    [("crf", "cluster.brown.4[-1]"), ("class-hmm", "cluster.brown.20[0]")],
)
def test_models_look_at_the_paths(
    lacuna: Lacuna, notes: Path, tmp_path: Path, model: str, seen: str
) -> None:
    paths, out = tmp_path / "words.paths", tmp_path / "m.lacuna"
    assert lacuna("cluster", notes, "-o", paths, "--clusters", 12).code == 0
    more = ("--set", f"clusters.brown={paths}", "--set", "iterations=5")
    run = lacuna("train", notes, "-o", out, "--model", model, *more)
    assert run.code == 0, run.err
    paths.unlink()
    stored = load(out).store()
    assert seen in stored.header["templates"]
    assert stored.header["config"]["clusters"] == {"brown": "words.paths"}
    assert lacuna("evaluate", out, notes, "--json").json["strict"]["micro"]["f1"] > 0.9


@pytest.mark.parametrize("name", ["cluster", "vectors"])
@pytest.mark.usefixtures("interruptible")
def test_interrupt_leaves_nothing_behind(notes: Path, tmp_path: Path, name: str) -> None:
    source = tmp_path / "pipe"
    os.mkfifo(source)
    command = [sys.executable, "-m", "lacuna", name, "--format", "jsonl"]
    process = subprocess.Popen(
        [*command, str(source), "-o", str(tmp_path / "out.paths")],
        stderr=subprocess.PIPE,
        text=True,
    )
    with source.open("w") as stream:  # opens once the reader does
        stream.write(notes.read_text())
        stream.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in messages
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.jsonl", "pipe"]
