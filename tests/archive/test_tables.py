"""Tables: rows in order, columns dropped, groups across rows, rows that fail alone."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive import jobs
from lacuna.archive.inputs import InputFile
from lacuna.archive.options import Columns, InputOptions, Rename
from lacuna.archive.tables import open_table
from lacuna.deid.scope import Consistency
from tests.archive.conftest import RunOver, contents, lines
from tests.models.examples import corpus

NOTE = "Call Ana Okafor about the results."


def write_jsonl(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_json_lines_stay_in_order_and_lose_what_nobody_asked_for(
    tmp_path: Path, run_over: RunOver
) -> None:
    rows = [
        {
            "id": f"note-{i}",
            "text": d.text,
            "group": f"g{i % 350}",
            "meta": {"ward": 1, "x": "Ana"},
        }
        for i, d in enumerate(corpus(700, seed=2, sentences=1))
    ]
    source = write_jsonl(tmp_path / "notes.jsonl", rows)
    columns = Columns(keep=("ward",))
    run_over(source, tmp_path / "one", columns=columns, rename=Rename.AUTO)
    run_over(source, tmp_path / "two", columns=columns, rename=Rename.AUTO, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    safe = lines(tmp_path / "one" / "notes.jsonl")
    assert [row["id"] for row in safe] == [row["id"] for row in rows]
    assert all(row["meta"] == {"ward": 1} for row in safe)
    assert len({row["group"] for row in safe}) == 350
    assert "g0" not in {row["group"] for row in safe}
    assert "Ana" not in (tmp_path / "one" / "notes.jsonl").read_text()


def test_a_group_has_one_numbering_wherever_its_rows_stand(
    tmp_path: Path, run_over: RunOver
) -> None:
    other = [{"text": "No fever.", "group": f"q{i}"} for i in range(600)]
    rows = [
        {"text": NOTE, "group": "p"},
        *other,
        {"text": NOTE.replace("Ana Okafor", "Boris Petrov"), "group": "p"},
        *other,
        {"text": NOTE, "group": "p"},
    ]
    run_over(write_jsonl(tmp_path / "in.jsonl", rows), tmp_path / "safe")
    safe = lines(tmp_path / "safe" / "in.jsonl")
    first, second, third = safe[0]["text"], safe[601]["text"], safe[-1]["text"]
    assert first == third != second


def test_a_group_that_comes_back_too_late_is_refused(
    tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "OPEN_GROUPS", 10)
    names = ["p", *(f"q{i}" for i in range(400)), "p"]
    rows = [{"text": NOTE, "group": name} for name in names]
    report = run_over(write_jsonl(tmp_path / "in.jsonl", rows), tmp_path / "safe")
    assert report.tally.failed == 1
    assert report.failures[0].row == len(rows)
    assert "other patients are between" in report.failures[0].reason
    changes: list[dict[str, Any]] = [
        {"policy": "mask"},
        {"consistency": Consistency.DOCUMENT},
    ]
    for number, change in enumerate(changes):
        nothing = run_over(tmp_path / "in.jsonl", tmp_path / str(number), **change)
        assert nothing.tally.failed == 0


def test_bad_lines_fail_alone(tmp_path: Path, run_over: RunOver) -> None:
    source = tmp_path / "in.jsonl"
    good = json.dumps({"text": NOTE}).encode()
    source.write_bytes(
        b"\n".join([good, b'{"text": "Ana \x81"}', b'{"text": "Ana', b'{"id": 1}', good, b""])
    )
    report = run_over(source, tmp_path / "safe")
    assert report.tally.documents == 2
    assert [failure.row for failure in report.failures] == [2, 3, 4]
    assert len(lines(tmp_path / "safe" / "in.jsonl")) == 2


def test_csv_columns(tmp_path: Path, run_over: RunOver) -> None:
    source = tmp_path / "table.csv"
    with source.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["visit", "mrn", "note", "insurer", "ward"])
        writer.writerow(["visit 1", "p1", NOTE + '\n"quoted", twice', "Ana Okafor", "W1"])
        writer.writerow(["visit 2", "p1", NOTE, "Ana Okafor", "W2"])
    columns = Columns("note", "visit", "mrn", ("ward",))
    run_over(source, tmp_path / "safe", columns=columns, rename=Rename.AUTO)
    content = (tmp_path / "safe" / "table.csv").read_bytes().decode()
    rows = list(csv.reader(content.splitlines(keepends=True)))
    assert rows[0] == ["visit", "mrn", "note", "ward"]
    assert [row[0] for row in rows[1:]] == ["visit 1", "visit 2"]
    assert [row[3] for row in rows[1:]] == ["W1", "W2"]
    assert rows[1][1] == rows[2][1] != "p1"
    assert rows[1][2].endswith('\n"quoted", twice')
    assert "Okafor" not in content
    assert content.count("\r\n") == 3
    run_over(source, tmp_path / "all", columns=Columns("note", None, "mrn", ("all",)))
    assert b"insurer" in (tmp_path / "all" / "table.csv").read_bytes()


def test_a_table_without_the_column_fails_whole(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("note\nCall Ana Okafor about it.\n")
    (folder / "b.csv").write_text("text\nNo fever.\n")
    report = run_over(folder, tmp_path / "safe")
    assert list(contents(tmp_path / "safe")) == ["b.csv"]
    assert "no column 'text'" in report.failures[0].reason


def test_ids_that_tell_are_hashed(tmp_path: Path, run_over: RunOver) -> None:
    ids = ["okafor-1", "note-1", "4471203", "note/1999", "12-03", "7"]
    source = write_jsonl(tmp_path / "notes.jsonl", [{"id": id_, "text": NOTE} for id_ in ids])
    run_over(source, tmp_path / "safe", rename=Rename.AUTO)
    safe = [row["id"] for row in lines(tmp_path / "safe" / "notes.jsonl")]
    assert (safe[1], safe[5]) == ("note-1", "7")
    for old, new in zip(ids, safe, strict=True):
        assert new == old or re.fullmatch("(note/)?[0-9a-f]{16}", new)
    assert [new == old for old, new in zip(ids, safe, strict=True)].count(True) == 2
    run_over(source, tmp_path / "hashed", rename=Rename.HASH)
    (hashed,) = contents(tmp_path / "hashed")
    assert re.fullmatch(r"[0-9a-f]{16}\.jsonl", hashed)
    assert not {row["id"] for row in lines(tmp_path / "hashed" / hashed)} & {*ids}
    run_over(source, tmp_path / "kept", rename=Rename.KEEP)
    assert [row["id"] for row in lines(tmp_path / "kept" / "notes.jsonl")] == ids


def test_files_of_many_documents_become_json_lines(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "in.conll").write_text("Call O\nAna B-PER\nOkafor I-PER\n\n")
    run_over(tmp_path / "in.conll", tmp_path / "safe")
    (row,) = lines(tmp_path / "safe" / "in.conll.jsonl")
    assert "Okafor" not in row["text"]


def test_parquet(tmp_path: Path, run_over: RunOver) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    count = 600
    table = arrow.table(
        {
            "visit": list(range(count)),
            "note": [NOTE] * (count - 1) + [None],
            "insurer": ["Ana Okafor"] * count,
            "ward": arrow.array([1.5] * count, arrow.float32()),
        }
    )
    parquet.write_table(table, tmp_path / "in.parquet")
    columns = Columns("note", "visit", None, ("ward",))
    run_over(tmp_path / "in.parquet", tmp_path / "safe", columns=columns)
    safe = parquet.read_table(tmp_path / "safe" / "in.parquet")
    assert safe.column_names == ["visit", "note", "ward"]
    assert safe["visit"].to_pylist() == [str(i) for i in range(count)]
    assert safe.schema.field("ward").type == arrow.float32()
    safe_notes = safe["note"].to_pylist()
    assert safe_notes[-1] is None  # and not an empty text
    assert not any("Okafor" in note for note in safe_notes[:-1])


def test_json_lines_read_fast_are_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"text": "with a byte order mark"}\n'
        b'{"text": "a", "id": 7, "group": 3, "mentions": [{"label": "X", "spans": [[0, 1]]}]}\n'
        b'{"text": "caf\xc3\xa9 \\ud83d\\ude00", "id": "x/y", "group": "", "ward": [1, {}]}\r\n'
        b'\n \t\n\xe2\x80\x83\n{"text": "no class", "label": "positive"}\n'
        b'{"text": "rejected", "spans": [], "answer": "reject"}\n'
        b'{"text": "Prodigy", "_task_hash": 1, "answer": "accept"}\n'
        b'{"id": 4, "data": {"text": "Label Studio"}, "annotations": [{"result": []}]}\n'
        b'{"text": 5}\n{"id": "no text"}\n[1]\nnonsense\n{"text": "\\ud800"}\n'
        b'{"text": "b\x81"}\n' + b'{"text": ' + b"[" * 5000 + b"\n" + b'{"text": "last"}'
    )
    file = InputFile(tmp_path, path.name, "jsonl", path.stat().st_size)
    fast, slow = (
        [row._replace(kept=None) for row in open_table(file, options).rows()]
        for options in (
            InputOptions(),
            InputOptions(columns=Columns(keep=("none",))),
        )
    )
    assert fast == slow
    assert [row.text for row in fast if row.reason is None] == [
        "with a byte order mark",
        "a",
        "café 😀",
        "no class",
        "Prodigy",
        "Label Studio",
        "last",
    ]
    assert sum(row.reason is not None for row in fast) == 7
