"""What the old model answers in replays, and that these alone change nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lacuna import Document
from lacuna.features.token_table import training_table
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.changes import old_scores
from lacuna.models.crf.old_answers import SURE, old_answers
from lacuna.models.crf.training_set import Setup, encoded, training_set
from lacuna.pipeline.training import train
from tests.models.examples import corpus


@pytest.fixture(scope="module")
def old() -> CrfModel:
    model = train(corpus(20), Crf(iterations=20, tolerance=0.0)).model
    assert isinstance(model, CrfModel)
    return model


def test_answers_are_those_of_unsure_sentences(old: CrfModel) -> None:
    plain = [
        Document("a", "No fever and no pain were reported."),
        Document("b", "Call Metalon about Arden Quist."),
        Document("c", "No fever and no pain were reported."),
    ]
    examples = [old.config.example(document) for document in plain]
    table, tags = training_table(examples), (*old.tags, "B-X", "I-X")
    base = old_scores(old, table, tags)
    first = int(table.documents[1])
    found = old_answers(old, base, table, first, tags, old.config.moves(tags))
    assert found.rows.tolist() == list(range(first, int(table.documents[2])))
    np.testing.assert_allclose(found.share.sum(axis=1), 1, rtol=1e-5)
    assert (found.share[:, -2:] == 0).all()
    assert ((found.share[:, 0] > SURE) & (found.share[:, 0] < 1 - SURE)).any()
    assert found.moves.sum() == pytest.approx(len(found.rows) - 1)


def test_a_model_may_be_sure_of_all(old: CrfModel) -> None:
    example = old.config.example(Document("a", "No fever and no pain were reported."))
    table = training_table([example])
    base = old_scores(old, table, old.tags)
    found = old_answers(old, base, table, 0, old.tags, old.config.moves(old.tags))
    assert found.rows.tolist() == []
    assert found.share.shape == (0, len(old.tags))
    assert not found.moves.any()


def test_replays_alone_change_nothing(old: CrfModel) -> None:
    """The gradient of answers that are as before is 0, whatever else is unknown."""
    replay = [
        old.config.example(Document(f"r{n}", f"Call {word} about Arden Quist."))
        for n, word in enumerate(["Metalon", "Zola", "Mr. Wexler"])
    ]
    new = [old.config.example(document) for document in corpus(2, seed=7)]
    plan = old.index.plan
    setup = Setup(old.config, plan.templates, plan.resources, plan.key, old, replay)
    data = training_set(encoded(new, setup), setup)
    assert data.objective.shares is not None
    setup = replace(setup, replay=())
    alone = training_set(encoded(new, setup), setup)
    moves = data.objective.shape[1] ** 2
    both = data.objective(np.zeros(data.objective.parameters, np.float32))[1][-moves:]
    own = alone.objective(np.zeros(alone.objective.parameters))[1][-moves:]
    np.testing.assert_allclose(both, own, atol=1e-4)
