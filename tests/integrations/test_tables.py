"""lacuna.arrow with data frames of other packages, and the recipes of docs/integrations.md."""

from __future__ import annotations

from typing import Any

import pytest

import lacuna
import lacuna.arrow
from tests.integrations.needed import needed

NOTES = {"mrn": ["7", "7", "9"], "note": ["Seen by Dr. Okafor.", "Okafor agrees.", "Call Ms Sato."]}
KEY = bytes(range(32))


def safe(data: Any) -> Any:
    return lacuna.arrow.deidentify(data, text="note", group="mrn", policy="research", key=KEY)


@pytest.fixture(scope="module")
def expected() -> list[str]:
    texts: list[str] = safe(needed("pyarrow").table(NOTES)).read_all()["note"].to_pylist()
    assert not any("Okafor" in text or "Sato" in text for text in texts)
    return texts


def test_polars(expected: list[str]) -> None:
    polars = needed("polars")
    found = polars.from_arrow(safe(polars.DataFrame(NOTES)).read_all())
    assert found["note"].to_list() == expected
    assert found.columns == ["mrn", "note", "error"]


def test_pandas(expected: list[str]) -> None:
    pandas = needed("pandas")
    found = safe(pandas.DataFrame(NOTES)).read_pandas()
    assert found["note"].tolist() == expected
    assert found["error"].isna().all()


def test_duckdb(expected: list[str]) -> None:
    duckdb, polars = needed("duckdb"), needed("polars")
    connection = duckdb.connect()
    connection.register("notes", polars.DataFrame(NOTES).to_arrow())
    result = safe(connection.sql("SELECT * FROM notes ORDER BY mrn"))
    other = duckdb.connect()  # the first one is being read from
    other.register("result", result)
    rows = other.sql("SELECT note FROM result").fetchall()
    assert [text for (text,) in rows] == expected


def test_datasets(tmp_path: Any) -> None:
    datasets = needed("datasets")
    rows = datasets.Dataset.from_dict({"text": [NOTES["note"][0], NOTES["note"][2]] * 30})
    deidentifier = lacuna.Deidentifier(policy="research", key=KEY)

    def redacted(batch: dict[str, list[str]]) -> dict[str, list[str | None]]:
        outcomes = deidentifier.deidentify(batch["text"])
        return {"text": [one.text if isinstance(one, lacuna.Safe) else None for one in outcomes]}

    one = rows.map(redacted, batched=True, batch_size=10, load_from_cache_file=False)
    two = rows.map(redacted, batched=True, batch_size=10, num_proc=2, load_from_cache_file=False)
    assert one["text"][:] == two["text"][:]
    assert not any("Okafor" in text or "Sato" in text for text in one["text"])
