"""Second looks over archives: whatever the layout, what is found in one document is gone in all."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest

from lacuna.archive.held import Held
from lacuna.archive.inputs import WITHOUT_DOCUMENTS, InputFile
from lacuna.archive.options import Columns, InputOptions
from lacuna.archive.survey import groups_apart
from lacuna.deid.terms import fold_words
from lacuna.errors import ConfigError
from tests.archive.conftest import KEY, RunOver

# The patterns find the record number after its cue only; the second look finds it everywhere.
FIRST, SECOND = "MRN: 76543 was seen.", "Lab 76543 is back; 11122 is not hers."
OTHER = "Lab 76543 belongs to somebody else."


def rows(count: int = 3) -> list[dict[str, str]]:
    """Return notes of some patients; each has a note with the cue and one without."""
    notes = []
    for number in range(count):
        mrn = f"{76543 + number}"
        notes.append((f"p{number}", FIRST.replace("76543", mrn)))
        notes.append((f"p{number}", SECOND.replace("76543", mrn)))
    return [{"id": f"n{i}", "group": group, "text": text} for i, (group, text) in enumerate(notes)]


def write_table(path: Path, notes: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["id", "group", "text"])
        writer.writeheader()
        writer.writerows(notes)
    return path


def read_table(path: Path) -> list[str]:
    with path.open(newline="") as stream:
        return [row["text"] for row in csv.DictReader(stream)]


def left(texts: list[str]) -> set[str]:
    return {word for text in texts for word in fold_words(text) if word.startswith("765")}


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a patient that are not together are in different jobs."""
    monkeypatch.setattr("lacuna.archive.jobs.BATCH_ROWS", 7)


COLUMNS = {"columns": Columns(id="id", group="group"), "threshold": 1.0}


def test_a_number_found_in_one_file_is_gone_in_the_next(run_over: RunOver, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for note in rows():
        path = folder / note["group"] / f"{note['id']}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note["text"])
    run_over(folder, tmp_path / "out", group_from="^[^/]+", threshold=1.0)
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert len(texts) == 6
    assert left(texts) == set()
    assert "11122" in " ".join(texts)
    run_over(folder, tmp_path / "off", group_from="^[^/]+", threshold=1.0, second_look=False)
    assert left([path.read_text() for path in (tmp_path / "off").rglob("*.txt")])


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_rows_of_a_patient_may_be_anywhere(
    run_over: RunOver, tmp_path: Path, workers: int, seed: int | None
) -> None:
    notes = rows(40)
    if seed is not None:
        Random(seed).shuffle(notes)
    table = write_table(tmp_path / "notes.csv", notes)
    report = run_over(table, tmp_path / "out", workers=workers, **COLUMNS)
    texts = read_table(next((tmp_path / "out").glob("*.csv")))
    assert len(texts) == 80
    assert report.tally.documents == 80
    assert left(texts) == set()


def test_the_order_of_rows_changes_no_text(run_over: RunOver, tmp_path: Path) -> None:
    """With a policy that masks, what is written for a row depends on nothing else."""
    notes = rows(30)
    mixed = notes.copy()
    Random(3).shuffle(mixed)
    written = []
    for name, table in (("a", notes), ("b", mixed)):
        path = write_table(tmp_path / f"{name}.csv", table)
        out = tmp_path / f"out-{name}"
        run_over(path, out, policy="mask", **COLUMNS)
        texts = read_table(next(out.glob("*.csv")))
        written.append({note["id"]: text for note, text in zip(table, texts, strict=True)})
    assert written[0] == written[1]


def test_the_same_bytes_for_any_number_of_workers(run_over: RunOver, tmp_path: Path) -> None:
    notes = rows(60)
    Random(4).shuffle(notes)
    table = write_table(tmp_path / "notes.csv", notes)
    for workers in (1, 2):
        run_over(table, tmp_path / f"out{workers}", workers=workers, key=KEY, **COLUMNS)
    one, two = (next((tmp_path / f"out{n}").glob("*.csv")).read_bytes() for n in (1, 2))
    assert one == two


def test_patients_in_tables_and_files(run_over: RunOver, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, note in enumerate(rows()):
        if number % 2:
            (folder / f"{note['group']}-x.txt").write_text(note["text"])
    table = [note for number, note in enumerate(rows()) if not number % 2]
    for note in table:
        note["id"] = f"{note['group']}-{note['id']}"
    lines = [json.dumps({"id": note["id"], "text": note["text"]}) for note in table]
    (folder / "more.jsonl").write_text("\n".join(lines))
    run_over(folder, tmp_path / "out", group_from="p[0-9]+", threshold=1.0)
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert len(texts) == 3
    assert left(texts) == set()


def test_another_patient_keeps_the_number(run_over: RunOver, tmp_path: Path) -> None:
    notes = [*rows(1), {"id": "x", "group": "q", "text": OTHER}]
    table = write_table(tmp_path / "notes.csv", notes)
    run_over(table, tmp_path / "out", **COLUMNS)
    assert left(read_table(next((tmp_path / "out").glob("*.csv")))) == {"76543"}


def test_a_large_patient_is_read_twice(
    run_over: RunOver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacuna.archive.worker.PIECE", 30)
    folder = tmp_path / "in" / "p"
    folder.mkdir(parents=True)
    for number in range(6):
        (folder / f"{number}.txt").write_text(SECOND if number < 5 else FIRST)
    run_over(tmp_path / "in", tmp_path / "out", group_from="^[^/]+", threshold=1.0, workers=1)
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert len(texts) == 6
    assert left(texts) == set()


# known values


def known_file(tmp_path: Path) -> Path:
    path = tmp_path / "known.csv"
    path.write_text("group,kind,value\np0,name,Zorn\np1,name,Quill\nq,name,Ebbot\n")
    return path


def test_known_values_of_nobody_are_an_error(run_over: RunOver, tmp_path: Path) -> None:
    table = write_table(tmp_path / "notes.csv", rows())
    known = known_file(tmp_path)
    with pytest.raises(ConfigError, match=r"3 known values \(lines 2, 3, 4\) belong to groups"):
        run_over(table, tmp_path / "out", known=str(known))
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.private").exists()


def test_known_patients_without_a_document_are_an_error_unless_allowed(
    run_over: RunOver, tmp_path: Path
) -> None:
    table = write_table(tmp_path / "notes.csv", rows())
    options = {"known": str(known_file(tmp_path)), **COLUMNS}
    with pytest.raises(ConfigError, match=r"1 known value \(line 4\) belongs to a group that no"):
        run_over(table, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
    report = run_over(table, tmp_path / "out", **options, allow_unmatched=True)
    assert report.run.left_aside == {WITHOUT_DOCUMENTS: 1}


# two passes


@pytest.mark.parametrize("key", ['"group"', '"\\u0067roup"', '"gr\\u006fup"'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_groups_are_seen_however_the_key_is_written(
    key: str, encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / "notes.jsonl"
    groups = ["p1", "p2", "p1"]
    lines = [f'{{"id": "{i}", {key}: "{group}", "text": "x"}}\n' for i, group in enumerate(groups)]
    path.write_text("".join(lines), encoding)
    file = InputFile(tmp_path, path.name, "jsonl", path.stat().st_size)
    options = InputOptions(encoding=encoding)
    assert groups_apart([file], [], options) == {"p1"}


def test_a_group_column_may_have_any_name(run_over: RunOver, tmp_path: Path) -> None:
    table = tmp_path / "in.jsonl"
    notes = [("p1", FIRST), *((f"q{i}", "x") for i in range(600)), ("p1", SECOND)]
    for key in ("group", "patient"):
        table.write_text(
            "".join(json.dumps({key: who, "text": text}) + "\n" for who, text in notes)
        )
        out = tmp_path / key
        run_over(table, out, columns=Columns(group=key))
        (result,) = out.glob("*.jsonl")
        assert "76543" not in result.read_text()


def test_a_table_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    file = InputFile(tmp_path, "gone.jsonl", "jsonl", 5)
    assert groups_apart([file], [], InputOptions()) == set()


def test_a_row_that_changed_between_the_passes_fails(
    run_over: RunOver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = [rows(2)[i] for i in (0, 2, 1, 3)]
    monkeypatch.setattr("lacuna.archive.jobs.BATCH_ROWS", 1)
    table = write_table(tmp_path / "notes.csv", notes)
    really_merge = Held.merge

    def change(self: Held) -> None:
        really_merge(self)
        write_table(table, [{**notes[0], "text": "Somebody wrote MRN: 99988."}, *notes[1:]])

    monkeypatch.setattr(Held, "merge", change)
    report = run_over(table, tmp_path / "out", **COLUMNS)
    assert report.tally.reasons == {"changed while the table was read": 1}
    assert len(read_table(next((tmp_path / "out").glob("*.csv")))) == 3


def test_dates_of_a_patient_are_counted_once(run_over: RunOver, tmp_path: Path) -> None:
    """The order of a patient's dates does not depend on where the rows are."""
    many = " ".join(f"Seen {day}/02/2022." for day in range(13, 23)) + " Then 03/04/2022."
    one = "Seen 02/25/2022, then 03/04/2022."
    for name, between in (("near", 0), ("far", 20)):
        others = [{"id": f"x{i}", "group": f"q{i}", "text": "No date."} for i in range(between)]
        notes = [
            {"id": "a", "group": "p", "text": many},
            *others,
            {"id": "b", "group": "p", "text": one},
        ]
        table = write_table(tmp_path / f"{name}.csv", notes)
        run_over(table, tmp_path / name, policy="research", **COLUMNS)
    near, far = (read_table(next((tmp_path / name).glob("*.csv"))) for name in ("near", "far"))
    assert [near[0], near[-1]] == [far[0], far[-1]]


def test_the_words_that_stay_are_listed_for_the_owner_only(
    run_over: RunOver, tmp_path: Path
) -> None:
    source = tmp_path / "a.txt"
    source.write_text("Dr. Cook came. They cook.")
    policy = tmp_path / "own.toml"
    lines = ['base = "safe-harbor"', "[patterns.x]", "pattern = 'Dr. (Cook)'", 'label = "DOCTOR"']
    policy.write_text("\n".join(lines))
    run_over(source, tmp_path / "out", threshold=1.0, policy=policy)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["protected_words_left"] == 1
    assert "cook" not in (tmp_path / "out" / "report.json").read_text().lower()
    listed = tmp_path / "out.private" / "protected_words.csv"
    assert listed.read_text().splitlines() == ["word,left", "cook,1"]
    assert listed.stat().st_mode & 0o777 == 0o600
