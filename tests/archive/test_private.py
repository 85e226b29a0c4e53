"""What is passed on points to nobody; what points back lies beside it, for its owner alone."""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive.manifest import Header, begin_manifest, private_folder
from lacuna.archive.options import Columns, Rename
from lacuna.deid.keys import Key
from lacuna.errors import ConfigError
from tests.archive.conftest import KEY, RunOver, contents, lines

NUMBERS = ["4471203", "9025518"]
NOTE = "Call Ana Okafor about the results."
AUTO: dict[str, Any] = {"rename": Rename.AUTO, "key": None}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A table of two patients, their letters, and a letter that cannot be read."""
    folder = tmp_path / "in"
    folder.mkdir()
    rows = "".join(f"{number},visit-{i},{NOTE}\n" for i, number in enumerate(NUMBERS))
    (folder / "table.csv").write_text(f"mrn,visit,text\n{rows}")
    for number in NUMBERS:
        (folder / number).mkdir()
        (folder / number / "okafor_letter.txt").write_text(NOTE)
    (folder / NUMBERS[0] / "bad.txt").write_bytes(b"Ana \x81")
    (tmp_path / "known.csv").write_text(f"group,kind,value\n{NUMBERS[0]},name,Ana Okafor\n")
    (tmp_path / "staff.list").write_text("Okafor\n")
    return folder


def options(tmp_path: Path) -> dict[str, Any]:
    return {
        "columns": Columns("text", "visit", "mrn"),
        "group_from": r"^\d+",
        "known": str(tmp_path / "known.csv"),
        "lists": (("DOCTOR", str(tmp_path / "staff.list")),),
    }


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def hashes(guess: bytes, secrets: set[bytes]) -> Iterator[str]:
    """Yield what a reader can compute from a guess and everything that looks like a secret."""
    for name in ("md5", "sha1", "sha256", "sha512", "blake2b"):
        yield hashlib.new(name, guess).hexdigest()
        for secret in secrets:
            yield hmac.new(secret, guess, name).hexdigest()
            yield hashlib.new(name, secret + guess).hexdigest()
    for secret in secrets:
        key = Key(hashlib.sha256(secret).digest() if len(secret) != 32 else secret)
        for kind in ("group", "id", "part", "path"):
            yield key.digest("name", kind, guess.decode(errors="replace")).hex()


@pytest.mark.parametrize("policy", ["safe-harbor", "mask"])
def test_no_guess_can_be_tested_with_what_is_passed_on(
    archive: Path, tmp_path: Path, run_over: RunOver, policy: str
) -> None:
    run_over(archive, tmp_path / "safe", policy=policy, **AUTO, **options(tmp_path))
    passed_on = "\n".join(
        f"{path.relative_to(tmp_path / 'safe')}\n{path.read_text()}"
        for path in (tmp_path / "safe").rglob("*")
        if path.is_file()
    ).lower()
    assert not any(number in passed_on for number in NUMBERS)
    found = {*re.findall("[0-9a-f]{16,}", passed_on)}
    assert found  # the new names are there
    secrets = {bytes.fromhex(text[: len(text) // 2 * 2]) for text in found}
    files = [*archive.rglob("*.*"), tmp_path / "known.csv", tmp_path / "staff.list"]
    names = [str(path.relative_to(archive)) for path in archive.rglob("*")]
    stems = [name.rpartition(".")[0] for name in names]
    guesses = [
        *NUMBERS,
        *names,
        *stems,
        "okafor_letter",
        "Okafor",
        "Ana Okafor",
        r"^\d+",
        "visit-0",
    ]
    contents_ = [path.read_bytes() for path in files]
    contents_ += [hashlib.sha256(content).hexdigest().encode() for content in contents_]
    for guess in [*map(str.encode, guesses), *contents_]:
        for digest in hashes(guess, secrets):
            assert digest[:16] not in passed_on


def test_names_are_random_without_a_key_and_the_same_with_one(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    for name, key in (("a", None), ("b", None), ("c", KEY), ("d", KEY)):
        run_over(archive, tmp_path / name, rename=Rename.AUTO, key=key, **options(tmp_path))
    a, b, c, d = (contents(tmp_path / name) for name in "abcd")
    shared = a.keys() & b.keys()
    assert shared == {"table.csv"}
    groups = [{row["mrn"] for row in table(tmp_path / name / "table.csv")} for name in "abc"]
    assert len(set.union(*groups)) == 6
    assert c == d


def test_the_crosswalk_leads_back(archive: Path, tmp_path: Path, run_over: RunOver) -> None:
    report = run_over(archive, tmp_path / "safe", **AUTO, **options(tmp_path))
    private = tmp_path / "safe.private"
    files = {line["input"]: line for line in table(private / "crosswalk.csv")}
    assert files.keys() == {str(p.relative_to(archive)) for p in archive.rglob("*.*")}
    outputs = {line["output"] for line in files.values()} - {""}
    assert outputs == {*contents(tmp_path / "safe")}
    (failure,) = report.failures
    bad = files[f"{NUMBERS[0]}/bad.txt"]
    assert (bad["output"], bad["report_id"]) == ("", failure.document)
    rows = table(private / "rows" / "table.csv.csv")
    safe = table(tmp_path / "safe" / "table.csv")
    assert [(row["id"], row["group"]) for row in rows] == [
        (f"visit-{i}", number) for i, number in enumerate(NUMBERS)
    ]
    assert [(r["new_id"], r["new_group"]) for r in rows] == [(r["visit"], r["mrn"]) for r in safe]
    letter = files[f"{NUMBERS[1]}/okafor_letter.txt"]
    assert (letter["group"], letter["new_group"]) == (NUMBERS[1], rows[1]["new_group"])
    reviewed = {entry.place.document for entry in report.tally.review}
    assert reviewed <= {line["report_id"] for line in (*files.values(), *rows)}


def test_only_the_owner_can_read_it(archive: Path, tmp_path: Path, run_over: RunOver) -> None:
    before = os.umask(0)
    try:
        run_over(archive, tmp_path / "safe", **AUTO, **options(tmp_path))
    finally:
        os.umask(before)
    private = tmp_path / "safe.private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    there = [path for path in private.rglob("*") if path.is_file()]
    assert {path.name for path in there} == {
        "manifest.jsonl",
        "crosswalk.csv",
        "table.csv.csv",
        "known_hits.csv",
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in there} == {0o600}


def test_resumed_the_crosswalk_is_that_of_one_run(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    safe, private = tmp_path / "safe", tmp_path / "safe.private"
    run_over(archive, safe, **AUTO, **options(tmp_path))
    expected = {path: path.read_text() for path in private.rglob("*.csv")}
    crosswalk = private / "crosswalk.csv"
    for cut in range(1, len(expected[crosswalk]), 29):  # killed while it was written
        crosswalk.write_text(expected[crosswalk][:-cut])
        for path in safe.rglob("*.txt"):
            path.unlink()
        for path in private.rglob("rows/*"):
            path.write_text("from an earlier run")
        (safe / "table.csv").unlink()
        run_over(archive, safe, resume=True, **AUTO, **options(tmp_path))
        first, *rest = crosswalk.read_text().splitlines()
        assert [first, *sorted(rest)] == [
            expected[crosswalk].splitlines()[0],
            *sorted(expected[crosswalk].splitlines()[1:]),
        ]
        assert table(private / "rows" / "table.csv.csv")


def test_the_private_folder_of_another_run_is_never_overwritten(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    private = tmp_path / "safe.private"
    private.mkdir()
    (private / "crosswalk.csv").write_text("mine")
    with pytest.raises(ConfigError, match=r"safe\.private contains the crosswalk of an earlier"):
        run_over(archive, tmp_path / "safe", **AUTO)
    assert [path.name for path in private.iterdir()] == ["crosswalk.csv"]
    assert not (tmp_path / "safe").exists()
    (private / "crosswalk.csv").unlink()
    run_over(archive, tmp_path / "safe", **AUTO)  # an empty folder is used
    for path in sorted((tmp_path / "safe").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    with pytest.raises(ConfigError, match="move it away"):
        run_over(archive, tmp_path / "safe", **AUTO)


def test_a_run_without_the_column_writes_nothing(tmp_path: Path, run_over: RunOver) -> None:
    (tmp_path / "table.csv").write_text(f"note\n{NOTE}\n")
    with pytest.raises(ConfigError, match=r"table\.csv: the table has no column 'text'"):
        run_over(tmp_path / "table.csv", tmp_path / "safe", **AUTO)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_came_to_nothing_leaves_nothing(
    tmp_path: Path, run_over: RunOver, is_there: bool, workers: int
) -> None:
    """So the corrected command can be given at once; a folder of the user stays."""
    source, safe = tmp_path / "table.csv", tmp_path / "safe"
    source.write_text(f"note\nÁna: {NOTE}\n")
    if is_there:
        safe.mkdir()
    before = sorted(tmp_path.rglob("*"))
    vault = {"vault": tmp_path / "v.vault", "passphrase": "open sesame, please"}
    options = {"columns": Columns("note"), "workers": workers, **AUTO}
    report = run_over(source, safe, encoding="ascii", **options, **vault)
    assert (report.tally.documents, report.tally.failed) == (0, 1)
    assert sorted(tmp_path.rglob("*")) == before
    assert run_over(source, safe, **options).tally.documents == 1
    with pytest.raises(ConfigError, match="not empty"):
        run_over(source, safe, **options)
    assert (safe / "table.csv").exists()


@pytest.mark.parametrize("left", ["safe/mine.txt", "safe.private/mine.txt"])
def test_nothing_else_is_removed(tmp_path: Path, run_over: RunOver, left: str) -> None:
    (tmp_path / "table.csv").write_text(f"text\n{NOTE}\n")
    begin_manifest(tmp_path / "safe", Header("0", {})).close()  # killed before anything was done
    (tmp_path / left).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigError):
        run_over(tmp_path / "table.csv", tmp_path / "safe", **AUTO)
    assert sorted(tmp_path.rglob("*")) == before
    (tmp_path / left).unlink()
    assert run_over(tmp_path / "table.csv", tmp_path / "safe", **AUTO).tally.documents == 1


def test_two_runs_into_one_folder_are_refused(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    manifest = begin_manifest(tmp_path / "safe", Header("0", {}))
    for resume in (False, True):
        with pytest.raises(ConfigError, match=r"another run|other settings"):
            run_over(archive, tmp_path / "safe", resume=resume)
    manifest.close()


def test_folders_of_an_earlier_version_cannot_be_continued(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "manifest.jsonl").write_text('{"lacuna":"0.1.0","settings":{}}\n')
    with pytest.raises(ConfigError, match=r"earlier version.*cannot be continued"):
        run_over(archive, tmp_path / "safe", resume=True)
    assert not (tmp_path / "safe.private").exists()


def test_the_private_folder_is_not_an_input(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(archive, tmp_path / "safe", **AUTO)
    with pytest.raises(ConfigError, match="inside one another"):
        run_over(tmp_path / "safe.private", tmp_path / "safe", **AUTO)


@pytest.mark.parametrize("name", ["safe", "safe/", "./safe", "x/../safe"])
def test_where_the_private_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert private_folder(Path(name)) == tmp_path / "safe.private"
    monkeypatch.chdir("/")
    assert private_folder(tmp_path / "safe" / ".") == tmp_path / "safe.private"


def test_the_report_has_no_hash_of_an_input(
    archive: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(archive, tmp_path / "safe", **AUTO, **options(tmp_path))
    report = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert {name for name in report if "sha256" in name} == {"model_sha256", "policy_sha256"}
    assert report["settings"]["groups"] == "from paths and ids"  # not the regular expression
    assert report["settings"]["lists"] == "known, DOCTOR"  # not the files
    assert not re.search("[0-9a-f]{16}", json.dumps(report["settings"]))
    assert "pipeline" not in report


def test_rows_of_json_lines_are_crossed_in_order(tmp_path: Path, run_over: RunOver) -> None:
    rows = [{"id": f"a{i}", "text": NOTE, "group": f"g{i % 7}"} for i in range(300)]
    rows[5]["text"] = 5  # type: ignore[assignment]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_over(tmp_path / "notes.jsonl", tmp_path / "safe", **AUTO, workers=2)
    crossed = table(tmp_path / "safe.private" / "rows" / "notes.jsonl.csv")
    assert [line["row"] for line in crossed] == [str(i + 1) for i in range(300)]
    assert crossed[5]["new_id"] == ""
    safe = lines(tmp_path / "safe" / "notes.jsonl")
    assert [(line["new_id"], line["new_group"]) for line in crossed if line["new_id"]] == [
        (row["id"], row["group"]) for row in safe
    ]
