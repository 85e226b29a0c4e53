"""Model files that cannot be trusted, as commands meet them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lacuna import Crf, Document, Mention, train
from lacuna.errors import ConfigError, ModelFileError
from lacuna.io.output import write_corpus
from lacuna.models.answers import KEY, with_answers
from lacuna.models.file import StoredModel, read_model, write_model
from lacuna.models.registry import restore
from tests.cli.conftest import Lacuna
from tests.models.every_kind import example
from tests.models.examples import corpus
from tests.models.make_golden import GOLDEN

OLD = GOLDEN / "crf.lacuna"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for document in corpus(4):
        (folder / f"{document.id}.txt").write_text(document.text)
    return folder


@pytest.fixture
def stored() -> StoredModel:
    return with_answers(example("crf").store())


@pytest.mark.parametrize("workers", [1, 2])
def test_deid_refuses_a_model_that_answers_something_else(
    lacuna: Lacuna, notes: Path, stored: StoredModel, tmp_path: Path, workers: int
) -> None:
    path = tmp_path / "m.lacuna"
    moves = stored.arrays["moves"].copy()
    moves[0, 0] = 1e5
    write_model(path, replace(stored, arrays={**stored.arrays, "moves": moves}))
    run = lacuna("deid", notes, "-o", tmp_path / "safe", "--model", path, "--workers", workers)
    assert run.code == 2
    assert f"{path}: the model does not answer as it did" in " ".join(run.err.split())
    assert not (tmp_path / "safe").exists()


def test_every_command_refuses_a_damaged_file(
    lacuna: Lacuna, notes: Path, stored: StoredModel, tmp_path: Path
) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, stored)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    deid = lacuna("deid", notes, "-o", tmp_path / "safe", "--model", path)
    for run in (deid, lacuna("tag", path, notes), lacuna("inspect", path)):
        assert (run.code, run.out) == (2, "")
        assert "does not match its hash" in run.err
    assert not (tmp_path / "safe").exists()


@pytest.mark.filterwarnings("default::lacuna.errors.ModelFileWarning")
def test_an_old_file_is_used_with_a_warning(lacuna: Lacuna, notes: Path, tmp_path: Path) -> None:
    run = lacuna("deid", notes, "-o", tmp_path / "safe", "--model", OLD)
    assert run.code == 0
    assert run.err.startswith(f"warning: {OLD}: written by an earlier version of lacuna")
    assert run.err.count("warning:") == 1


@pytest.mark.filterwarnings("default::lacuna.errors.ModelFileWarning")
def test_a_calibrated_old_file_has_a_hash_and_a_record(
    lacuna: Lacuna, notes: Path, tmp_path: Path
) -> None:
    gold, path = tmp_path / "gold.jsonl", tmp_path / "m.lacuna"
    write_corpus(corpus(40, seed=11), gold, format="jsonl")
    assert lacuna("calibrate", OLD, gold, "--max-missed", 0.1, "-o", path).code == 0
    assert KEY in read_model(path).header
    run = lacuna("deid", notes, "-o", tmp_path / "safe", "--model", path, "--max-missed", 0.1)
    assert run.code == 0
    assert "warning" not in run.err


def test_training_records_answers(lacuna: Lacuna, tmp_path: Path) -> None:
    gold, path, adapted = (tmp_path / name for name in ("gold.jsonl", "m.lacuna", "a.lacuna"))
    write_corpus(corpus(8), gold, format="jsonl")
    few = ("--set", "iterations=5")
    assert lacuna("train", gold, "-o", path, *few).code == 0
    assert lacuna("train", gold, "-o", adapted, "--from", path, *few).code == 0
    for file in (path, adapted):
        assert KEY in read_model(file).header


@pytest.mark.parametrize("label", ["\x1b[2J", "A\nB", "A\x9bB", "A\u2028B", "\ud800"])
def test_labels_with_control_characters_are_refused(
    lacuna: Lacuna, stored: StoredModel, tmp_path: Path, label: str
) -> None:
    tags = [tag.replace("PER", label) for tag in stored.header["tags"]]
    path = tmp_path / "m.lacuna"
    write_model(path, replace(stored, header={**stored.header, "tags": tags}))
    run = lacuna("inspect", path)
    assert (run.code, run.out) == (2, "")
    assert run.err.replace("\n", "").isprintable()
    with pytest.raises(ConfigError, match="label"):
        train([Document("d", "Seen.", (Mention.of(label, (0, 4)),))], Crf(iterations=1))


def test_labels_of_alignment_are_checked_too() -> None:
    stored = example("aligned").store()
    labels = [*stored.header["alignment_labels"], "A\x1b[2J"]
    with pytest.raises(ModelFileError, match="cannot be a label"):
        restore(replace(stored, header={**stored.header, "alignment_labels": labels}))


@pytest.mark.parametrize("tag", ["X-PER", "B-PER-", "B-", "", "PER", "O"])
def test_tags_that_are_no_tags_are_refused(
    lacuna: Lacuna, stored: StoredModel, tmp_path: Path, tag: str
) -> None:
    tags = [tag, *stored.header["tags"][1:]] if tag != "O" else ["O"] * 5
    path = tmp_path / "m.lacuna"
    for changed in (tags, [*stored.header["tags"][:-1], tag]):
        write_model(path, replace(stored, header={**stored.header, "tags": changed}))
        assert "its tags are damaged" in lacuna("inspect", path).err


@pytest.mark.parametrize("caution", [-9.2e18, 1e300, 51.0])
def test_caution_is_bounded(
    lacuna: Lacuna, stored: StoredModel, tmp_path: Path, caution: float
) -> None:
    path = tmp_path / "m.lacuna"
    config = {**stored.header["config"], "caution": caution}
    write_model(path, replace(stored, header={**stored.header, "config": config}))
    assert "caution: must be from -50 to 50" in lacuna("inspect", path).err


def test_long_strings_of_the_header_are_cut(
    lacuna: Lacuna, stored: StoredModel, tmp_path: Path
) -> None:
    path = tmp_path / "m.lacuna"
    config = {**stored.header["config"], "scheme": "y" * 100_000}
    for changed in (
        replace(stored, header={**stored.header, "config": config}),
        replace(stored, header={**stored.header, "templates": ["z" * 100_000]}),
        replace(stored, kind="k" * 100_000),
    ):
        write_model(path, changed)
        run = lacuna("inspect", path)
        assert run.code == 2
        assert len(run.err) < 600


def test_keys_that_share_a_slot_are_refused(
    lacuna: Lacuna, stored: StoredModel, tmp_path: Path
) -> None:
    path = tmp_path / "m.lacuna"
    keys = np.arange(80_000, dtype=np.uint64) << np.uint64(40)
    write_model(path, replace(stored, arrays={**stored.arrays, "keys": keys}))
    assert "share a slot" in lacuna("inspect", path).err
