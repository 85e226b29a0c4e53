"""The demo ends with a command that works in the shell it was started from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lacuna.cli.demo import this_command


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "my env" / "bin" / "lacuna"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\necho works\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("folder", ["", "my env", "my env/bin", "elsewhere"])
@pytest.mark.parametrize("on_path", [True, False])
def test_the_command_works_where_it_is_shown(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, on_path: bool
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    before = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{before}" if on_path else before)
    shown = this_command()
    assert subprocess.run(shown, shell=True, capture_output=True, check=True).stdout == b"works\n"
    assert (shown == "lacuna") is on_path


def test_as_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/lacuna/__main__.py", "demo"])
    assert this_command().endswith(" -m lacuna")
    command = f"{this_command()} --version"
    told = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert told.stdout.startswith(b"lacuna ")


def test_another_program_of_that_name_is_not_taken(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other" / "lacuna"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    assert this_command() == "'my env/bin/lacuna'"
