"""Spark, against the real package: one result whatever happens, and no key anywhere."""

from __future__ import annotations

import base64
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lacuna
import lacuna.arrow
from lacuna.deid.keys import Key, read_key
from lacuna.errors import ConfigError
from lacuna.synthetic import Split, generate
from tests.integrations.needed import REQUIRED, needed

needed("pyspark")
if not REQUIRED and shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

import pyarrow as pa  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from lacuna.spark import deidentify, tag  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark about pandas and itself
SECRET = bytes(range(100, 132))
COLUMNS: dict[str, Any] = {"id": "id", "group": "mrn", "keep": ["ward"]}
ATTEMPTS = 3


def rows() -> dict[str, list[Any]]:
    """Notes of patients, not together; some without a patient or a text."""
    notes = list(generate(60, seed=21, split=Split.TEST))
    table: dict[str, list[Any]] = {"id": [], "mrn": [], "text": [], "ward": []}
    for number, note in enumerate(notes):
        table["id"].append(f"note {number:03}")
        table["mrn"].append(None if number % 10 == 9 else f"P-77{number % 7}")
        table["text"].append(None if number == 13 else note.text)
        table["ward"].append(number)
    table["text"][3] = "Seen by Dr. Zephyrine Quillby. Quillby was called."
    table["text"][10] = "Quillby agrees."  # the same patient
    return table


TABLE = rows()


def session(cores: str, logs: Path) -> Any:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": logs.as_uri(),
    }
    builder = SparkSession.builder.master(cores).appName("lacuna")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="module")
def spark(logs: Path) -> Iterator[Any]:
    opened = session(f"local[2,{ATTEMPTS}]", logs)
    yield opened
    opened.stop()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "study.key"
    path.write_bytes(SECRET)
    return path


@pytest.fixture(scope="module")
def expected(key: Path) -> dict[str, Any]:
    """What one process makes of the same rows, patient by patient."""
    table = pa.table(TABLE)
    owner = [mrn or f"~{number}" for number, mrn in enumerate(TABLE["mrn"])]
    together = table.append_column("owner", [owner]).sort_by(
        [("owner", "ascending"), ("id", "ascending")]
    )
    safe = lacuna.arrow.deidentify(
        together.drop_columns("owner"), **COLUMNS, policy="research", key=read_key(key)
    )
    return {row["ward"]: row for row in safe.read_all().to_pylist()}


def frame_of(spark: Any) -> Any:
    columns = [*TABLE]
    return spark.createDataFrame([*zip(*TABLE.values(), strict=True)], columns).repartition(5)


def collected(frame: Any) -> dict[str, Any]:
    found = {row["ward"]: row.asDict() for row in frame.collect()}
    assert len(found) == len(TABLE["id"])
    return found


def test_the_result_is_that_of_one_process(spark: Any, key: Path, expected: dict[str, Any]) -> None:
    for partitions in (1, 3):
        safe = deidentify(
            frame_of(spark), **COLUMNS, policy="research", key=key, partitions=partitions
        )
        assert safe.columns == ["id", "mrn", "text", "ward", "error"]
        assert collected(safe) == expected
    assert "Quillby" not in repr(expected)
    assert all(row["error"] is None for row in expected.values())


def test_one_core_gives_the_same(key: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    """The session is one for the whole process, so one core means one partition at a time."""
    spark = session("local[1]", tmp_path)
    safe = deidentify(frame_of(spark), **COLUMNS, policy="research", key=key)
    assert collected(safe.coalesce(1)) == expected


def test_tags_are_numbered_in_the_order_asked_for(spark: Any, key: Path) -> None:
    notes = [
        ("p", 2, "Dr. Okafor came."),
        ("p", 1, "Dr. Whittaker came."),
        ("p", 3, "Dr. Okafor left."),
    ]
    frame = spark.createDataFrame(notes, ["mrn", "number", "text"])
    safe = deidentify(frame, group="mrn", order=["number"], keep=["number"], key=key)
    texts = {row["number"]: row["text"] for row in safe.collect()}
    assert texts == {1: "Dr. [NAME-1] came.", 2: "Dr. [NAME-2] came.", 3: "Dr. [NAME-2] left."}


def test_a_task_that_is_tried_again_gives_the_same(
    spark: Any, key: Path, expected: dict[str, Any]
) -> None:
    safe = deidentify(frame_of(spark), **COLUMNS, policy="research", key=key)

    def failing(batches: Any) -> Any:
        from pyspark import TaskContext

        for number, batch in enumerate(batches):
            if number and TaskContext.get().attemptNumber() < ATTEMPTS - 1:
                raise RuntimeError("made to fail")
            yield batch

    assert collected(safe.mapInArrow(failing, safe.schema)) == expected


def test_the_key_is_nowhere_but_on_executors(
    spark: Any, key: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.cloudpickle import dumps

    from lacuna.spark import _Deidentifying

    pickled: list[bytes] = []
    frame = frame_of(spark)
    kind = type(frame)
    original = kind.mapInArrow

    def noting(self: Any, job: Any, schema: Any, **options: Any) -> Any:
        assert isinstance(job, _Deidentifying)
        pickled.append(dumps(job))
        return original(self, job, schema, **options)

    monkeypatch.setattr(kind, "mapInArrow", noting)
    safe = deidentify(frame, **COLUMNS, policy="research", key=key)
    safe.collect()
    plan = safe._jdf.queryExecution().toString()
    settings = repr(spark.sparkContext.getConf().getAll())
    events = b"".join(path.read_bytes() for path in logs.rglob("*") if path.is_file())
    assert len(events) > 10_000
    forms = (SECRET, SECRET.hex().encode(), base64.b64encode(SECRET), repr(SECRET).encode()[2:-1])
    for form in forms:
        assert form not in pickled[0] + plan.encode() + settings.encode() + events
    assert str(key).encode() in pickled[0]  # the search finds what is there


def test_a_key_in_the_environment(
    spark: Any, key: Path, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from lacuna.spark import _read

    monkeypatch.setenv("STUDY_KEY", base64.b64encode(SECRET).decode())
    assert _read("env:STUDY_KEY").secret == SECRET
    monkeypatch.setenv("STUDY_KEY", "too short")
    for name in ("STUDY_KEY", "NO_SUCH_KEY"):
        with pytest.raises(ConfigError, match=f"{name}: no key of 32 bytes") as refused:
            _read(f"env:{name}")
        assert "too short" not in str(refused.value)


@pytest.mark.parametrize("wrong", [SECRET, Key(SECRET)])
def test_a_key_itself_is_refused(spark: Any, wrong: Any) -> None:
    with pytest.raises(ConfigError, match="give the path of a key file"):
        deidentify(frame_of(spark), key=wrong)


def test_a_missing_key_fails_closed(spark: Any, tmp_path: Path) -> None:
    safe = deidentify(frame_of(spark), **COLUMNS, key=tmp_path / "no.key")
    with pytest.raises(Exception, match="cannot be read") as failed:
        safe.collect()
    assert "Quillby" not in str(failed.value)


def test_rows_that_fail_have_no_text(spark: Any, key: Path) -> None:
    frame = spark.createDataFrame([("a", "ok \ud83d\ude00"), ("b", "Dr. Okafor")], ["id", "text"])
    safe = {row["id"]: row for row in deidentify(frame, id="id", keep=["id"], key=key).collect()}
    assert safe["b"]["text"] == "Dr. [NAME-1]"
    assert all(row["error"] is None for row in safe.values())


def test_a_model_of_ones_own_is_sent(spark: Any, key: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.lacuna"
    lacuna.save(lacuna.load("en-clinical"), own)
    frame = spark.createDataFrame([("Seen by Dr. Okafor.",)], ["text"])
    assert deidentify(frame, key=key, model=own).collect()[0]["text"] == "Seen by Dr. [NAME-1]."
    (row,) = tag(frame, model=own, probabilities=True).collect()
    assert row["text"] == "Seen by Dr. Okafor."
    (mention,) = row["mentions"]
    assert mention["label"] == "DOCTOR"
    assert [(span["start"], span["end"]) for span in mention["spans"]] == [(12, 18)]
    assert 0.5 < mention["probability"] <= 1.0


def test_another_model_on_the_executor_is_refused() -> None:
    from lacuna.spark import _Model

    with pytest.raises(ConfigError, match="another model than the driver"):
        _Model("en-clinical", "0" * 64).open_path()


def test_wrong_columns_are_refused_before_anything_runs(spark: Any, key: Path) -> None:
    with pytest.raises(ConfigError, match="no single column 'note'"):
        deidentify(frame_of(spark), text="note", key=key)
