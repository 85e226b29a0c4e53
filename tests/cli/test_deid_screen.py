"""What ``lacuna deid`` says: plain words, on stderr, and how to go on after an interruption."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from lacuna.archive import one_file, run
from lacuna.archive.ledger import Ledger
from tests.archive.conftest import deid, tiny_model
from tests.archive.kills import write_notes
from tests.cli.conftest import Lacuna, Run

NOTE = "Call Ana Okafor about the results on 03/14/2014.\n"
Command = Callable[..., Run]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("model") / "tiny.lacuna")


@pytest.fixture
def command(
    lacuna: Lacuna, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    for name in ("p1/a", "p1/b", "p2/a"):
        path = tmp_path / "notes" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTE)
    return lambda *arguments: lacuna("deid", *arguments, "--model", model)


def test_what_a_run_says(command: Command, tmp_path: Path) -> None:
    (tmp_path / "notes" / "c.pdf").write_bytes(b"x")
    (tmp_path / "notes" / "p2" / "b.txt").write_bytes("Zoë.".encode("cp1252"))
    said = command("notes", "-o", "safe")
    assert (said.code, said.out) == (0, "")
    lines = said.err.splitlines()
    assert re.search(r"\n4 documents, \d+ tokens, \d+ identifiers replaced, \d\.\d s\n", said.err)
    assert any("may still be in the texts" in line for line in lines)
    assert "1 document was read as cp1252" in lines
    assert "skipped: 1 file of a kind that is not read (.pdf 1)" in lines
    assert any(line.startswith("no patients given: every document is its own") for line in lines)
    assert lines[-2:] == [
        "to pass on: safe/",
        "keep private: safe.private/ (which output belongs to which patient)",
    ]


def test_patients_that_are_given_are_not_missed(command: Command) -> None:
    for options in (
        ("notes", "--group-from", "^[^/]+"),
        ("notes", "--consistency", "document"),
        ("notes/p1/a.txt",),
    ):
        assert "no patients given" not in command(*options, "--dry-run").err


def test_known_values_are_counted_and_not_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "known.csv").write_text("group,kind,value\np1,name,Ana Okafor\n,name,Xaver Quux\n")
    said = command("notes", "-o", "safe", "--known", "known.csv", "--group-from", "^[^/]+")
    assert "1 of 2 known values found; see safe.private/known_hits.csv" in said.err
    assert "Okafor" not in said.err
    more = "p9,name,Ben Other\n"
    (tmp_path / "known.csv").write_text((tmp_path / "known.csv").read_text() + more)
    options = ("notes", "-o", "more", "--known", "known.csv", "--group-from", "^[^/]+")
    refused = command(*options)
    assert (refused.code, "(line 4)" in refused.err) == (2, True)
    assert "Other" not in refused.err
    allowed = command(*options, "--allow-unmatched")
    assert allowed.code == 0
    assert "skipped: 1 patient of --known without a document" in allowed.err


def test_quiet_says_only_what_went_wrong(command: Command, tmp_path: Path) -> None:
    good = command("notes", "-o", "safe", "--quiet")
    assert (good.code, good.out, good.err) == (0, "", "")
    (tmp_path / "notes" / "bad.txt").write_bytes(b"\x81")
    bad = command("notes", "-o", "other", "-q")
    assert bad.code == 1
    assert bad.err.splitlines()[0].startswith("failed: file 1 of 4")
    assert bad.err.splitlines()[1:] == ["1 document failed and was not written"]
    error = command("nowhere", "-o", "third", "-q")
    assert error.err == "error: nowhere: no such file or folder\n"
    assert "to pass on" in command("notes", "-o", "fourth").err  # the next command is not quiet


def test_other_commands_are_quiet_too(lacuna: Lacuna, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ana B-PER\n\n")
    options = ("--to", "txt", "--loss", "mentions")
    loud = lacuna("convert", tmp_path / "a.conll", tmp_path / "x", *options)
    assert "left out" in loud.err
    quiet = lacuna("convert", tmp_path / "a.conll", tmp_path / "y", *options, "-q")
    assert (quiet.code, quiet.err) == (0, "")


def test_verbose_names_outputs(command: Command) -> None:
    said = command("notes", "-o", "safe", "--verbose", "--rename", "keep")
    for number, name in enumerate(("p1/a", "p1/b", "p2/a"), start=1):
        assert f"file {number} of 3: {name}.txt: 2 identifiers replaced\n" in said.err
    hashed = command("notes", "-o", "other", "--verbose")
    assert "file 1 of 3: " in hashed.err
    assert "p1" not in hashed.err


def test_one_unknown_encoding_is_one_error(command: Command, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    for option in ("--encoding", "--fallback-encoding"):
        said = command("notes", "-o", "safe", option, "nope", "--policy", "research", "--key", "k")
        assert said.code == 2
        assert said.err.startswith(f"error: {option} nope: unknown encoding")
        assert sorted(tmp_path.rglob("*")) == before


def test_an_unknown_locale_is_an_error_with_every_policy(command: Command) -> None:
    for policy in ("safe-harbor", "mask", "research"):
        said = command("notes", "-o", "safe", "--policy", policy, "--locale", "xx")
        assert (said.code, "unknown locale xx" in said.err) == (2, True)
        assert command("notes", "--dry-run", "--policy", policy, "--locale", "en_GB").code == 0


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [
        (run, "list_inputs", ("notes", "-o", "safe")),
        (run, "do_all", ("notes", "-o", "safe")),
        (one_file, "_pass_on", ("notes/p1/a.txt", "-o", "safe.txt")),
    ],
)
def test_interrupted_early_nothing_is_left(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    arguments: tuple[str, ...],
) -> None:
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(module, name, interrupt)
    said = command(*arguments)
    assert said.code == 130
    assert "interrupted: nothing was written" in said.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "the same command with --resume continues"),
        (("--policy", "research"), "a run without --key cannot be continued: start again"),
    ],
)
def test_interrupted_it_says_how_to_continue(
    command: Command, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], advice: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "finish_tables", interrupt)
        said = command("notes", "-o", "safe", *options)
    assert said.code == 130
    assert f"interrupted: 3 of 3 files are written; {advice}" in said.err
    assert "keep private: safe.private/" in said.err
    if not options:
        assert command("notes", "-o", "safe", "--resume").code == 0


@pytest.mark.usefixtures("interruptible")
def test_a_real_interrupt(model: Path, tmp_path: Path) -> None:
    write_notes(tmp_path / "notes")
    run_ = subprocess.Popen(
        [*deid(model), "notes", "-o", "safe", "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    manifest = tmp_path / "safe.private" / "manifest.jsonl"
    for _ in range(1200):
        if manifest.exists() and manifest.read_bytes().count(b"\n") > 1:
            break
        time.sleep(0.01)
    run_.send_signal(signal.SIGINT)
    _, said = run_.communicate(timeout=60)
    if run_.returncode == 0:  # it was faster
        return
    assert run_.returncode == 130
    assert "files are written; the same command with --resume continues" in said


def test_an_early_interrupt_of_the_command_itself(
    lacuna: Lacuna, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacuna.cli.main.command_line", interrupt)
    said = lacuna("--help")
    assert (said.code, said.err) == (130, "interrupted\n")


def test_shells_can_complete(model: Path, tmp_path: Path) -> None:
    python, *_ = deid(model)
    program = "import sys; sys.argv[0] = 'lacuna'; from lacuna.cli.main import main; main()"
    line = "lacuna deid --fall"
    for asked in (
        {"COMP_WORDS": line, "COMP_CWORD": "2", "_LACUNA_COMPLETE": "complete_bash"},
        {"_TYPER_COMPLETE_ARGS": line, "_LACUNA_COMPLETE": "complete_zsh"},
    ):
        done = subprocess.run(
            [python, "-c", program],
            env=os.environ | asked,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert "--fallback-encoding" in done.stdout, done.stderr
        assert "--group-from" not in done.stdout
