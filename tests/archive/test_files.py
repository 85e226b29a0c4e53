"""Folders of text files: what is written, under which name, and what fails alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from lacuna.archive.options import BadBytes, Rename
from lacuna.deid.keys import Key
from lacuna.errors import ConfigError
from tests.archive.conftest import IS_ROOT, RunOver, contents

FIRST_NAMES = ("Ana", "Boris", "Chen", "Dalia", "Emre", "Farid", "Gita", "Hugo")


def test_a_folder_keeps_its_shape_and_loses_its_names(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    report = run_over(notes, tmp_path / "safe", group_from="^[^/]+")
    safe = contents(tmp_path / "safe")
    assert list(safe) == list(contents(notes))
    assert report.tally.documents == 12
    assert report.tally.failed == 0
    text = b"".join(safe.values()).decode()
    assert not any(name in text for name in FIRST_NAMES)
    assert "617-555" not in text
    assert "\r\n" in safe["g1/d3.txt"].decode()
    assert "no pain were reported" in text  # what is no identifier stays


def test_the_number_of_workers_changes_nothing(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    options = {"group_from": "^[^/]+", "policy": "research"}
    run_over(notes, tmp_path / "one", **options)
    run_over(notes, tmp_path / "two", workers=2, **options)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_one_patient_has_one_numbering_in_all_files(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "p1-a.txt").write_text("Call Ana Okafor about the results.\n")
    (folder / "p1-b.txt").write_text("Call Boris Petrov about the results.\n")
    (folder / "p1-c.txt").write_text("Call Ana Okafor about the results.\n")
    (folder / "p2-a.txt").write_text("Call Boris Petrov about the results.\n")
    run_over(folder, tmp_path / "safe", group_from=r"^p\d")
    safe = contents(tmp_path / "safe")
    assert safe["p1-a.txt"] == safe["p1-c.txt"] != safe["p1-b.txt"]
    assert safe["p2-a.txt"] == safe["p1-a.txt"]  # another patient begins at 1


def test_bad_documents_fail_alone(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    (notes / "g0" / "bad.txt").write_bytes(b"Ana Okafor \x81 was here\n")
    (notes / "g1" / "d2.txt").chmod(0o000 if not IS_ROOT else 0o644)
    report = run_over(notes, tmp_path / "safe")
    failed = 1 if IS_ROOT else 2
    assert report.tally.failed == failed
    assert report.tally.documents == 13 - failed
    assert "g0/bad.txt" not in contents(tmp_path / "safe")
    assert any("neither valid UTF-8 nor cp1252" in failure.reason for failure in report.failures)


def test_bad_bytes_can_be_replaced_first(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "a.txt").write_bytes(b"Call Ana Okafor about \x81 it.\n")
    run_over(tmp_path / "a.txt", tmp_path / "safe", bad_bytes=BadBytes.REPLACE)
    text = (tmp_path / "safe" / "a.txt").read_text()
    assert "about \ufffd it." in text
    assert "Okafor" not in text


def test_other_encodings_become_utf_8(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "a.txt").write_bytes("Müller says 5 °C – fine.\n".encode("cp1252"))
    run_over(tmp_path / "a.txt", tmp_path / "safe", encoding="cp1252", threshold=1.0)
    assert "5 °C – fine." in (tmp_path / "safe" / "a.txt").read_text()


def test_a_file_that_vanishes_fails_alone(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lacuna.archive.worker import Worker

    honest = Worker._read

    def read(self: Worker, task: object) -> object:
        if task.id == "g2/d4":  # type: ignore[attr-defined]
            (notes / "g2" / "d4.txt").unlink()
        return honest(self, task)  # type: ignore[arg-type]

    monkeypatch.setattr(Worker, "_read", read)
    report = run_over(notes, tmp_path / "safe")
    assert report.tally.reasons == {"no longer exists": 1}
    assert report.tally.documents == 11


def test_links_out_of_the_folder_are_not_followed(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("Call Ana Okafor about the results.\n")
    (notes / "link.txt").symlink_to(secret)
    (notes / "inside.txt").symlink_to(notes / "g0" / "d0.txt")
    report = run_over(notes, tmp_path / "safe")
    assert report.run.left_aside == {"symbolic links that lead nowhere or out of the folder": 1}
    assert "link.txt" not in contents(tmp_path / "safe")
    assert "inside.txt" in contents(tmp_path / "safe")


def test_names_that_tell_are_hashed(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    text = "Call Ana Okafor about the results, room 1427.\n"
    telling = ["okafor_letter", "letter-2014-03-02", "note 1427", "quux", "smith", "note-12-03"]
    for name in ("discharge summary-2", *telling, "smith_john/note", "Note.report", "report.json"):
        (folder / "visits" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "visits" / f"{name}.txt").write_text(text)
    (tmp_path / "known.csv").write_text("group,kind,value\n,name,Xaver Quux\n")
    (tmp_path / "always.list").write_text("room 1427\n")
    options = {"known": str(tmp_path / "known.csv"), "always": str(tmp_path / "always.list")}
    run_over(folder, tmp_path / "safe", rename=Rename.AUTO, **options)
    names = set(contents(tmp_path / "safe"))
    plain = {f"visits/{n}.txt" for n in ("discharge summary-2", "Note.report", "report.json")}
    assert plain < names
    hashed = [re.fullmatch(r"visits/[0-9a-f]{16}(/note)?\.txt", name) for name in names - plain]
    assert all(hashed)
    assert len(hashed) == len(telling) + 1
    run_over(folder, tmp_path / "kept")
    assert list(contents(tmp_path / "kept")) == list(contents(folder))


def test_outputs_with_one_name_are_kept_apart(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "A.txt").write_text("No fever.\n")
    (folder / "a.txt").write_text("No pain.\n")
    (folder / "manifest.jsonl").write_text('{"text": "No cough."}\n')
    run_over(folder, tmp_path / "safe")
    assert len(contents(tmp_path / "safe")) == 3


def test_a_dry_run_writes_nothing(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    before = sorted(tmp_path.rglob("*"))
    report = run_over(notes, None)
    assert sorted(tmp_path.rglob("*")) == before
    assert report.tally.documents == 12
    assert report.tally.labels["PHONE"] == 12


def test_globs_choose_files(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    report = run_over(notes, None, include=("g0/*", "g1/*"), exclude=("*/d0.txt",))
    assert report.tally.documents == 3


def test_a_large_note_and_a_long_line(tmp_path: Path, run_over: RunOver) -> None:
    words = "no fever and no pain were reported " * 40_000  # one line of 1.4 MB
    (tmp_path / "a.txt").write_text(words + "Call Ana Okafor about it. " + words + "\n")
    report = run_over(tmp_path / "a.txt", tmp_path / "safe")
    text = (tmp_path / "safe" / "a.txt").read_text()
    assert report.tally.failed == 0
    assert "Okafor" not in text
    assert text.startswith(words[:1000])


def test_term_lists(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "a.txt").write_text("Take aspirin at Fossa, not codeine, said no staff.\n")
    for name, term in (("always", "codeine"), ("never", "Fossa"), ("staff", "aspirin")):
        (tmp_path / f"{name}.list").write_text(term + "\n")
    run_over(
        tmp_path / "a.txt",
        tmp_path / "safe",
        always=str(tmp_path / "always.list"),
        never=str(tmp_path / "never.list"),
        lists=(("DOCTOR", str(tmp_path / "staff.list")),),
        threshold=0.01,
        policy="mask",
    )
    text = (tmp_path / "safe" / "a.txt").read_text()
    assert "codeine" not in text
    assert "aspirin" not in text
    assert "Fossa" in text


@pytest.mark.parametrize("inside", [True, False])
def test_input_and_output_lie_apart(notes: Path, run_over: RunOver, inside: bool) -> None:
    with pytest.raises(ConfigError, match="inside one another"):
        run_over(notes, notes / "safe" if inside else notes.parent)


def test_the_report_adds_up(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    run_over(notes, tmp_path / "safe")
    report = json.loads((tmp_path / "safe" / "report.json").read_text())
    histogram = report["probability_histogram"]
    assert sum(histogram["replaced"]) + sum(histogram["left"]) == report["tokens"]
    assert len(report["review"]) == report["documents"] == 12
    missed = [entry["expected_missed"] for entry in report["review"]]
    assert missed == sorted(missed, reverse=True)
    assert sum(missed) == pytest.approx(report["expected_missed_tokens"])
    assert sum(entry["replaced"] for entry in report["review"]) == sum(report["replaced"].values())
    page = (tmp_path / "safe" / "report.html").read_text()
    assert "http://" not in page
    assert "https://" not in page
    assert "<script" not in page


def test_another_key_gives_other_surrogates(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    run_over(notes, tmp_path / "a", policy="research")
    run_over(notes, tmp_path / "b", policy="research", key=Key(bytes(32)))
    assert contents(tmp_path / "a") != contents(tmp_path / "b")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_name_need_not_be_utf_8(run_over: RunOver, tmp_path: Path, workers: int) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Seen.")
    (folder / os.fsdecode(b"\xff\xfe.txt")).write_text("Left.")
    report = run_over(folder, tmp_path / "safe", workers=workers)
    assert (report.tally.documents, report.tally.failed) == (2, 0)
    texts = sorted(path.read_text() for path in (tmp_path / "safe").glob("*.txt"))
    assert texts == ["Left.", "Seen."]
