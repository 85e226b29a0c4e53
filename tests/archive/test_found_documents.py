"""``--findings`` and ``--review``: what the owner sees, and where it may be."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest

import lacuna
from lacuna.archive import found_documents
from lacuna.archive.found_documents import FoundDocuments, private_file
from lacuna.archive.options import Columns, Rename
from lacuna.deid.before_after import BeforeAfter
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.tally import Place
from lacuna.errors import ConfigError, StoppedError
from lacuna.io.corpus import read_corpus
from lacuna.pipeline.detect_and_redact import Safe
from lacuna.text.document import Document
from tests.archive.conftest import KEY, RunOver, contents, lines
from tests.models.examples import corpus

Found = list[tuple[str, list[tuple[int, int, str, str, float, str]]]]


def as_found(path: Path) -> Found:
    """Return the ids and mentions of a file of findings."""
    return [
        (
            line["id"],
            [
                (*m["spans"][0], m["label"], m["source"], m["probability"], m["replacement"])
                for m in line["mentions"]
            ],
        )
        for line in lines(path)
    ]


def by_library(model: Path, documents: list[Document], **options: Any) -> Found:
    """Return the same by :class:`lacuna.Deidentifier`."""
    outcomes = lacuna.Deidentifier(model=model, key=KEY, **options).deidentify(documents)
    return [
        (
            document.id,
            [
                (*finding, new)
                for finding, new in zip(
                    outcome.redacted.plan, outcome.redacted.instead, strict=True
                )
            ],
        )
        for document, outcome in zip(documents, outcomes, strict=True)
        if isinstance(outcome, Safe)
    ]


def in_folder(folder: Path) -> list[Document]:
    return [
        Document(
            str(path.relative_to(folder).with_suffix("")),
            path.read_bytes().decode(),
            group=path.parent.name,
        )
        for path in sorted(folder.rglob("*.txt"))
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_files_as_the_library_finds_them(
    notes: Path, tmp_path: Path, run_over: RunOver, model: Path, workers: int
) -> None:
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    before = os.umask(0)
    try:
        run_over(
            notes,
            tmp_path / "safe",
            group_from="^[^/]+",
            workers=workers,
            findings=found,
            review=review,
        )
    finally:
        os.umask(before)
    documents = in_folder(notes)
    assert as_found(found) == by_library(model, documents)
    assert [line["text"] for line in lines(found)] == [document.text for document in documents]
    assert [line["output"] for line in lines(found)] == list(contents(tmp_path / "safe"))
    for path in (found, review):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {*tmp_path.iterdir()} == {
        *(tmp_path / name for name in ("notes", "safe", "safe.private")),
        found,
        review,
    }


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("workers", [1, 2])
def test_rows_as_the_library_finds_them(
    tmp_path: Path, run_over: RunOver, model: Path, kind: str, workers: int
) -> None:
    documents = [Document(d.id, d.text, group=d.group) for d in corpus(40, seed=3)]
    path = tmp_path / f"notes.{kind}"
    write_table(path, documents)
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    columns = Columns("text", "id", "group")
    report = run_over(
        path,
        tmp_path / "safe",
        columns=columns,
        workers=workers,
        findings=found,
        review=review,
        rename=Rename.HASH,
    )
    assert as_found(found) == by_library(model, documents)
    first = lines(found)[7]
    assert (first["id"], first["row"], first["group"]) == ("d7", 8, "g3")
    (output,) = contents(tmp_path / "safe")
    assert {line["output"] for line in lines(found)} == {output}
    places = {(line["output"], line["row"], line["new_id"]) for line in lines(found)}
    reviewed = [entry.place for entry in report.tally.review]
    assert {(place.output, place.row, place.id) for place in reviewed} == places
    page = review.read_text()
    assert page.count("<section") == 40
    assert first["new_id"] in page


def test_documents_come_in_the_order_of_the_input(tmp_path: Path) -> None:
    numbers = [(2, 9), (1, 0), (2, 10), (3, 1), (2, 1), (4, 0)]
    with closing(FoundDocuments(tmp_path)) as found:
        for file, row in numbers:
            document = BeforeAfter(
                f"{file}-{row}", None, "", Place("x"), [], [], [], [], 0.5, expected_missed=row
            )
            found.add(file, row, row, msgspec.msgpack.encode(document))
        found.drop(3)
        found.name_output(2, "t.csv")
        found.write(tmp_path / "found.jsonl", tmp_path / "review.html")
    written = [(line["id"], line.get("output")) for line in lines(tmp_path / "found.jsonl")]
    rows = [(f"2-{row}", "t.csv") for row in (1, 9, 10)]
    assert written == [("1-0", None), *rows, ("4-0", None)]
    page = (tmp_path / "review.html").read_text()
    assert re.findall("<h2>([^<]*)", page) == ["2-10", "2-9", "2-1", "1-0", "4-0"]


def write_table(path: Path, documents: list[Document]) -> None:
    rows = [{"id": d.id, "group": d.group, "text": d.text} for d in documents]
    if path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    elif path.suffix == ".csv":
        cells = "".join(f'{r["id"]},{r["group"]},"{r["text"]}"\n' for r in rows)
        path.write_text(f"id,group,text\n{cells}")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_our_own_reader_reads_the_findings(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    found = tmp_path / "found.jsonl"
    run_over(notes, tmp_path / "safe", findings=found)
    said: list[Any] = []
    documents = list(read_corpus([found], on_skip=said.append))
    assert [d.id for d in documents] == [line["id"] for line in lines(found)]
    assert sum(len(d.mentions) for d in documents) > 20
    assert said == []


def test_what_a_policy_keeps_was_found_too(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "keep.toml").write_text('base = "safe-harbor"\n[labels]\nLOC = "keep"\n')
    (tmp_path / "note.txt").write_text("Ana Okafor was moved to Arden.\n[NAME-1]\n")
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    run_over(
        tmp_path / "note.txt",
        tmp_path / "safe",
        policy=tmp_path / "keep.toml",
        findings=found,
        review=review,
    )
    (line,) = lines(found)
    person, town = line["mentions"]  # and no placeholder: it is no finding
    assert (person["label"], person["replacement"]) == ("PER", "[PER-1]")
    assert (town["label"], "replacement" in town) == ("LOC", False)
    assert len(re.findall(r'<mark class="l\d kept"', review.read_text())) == 2  # before and after


def test_the_page_shows_every_document_and_loads_nothing(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    (notes / "g0" / "<b>x.txt").write_text("Call <script>alert(1)</script> & Ana Okafor.")
    (notes / "bad<i>.txt").write_bytes(b"\x81")
    review = tmp_path / "review.html"
    report = run_over(notes, tmp_path / "safe", review=review)
    page = review.read_text()
    assert page.count("<section") == report.tally.documents == 13
    for document in in_folder(notes / "g1"):
        for line in document.text.replace("\r", "").splitlines():
            assert line in unescape(re.sub("<[^>]*>", "", page))
    assert "<b>x" not in page
    assert "<script>alert" not in page
    assert "<li>bad&lt;i&gt;.txt: " in page
    assert not re.search(r"https?:|//\w|src=|@import|url\(|<link|<iframe", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "script-src 'sha256-" in policy[1]


def test_a_long_run_shows_what_to_look_at_first(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_documents, "SHOWN", 3)
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    report = run_over(notes, tmp_path / "safe", findings=found, review=review)
    page = review.read_text()
    assert "12 documents, 3 of them here" in page
    outputs = [entry.place.output for entry in report.tally.review[:3]]
    assert re.findall(r"<div class=about>output (\S+)", page) == outputs
    assert len(lines(found)) == 12
    largest = max(len(line) for line in found.read_bytes().splitlines())
    monkeypatch.setattr(found_documents, "SHOWN_BYTES", largest - 1)  # too small for this one
    run_over(notes, None, review=review)
    shown = re.search("12 documents, ([1-3]) of them here", review.read_text())
    assert shown is not None


@pytest.mark.parametrize("option", ["findings", "review"])
def test_files_that_are_needed_are_not_replaced(
    notes: Path, tmp_path: Path, run_over: RunOver, option: str
) -> None:
    always = tmp_path / "always.txt"
    always.write_text("Okafor\n")
    with pytest.raises(ConfigError, match="needs a new file"):
        run_over(notes, tmp_path / "safe", always=str(always), **{option: always})
    (tmp_path / "link").symlink_to(tmp_path / "same")
    one, other = tmp_path / "same", tmp_path / "link"
    with pytest.raises(ConfigError, match="needs a new file"):
        run_over(notes, tmp_path / "safe", findings=one, review=other)
    assert always.read_text() == "Okafor\n"


@pytest.mark.parametrize("option", ["findings", "review"])
def test_never_where_it_is_passed_on_or_read(
    notes: Path, tmp_path: Path, run_over: RunOver, option: str
) -> None:
    safe = tmp_path / "safe"
    (tmp_path / "link").symlink_to(safe)
    for path, reason in (
        (safe / "x", "passed on"),
        (safe / "deep" / "x", "passed on"),
        (safe / ".." / "safe" / "x", "passed on"),
        (tmp_path / "link" / "x", "passed on"),
        (safe, "passed on"),
        (notes / "g0" / "x", "where it would be read"),
        (notes / "g0" / "d0.txt", "where it would be read"),
        (tmp_path / "none" / "x", "does not exist"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(ConfigError, match=reason):
            run_over(notes, safe, **{option: path})
        assert not safe.exists()
    with pytest.raises(ConfigError, match="needs a new file"):
        run_over(notes, safe, findings=tmp_path / "x", review=tmp_path / "x")
    one = notes / "g0" / "d0.txt"
    with pytest.raises(ConfigError, match="must not be in the input"):
        run_over(one, safe, **{option: one})
    run_over(one, safe, **{option: tmp_path / "safe.private" / "x"})  # beside the crosswalk
    assert (tmp_path / "safe.private" / "x").stat().st_size > 0
    assert contents(safe).keys() == {"d0.txt"}


@pytest.mark.parametrize("table", [False, True])
def test_resumed_it_shows_everything(
    notes: Path, tmp_path: Path, run_over: RunOver, table: bool
) -> None:
    source = notes
    if table:
        source = tmp_path / "notes.jsonl"
        write_table(source, in_folder(notes))
    whole, found = tmp_path / "whole.jsonl", tmp_path / "found.jsonl"
    run_over(source, tmp_path / "a", findings=whole, policy="research")
    run_over(source, tmp_path / "b", policy="research")
    expected = contents(tmp_path / "b")
    (tmp_path / "b" / next(iter(expected))).unlink()
    report = run_over(source, tmp_path / "b", findings=found, resume=True, policy="research")
    assert found.read_bytes() == whole.read_bytes()
    assert contents(tmp_path / "b") == expected == contents(tmp_path / "a")
    assert report.run.taken_over == 0


def test_a_dry_run_shows_what_would_be_found(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe", findings=tmp_path / "a.jsonl")
    run_over(notes, None, findings=tmp_path / "b.jsonl")
    assert as_found(tmp_path / "a.jsonl") == as_found(tmp_path / "b.jsonl")
    assert not any("output" in line for line in lines(tmp_path / "b.jsonl"))


@pytest.mark.parametrize("workers", [1, 2])
def test_tables_and_rows_that_fail_are_not_shown(
    tmp_path: Path, run_over: RunOver, workers: int
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_text(
        '{"id": "good", "text": "Call Ana Okafor."}\n{"id": "bad", "text": 5}\n'
    )
    rows = "".join(f"lost{i},Call Ana Okafor.\n" for i in range(3000))
    (folder / "b.csv").write_text(f'id,text\n{rows}x,"Call')  # its end is missing
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    report = run_over(
        folder,
        tmp_path / "safe",
        columns=Columns("text", "id"),
        workers=workers,
        findings=found,
        review=review,
    )
    assert contents(tmp_path / "safe").keys() == {"a.jsonl"}
    assert [line["id"] for line in lines(found)] == ["good"]
    assert report.tally.documents == 1
    page = review.read_text()
    assert "lost" not in page
    assert "a.jsonl, row 2: " in page
    assert "b.csv: " in page


def test_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text("old")

    def broken(error: Exception) -> None:
        with private_file(path) as stream:
            stream.write(b"new")
            raise error

    with pytest.raises(ValueError, match="x"):
        broken(ValueError("x"))
    with pytest.raises(StoppedError, match="No space left"):
        broken(OSError(28, "No space left on device"))
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_names_of_files_that_are_not_valid_text(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "in").mkdir()
    name = os.fsdecode(b"n\xe9.txt")
    (tmp_path / "in" / name).write_text("Call Ana Okafor.")
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    run_over(tmp_path / "in", tmp_path / "safe", rename=Rename.HASH, findings=found, review=review)
    assert lines(found)[0]["id"] == r"n\xe9"
    assert r"n\xe9" in review.read_text()


def test_the_command_names_the_files_and_the_paths_if_asked(
    notes: Path,
    tmp_path: Path,
    command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    (notes / "okafor.txt").write_bytes(b"\x81")
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    opaque = command(notes, "-o", tmp_path / "a", "--findings", found, "--review", review, "--json")
    assert opaque.returncode == 1
    assert "okafor" not in opaque.stderr.lower()
    assert "--show-paths names the files that failed" in opaque.stderr
    report = json.loads(opaque.stdout)
    assert (report["findings_file"], report["review_file"]) == (str(found), str(review))
    assert len(report["review"]) == 12
    shown = command(notes, "-o", tmp_path / "b", "--show-paths", "--workers", 2)
    assert "failed: okafor.txt: " in shown.stderr
    assert "--show-paths" not in shown.stderr
    passed_on = "".join(p.read_text() for p in (tmp_path / "b").rglob("*") if p.is_file())
    assert "okafor" not in passed_on.lower()
    refused = command(notes, "-o", tmp_path / "c", "--review", tmp_path / "c" / "r.html")
    assert refused.returncode == 2
    assert not (tmp_path / "c").exists()


def test_a_text_from_standard_input(
    tmp_path: Path, model: Path, command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    text = "Call Ana Okafor about the results.\n"
    found, review = tmp_path / "found.jsonl", tmp_path / "review.html"
    run = command("-", "--findings", found, "--review", review, input=text)
    assert run.returncode == 0
    (line,) = lines(found)
    document = Document("stdin", text)
    assert [(line["id"], line["text"])] == [("stdin", text)]
    deidentifier = lacuna.Deidentifier(model=model, detection=DetectionOptions())
    (safe,) = deidentifier.deidentify([document])
    assert isinstance(safe, Safe)
    spans = [tuple(mention["spans"][0]) for mention in line["mentions"]]
    assert spans == [finding[:2] for finding in safe.redacted.plan]
    assert "Okafor" in review.read_text()


def test_one_file_out(
    notes: Path, tmp_path: Path, command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    note, found = notes / "g0" / "d0.txt", tmp_path / "found.jsonl"
    run = command(note, "-o", tmp_path / "out.txt", "--findings", found)
    assert run.returncode == 0
    (line,) = lines(found)
    assert (line["id"], "output" in line) == ("d0", False)
    assert {*tmp_path.iterdir()} == {notes, found, tmp_path / "out.txt"}
    same = command(note, "-o", tmp_path / "x.txt", "--review", tmp_path / "x.txt")
    assert same.returncode == 2
    assert not (tmp_path / "x.txt").exists()
