"""Tables on terminals of any width: every name and every value can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.cli import console
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna

LABELS = [f"label-{letter}" for letter in "abcdefghijklmnopqrstuv"]


@pytest.fixture
def model(lacuna: Lacuna, tmp_path: Path) -> Path:
    """A model with 22 labels."""
    notes, path = tmp_path / "notes.jsonl", tmp_path / "many.lacuna"
    words = [f"Word{label[-1]}" for label in LABELS]
    text = " ".join(words)
    places = [(text.index(word), text.index(word) + len(word)) for word in words]
    mentions = tuple(Mention.of(label, place) for label, place in zip(LABELS, places, strict=True))
    write_corpus([Document("a", text, mentions)], notes, format="jsonl")
    assert lacuna("train", notes, "-o", path, "--set", "iterations=2").code == 0
    return path


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_inspect_names_every_value(
    lacuna: Lacuna, model: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.stdout, "_width", columns)
    run = lacuna("inspect", model)
    assert run.code == 0
    words = " ".join(run.out.split())
    for label in LABELS:
        assert f"mentions of {label} 1 " in words
    for name, value in (("documents", "1"), ("iterations", "2"), ("scheme", "BIO")):
        assert f" {name} {value} " in words
    assert max(map(len, run.out.splitlines())) <= columns


CELLS = st.text("abc123", min_size=1, max_size=9)
TABLES = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        st.lists(CELLS, min_size=n, max_size=n),
        st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=4),
    )
)


@given(TABLES, st.integers(30, 160))
def test_no_cell_is_lost_or_cut(table: tuple[list[str], list[list[str]]], columns: int) -> None:
    header, rows = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console.stdout, "_width", columns)
        with console.stdout.capture() as captured:
            console.print_table("title", header, rows)
    shown = captured.get()
    words = shown.split()
    for cell in (*header[1:], *(cell for row in rows for cell in row)):
        assert cell in words
    assert max(map(len, shown.splitlines())) <= columns


def test_a_table_without_rows_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_table("found", ("label", "number"), [])
    assert capsys.readouterr().out.split() == ["found", "none"]
