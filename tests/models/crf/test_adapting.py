"""Adapting a model: it learns from new documents and keeps what it knew."""

from __future__ import annotations

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.errors import ConfigError
from lacuna.models.crf import Crf, CrfModel
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.sequences import SequenceKind
from tests.models.examples import corpus


def trained(documents: list[Document], config: Crf, start: CrfModel | None = None) -> CrfModel:
    model = train(documents, config, TrainOptions(start=start)).model
    assert isinstance(model, CrfModel)
    return model


@pytest.fixture(scope="module")
def old() -> CrfModel:
    return trained(corpus(20), Crf(iterations=20, tolerance=0.0))


NEW = [
    Document(f"n{i}", f"Takes {drug} daily.\n", (Mention.of("DRUG", (6, 6 + len(drug))),))
    for i, drug in enumerate(["Metalon", "Zyrex", "Panodol", "Corvex"])
]


def test_a_new_label_is_learnt_and_the_old_ones_are_kept(old: CrfModel) -> None:
    model = trained(NEW, Crf(iterations=20), old)
    assert model.labels == ("DRUG", "LOC", "PER")
    assert model.tag("Takes Bentol daily.").mentions == (Mention.of("DRUG", (6, 12)),)
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert model.tag(text).mentions == old.tag(text).mentions != ()
    alone = trained(NEW, Crf(iterations=20))
    assert alone.tag(text).mentions != old.tag(text).mentions


def test_what_the_documents_do_not_speak_about_stays_exactly(old: CrfModel) -> None:
    model = trained(NEW, Crf(iterations=5), old)
    rows = model.index.keys.lookup(old.index.keys.hashes)
    assert (rows >= 0).all()
    unseen = trained(NEW, Crf(iterations=1)).index.keys.lookup(old.index.keys.hashes) < 0
    tags = [model.tags.index(tag) for tag in old.tags]
    assert unseen.any()
    now, before = model.weights.dense(len(model.tags)), old.weights.dense(len(old.tags))
    assert np.array_equal(now[rows[unseen]][:, tags], before[unseen])


def test_no_steps_change_nothing(old: CrfModel) -> None:
    same = trained(corpus(20), Crf(iterations=0), old)
    for document in corpus(5, seed=3):
        assert same.tag(document).mentions == old.tag(document).mentions


def test_an_adapted_model_reads_what_the_old_one_read() -> None:
    old = trained(corpus(2), Crf(iterations=1, sequence=SequenceKind.LINE))
    assert trained(NEW, Crf(iterations=1), old).config.sequence is SequenceKind.LINE


def test_two_passes_cannot_be_adapted(old: CrfModel) -> None:
    with pytest.raises(ConfigError, match="two-pass model"):
        train(corpus(20), Crf(two_pass=True), TrainOptions(start=old))
