"""The order of numeric dates in a run: one for each patient, and a remark where it was doubtful."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from lacuna.deid.dates.shifting import secret_offset
from lacuna.deid.remarks import remarks_on_dates
from tests.archive.conftest import KEY, RunOver


def test_a_patients_notes_are_read_in_one_order(tmp_path: Path, run_over: RunOver) -> None:
    notes = {
        "p1/a.txt": "Seen 14/02/2022.",
        "p1/b.txt": "Seen 09/02/2022.",
        "p2/a.txt": "Seen 14/02/2022.",
        "p2/b.txt": "Seen 02/14/2022, then 09/02/2022.",
        "p3/a.txt": "Seen 09/02/2022.",
    }
    for name, text in notes.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    safe = tmp_path / "safe"
    report = run_over(tmp_path / "notes", safe, policy="research", group_from="^[^/]+")

    def moved(day: date, patient: str) -> date:
        return day + timedelta(secret_offset(KEY, ("group", patient), max_days=365))

    written = [path.read_text() for path in sorted(safe.rglob("*.txt"))]
    february, september = date(2022, 2, 9), date(2022, 9, 2)
    assert f"Seen {moved(february, 'p1'):%d/%m/%Y}." in written
    assert f"Seen {moved(september, 'p3'):%m/%d/%Y}." in written  # only the locale can tell
    day = moved(date(2022, 2, 14), "p2")
    assert f"Seen {day:%m/%d/%Y}, then [DATE-1]." in written
    tally = report.tally
    assert (tally.contradictory_dates, tally.hidden_dates) == (1, 1)
    assert tally.dates_against_locale == 2  # p1/a and p2/a
    assert len(remarks_on_dates(tally)) == 2
    page = (safe / "report.html").read_text()
    assert "1 document belongs to patients with dates written day first and month first" in page
    assert "1 date that can be read either way was hidden" in page


def test_no_remark_without_cause(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "a.txt").write_text("Seen 02/14/2022 and 03/04/2022.")
    report = run_over(tmp_path / "a.txt", tmp_path / "safe", policy="research")
    assert remarks_on_dates(report.tally) == []
    assert "<p>dates:" not in (tmp_path / "safe" / "report.html").read_text()


@pytest.mark.parametrize("as_table", [False, True])
def test_a_patient_without_evidence_is_read_like_the_run(
    tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch, as_table: bool
) -> None:
    """The rows of a patient are in different jobs; another patient shows the order of the run."""
    monkeypatch.setattr("lacuna.archive.jobs.BATCH_ROWS", 1)
    notes = [
        ("p1", "Seen 14/02/2022."),
        ("p2", "Seen 09/02/2022."),
        ("p3", "Seen 25/12/2021."),
        ("p3", "Seen 03/04/2022."),
        ("p1", "Seen 05/06/2022."),
    ]
    source = tmp_path / "notes"
    if as_table:
        source = tmp_path / "notes.jsonl"
        lines = [
            {"id": f"n{i}", "group": group, "text": text} for i, (group, text) in enumerate(notes)
        ]
        source.write_text("\n".join(map(json.dumps, lines)))
    else:
        for number, (group, text) in enumerate(notes):
            path = source / group / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    safe = tmp_path / "safe"
    groups = {} if as_table else {"group_from": "^[^/]+"}
    run_over(source, safe, policy="research", **groups)
    if as_table:
        lines = [json.loads(line) for line in (safe / "notes.jsonl").read_text().splitlines()]
        written = {line["text"] for line in lines}
    else:
        written = {path.read_text() for path in safe.rglob("*.txt")}
    expected = set()
    for group, text in notes:
        day = datetime.strptime(text, "Seen %d/%m/%Y.").date()
        moved = day + timedelta(secret_offset(KEY, ("group", group), max_days=365))
        expected.add(f"Seen {moved:%d/%m/%Y}.")
    assert written == expected
