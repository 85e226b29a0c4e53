"""Tables with other columns or another delimiter than expected."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.archive.column_names import MissingColumnError, looks_like_names, nearest
from lacuna.archive.inputs import InputFile
from lacuna.archive.options import Columns, InputOptions
from lacuna.archive.tables import open_table
from lacuna.errors import ConfigError
from tests.archive.conftest import RunOver, lines

NOTE = "Call Ana Okafor about it."
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)


@pytest.mark.parametrize(
    ("name", "header", "meant"),
    [
        ("note_text", ["id", "NOTE_TEXT"], "NOTE_TEXT"),
        ("text", ["id", "note_text", "note_text_original"], "note_text"),
        ("note_txt", ["id", "note_text"], "note_text"),
        ("group", ["id", "note"], None),
    ],
)
def test_the_nearest_column_is_suggested(name: str, header: list[str], meant: str | None) -> None:
    assert nearest(name, header) == meant
    message = str(MissingColumnError(header, name, "--text-column"))
    assert "id, " in message
    assert (f"--text-column {meant!r}?" in message) == (meant is not None)


@pytest.mark.parametrize("table", ["csv", "jsonl", "parquet"])
def test_columns_that_exist_are_listed_and_nothing_is_written(
    tmp_path: Path, run_over: RunOver, table: str
) -> None:
    source = tmp_path / f"in.{table}"
    if table == "csv":
        source.write_text(f"visit,Note Text\n1,{NOTE}\n")
    elif table == "jsonl":
        source.write_text(json.dumps({"visit": 1, "Note Text": NOTE}) + "\n")
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"visit": [1], "Note Text": [NOTE]}), source)
    with pytest.raises(ConfigError) as error:
        run_over(source, tmp_path / "safe")
    assert str(error.value) == (
        f"{source}: the table has no column 'text'; see --text-column; its columns are visit,"
        " Note Text; perhaps --text-column 'Note Text'?"
    )
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
    columns = Columns("Note Text", "visit")
    assert run_over(source, tmp_path / "safe", columns=columns).tally.documents == 1


def test_a_first_line_that_is_data_is_not_quoted(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "in.csv").write_text(f"4471203,{NOTE}\n4471204,{NOTE}\n")
    with pytest.raises(ConfigError) as error:
        run_over(tmp_path / "in.csv", tmp_path / "safe")
    assert "its first line may hold data" in str(error.value)
    assert "Okafor" not in str(error.value)
    assert "447" not in str(error.value)
    for cell in (NOTE, "2014-03-14", "617-555-0134", "", "x" * 50):
        assert not looks_like_names(["id", cell])


def test_reports_do_not_have_the_names(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("Okafor,Ana\nx,y\n")
    (folder / "b.csv").write_text(f"text\n{NOTE}\n")
    report = run_over(folder, tmp_path / "safe")
    assert report.tally.reasons == {"the table has no column 'text'; see --text-column": 1}
    assert "Okafor" not in (tmp_path / "safe" / "report.json").read_text()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_and_kept(tmp_path: Path, run_over: RunOver, delimiter: str) -> None:
    source = tmp_path / "in.csv"
    with source.open("w", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["visit", "a; b, c\td", "text"])
        writer.writerow(["1", "x;y,z\t", f'{NOTE} "quoted"; twice,\nand\ta line'])
    columns = Columns(keep=("all",))
    run_over(source, tmp_path / "safe", columns=columns)
    with (tmp_path / "safe" / "in.csv").open(newline="") as stream:
        header, row = csv.reader(stream, delimiter=delimiter)
    assert header == ["visit", "a; b, c\td", "text"]
    assert row[1] == "x;y,z\t"
    assert row[2].endswith('"quoted"; twice,\nand\ta line')
    assert "Okafor" not in row[2]


@given(st.sampled_from(",;\t|"), st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_cells_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, delimiter: str, rows: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    with (folder / "in.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerows([("a,b;c", "text"), *rows])
    file = InputFile(folder, "in.csv", "csv", 1)
    options = InputOptions(columns=Columns(keep=("all",)))
    read = [row.kept for row in open_table(file, options).rows()]
    assert read == [list(row) for row in rows]


def test_one_column_alone_says_which_delimiters_there_are(
    tmp_path: Path, run_over: RunOver
) -> None:
    (tmp_path / "in.csv").write_text(f"visit#note\n1#{NOTE}\n")
    with pytest.raises(ConfigError, match="separators: comma, semicolon, tab, bar"):
        run_over(tmp_path / "in.csv", tmp_path / "safe")


def test_json_lines_have_columns_too(tmp_path: Path, run_over: RunOver) -> None:
    rows = [{"nr": f"visit {i}", "note": NOTE, "mrn": "p", "text": "Ana Okafor"} for i in (1, 2)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = Columns("note", "nr", "mrn")
    run_over(tmp_path / "in.jsonl", tmp_path / "safe", columns=columns)
    safe = lines(tmp_path / "safe" / "in.jsonl")
    assert [line.keys() for line in safe] == [{"nr", "note", "mrn"}] * 2
    assert [line["nr"] for line in safe] == ["visit 1", "visit 2"]
    assert "Okafor" not in (tmp_path / "safe" / "in.jsonl").read_text()


def test_the_first_json_lines_may_be_bad(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "in.jsonl").write_text(f'{{"x": 1}}\n{json.dumps({"text": NOTE})}\n')
    report = run_over(tmp_path / "in.jsonl", tmp_path / "safe")
    assert (report.tally.documents, report.tally.failed) == (1, 1)


@pytest.mark.parametrize("what", ["id", "group", "keep", "dates"])
def test_json_lines_without_a_key_that_was_asked_for_are_refused(
    run_over: RunOver, tmp_path: Path, what: str
) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"text": "a"}\n{"text": "b", "pid": "7", "meta": {"day": "2022-02-09"}}\n')
    option = {"keep": "keep-columns", "dates": "date-columns"}.get(what, f"{what}-column")
    wrong: Any = ("pidd",) if what in ("keep", "dates") else "pidd"
    with pytest.raises(ConfigError, match=rf"no column 'pidd'; see --{option}.*'pid'"):
        run_over(lines, tmp_path / "safe", policy="research", columns=Columns(**{what: wrong}))
    assert not (tmp_path / "safe").exists()
    right: Any = {"keep": ("pid",), "dates": ("day",)}.get(what, "pid")
    run_over(lines, tmp_path / "safe", policy="research", columns=Columns(**{what: right}))
