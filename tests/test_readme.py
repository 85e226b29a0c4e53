"""What the documentation shows is run, and every path it names exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MAX_LINES = 90
MAX_CELL = 120

#: A path in the text: a file with an ending we use, or a folder that ends in a slash.
PATH = re.compile(
    r"(?<![\w/.~(-])((?:[\w.-]+/)+(?:[\w-]+\.(?:py|md|toml|txt|jsonl|yml|lacuna)\b)?)"
)
#: Folders that paths in the documentation begin with; other slashes are not paths of ours.
FOLDERS = (
    "src",
    "corpus",
    "docs",
    "tests",
    "benchmarks",
    "recipes",
    "requirements",
    "examples",
    ".ci",
    ".github",
)
#: Modules that import what is not installed here; tests/integrations imports them.
ADAPTERS = ("presidio", "sklearn", "spacy", "spark")


def python_of(page: Path) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL))


WITH_PYTHON = [page for page in PAGES if python_of(page)]


def run(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_examples_run(page: Path, tmp_path: Path) -> None:
    """All examples of a page run in order, and print what the comments beside them say."""
    code = python_of(page)
    printed = iter(run("-c", code, folder=tmp_path).splitlines())
    promised = re.findall(r"print\(.*\)  # (.*)", code)
    assert promised or "print" not in code
    for line in promised:
        assert line in printed, line  # after those before it


def test_the_note_is_what_the_demo_prints(tmp_path: Path) -> None:
    from lacuna.cli.demo import NOTES, SHOWN

    before, after = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    assert before.split() == (NOTES / SHOWN).read_text("utf-8").split()
    out = run("-m", "lacuna", "demo", "-n", "1", "-o", str(tmp_path))
    panel = out[out.index("─ safe ─") :].splitlines()[1:]
    lines = [line.strip("│ ") for line in panel[: len(after.splitlines())]]
    assert lines == after.splitlines()


def test_commands_in_the_text_exist() -> None:
    from lacuna.cli.main import COMMANDS

    for page in PAGES:
        shown = set(
            re.findall(r"(?:^    |`)lacuna ([a-z]+)", page.read_text("utf-8"), re.MULTILINE)
        )
        assert shown <= set(COMMANDS), page.name
    table = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert set(re.findall(r"^\| `lacuna ([a-z]+)`", table, re.MULTILINE)) == set(COMMANDS)


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= MAX_LINES
    rows = [line for line in README.splitlines() if line.startswith("|")]
    assert max(len(cell) for row in rows for cell in row.split("|")) <= MAX_CELL


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"link to {target}"
    for path in PATH.findall(text.replace("/KIND/", "/crf/")):
        if path.split("/")[0] in FOLDERS:
            assert (ROOT / path).exists(), path
        elif path.endswith(".py"):  # below the package: models/crf/objective.py
            assert (ROOT / "src" / "lacuna" / path).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_exist(page: Path) -> None:
    for name in re.findall(r"`(lacuna(?:\.\w+)+)", page.read_text("utf-8")):
        if name.split(".")[1] in ADAPTERS:  # they need a package of their own
            assert (ROOT / "src" / "lacuna" / f"{name.split('.')[1]}.py").exists(), name
        else:
            resolve_name(name)


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert set(re.findall(r"\]\(([a-z-]+\.md)\)", index)) == pages
