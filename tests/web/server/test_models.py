"""The model page: what ``lacuna inspect`` shows, as JSON, and pictures."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import httpx
import numpy as np
import pytest

from lacuna.models.facts import Inspection
from lacuna.models.file import file_digest
from lacuna.models.registry import load
from lacuna.text.tokens import tokenize
from lacuna.web.model_calibration import calibration_bins
from lacuna.web.model_facts import FEATURES
from lacuna.web.project import Project
from tests.web.server.conftest import MARKER, TEXT, Live, live_server
from tests.web.server.test_deid_runs import GOLDEN, add_taught, with_model


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with with_model(tmp_path / "ward7") as project, live_server(project, tmp_path) as running:
        yield running


@pytest.fixture
def program(live: Live) -> httpx.Client:
    return live.program()


def test_what_inspect_shows(program: httpx.Client) -> None:
    page = program.get("/api/models/0").json()
    tagger = load(GOLDEN)
    words = list(dict.fromkeys(tagger.held_words()))
    facts = tagger.facts(Inspection(words, FEATURES))
    assert (page["key"], page["file"], page["kind"]) == (0, "tiny.lacuna", "crf")
    assert (page["sha256"], page["bytes"]) == (file_digest(GOLDEN), GOLDEN.stat().st_size)
    assert page["labels"] == list(tagger.labels)
    shown = [(one["title"], one["rows"]) for one in page["tables"]]
    assert shown == [(one.title, [list(row) for row in one.rows]) for one in facts.tables]
    (card,) = page["cards"]
    assert (card["documents"], card["licence"]) == (tagger.card.documents, "CC0-1.0")
    assert (page["promises"], page["subtags"], page["transitions"]) == ([], [], True)


def test_pictures(program: httpx.Client) -> None:
    answer = program.get("/api/models/0/transitions.svg")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/svg+xml")
    assert ElementTree.fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"
    assert program.get("/api/models/0/subtags.svg?label=LOC").status_code == 404


def test_a_taught_model_has_to_be_as_it_was_written(live: Live, program: httpx.Client) -> None:
    project = live.served.project
    taught = project.folder / "models" / "0001.lacuna"
    shutil.copy(GOLDEN, taught)
    key = add_taught(project, taught)
    page = program.get(f"/api/models/{key}").json()
    assert (page["key"], page["file"]) == (key, "0001.lacuna")
    taught.write_bytes(taught.read_bytes() + b" ")
    changed = program.get(f"/api/models/{key}")
    assert (changed.status_code, changed.json()["type"]) == (409, "lacuna:model-file")
    taught.unlink()
    assert program.get(f"/api/models/{key}").status_code == 409
    assert program.get(f"/api/models/{key + 1}").status_code == 404
    assert program.get("/api/models/-1").status_code == 422
    assert MARKER not in changed.text


def test_a_project_without_a_model(marked: Project, tmp_path: Path) -> None:
    with live_server(marked, tmp_path) as live:
        assert live.program().get("/api/models/0").status_code == 404


def test_calibration_is_that_of_reviewed_documents_of_the_gate(
    live: Live, program: httpx.Client
) -> None:
    assert program.get("/api/models/0/calibration.svg").status_code == 404
    with live.served.store.database.writing() as connection:
        connection.execute("UPDATE document SET state = 'done', fold = 5")
    assert program.get("/api/models/0/calibration.svg").status_code == 404  # of the seal
    with live.served.store.database.writing() as connection:
        connection.execute("UPDATE document SET fold = 0 WHERE key = 1")
    answer = program.get("/api/models/0/calibration.svg")
    assert answer.status_code == 200
    assert "1 reviewed document of the gate" in answer.text
    counts = [int(one) for one in re.findall(r"observed [0-9.]+, ([0-9]+) tokens", answer.text)]
    assert sum(counts) == len(tokenize(TEXT))
    assert MARKER not in answer.text


def test_bins_are_means_and_shares() -> None:
    probability = np.array([0.05, 0.07, 0.95, 1.0, 1.0])
    bins = calibration_bins(probability, np.array([False, True, True, True, False]))
    assert [one.tokens for one in bins] == [2, 3]
    assert [one.predicted for one in bins] == pytest.approx([0.06, 2.95 / 3])
    assert [one.observed for one in bins] == pytest.approx([0.5, 2 / 3])
