"""Audits: what is drawn, what is recorded, which answers are taken, what the report says."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive.audit import draw, enter
from lacuna.archive.audit_answers import read_answers
from lacuna.deid.audits import Answers, Audit, audits_in, draw_in_words, result_in_words
from lacuna.errors import ConfigError
from tests.archive.conftest import RunOver
from tests.cli.conftest import Lacuna, lacuna  # noqa: F401

CANARY = "Whittaker"


@pytest.fixture
def safe(notes: Path, run_over: RunOver, tmp_path: Path) -> Path:
    run_over(notes, tmp_path / "safe")
    return tmp_path / "safe"


def report(safe: Path) -> Any:
    return json.loads((safe / "report.json").read_text())


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(StringIO(path.read_text())))


def filled(path: Path, leaks: dict[int, str] | None = None) -> Path:
    """Fill in a CSV file of answers: 0, except for some rows."""
    rows = rows_of(path)
    for number, row in enumerate(rows[1:]):
        row[2] = (leaks or {}).get(number, "0")
    with path.open("w") as stream:
        csv.writer(stream).writerows(rows)
    return path


def test_from_the_draw_to_the_report(lacuna: Lacuna, safe: Path) -> None:  # noqa: F811
    run = lacuna("audit", "draw", safe, "-n", 5, "--seed", 7)
    assert run.code == 0
    assert "5 of 12 documents, drawn at random on" in run.err
    page, answers = (safe.parent / f"safe.audit.{suffix}" for suffix in ("html", "csv"))
    for path in (page, answers):
        assert path.stat().st_mode & 0o777 == 0o600
    names = [name for _, name, _ in rows_of(answers)[1:]]
    assert len(names) == 5
    for name in names:
        assert name in page.read_text()
        first = (safe / name).read_text().splitlines()[0]
        assert re.sub(r"\[.*?\]", "", first)[-20:].strip() in re.sub(
            r"<i>.*?</i>", "", page.read_text()
        )
    assert "no answers entered" in (safe / "report.html").read_text()
    done = lacuna("audit", "enter", safe, filled(answers))
    assert done.code == 0
    line = "0 of 5 documents had a leak: at most 33.3 % with 95 % confidence"  # 4 of 12
    assert done.out == f"{line}\n"
    html = (safe / "report.html").read_text()
    assert line in html
    assert "seed 7 (given with --seed)" in html
    (audit,) = report(safe)["audits"]
    assert (audit["sample"], audit["documents"], audit["answers"]["leaking"]) == (5, 12, 0)
    assert not any(name in json.dumps(audit) for name in names)


def test_the_page_saves_json(safe: Path) -> None:
    audit, sample = draw(safe, 4, seed=1)
    path = safe.parent / "answers.json"
    leaks = {document.name: i % 2 * 3 for i, document in enumerate(sample)}
    path.write_text(json.dumps({"draw": audit.draw, "answers": leaks}))
    given = read_answers(path)
    done = enter(safe, given.leaks, draw=given.draw, confidence=0.9)
    assert done.answers is not None
    assert (done.answers.leaking, done.answers.leaks) == (2, 6)
    assert result_in_words(done).startswith("2 of 4 documents had a leak: at most ")
    assert result_in_words(done).endswith("with 90 % confidence")


def test_numbers_can_be_typed(
    lacuna: Lacuna,  # noqa: F811
    safe: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw(safe, 3)
    monkeypatch.setattr(sys, "stdin", StringIO("0\n1\n"))
    assert "2 answers for a sample of 3 documents" in lacuna("audit", "enter", safe, "-").err
    monkeypatch.setattr(sys, "stdin", StringIO("0\n1\n 0 \n"))
    assert lacuna("audit", "enter", safe, "-", "--json").json["answers"]["leaking"] == 1


def test_every_draw_is_in_the_report(lacuna: Lacuna, safe: Path) -> None:  # noqa: F811
    """A second draw replaces neither the files nor the record of the first."""
    assert lacuna("audit", "draw", safe, "-n", 2).code == 0
    first = (safe.parent / "safe.audit.html").read_bytes()
    assert lacuna("audit", "draw", safe, "-n", 20).code == 0
    assert (safe.parent / "safe.audit.html").read_bytes() == first
    answers = filled(safe.parent / "safe.audit-2.csv", {3: "2"})
    run = lacuna("audit", "enter", safe, answers)
    assert run.out == "1 of 12 documents had a leak: these were all documents\n"
    one, two = audits_in(safe / "report.json")
    assert (one.sample, one.answers) == (2, None)
    assert two.answers is not None
    html = (safe / "report.html").read_text()
    assert "2 documents drawn, no answers entered" in html
    assert "1 of 12 documents had a leak" in html


def test_answers_are_replaced_only_on_request(lacuna: Lacuna, safe: Path) -> None:  # noqa: F811
    lacuna("audit", "draw", safe, "-n", 2)
    answers = filled(safe.parent / "safe.audit.csv")
    assert lacuna("audit", "enter", safe, answers).code == 0
    again = lacuna("audit", "enter", safe, filled(answers, {0: "1"}))
    assert (again.code, "--correct replaces them" in again.err) == (2, True)
    assert lacuna("audit", "enter", safe, answers, "--correct").out.startswith("1 of 2 documents")
    assert "corrected once" in (safe / "report.html").read_text()


def test_a_resumed_run_keeps_the_audits(notes: Path, safe: Path, run_over: RunOver) -> None:
    draw(safe, 3)
    run_over(notes, safe, resume=True)
    assert [audit.sample for audit in audits_in(safe / "report.json")] == [3]
    assert "3 documents drawn" in (safe / "report.html").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1:], "must have the columns draw, document, leaks"),
        (lambda rows: rows[:-1], "not those of the sample"),
        (lambda rows: [*rows, [*rows[-1][:1], "other", "0"]], "not those of the sample"),
        (lambda rows: [*rows, rows[-1]], "has two answers for"),
        (lambda rows: [*rows[:-1], [*rows[-1][:2], ""]], "has no answer"),
        (lambda rows: [*rows[:-1], [*rows[-1][:2], "-1"]], "must be 0, 1, 2"),
        (lambda rows: [*rows[:-1], [*rows[-1][:2], "few"]], "must be 0, 1, 2"),
        (lambda rows: [*rows[:-1], ["x", *rows[-1][1:]]], "answers of one sample"),
        (lambda rows: [rows[0], *(["x", *r[1:]] for r in rows[1:])], "belong to no sample"),
        (lambda _: [], "must have the columns"),
    ],
)
def test_wrong_answers_are_refused(
    lacuna: Lacuna,  # noqa: F811
    safe: Path,
    change: Any,
    message: str,
) -> None:
    lacuna("audit", "draw", safe, "-n", 4)
    path = filled(safe.parent / "safe.audit.csv")
    rows = change(rows_of(path))
    with path.open("w") as stream:
        csv.writer(stream).writerows(rows)
    before = report(safe)
    run = lacuna("audit", "enter", safe, path)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert report(safe) == before


@pytest.mark.parametrize("content", ["{}", "{", '{"draw": 1, "answers": 5}', '{"draw": "x"}', "[]"])
def test_damaged_answers_are_refused(safe: Path, content: str) -> None:
    path = safe.parent / "answers.json"
    path.write_text(content)
    with pytest.raises(ConfigError):
        read_answers(path)


def test_usage_errors(
    lacuna: Lacuna,  # noqa: F811
    safe: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("0\n0\n"))
    cases = [
        (("draw", tmp_path / "nowhere"), "has no report.json"),
        (("draw", safe, "-o", safe / "audit.html"), "must not be in the output folder"),
        (("draw", safe, "-o", tmp_path / "no" / "a.html"), "there is no such folder"),
        (("enter", safe, tmp_path / "none.csv"), "none.csv"),
        (("enter", safe, "-"), "no sample was drawn"),
    ]
    for arguments, message in cases:
        run = lacuna("audit", *arguments)
        assert run.code == 2, arguments
        assert message in run.err
    assert "audits" not in report(safe)
    draw(safe, 2)
    monkeypatch.setattr(sys, "stdin", StringIO("0\n0\n"))
    run = lacuna("audit", "enter", safe, "-", "--confidence", 1)
    assert (run.code, "--confidence must be" in run.err) == (2, True)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_rows_of_tables(suffix: str, run_over: RunOver, tmp_path: Path) -> None:
    rows = [
        {"text": f"Fever {i * 'and '}cough, seen by Dr. {CANARY}.", "id": f"n{i}"} for i in range(8)
    ]
    table = tmp_path / f"notes.{suffix}"
    if suffix == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), table)
    elif suffix == "csv":
        with table.open("w") as stream:
            writer = csv.DictWriter(stream, ["text", "id"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_over(table, tmp_path / "safe")
    audit, sample = draw(tmp_path / "safe", 3, seed=2)
    assert (audit.sample, audit.documents) == (3, 8)
    texts = texts_of(tmp_path / "safe" / f"notes.{suffix}")
    for document in sample:
        number = int(document.name.removeprefix(f"notes.{suffix}, row "))
        assert document.text == texts[number - 1]


def texts_of(path: Path) -> list[str]:
    """Read the texts of a table without lacuna."""
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return [str(text) for text in table["text"].to_pylist()]
    if path.suffix == ".csv":
        return [row["text"] for row in csv.DictReader(StringIO(path.read_text()))]
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def test_every_document_is_drawn_equally_often(safe: Path) -> None:
    """4 of 12 in 90 draws: each document about 30 times (5 standard deviations)."""
    drawn: Counter[str] = Counter()
    for seed in range(90):
        drawn.update(document.name for document in draw(safe, 4, seed=seed)[1])
    assert len(drawn) == 12
    assert all(abs(count - 30) < 5 * (90 * (1 / 3) * (2 / 3)) ** 0.5 for count in drawn.values())
    same = {draw(safe, 4, seed=5)[1][0].name for _ in range(3)}
    assert len(same) == 1


def test_in_words() -> None:
    answers = Answers(
        entered="2026-01-02", leaking=0, leaks=0, confidence=0.95, most_leaking=58_155
    )
    audit = Audit(
        draw="d",
        drawn="2026-01-01",
        seed=5,
        seed_was_given=False,
        sample=50,
        documents=1_000_000,
        answers=answers,
    )
    assert result_in_words(audit) == (
        "0 of 50 documents had a leak: at most 5.8 % with 95 % confidence"
    )
    assert draw_in_words(audit) == (
        "50 of 1,000,000 documents, drawn at random on 2026-01-01, seed 5;"
        " answers entered on 2026-01-02: 0 leaks in all"
    )
