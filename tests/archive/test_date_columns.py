"""Date columns move with the text of their row; true dates never stand next to shifted ones."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.archive.date_columns import looks_like_dates
from lacuna.archive.options import Columns
from lacuna.deid.date_cells import DateCell, DateCells, split_time
from lacuna.deid.dates.order import Order
from lacuna.deid.dates.shifting import secret_offset
from lacuna.deid.policy import load_policy
from lacuna.deid.replacing import Surfaces
from lacuna.errors import ConfigError
from tests.archive.conftest import KEY, RunOver, lines

GROUP = ("group", "p1")
OFFSET = timedelta(secret_offset(KEY, GROUP, max_days=365))


def write_csv(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def read_csv(path: Path) -> list[list[str]]:
    with path.open(newline="") as stream:
        return list(csv.reader(stream))


def test_columns_of_a_csv_move_with_the_text(tmp_path: Path, run_over: RunOver) -> None:
    rows = [
        ["mrn", "visit_date", "note", "dob", "ward"],
        ["p1", "09/02/2022", "Seen 2022-02-09.", "1953-11-29 00:00:00.000", "W1"],
        ["p1", "14/02/2022", "Seen on Monday, February 14, 2022.", "", "W2"],
        ["p1", "soon", "No date.", "1953-11-29", "W3"],
    ]
    source = write_csv(tmp_path / "in.csv", rows)
    columns = Columns("note", None, "mrn", ("ward",), ("visit_date", "dob"))
    report = run_over(source, tmp_path / "safe", policy="research", columns=columns)
    header, *safe = read_csv(tmp_path / "safe" / "in.csv")
    assert header == rows[0]
    first, second = date(2022, 2, 9) + OFFSET, date(2022, 2, 14) + OFFSET
    born = date(1953, 11, 29) + OFFSET
    assert [row[1] for row in safe] == [f"{first:%d/%m/%Y}", f"{second:%d/%m/%Y}", ""]
    assert [row[3] for row in safe] == [f"{born} 00:00:00.000", "", f"{born}"]
    assert safe[0][2] == f"Seen {first}."
    assert safe[1][2] == f"Seen on {second:%A, %B %-d, %Y}."
    assert [row[4] for row in safe] == ["W1", "W2", "W3"]
    assert report.tally.emptied_cells == 1
    assert report.as_json()["remarks"]
    two = run_over(source, tmp_path / "two", policy="research", columns=columns, workers=2)
    assert (tmp_path / "two" / "in.csv").read_bytes() == (tmp_path / "safe" / "in.csv").read_bytes()
    assert two.tally.emptied_cells == 1


def test_without_shifting_the_year_stays(tmp_path: Path, run_over: RunOver) -> None:
    rows = [["visit_date", "text"], ["2022-02-09", "No fever."], ["14/02/22", "Fine."]]
    source = write_csv(tmp_path / "in.csv", rows)
    run_over(source, tmp_path / "safe", columns=Columns(dates=("visit_date",)))
    assert [row[0] for row in read_csv(tmp_path / "safe" / "in.csv")[1:]] == ["2022", "'22"]
    with pytest.raises(ConfigError, match="hides dates"):
        run_over(source, tmp_path / "mask", policy="mask", columns=Columns(dates=("visit_date",)))
    assert not (tmp_path / "mask").exists()


def test_keys_of_json_lines(tmp_path: Path, run_over: RunOver) -> None:
    rows = [
        {"text": "Seen 2022-02-09.", "group": "p1", "meta": {"visit": "2022-02-09", "ward": "W"}},
        {"text": "Fine.", "group": "p1", "visit": "2022-02-10"},
        {"text": "Fine.", "group": "p1", "meta": {"visit": None}},
        {"text": "Fine.", "group": "p1"},
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_over(source, tmp_path / "safe", policy="research", columns=Columns(dates=("visit",)))
    safe = lines(tmp_path / "safe" / "in.jsonl")
    first = date(2022, 2, 9) + OFFSET
    assert safe[0]["text"] == f"Seen {first}."
    assert safe[0]["meta"] == {"visit": str(first)}
    assert safe[1]["meta"] == {"visit": str(first + timedelta(1))}
    assert safe[2]["meta"] == {"visit": None}
    assert "meta" not in safe[3]


def test_parquet_dates_keep_their_type(tmp_path: Path, run_over: RunOver) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    day, moment = date(2022, 2, 9), datetime(2022, 2, 9, 23, 59, 1, tzinfo=UTC)
    table = arrow.table(
        {
            "group": ["p1", "p1"],
            "text": ["Seen 2022-02-09.", None],
            "day": arrow.array([day, None], arrow.date32()),
            "moment": arrow.array([moment, None], arrow.timestamp("us", "UTC")),
            "words": ["9 February 2022", "who knows"],
        }
    )
    parquet.write_table(table, tmp_path / "in.parquet")
    names = ("day", "moment", "words")
    columns = Columns(group="group", dates=names)
    report = run_over(tmp_path / "in.parquet", tmp_path / "a", policy="research", columns=columns)
    safe = parquet.read_table(tmp_path / "a" / "in.parquet")
    assert [safe.schema.field(n).type for n in names] == [table.schema.field(n).type for n in names]
    assert safe["day"].to_pylist() == [day + OFFSET, None]
    assert safe["moment"].to_pylist() == [moment + OFFSET, None]
    assert safe["words"].to_pylist() == [f"{day + OFFSET:%-d %B %Y}", None]
    assert safe["text"].to_pylist() == [f"Seen {day + OFFSET}.", None]
    assert report.tally.emptied_cells == 1
    run_over(tmp_path / "in.parquet", tmp_path / "b", columns=columns)
    safe = parquet.read_table(tmp_path / "b" / "in.parquet")
    assert [safe[name].to_pylist() for name in names] == [["2022", None]] * 3
    kept = Columns(keep=("day",))
    with pytest.raises(ConfigError, match="--date-columns day"):
        run_over(tmp_path / "in.parquet", tmp_path / "c", policy="research", columns=kept)


@pytest.mark.parametrize("keep", ["visit_date", "all"])
def test_true_dates_next_to_texts_without_them_are_refused(
    tmp_path: Path, run_over: RunOver, keep: str
) -> None:
    rows = [["visit_date", "text", "ward"], ["2022-02-09", "a", "W"], ["", "b", "W"]]
    source = write_csv(tmp_path / "in.csv", rows)
    out = tmp_path / "safe"
    with pytest.raises(ConfigError, match="use --date-columns visit_date"):
        run_over(source, out, policy="research", columns=Columns(keep=(keep,)))
    with pytest.raises(ConfigError, match="use --date-columns visit_date to copy its years"):
        run_over(source, out, policy="safe-harbor", columns=Columns(keep=(keep,)))
    with pytest.raises(ConfigError, match="leave the column out"):
        run_over(source, out, policy="mask", columns=Columns(keep=(keep,)))
    assert not out.exists()
    dates = tmp_path / "dates.toml"
    dates.write_text('base = "mask"\n[actions]\ndate = "keep"\n')
    run_over(source, out, policy=str(dates), columns=Columns(keep=(keep,)))
    shifted = Columns(keep=(keep,), dates=("visit_date",))
    run_over(source, tmp_path / "both", policy="research", columns=shifted)
    assert "2022-02-09" not in (tmp_path / "both" / "in.csv").read_text()
    run_over(source, tmp_path / "ward", policy="research", columns=Columns(keep=("ward",)))


def test_a_missing_date_column_is_an_error(tmp_path: Path, run_over: RunOver) -> None:
    source = write_csv(tmp_path / "in.csv", [["text"], ["a"]])
    columns = Columns(dates=("visit",))
    with pytest.raises(ConfigError, match="no column 'visit'; see --date-columns"):
        run_over(source, tmp_path / "safe", policy="research", columns=columns)


def test_a_column_has_one_use() -> None:
    for options in (
        {"id": "text"},
        {"group": "text"},
        {"dates": ("text",)},
        {"group": "mrn", "dates": ("mrn",)},
        {"text": "note", "id": "note"},
    ):
        with pytest.raises(ConfigError, match="column"):
            Columns(**options)


def test_the_command_refuses_with_exit_code_2(tmp_path: Path, command: Any) -> None:
    source = write_csv(tmp_path / "in.csv", [["text", "seen"], ["a", "2022-02-09"]])
    for arguments, message in (
        (("--id-column", "text"), "is the text"),
        (("--keep-columns", "seen", "--policy", "research"), "--date-columns seen"),
    ):
        run = command(source, "-o", tmp_path / "safe", *arguments)
        assert run.returncode == 2
        assert message in " ".join(run.stderr.split())
        assert not (tmp_path / "safe").exists()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2022-02-09", "", "2022-02-10 10:30"], True),
        (["3/14/22"] * 3 + ["x"] * 2, True),
        (["3/14/22"] * 2 + ["x"] * 2, False),
        (["20220209"], True),
        ([date(2022, 2, 9)], True),
        (["Feb 2022", "03/2022"], True),
        (["4.12", "3.9", "4.50", "12/5", "1998", "W1", 7, 4.5, {"a": 1}, True], False),
        ([], False),
    ],
)  # fmt: skip
def test_what_looks_like_dates(values: list[Any], expected: bool) -> None:
    assert looks_like_dates(values) is expected


US = Order.MONTH_FIRST


def cells(policy: str = "research", locale: str = "en") -> DateCells:
    return DateCells(load_policy(policy).action("DATE"), KEY, Surfaces(locale))


def test_the_order_of_a_column_is_its_own_or_that_of_the_text() -> None:
    day = date(2022, 2, 9) + OFFSET
    for own, order, expected in (
        (Order.DAY_FIRST, Order.MONTH_FIRST, f"{day:%d/%m/%Y}"),
        (None, Order.DAY_FIRST, f"{day:%d/%m/%Y}"),
        (Order.CONTRADICTORY, Order.DAY_FIRST, None),
        (None, Order.CONTRADICTORY, None),
    ):
        cell = DateCell("09/02/2022", own)
        assert cells().replaced([cell], GROUP, is_over_89=False, order=order) == [expected]


def test_births_over_89_are_left_empty() -> None:
    now = date.today().year
    old, young = DateCell(f"{now - 95}-02-09", None, True), DateCell("1990-02-09", None, True)
    for policy in ("research", "safe-harbor"):
        (first, second) = cells(policy).replaced([old, young], GROUP, is_over_89=False, order=US)
        assert first is None
        assert second is not None
        assert cells(policy).replaced([young], GROUP, is_over_89=True, order=US) == [None]
    seen = DateCell(f"{now - 30}-02-09")
    assert (
        cells().replaced([old, seen], GROUP, is_over_89=False, order=US)[0] is not None
    )  # 65 then


@given(
    st.dates(date(1990, 1, 1), date(2025, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%m/%d/%Y", "%Y%m%d", "%Y/%m/%d"]),
    st.sampled_from(["", " 10:30", "T10:30:00Z", " 10:30:59.123456", " 9:05 PM", "T10:30+02:00"]),
)
def test_cells_keep_their_notation_and_their_time(day: date, form: str, time: str) -> None:
    (new,) = cells().replaced(
        [DateCell(day.strftime(form) + time)], GROUP, is_over_89=False, order=US
    )
    assert new == (day + OFFSET).strftime(form) + time


def test_nothing_but_a_time_is_copied_from_a_cell() -> None:
    text = "2022-02-09 10:30 Ann Lee"
    assert split_time(text) == (text, "")
    for cell in (text, "1427"):
        assert cells().replaced([DateCell(cell)], GROUP, is_over_89=False, order=US) == [None]
