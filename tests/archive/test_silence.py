"""No name gets anywhere it should not: the canary is searched for after good and bad runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive.options import Rename
from lacuna.deid.detector import Detector, Recognizers
from lacuna.deid.findings import Finding
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.models.registry import load
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Failed, Safe
from lacuna.text.document import Document
from tests.archive.conftest import RunOver

CANARY = "Quackenbush"
NOTE = f"Mr. Zebulon {CANARY} was moved to Arden.\n"
Command = Callable[..., subprocess.CompletedProcess[str]]


def traces(*folders: Path) -> list[Path]:
    """Return files whose content or path holds the canary, in any case."""
    name = CANARY.lower()
    return [
        path
        for folder in folders
        for path in folder.rglob("*")
        if name in str(path.relative_to(folder)).lower()
        or (path.is_file() and name.encode() in path.read_bytes().lower())
    ]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Good and bad inputs that all speak of one person."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / f"{CANARY}_letter.txt").write_text(NOTE)
    (folder / "good.txt").write_text(NOTE)
    (folder / "bad.txt").write_bytes(NOTE.encode() + b"\x81")
    (folder / "gone.txt").symlink_to(folder / f"{CANARY}_missing")
    (folder / "rows.jsonl").write_text(
        json.dumps({"id": CANARY, "text": NOTE, "group": CANARY, "doctor": CANARY})
        + f'\n{{"text": "{CANARY}\n{{"text": 7, "name": "{CANARY}"}}\n'
    )
    (folder / "table.csv").write_text(f'text,{CANARY}\n"{NOTE}",{CANARY}\n"{CANARY} \n')
    (folder / "broken.xml").write_text(f"<deIdi2b2><TEXT>{NOTE}</TEXT><{CANARY}>")
    (tmp_path / "known.csv").write_text(f"group,kind,value\n,name,Zebulon {CANARY}\n")
    return folder


def test_the_canary_is_nowhere(archive: Path, tmp_path: Path, command: Command) -> None:
    temporary, safe = tmp_path / "tmp", tmp_path / "safe"
    temporary.mkdir()
    options = ("--known", tmp_path / "known.csv", "--workers", 2, "--policy", "research")
    environment = os.environ | {"TMPDIR": str(temporary)}
    run = command(archive, "-o", safe, *options, env=environment, cwd=temporary)
    assert run.returncode == 1, run.stderr  # some failed
    assert CANARY.lower() not in (run.stdout + run.stderr).lower()
    check(safe, temporary)


def test_the_canary_is_nowhere_in_this_process(
    archive: Path,
    tmp_path: Path,
    run_over: RunOver,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    known = str(tmp_path / "known.csv")
    report = run_over(archive, tmp_path / "safe", known=known, rename=Rename.AUTO)
    said = capfd.readouterr()
    failures = "".join(map(str, report.failures))
    assert CANARY.lower() not in (said.out + said.err + caplog.text + failures).lower()
    check(tmp_path / "safe")


def check(safe: Path, *others: Path) -> None:
    assert not traces(safe, *others)
    report = json.loads((safe / "report.json").read_text())
    assert (report["documents"], report["failed"]) == (3, 5)
    assert not list(safe.rglob("*.part"))


@pytest.mark.parametrize("where", ["recognizer", "redactor"])
def test_an_error_inside_fails_one_document_and_quotes_nothing(
    model: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def recognize(document: Document) -> Iterable[Finding]:
        if CANARY in document.text and where == "recognizer":
            raise ValueError(f"cannot work on {document.text}")
        return ()

    honest = Redactor.redact

    def redact(
        self: Redactor, document: Document, findings: Iterable[Finding], **options: Any
    ) -> Any:
        if CANARY in document.text and where == "redactor":
            raise KeyError(document.text)
        return honest(self, document, findings, **options)

    monkeypatch.setattr(Redactor, "redact", redact)
    work = DetectAndRedact.of(
        Detector(load(model), Recognizers(recognize)),
        Redactor(load_policy("mask"), Key.random()),
        second_look=False,
    )
    documents = [
        Document("a", "Call Ana Okafor about it.", group="g"),
        Document("b", NOTE, group="g"),
        Document("c", "Call Ana Okafor about it."),
    ]
    outcomes = work.deidentify(documents)
    assert [type(outcome) for outcome in outcomes] == [Safe, Failed, Safe]
    assert CANARY not in repr(outcomes)
