"""A model must answer as it did when it was written, and the bundled one must find names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna.deid.detection_options import BUNDLED_MODEL, DetectionOptions
from lacuna.deid.self_test import check_finds_names
from lacuna.errors import ModelFileError, ModelFileWarning
from lacuna.models.answers import (
    KEY,
    SENTENCES,
    STEPS,
    TOLERANCE,
    Answers,
    answers_of,
    check_answers,
    completed,
    with_answers,
)
from lacuna.models.base import Tagger
from lacuna.models.crf import CrfModel
from lacuna.models.file import StoredModel, read_model, write_model
from lacuna.models.registry import KINDS, restore
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of
from tests.models.every_kind import NOTES, example
from tests.models.mutations import ALLOWED, outcomes_of

ARRAYS = ("weights", "moves", "bias", "transition", "log_moves", "counts", "word_counts")


def detector_of(path: Path, **options: Any) -> Any:
    return open_detection(DetectionOptions(model=str(path), **options)).detector


def damaged(stored: StoredModel, name: str, values: Any) -> StoredModel:
    return replace(stored, arrays={**stored.arrays, name: np.asarray(values)})


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_as_recorded(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, with_answers(example(kind).store()))
    stored = read_model(path)
    model = restore(stored)
    assert model.kind == kind
    check_answers(stored, model)
    tokens = sum(len(tokens_of(Document("d", text))) for text in SENTENCES)
    assert len(stored.header[KEY]["tokens"]) == tokens
    assert stored.header[KEY]["found"]
    assert detector_of(path).detect(NOTES[:1])[0].findings
    assert completed(stored) is stored


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_finds_nothing_is_refused(kind: str) -> None:
    stored = with_answers(example(kind).store())

    class Dead:
        def examine(self, documents: list[Document]) -> Any:
            alive = restore(stored).examine(documents)
            return [one._replace(found=[], probability=0 * one.probability) for one in alive]

    with pytest.raises(ModelFileError, match="does not answer as it did"):
        check_answers(stored, Dead())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_and_turned_arrays_are_refused_if_they_hide_mentions(kind: str) -> None:
    whole = with_answers(example(kind).store())
    for name, array in whole.arrays.items():
        if array.dtype.kind not in "fui" or not array.size:
            continue
        for changed in (np.zeros_like(array), np.ascontiguousarray(np.flip(array))):
            stored = damaged(whole, name, changed)
            try:
                model = restore(stored)
                check_answers(stored, model)
            except ModelFileError:
                continue
            assert finds_something(model), name


def finds_something(model: Tagger) -> bool:
    return any(document.mentions for document in model.find(NOTES))


def test_the_last_digits_may_differ() -> None:
    stored = with_answers(example("crf").store())
    rng = np.random.default_rng(0)
    weights = stored.arrays["weights"]
    noise = (1 + 1e-5 * rng.normal(size=weights.shape)).astype(np.float32)
    check_answers(stored, restore(damaged(stored, "weights", weights * noise)))
    with pytest.raises(ModelFileError, match="does not answer"):
        check_answers(stored, restore(damaged(stored, "weights", weights * 0.5)))


def test_records_agree_up_to_a_tolerance() -> None:
    recorded = Answers(1, (-40, 0, 40, 60), frozenset({(1, 2, "A"), (2, 4, "B")}))

    def agrees(tokens: tuple[int, ...], *found: tuple[int, int, str]) -> bool:
        return recorded.agrees_with(Answers(1, tokens, frozenset(found)))

    assert agrees((-40, 0, 40, 60), (1, 2, "A"), (2, 4, "B"))
    assert agrees((-40 - TOLERANCE, 0, 40, 60 + TOLERANCE), (1, 2, "A"), (2, 4, "B"))
    assert not agrees((-40, 0, 40, 60 + TOLERANCE + 1), (1, 2, "A"), (2, 4, "B"))
    assert agrees((-40, 0, 40, 60), (2, 4, "B")), "it was not sure of A"
    assert agrees((-40, 0, 40, 60), (0, 1, "A"), (2, 4, "B")), "nor is it of this one"
    assert not agrees((-40, 0, 40, 60), (1, 2, "A"))
    assert not agrees((-40, 0, 40, 60), (1, 2, "A"), (2, 4, "C"))
    assert not agrees((-40, 0, 40), (2, 4, "B"))
    unsure = Answers(1, (0,), frozenset({(0, 1, "A")}))
    assert not unsure.agrees_with(Answers(1, (0,), frozenset())), "it finds nothing any more"


def test_the_record_is_the_log_odds_of_each_token() -> None:
    model = example("crf")
    first = model.identifier_probability(Document("d", SENTENCES[0]))
    expected = [STEPS * np.log(p / (1 - p)) for p in first.tolist()]
    np.testing.assert_allclose(answers_of(model).tokens[: len(first)], expected, atol=0.51)


@pytest.mark.parametrize("record", [None, 7, {"version": 1}, {"version": 1, "tokens": ["x"]}])
def test_a_damaged_record_is_refused(record: Any) -> None:
    model = example("crf")
    stored = model.store()
    with pytest.raises(ModelFileError, match="record of answers is damaged"):
        check_answers(replace(stored, header={**stored.header, KEY: record}), model)


def test_only_a_record_of_this_version_is_compared() -> None:
    model = example("crf")
    stored = with_answers(model.store())
    check_answers(model.store(), model)
    later = replace(stored, header={**stored.header, KEY: {**stored.header[KEY], "version": 2}})
    with pytest.warns(ModelFileWarning, match="another version"):
        check_answers(later, model)


def test_content_that_could_not_be_loaded_is_not_written() -> None:
    stored = example("crf").store()
    with pytest.raises(ModelFileError, match="outside"):
        with_answers(damaged(stored, "moves", np.full_like(stored.arrays["moves"], np.inf)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused_or_works(kind: str) -> None:
    for seed, outcome, trace in outcomes_of(kind, 15):
        assert outcome in ALLOWED, f"seed {seed}: {trace}"


# --- one bit, three layers ------------------------------------------------------------------------


def with_bit(array: Any, bit: int) -> Any:
    """Return a copy in which one bit of the first float is flipped."""
    bits = array.copy().view(np.uint32)
    bits.reshape(-1)[0] ^= np.uint32(1 << bit)
    return bits.view(np.float32)


def test_one_bit_is_refused_by_the_hash(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    stored = read_model(BUNDLED_MODEL)
    write_model(path, stored)
    content = bytearray(path.read_bytes())
    place = content.index(stored.arrays["moves"].tobytes())
    content[place + 3] ^= 1 << 6  # bit 30
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged: its content does not match its hash"):
        read_model(path)


def test_one_bit_under_a_right_hash_is_refused_by_the_bounds(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    stored = read_model(BUNDLED_MODEL)
    write_model(path, damaged(stored, "moves", with_bit(stored.arrays["moves"], 30)))
    with pytest.raises(ModelFileError, match="array 'moves' has values outside"):
        restore(read_model(path))


def test_a_weight_within_bounds_is_refused_by_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    stored = read_model(BUNDLED_MODEL)
    moves = stored.arrays["moves"].copy()
    moves[0, 0] = 1e5
    write_model(path, damaged(stored, "moves", moves))
    assert restore(read_model(path))
    with pytest.raises(ModelFileError, match="does not answer as it did"):
        detector_of(path)


# --- the bundled model ----------------------------------------------------------------------------


def test_the_bundled_model_passes_its_self_test() -> None:
    stored = read_model(BUNDLED_MODEL)
    model = restore(stored)
    check_finds_names(model, stored)
    assert isinstance(model, CrfModel)
    timid = replace(model, config=replace(model.config, caution=-50.0))
    with pytest.raises(ModelFileError, match="self-test"):
        check_finds_names(timid, stored)


def test_a_file_in_place_of_the_bundled_model_must_find_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "en-clinical.lacuna"
    write_model(path, with_answers(example("crf").store()))
    monkeypatch.setattr("lacuna.models.bundled.FOLDER", tmp_path)
    with pytest.raises(ModelFileError, match="self-test"):
        detector_of(path)
    assert open_detection(DetectionOptions(model=str(path))).recognizers  # nothing restored yet
