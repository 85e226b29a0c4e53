"""Inputs in several encodings: each is read in its own, and counted; outputs are UTF-8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lacuna.archive.options import Columns
from lacuna.errors import ConfigError
from tests.archive.conftest import RunOver, contents, lines

NOTE = "Zoë says: call Ana Okafor about it — é.\n"
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le")


@pytest.mark.parametrize("workers", [1, 2])
def test_every_file_is_read_in_its_own_encoding(
    tmp_path: Path, run_over: RunOver, workers: int
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for encoding in ENCODINGS:
        (folder / f"{encoding}.txt").write_bytes(NOTE.encode(encoding))
    report = run_over(folder, tmp_path / "safe", workers=workers)
    assert report.tally.failed == 0
    texts = {text.decode().removeprefix("\ufeff") for text in contents(tmp_path / "safe").values()}
    (text,) = texts
    assert "Okafor" not in text
    assert text.startswith("Zoë says")
    assert report.tally.encodings == {"cp1252": 1, "UTF-16": 2}
    written = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert written["encodings"] == {"cp1252": 1, "UTF-16": 2}
    page = (tmp_path / "safe" / "report.html").read_text()
    assert "1 document was read as cp1252." in page
    assert "2 documents were read as UTF-16." in page
    again = run_over(folder, tmp_path / "safe", workers=workers, resume=True)
    assert again.tally.encodings == report.tally.encodings


def test_the_fallback_can_be_another_one_or_none(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "a.txt").write_bytes("Ćwikła says no fever.\n".encode("cp1250"))
    report = run_over(tmp_path / "a.txt", tmp_path / "safe", fallback_encoding="cp1250")
    assert report.tally.encodings == {"cp1250": 1}
    assert "wikła" in (tmp_path / "safe" / "a.txt").read_text()
    none = run_over(tmp_path / "a.txt", None, fallback_encoding="none")
    assert none.tally.reasons == {"not valid UTF-8; see --encoding and --fallback-encoding": 1}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tables_in_any_encoding(tmp_path: Path, run_over: RunOver, encoding: str) -> None:
    rows = [{"id": f"note-{i}", "text": NOTE, "größe": "ü"} for i in range(3)]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "in.jsonl").write_bytes(content.encode(encoding))
    table = "größe,text\r\n" + f'ü,"{NOTE}"\r\n' * 3
    (tmp_path / "in.csv").write_bytes(table.encode(encoding))
    columns = Columns(keep=("größe",))
    for name in ("in.jsonl", "in.csv"):
        report = run_over(tmp_path / name, tmp_path / f"safe-{name}", columns=columns)
        assert (report.tally.documents, report.tally.failed) == (3, 0)
        expected = {"utf-8": {}, "utf-8-sig": {}, "cp1252": {"cp1252": 3}}
        assert report.tally.encodings == expected.get(encoding, {"UTF-16": 3})
    first, *_ = lines(tmp_path / "safe-in.jsonl" / "in.jsonl")
    assert first["text"].startswith("Zoë says")
    assert first["meta"] == {"größe": "ü"}
    assert "Okafor" not in first["text"]
    header, cells, *_ = (tmp_path / "safe-in.csv" / "in.csv").read_text().splitlines()
    assert header == "größe,text"
    assert cells.startswith('ü,"Zoë')


def test_one_row_in_another_encoding_does_not_change_the_others(
    tmp_path: Path, run_over: RunOver
) -> None:
    good, other = (f'{{"text": "{NOTE.strip()}"}}\n'.encode(name) for name in ("utf-8", "cp1252"))
    (tmp_path / "in.jsonl").write_bytes(good + other + good)
    report = run_over(tmp_path / "in.jsonl", tmp_path / "safe")
    texts = [line["text"] for line in lines(tmp_path / "safe" / "in.jsonl")]
    assert len(texts) == 3
    assert len({*texts}) == 1
    assert report.tally.encodings == {"cp1252": 1}


def test_other_files_of_many_documents(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "in.conll").write_bytes("Zoë O\nCall O\nAna B-PER\n\n".encode("cp1252"))
    report = run_over(tmp_path / "in.conll", tmp_path / "safe")
    assert report.tally.encodings == {"cp1252": 1}
    (line,) = lines(tmp_path / "safe" / "in.conll.jsonl")
    assert "Zoë" in line["text"]


@pytest.mark.parametrize("option", ["encoding", "fallback_encoding"])
def test_an_unknown_encoding_is_one_error(
    notes: Path, tmp_path: Path, run_over: RunOver, option: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigError, match="nope: unknown encoding"):
        run_over(notes, tmp_path / "safe", **{option: "nope"})
    assert sorted(tmp_path.rglob("*")) == before
