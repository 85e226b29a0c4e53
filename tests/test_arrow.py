"""lacuna.arrow: tables through the Arrow stream interface; nothing unredacted comes out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import pytest

import lacuna
import lacuna.arrow
from lacuna.errors import ConfigError
from lacuna.synthetic import Split, generate

pa = pytest.importorskip("pyarrow")

KEY = bytes(range(32))
NOTES: dict[str, list[Any]] = {
    "mrn": ["A-5512", "A-5512", "B-2290", None],
    "note": [
        "Seen by Dr. Okafor on 03/18/2024.",
        "Dr. Whittaker will call Dr. Okafor.",
        None,
        "Call Mrs. Maria Keller, DOB 4/3/1951.",
    ],
    "second": ["No fever.", "Okafor agrees.", "", "Keller was told."],
    "day": [date(2024, 3, 18), date(2024, 3, 20), None, date(2024, 4, 1)],
    "ward": [1, 2, 3, 4],
    "comment": ["Okafor", "Okafor", "Okafor", "Okafor"],
}


@pytest.fixture(scope="module")
def table() -> Any:
    return pa.table(NOTES)


def rows_of(reader: Any) -> list[dict[str, Any]]:
    assert isinstance(reader, pa.RecordBatchReader)
    rows: list[dict[str, Any]] = reader.read_all().to_pylist()
    return rows


def test_texts_are_those_of_the_deidentifier(table: Any) -> None:
    rows = rows_of(lacuna.arrow.deidentify(table, text="note", key=KEY))
    assert [*rows[0]] == ["note", "error"]  # nobody asked for anything else
    expected = [
        one.text if (one := safe) and isinstance(one, lacuna.Safe) else None
        for safe in lacuna.Deidentifier(key=KEY).deidentify([n or "" for n in NOTES["note"]])
    ]
    assert [row["note"] for row in rows] == [*expected[:2], None, expected[3]]
    assert all(row["error"] is None for row in rows)


def test_a_patient_is_consistent_over_rows_columns_and_dates(table: Any) -> None:
    options: Any = {"policy": "research", "key": KEY}
    columns: Any = {"group": "mrn", "dates": ["day"], "keep": ["ward"]}
    rows = rows_of(lacuna.arrow.deidentify(table, text=["note", "second"], **columns, **options))
    assert [*rows[0]] == ["mrn", "note", "second", "day", "ward", "error"]
    name = rows[0]["note"].removeprefix("Seen by Dr. ").split(" on ")[0]
    assert name in rows[1]["note"]
    assert rows[1]["second"].startswith(name)
    shown = datetime.strptime(rows[0]["note"].split(" on ")[1], "%m/%d/%Y.").date()
    assert shown == rows[0]["day"] != NOTES["day"][0]
    assert (rows[1]["day"] - rows[0]["day"]).days == 2
    assert rows[2]["day"] is None
    assert [row["ward"] for row in rows] == [1, 2, 3, 4]
    pseudonyms = [row["mrn"] for row in rows]
    assert pseudonyms[0] == pseudonyms[1] != pseudonyms[2]
    assert pseudonyms[3] is None
    everything = repr(rows)
    assert not any(word in everything for word in ("Okafor", "Whittaker", "Keller", "5512", "2290"))


def test_a_patient_is_never_divided_between_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lacuna.arrow, "ROWS", 2)
    notes = ["Nothing.", "Walker was here.", "Mr. James Walker slept."]
    table = pa.table({"text": notes, "mrn": ["a", "b", "b"]})
    rows = rows_of(lacuna.arrow.deidentify(table, group="mrn"))
    assert "Walker" not in repr(rows)  # the third row says that the second has a name


def test_rows_that_fail_have_no_text(monkeypatch: pytest.MonkeyPatch, table: Any) -> None:
    from lacuna.deid.redact import Redactor

    redact = Redactor.redact

    def failing(self: Redactor, document: Any, *args: Any, **options: Any) -> Any:
        if "Whittaker" in document.text:
            raise ValueError("Whittaker")
        return redact(self, document, *args, **options)

    monkeypatch.setattr(Redactor, "redact", failing)
    rows = rows_of(lacuna.arrow.deidentify(table, text=["note", "second"], keep=["ward"]))
    assert rows[1] == {
        "note": None,
        "second": None,
        "ward": 2,
        "error": "could not be de-identified (ValueError)",
    }
    assert [row["error"] is None for row in rows] == [True, False, True, True]


def test_partitions_do_not_decide_how_dates_are_read() -> None:
    """A column is day-first by another patient's 25/03: for whole patients that must not count."""
    from lacuna.arrow import Columns, SafeTable

    def day_of_b(patients: list[str], days: list[str], *, forgets: bool) -> str:
        table = pa.table({"mrn": patients, "text": ["No fever."] * len(days), "day": days})
        columns = Columns.named("text", None, "mrn", ["day"], (), "error")
        deidentifier = lacuna.Deidentifier(policy="research", key=KEY)
        schema = columns.result(table.schema, deidentifier.policy)
        safe = SafeTable(schema, columns, deidentifier, forgets=forgets)
        last: str = [*safe.batches(table.to_batches())][-1]["day"].to_pylist()[-1]
        return last

    alone, after = (["b"], ["03/04/2024"]), (["a", "b"], ["25/03/2024", "03/04/2024"])
    assert day_of_b(*alone, forgets=True) == day_of_b(*after, forgets=True)
    assert day_of_b(*alone, forgets=False) != day_of_b(*after, forgets=False)


def test_results_are_streamed() -> None:
    schema = pa.schema([("text", pa.string())])
    read = 0

    def batches() -> Iterator[Any]:
        nonlocal read
        for _ in range(20):
            read += 1
            yield pa.record_batch([["No fever."] * 400], schema=schema)

    stream = pa.RecordBatchReader.from_batches(schema, batches())
    result = lacuna.arrow.deidentify(stream)
    result.read_next_batch()
    assert read < 5
    assert len(result.read_all()) > 0
    again = lacuna.arrow.deidentify(batches())  # an iterable of batches
    assert sum(len(batch) for batch in again) == 20 * 400


def test_ids_stay_only_if_they_say_nothing() -> None:
    table = pa.table({"id": ["17", "Okafor-3", "note 4"], "text": ["Dr. Okafor", "ok", "ok"]})
    ids = [row["id"] for row in rows_of(lacuna.arrow.deidentify(table, id="id", key=KEY))]
    assert (ids[0], ids[2]) == ("17", "note 4")
    assert "Okafor" not in ids[1]
    kept = rows_of(lacuna.arrow.deidentify(table, id="id", keep=["id"], key=KEY))
    assert [row["id"] for row in kept] == table["id"].to_pylist()


def test_dates_become_text_where_they_are_generalised(table: Any) -> None:
    result = lacuna.arrow.deidentify(table, text="note", dates=["day"])
    assert result.schema.field("day").type == pa.string()
    assert [row["day"] for row in rows_of(result)] == ["2024", "2024", None, "2024"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "nothing"}, "no single column 'nothing'"),
        ({"text": "ward"}, "column 'ward' is int64, not text"),
        ({"text": "note", "group": "note"}, "different columns"),
        ({"text": "note", "keep": ["note"]}, "'note' is a column of texts"),
        ({"text": "note", "error": "ward"}, "a column 'ward' already"),
        ({"text": []}, "at least one column"),
    ],
)
def test_wrong_columns_are_refused(table: Any, options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        lacuna.arrow.deidentify(table, **options)


def test_what_is_no_table_is_refused() -> None:
    for wrong in (["Dr. Okafor"], "Dr. Okafor", 3):
        with pytest.raises(ConfigError, match="is no table"):
            lacuna.arrow.deidentify(wrong)


def test_tag_adds_a_column_of_mentions() -> None:
    notes = list(generate(30, seed=5, split=Split.TEST))
    table = pa.table({"key": range(30), "text": [note.text for note in notes]})
    rows = rows_of(lacuna.arrow.tag(table, model="en-clinical", probabilities=True))
    model = lacuna.load("en-clinical")
    for row, note in zip(rows, notes, strict=True):
        expected = model.tag(note.text, probabilities=True).mentions
        assert [one["label"] for one in row["mentions"]] == [m.label for m in expected]
        spans = [[(s["start"], s["end"]) for s in one["spans"]] for one in row["mentions"]]
        assert spans == [[(s.start, s.end) for s in m.spans] for m in expected]
        for one, mention in zip(row["mentions"], expected, strict=True):
            assert one["probability"] == pytest.approx(mention.probability)
    assert [row["key"] for row in rows] == [*range(30)]
