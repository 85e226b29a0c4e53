"""Exit codes as docs/commands.md gives them, and what Ctrl-C does at any moment."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lacuna.errors import interruptible
from lacuna.io.output import write_corpus
from lacuna.models.crf import Crf
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus(corpus(10), path, format="jsonl")
    return path


def in_compiled_code(*_: Any, **__: Any) -> NoReturn:
    """Fail as a kernel does if Ctrl-C comes while it is called."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as interrupt:
        raise SystemError("CPUDispatcher returned a result with an exception set") from interrupt


def at_once(*_: Any, **__: Any) -> NoReturn:
    raise KeyboardInterrupt


def broken(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["stats", "NOTES"], 0),
        (["convert", "NOTES", "OUT.conll"], 0),
        (["deid", "BAD", "-o", "safe"], 1),  # a document fails
        ([], 2),
        (["nonsense"], 2),
        (["stats"], 2),
        (["stats", "missing.jsonl"], 2),
        (["stats", "NOTES", "--nonsense"], 2),
        (["convert", "NOTES", "OUT"], 2),
        (["train", "NOTES", "-o", "m.lacuna", "--set", "iterations=abc"], 2),
        (["inspect", "NOTES"], 2),
    ],
)
def test_exit_codes(
    lacuna: Lacuna,
    arguments: list[str],
    code: int,
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "text": "Fine."}\n{"id": "b", "text": 3}\n')
    paths = {"NOTES": str(notes), "BAD": str(bad)}
    assert lacuna(*(paths.get(word, word) for word in arguments)).code == code


def test_an_internal_error_is_1(
    lacuna: Lacuna, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacuna.evaluation.statistics.describe", broken)
    assert lacuna("stats", notes).code == 1


@pytest.mark.parametrize("interrupt", [at_once, in_compiled_code])
@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        ("lacuna.cli.train._read", ["train", "NOTES", "-o", "OUT"]),
        ("lacuna.pipeline.training.kind_of", ["train", "NOTES", "-o", "OUT"]),
        ("lacuna.cli.convert.write_corpus", ["convert", "NOTES", "OUT.conll"]),
        ("lacuna.evaluation.statistics.describe", ["stats", "NOTES"]),
        ("lacuna.pipeline.comparing.train", ["compare", "NOTES", "NOTES"]),
    ],
)
def test_ctrl_c_before_there_is_a_result_is_130(
    lacuna: Lacuna,
    place: str,
    arguments: list[str],
    interrupt: Callable[..., NoReturn],
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, interrupt)
    monkeypatch.chdir(tmp_path)
    run = lacuna(*(str(notes) if word == "NOTES" else word for word in arguments))
    assert run.code == 130
    assert run.err.splitlines()[-1] == "interrupted; nothing was written"
    assert "error" not in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


@pytest.mark.parametrize("interrupt", [at_once, in_compiled_code])
def test_ctrl_c_during_iterations_keeps_the_model_and_says_so(
    lacuna: Lacuna,
    interrupt: Callable[..., NoReturn],
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def show(_: object, progress: Progress) -> None:
        if progress.iteration == 3:
            interrupt()

    monkeypatch.setattr("lacuna.cli.training.ProgressLine.take", show)
    out = tmp_path / "m.lacuna"
    run = lacuna("train", notes, "-o", out)
    assert run.code == 0
    assert "interrupted: keeping the best model so far\n" in run.err
    assert ", 3 iterations, " in run.err
    assert lacuna("inspect", out, "--json").json["card"]["iterations"] == 3


def test_ctrl_c_before_the_first_iteration_is_130(
    lacuna: Lacuna, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacuna.cli.training.ProgressLine.take", at_once)  # iteration 0
    run = lacuna("train", notes, "-o", tmp_path / "m.lacuna")
    assert run.code == 130
    assert run.err.endswith("interrupted; nothing was written\n")
    assert not (tmp_path / "m.lacuna").exists()


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_that_compiled_code_swallows_still_ends_training(
    lacuna: Lacuna, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def show(_: object, progress: Progress) -> None:
        if progress.iteration == 3:
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("lacuna.cli.training.ProgressLine.take", show)
    run = lacuna("train", notes, "-o", tmp_path / "m.lacuna")
    assert run.code == 0
    assert "interrupted: keeping the best model so far\n" in run.err
    assert ", 3 iterations, " in run.err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_compiled_code_keeps_the_best_model_in_python() -> None:
    def report(progress: Progress) -> None:
        if progress.iteration == 3:
            in_compiled_code()

    trained = train(corpus(10), Crf(iterations=50), TrainOptions(on_progress=report))
    assert trained.interrupted
    assert trained.iterations == 3


def test_other_system_errors_are_no_interruption() -> None:
    with pytest.raises(SystemError, match="something else"), interruptible():
        raise SystemError("something else")
