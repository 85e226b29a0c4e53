"""A tiny model, a folder of notes, and how to run over it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive.options import ArchiveOptions, Rename
from lacuna.archive.run import run_archive
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.run_report import Failure, Report
from lacuna.models.crf import Crf
from lacuna.models.file import write_model
from lacuna.pipeline.training import train
from tests.models.examples import corpus

KEY = Key(bytes(range(32)))


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of persons and towns."""
    return tiny_model(tmp_path_factory.mktemp("model") / "tiny.lacuna")


def tiny_model(path: Path) -> Path:
    """Train a model on forty short notes."""
    write_model(path, train(corpus(40), Crf(iterations=8, lexicon=False)).model.store())
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Twelve notes of six patients in folders, with Windows line ends in one."""
    folder = tmp_path / "notes"
    for number, document in enumerate(corpus(12, seed=5)):
        path = folder / str(document.group) / f"{document.id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = document.text + f"Seen 03/1{number % 10}/2014, phone 617-555-01{number:02d}.\n"
        path.write_bytes(text.replace("\n", "\r\n" if number == 3 else "\n").encode())
    return folder


RunOver = Callable[..., Report]


@pytest.fixture
def run_over(model: Path) -> RunOver:
    """Call ``run_over(input, output, **options)``; options of detection go to detection.

    Names are kept unless a test asks for others.
    """

    def run(source: Path, output: Path | None, **options: Any) -> Report:
        detects = DetectionOptions.__struct_fields__
        detection = {name: options.pop(name) for name in detects if name in options}
        policy = load_policy(options.pop("policy", "safe-harbor"))
        defaults: dict[str, Any] = {"workers": 1, "key": KEY, "rename": Rename.KEEP}
        failures: list[Failure] = []
        report = run_archive(
            ArchiveOptions(
                input=source,
                output=output,
                detection=DetectionOptions(model=str(model), **detection),
                policy=policy,
                **(defaults | options),
            ),
            on_failure=lambda failure, _: failures.append(failure),
        )
        assert report.failures == failures
        return report

    return run


@pytest.fixture
def command(model: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``lacuna deid`` as a process of its own."""

    def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*deid(model), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            **options,
        )

    return run


def deid(model: Path) -> list[str]:
    return [sys.executable, "-m", "lacuna", "deid", "--model", str(model)]


def contents(folder: Path) -> dict[str, bytes]:
    """Return every output below a folder, by its path; no reports."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("report.html", "report.json")
    }


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


IS_ROOT = os.geteuid() == 0
