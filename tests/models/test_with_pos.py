"""Parts of speech as a token column, found by a tagger in the same file as the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Crf, Document, ModelFileError
from lacuna.encoding.flat import tag_document
from lacuna.models.crf import CrfModel
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load, restore
from lacuna.models.trigram_hmm import TrigramHmm
from lacuna.models.trigram_hmm.pos import PosTagger, fit_pos_tagger
from lacuna.models.wrapped import WithPos
from lacuna.pipeline.training import train
from lacuna.text.document import Tokens
from lacuna.text.tokens import tokens_of
from tests.models.examples import corpus


def with_made_up_tags(document: Document) -> Document:
    """Give words that begin with a capital the tag NP, others their last letter."""
    tokens = tokens_of(document)
    words = tokens.words(document.text)
    tags = tuple("NP" if word[0].isupper() else word[-1] for word in words)
    return replace(document, tokens=replace(tokens, columns={"pos": tags}))


@pytest.fixture(scope="module")
def pos() -> PosTagger:
    tagged = [tag_document(with_made_up_tags(document)) for document in corpus(10)]
    (step,) = fit_pos_tagger(tagged, TrigramHmm())
    model = step.model()
    assert isinstance(model, PosTagger)
    return model


@pytest.fixture(scope="module")
def model(pos: PosTagger) -> WithPos:
    config = Crf(columns=("pos",), iterations=10)
    trained = train(pos.find(corpus(10)), config).model
    assert isinstance(trained, CrfModel)
    return WithPos(trained, pos)


def columns(document: Document) -> Any:
    assert isinstance(document.tokens, Tokens)
    return document.tokens.columns


def test_tags_are_a_column_beside_others(pos: PosTagger) -> None:
    plain = corpus(3, seed=5)
    found = pos.find(plain)
    for document, tagged in zip(plain, found, strict=True):
        assert tagged.mentions == document.mentions
        assert columns(tagged)["pos"] == columns(with_made_up_tags(document))["pos"]
    tokens = tokens_of(plain[0])
    unknown = ("?",) * len(tokens)
    own = replace(plain[0], tokens=replace(tokens, columns={"pos": unknown, "x": unknown}))
    (again,) = pos.find([own])
    assert columns(again) == {"pos": columns(found[0])["pos"], "x": unknown}
    assert pos.find([]) == []
    assert len(columns(pos.find([Document("empty", "")])[0])["pos"]) == 0


def test_probabilities_of_tags(pos: PosTagger) -> None:
    (document,) = pos.find(corpus(1, seed=5))
    rows = pos.tag_probabilities(document)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=1e-9)
    most_likely = tuple(pos.labels[k] for k in rows.argmax(axis=1))
    assert most_likely == columns(document)["pos"]
    assert not pos.identifier_probability(document).any()
    assert pos.is_known(document).all()
    assert pos.is_known(Document("d", "patient zyx")).tolist() == [True, False]


def test_the_column_is_used_and_not_left_behind(pos: PosTagger, model: WithPos) -> None:
    plain = corpus(4, seed=5)
    found = model.find(plain, probabilities=True)
    assert all(document.tokens is None for document in found)
    assert found == [
        replace(document, tokens=None)
        for document in model.tagger.find(pos.find(plain), probabilities=True)
    ]
    # a column that is already there is replaced
    misleading = [with_made_up_tags(d) for d in plain]
    misleading = [
        replace(d, tokens=replace(tokens_of(d), columns={"pos": ("NP",) * len(tokens_of(d))}))
        for d in misleading
    ]
    assert [d.mentions for d in model.find(misleading)] == [d.mentions for d in model.find(plain)]
    assert model.labels == ("LOC", "PER")
    chance = model.identifier_probability(plain[0])
    assert chance.shape == (len(tokens_of(plain[0])),)
    (with_column,) = pos.find(plain[:1])
    np.testing.assert_array_equal(chance, model.tagger.identifier_probability(with_column))
    assert not np.array_equal(chance, model.tagger.identifier_probability(plain[0]))


def test_both_are_in_the_file(model: WithPos, tmp_path: Path) -> None:
    write_model(tmp_path / "m.lacuna", model.store())
    again = load(tmp_path / "m.lacuna")
    assert isinstance(again, WithPos)
    plain = corpus(4, seed=5)
    assert again.find(plain, probabilities=True) == model.find(plain, probabilities=True)


def test_damaged_files_are_refused(model: WithPos) -> None:
    stored = model.store()
    parts = dict(stored.header)
    for header in (
        {},
        parts | {"pos": 3},
        parts | {"pos": parts["tagger"]},
        parts | {"tagger": parts["pos"]},
        parts | {"tagger": {"kind": "with-pos", "header": parts}},
        parts | {"tagger": {"kind": "magic", "header": {}}},
        parts | {"tagger": {"kind": "crf", "header": {"kind": "crf"}}},
    ):
        with pytest.raises(ModelFileError, match=r"m\.lacuna"):
            restore(StoredModel(stored.kind, header, stored.arrays, "m.lacuna"))
