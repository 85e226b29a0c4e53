"""Restoring: originals under their own names, as far as the vault goes, and nowhere else."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive.manifest import Line, Manifest
from lacuna.archive.options import Columns, Rename
from lacuna.archive.restore import restore_folder
from lacuna.deid import vault as vault_module
from lacuna.deid.rewriting import Replacement, offset_map, rewrite
from lacuna.deid.vault import create_vault, open_vault, restore
from lacuna.errors import ConfigError
from tests.archive.conftest import RunOver, contents, deid, lines
from tests.archive.kills import GROUP, write_notes

NOTE = "Call Ana Okafor about the results."
PASSPHRASE = "open sesame, please"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive weaker keys."""
    monkeypatch.setattr(vault_module, "_LOG_N", 15)


def vault_options(tmp_path: Path) -> dict[str, Any]:
    return {
        "vault": tmp_path / "v.vault",
        "passphrase": PASSPHRASE,
        "rename": Rename.AUTO,
        "key": None,
    }


def test_a_vault_brings_everything_back(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    run_over(
        notes, tmp_path / "safe", policy="research", group_from="^[^/]+", **vault_options(tmp_path)
    )
    assert (tmp_path / "v.vault").stat().st_mode & 0o777 == 0o600
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    assert vault.is_complete
    safe = contents(tmp_path / "safe")
    assert not safe.keys() & contents(notes).keys()
    restored = restore_folder(vault, tmp_path / "safe", tmp_path / "back")
    assert restored.documents == 12
    assert contents(tmp_path / "back") == contents(notes)
    name, content = next(iter(safe.items()))
    assert restore(content.decode(), vault, document=name).encode() in contents(notes).values()


def test_equal_texts_get_their_own_names_back(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("okafor.txt", "smith.txt", "Smith.txt"):
        (folder / name).write_text(NOTE)
    (folder / "jones.txt").write_text(f"{NOTE} Once.")
    run_over(folder, tmp_path / "safe", **vault_options(tmp_path))
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    expected = contents(folder)
    for number, path in enumerate([*(tmp_path / "safe").glob("*.txt")]):
        copy = path.with_name(f"copy-{number}.txt")
        copy.write_bytes(path.read_bytes())
        expected[copy.name] = vault.original(path.read_text(), path.name).text.encode()
    assert restore_folder(vault, tmp_path / "safe", tmp_path / "back").documents == 8
    assert (tmp_path / "back").stat().st_mode & 0o777 == 0o700
    back = contents(tmp_path / "back")
    assert sorted(back.values()) == sorted(expected.values())
    assert back.keys() >= contents(folder).keys()  # the others have the names of the outputs


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_get_ids_and_groups_back(tmp_path: Path, run_over: RunOver, kind: str) -> None:
    rows = [(f"smith-{i}", f"44712{i % 3:02d}", f"{NOTE} Line {i}.\n") for i in range(40)]
    source = tmp_path / f"smith.{kind}"
    write_table(source, rows)
    columns = Columns("note", "visit", "mrn") if kind != "jsonl" else Columns()
    run_over(source, tmp_path / "safe", columns=columns, **vault_options(tmp_path))
    (name,) = contents(tmp_path / "safe")
    assert name != source.name
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    assert restore_folder(vault, tmp_path / "safe", tmp_path / "back").documents == 40
    assert [*contents(tmp_path / "back")] == [source.name]
    assert read_table(tmp_path / "back" / source.name) == rows
    (tmp_path / "safe" / name).rename(tmp_path / "safe" / f"renamed.{kind}")
    if kind != "jsonl":
        with pytest.raises(ConfigError, match="does not contain this table"):
            restore_folder(vault, tmp_path / "safe", tmp_path / "more")


def test_tables_with_their_own_delimiter_encoding_and_keys(
    tmp_path: Path, run_over: RunOver
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    table = f'visit;note;mrn\r\n1;"Zoë; {NOTE}";p1\r\n'
    (folder / "table.csv").write_bytes(table.encode("cp1252"))
    line = {"visit": "7", "note": NOTE, "mrn": "p1"}
    (folder / "rows.jsonl").write_text(json.dumps(line) + "\n")
    columns = Columns("note", "visit", "mrn")
    run_over(folder, tmp_path / "safe", columns=columns, **vault_options(tmp_path))
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    assert restore_folder(vault, tmp_path / "safe", tmp_path / "back").documents == 2
    assert (tmp_path / "back" / "table.csv").read_bytes().decode() == table
    assert lines(tmp_path / "back" / "rows.jsonl") == [line]


def write_table(path: Path, rows: list[tuple[str, str, str]]) -> None:
    names = ("visit", "mrn", "note")
    if path.suffix == ".jsonl":
        keys = ("id", "group", "text")
        path.write_text("".join(json.dumps(dict(zip(keys, r, strict=True))) + "\n" for r in rows))
    elif path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), path)
    else:
        with path.open("w", newline="") as stream:
            delimiter = "\t" if path.suffix == ".tsv" else ","
            csv.writer(stream, delimiter=delimiter).writerows([names, *rows])


def read_table(path: Path) -> list[tuple[str, ...]]:
    if path.suffix == ".jsonl":
        return [(row["id"], row["group"], row["text"]) for row in lines(path)]
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return [*zip(*(column.to_pylist() for column in table.columns), strict=True)]
    with path.open(newline="") as stream:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        return [tuple(row) for row in csv.reader(stream, delimiter=delimiter)][1:]


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/tmp/evil.txt", "a/../../evil.txt", "x\0y.txt", "..", ""]
)
def test_nothing_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    replacements = [Replacement(5, 15, "[NAME-1]")]
    redacted = rewrite(NOTE, replacements)
    with create_vault(tmp_path / "v.vault", PASSPHRASE) as writer:
        writer.add("x.txt", NOTE, redacted, offset_map(replacements), name=name)
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "x.txt").write_text(redacted)
    before = sorted(tmp_path.rglob("*"))
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    assert restore_folder(vault, tmp_path / "safe", tmp_path / "back").documents == 1
    assert contents(tmp_path / "back") == {"x.txt": NOTE.encode()}
    assert sorted({*tmp_path.rglob("*")} - {*before}) == [
        tmp_path / "back",
        tmp_path / "back" / "x.txt",
    ]
    assert not Path("/tmp/evil.txt").exists()


def test_a_run_with_a_vault_is_not_continued_without_it(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe", **vault_options(tmp_path))
    with pytest.raises(ConfigError, match=r"other settings.*: --vault"):
        run_over(notes, tmp_path / "safe", rename=Rename.AUTO, key=None, resume=True)


def test_what_the_manifest_mentions_is_on_disk_in_vault_and_crosswalk(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "table.csv").write_text(f"text\n{NOTE}\n")
    mentioned: list[str] = []
    honest = Manifest.add

    def add(self: Manifest, finished: list[Line]) -> None:
        names = [line.output for line in finished]
        crosswalk = (tmp_path / "safe.private" / "crosswalk.csv").read_text()
        assert all(f",{name}," in crosswalk for name in names)
        vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
        for name in names:
            if name.endswith(".txt"):
                assert vault.original((tmp_path / "safe" / name).read_bytes().decode(), name).name
            else:
                assert vault.table(name)
        mentioned.extend(names)
        honest(self, finished)

    monkeypatch.setattr(Manifest, "add", add)
    run_over(notes, tmp_path / "safe", **vault_options(tmp_path))
    assert {*mentioned} == {*contents(tmp_path / "safe")}


def test_killed_what_is_finished_can_be_restored(model: Path, tmp_path: Path) -> None:
    """A run is killed: every output that the manifest mentions has its original in the vault."""
    notes, safe = tmp_path / "notes", tmp_path / "safe"
    write_notes(notes)
    options = ["--group-from", GROUP, "--workers", "2", "--vault", str(tmp_path / "v.vault")]
    run = subprocess.Popen(
        [*deid(model), str(notes), "-o", str(safe), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"LACUNA_PASSPHRASE": PASSPHRASE},
    )
    manifest = tmp_path / "safe.private" / "manifest.jsonl"
    while run.poll() is None and finished_in(manifest) < 1:
        time.sleep(0.005)
    run.kill()
    assert run.wait() == -signal.SIGKILL
    vault = open_vault(tmp_path / "v.vault", PASSPHRASE)
    assert not vault.is_complete
    finished = finished_in(manifest)
    for line in manifest.read_bytes().splitlines()[1:]:
        name = json.loads(line)["output"]
        assert vault.original((safe / name).read_bytes().decode(), name).name
    for path in safe.rglob(".*.part"):
        path.unlink()
    restored = restore_folder(vault, safe, tmp_path / "back")
    assert restored.documents >= finished
    originals, back = contents(notes), contents(tmp_path / "back")
    assert len(back) == restored.documents
    assert back.items() <= originals.items()


def finished_in(manifest: Path) -> int:
    """Return how many outputs a manifest mentions."""
    return manifest.read_bytes().count(b"\n") - 1 if manifest.exists() else 0
