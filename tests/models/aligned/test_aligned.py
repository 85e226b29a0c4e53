"""Alignment on top of taggers: what one note makes clear is found in the patient's other notes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import ConfigError, Crf, Document, ModelFileError, TrigramHmm
from lacuna.inference import agreement
from lacuna.models.aligned import AlignedModel
from lacuna.models.base import Tagger
from lacuna.models.crf import CrfModel
from lacuna.models.file import StoredModel, unpack_strings, write_model
from lacuna.models.registry import load, restore
from lacuna.pipeline.training import train_model
from lacuna.text.tokens import tokens_of
from lacuna.types import Task
from tests.models.aligned.patients import note, patients

CONFIGS: dict[str, Any] = {"crf": Crf(iterations=20), "trigram-hmm": TrigramHmm()}
CLEAR = "He is a retired Welder. Takes Hakjulkom daily."
UNCLEAR = "We spoke about Welder again."
NOTES = [
    note("clear", CLEAR, "one"),
    note("unclear", UNCLEAR, "one"),
    note("stranger", UNCLEAR, "two"),
    note("alone", UNCLEAR, None),
]


def train(kind: str) -> AlignedModel:
    model = train_model(patients(40), CONFIGS[kind], align=True)
    assert isinstance(model, AlignedModel)
    return model


trained: Callable[[str], AlignedModel] = cache(train)


@pytest.fixture
def model() -> AlignedModel:
    return trained("crf")


def found(tagger: Tagger, documents: list[Document]) -> dict[str, list[tuple[str, str]]]:
    return {
        d.id: [(m.label, m.surface(d.text)) for m in d.mentions] for d in tagger.find(documents)
    }


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_profession_clear_in_one_note_is_found_in_the_others_of_the_patient(kind: str) -> None:
    """The Welder of the paper: "retired" tells it in one note, nothing does in the other."""
    aligned = trained(kind)
    welder = [("PROFESSION", "Welder")]
    nothing: dict[str, Any] = {"unclear": [], "stranger": [], "alone": []}
    assert found(aligned.tagger, NOTES) == {**nothing, "clear": welder}
    assert found(aligned, NOTES) == {**nothing, "clear": welder, "unclear": welder}
    assert found(aligned, NOTES[::-1]) == found(aligned, NOTES)


def test_documents_of_other_calls_do_not_matter(model: AlignedModel) -> None:
    for document in NOTES:
        assert found(model, [document]) == found(model.tagger, [document])
    assert model.find([]) == []
    assert list(model.tag(NOTES)) == model.find(NOTES)


def test_a_tagger_that_is_trusted_throughout_is_left_alone(model: AlignedModel) -> None:
    weights = model.space.zeros()
    trusting = replace(model, weights=weights._replace(stay=weights.stay + 50.0))
    items = [*NOTES, *patients(5, seed=9)]
    assert trusting.find(items) == model.tagger.find(items)
    assert model.find(items) != model.tagger.find(items)


def test_probabilities(model: AlignedModel) -> None:
    tagged = model.find(NOTES, probabilities=True)
    (clear,), (unclear,) = tagged[0].mentions, tagged[1].mentions
    for mention in (clear, unclear):
        assert mention.probability is not None
        assert 0.5 < mention.probability <= 1
    (alone,) = model.tagger.find(NOTES[:1], probabilities=True)[0].mentions
    assert clear.probability <= alone.probability  # type: ignore[operator]
    both = Document("both", f"{CLEAR}\n\n{UNCLEAR}")
    before, after = (t.identifier_probability(both) for t in (model.tagger, model))
    words = tokens_of(both).words(both.text)
    assert after.shape == (len(words),)
    assert np.all((after >= 0) & (after <= 1))
    first, last = (i for i, word in enumerate(words) if word == "Welder")
    changed = set(np.flatnonzero(before != after).tolist())
    assert changed <= {first, last}
    assert before[last] < 0.5 < after[last]


def test_probabilities_of_a_group_are_aligned_as_its_mentions(model: AlignedModel) -> None:
    apart, together = (
        model.tagger.identifier_probabilities(NOTES),
        model.identifier_probabilities(NOTES),
    )
    for document, before, after in zip(NOTES, apart, together, strict=True):
        place = tokens_of(document).words(document.text).index("Welder")
        others = np.arange(len(before)) != place
        np.testing.assert_array_equal(before[others], after[others])
        assert (after[place] > 0.5) == (document.group == "one")


def test_approximate_inference_is_announced(
    model: AlignedModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    exactly = model.find(NOTES)
    assert not caplog.records
    monkeypatch.setattr(agreement, "EXACT_CELLS", 0)
    with caplog.at_level(logging.WARNING):
        assert model.find(NOTES) == exactly  # two nodes are a tree
    (record,) = caplog.records
    assert "1 of 1 words occur too often" in record.getMessage()


def test_is_the_same_after_storing(model: AlignedModel, tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    joins = frozenset({("PROFESSION", ", "), ("PROFESSION", "-")})
    model = replace(model, joins=joins, free=frozenset({"PROFESSION"}))
    digest = write_model(path, model.store())
    again = load(path)
    assert isinstance(again, AlignedModel)
    assert (again.labels, again.config, again.card) == (model.labels, model.config, model.card)
    assert (again.joins, again.free) == (model.joins, model.free)
    assert again.find(NOTES, probabilities=True) == model.find(NOTES, probabilities=True)
    assert write_model(path, again.store()) == digest
    alone = load(path, align=False)
    assert alone.kind == "crf"
    assert found(alone, NOTES) == found(model.tagger, NOTES)
    assert write_model(path, train("crf").store()) == write_model(path, trained("crf").store())


def test_damaged_files_are_refused(model: AlignedModel) -> None:
    stored = model.store()
    header, arrays = dict(stored.header), dict(stored.arrays)
    damaged: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, arrays),
        (header | {"tagger": 3}, arrays),
        (header | {"tagger": {"kind": "aligned", "header": header}}, arrays),
        (header | {"tagger": {"kind": "crf", "header": {"kind": "crf"}}}, arrays),
        (header | {"alignment_labels": None}, arrays),
        (header | {"joins": [["PROFESSION"]]}, arrays),
        (header | {"joins": None}, arrays),
        (header | {"free": 3}, arrays),
        (header | {"alignment_labels": []}, arrays),
        (header | {"alignment_labels": ["O", "X"]}, arrays),
        (header | {"alignment_labels": ["PROFESSION", "O"]}, arrays),
        (header | {"alignment_labels": ["O", "PROFESSION", "O"]}, arrays),
        (header, {n: a for n, a in arrays.items() if n != "stay"}),
        (header, arrays | {"stay": arrays["stay"][:3]}),
        (header, arrays | {"by_shape": arrays["by_shape"].astype(np.float32)}),
        (header, arrays | {"by_label": arrays["by_label"] * np.nan}),
        (header, arrays | {"weights": arrays["weights"][1:]}),
        (header, arrays | {"word_borders": arrays["word_borders"][:-1]}),
        (header, arrays | {"word_borders": arrays["word_borders"] * 0}),
        (header, {n: a for n, a in arrays.items() if not n.startswith("tagger.")}),
    ]
    for one, other in damaged:
        with pytest.raises(ModelFileError, match=r"m\.lacuna"):
            restore(StoredModel(stored.kind, one, other, "m.lacuna"))


def test_a_private_model_holds_no_word() -> None:
    private = train_model(patients(15), Crf(iterations=5), align=True, private=True)
    assert isinstance(private, AlignedModel)
    assert private.space.words == ()
    stored = private.store()
    assert isinstance(private.tagger, CrfModel)
    assert unpack_strings(private.tagger.words) == []
    again = restore(stored)
    assert isinstance(again, AlignedModel)
    assert again.space.words == ()


def test_words_around_are_those_of_several_patients(model: AlignedModel) -> None:
    assert {"retired", "about", "again"} <= set(model.space.words)
    assert all(len(word) < 9 for word in model.space.words)  # no invented ones


def test_parts_of_speech_are_not_aligned() -> None:
    with pytest.raises(ConfigError, match="only mentions can be aligned"):
        train_model(patients(2), task=Task.POS, align=True)
