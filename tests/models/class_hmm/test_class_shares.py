"""States with a distribution over classes: pairs, probabilities by enumeration, files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lacuna import ClassHmm, ConfigError, Document
from lacuna.encoding.schemes import Scheme, moves
from lacuna.features.token_table import token_table
from lacuna.models.base import Tagger
from lacuna.models.class_hmm import ClassHmmModel, class_shares
from lacuna.models.class_hmm.chain_counts import HmmTables
from lacuna.models.class_hmm.class_shares import first_shares, pairs_of
from lacuna.models.file import model_bytes
from lacuna.models.registry import model_of_bytes
from lacuna.pipeline.training import train_model
from tests.models.class_hmm.class_problems import Problem
from tests.models.examples import corpus


def model_with(**settings: object) -> ClassHmmModel:
    few: dict[str, object] = {"states": 2, "outside_states": 0, "iterations": 12}
    config = ClassHmm(state_classes="distribution", **few, **settings)  # type: ignore[arg-type]
    model: Tagger = train_model(corpus(6), config)
    assert isinstance(model, ClassHmmModel)
    return model


def test_pairs_are_the_probable_ones_and_the_best_of_every_state_and_class() -> None:
    shares = np.array(
        [
            [0.9989, 0.5, 0.9996],
            [0.0009, 0.5, 0.0003],
            [0.0002, 1e-9, 0.0001],  # the best state of class 2 is state 0
        ]
    )
    pairs = pairs_of(np.log(shares))
    found = list(zip(pairs.states.tolist(), pairs.classes.tolist(), strict=True))
    assert found == [(0, 0), (1, 0), (2, 0), (1, 1), (0, 2)]


def test_pairs_move_as_their_classes_may() -> None:
    allowed = moves(("O", "B-X", "I-X"), Scheme.BIO)
    pairs = class_shares.Pairs(np.array([0, 1, 0]), np.array([0, 1, 2]))
    own = pairs.moves(allowed)
    assert own.allowed.tolist() == [[True, True, False], [True, True, True], [True, True, True]]
    assert own.first.tolist() == [True, True, False]


def test_a_start_gives_every_state_most_of_its_own_class_and_some_of_all() -> None:
    uses = np.array([[6.0, 2.0, 1.0, 1.0]])
    counts = HmmTables(uses, np.zeros((4, 4)), np.zeros(4))
    found = first_shares(counts, np.array([0, 2, 4])).classes
    np.testing.assert_allclose(found.sum(axis=0), uses[0])
    np.testing.assert_allclose(found[0] / uses[0], [0.98, 0.98, 0.08, 0.08])


@pytest.mark.parametrize("scheme", [Scheme.IO, Scheme.BIO])
def test_tag_probabilities_by_enumeration(scheme: Scheme, monkeypatch: pytest.MonkeyPatch) -> None:
    """p(c | x) ∝ Σ_y Π p(y' | y) p(x | y) p(c | y) over the class sequences that are allowed."""
    monkeypatch.setattr(class_shares, "LEAST_SHARE", 1e-300)
    model = model_with(scheme=scheme, features="capitalisation")
    document = Document("d", "Ana met Bo")
    table = token_table([document])
    size = len(model.start)
    emission = np.exp(model.log_emission(model.space.rows(table, np.arange(3, dtype=np.int32))))
    onward = np.exp(model.transition)
    onward /= onward.sum(axis=1, keepdims=True)
    begin = np.exp(model.start) / np.exp(model.start).sum()
    of_class = np.exp(model.classes)
    np.testing.assert_allclose(of_class.sum(axis=0), 1.0)
    weights = {}
    for path in product(range(size), repeat=3):
        weight = begin[path[0]] * onward[path[0], path[1]] * onward[path[1], path[2]]
        weights[path] = weight * np.prod(emission[np.arange(3), path])
    allowed = moves(model.tags, scheme)
    outside, total = np.zeros(3), 0.0
    for classes in product(range(len(model.tags)), repeat=3):
        follow = allowed.allowed[classes[0], classes[1]] and allowed.allowed[classes[1], classes[2]]
        if follow and allowed.first[classes[0]] and allowed.last[classes[2]]:
            own = sum(w * np.prod(of_class[classes, path]) for path, w in weights.items())
            total += own
            outside += own * (np.array(classes) == model.tags.index("O"))
    found = model.identifier_probability(document)
    np.testing.assert_allclose(found, 1 - outside / total, rtol=1e-9)


def test_learns_the_examples_and_names_its_pairs() -> None:
    model = model_with()
    found = model.find([Document(d.id, d.text) for d in corpus(6)])
    right = sum(a.mentions == b.mentions for a, b in zip(found, corpus(6), strict=True))
    assert right >= 5
    assert len(set(model.state_names)) == len(model.state_tags)
    assert "O in state 1" in model.state_names


def test_a_file_gives_the_same_model() -> None:
    model = model_with()
    again = model_of_bytes(model_bytes(model.store()))
    assert isinstance(again, ClassHmmModel)
    np.testing.assert_array_equal(again.classes, model.classes)
    document = Document("d", "Seen by Dr. Ana Sato in Evora today.")
    np.testing.assert_array_equal(
        again.identifier_probability(document), model.identifier_probability(document)
    )
    assert model.parameters == again.parameters


def test_em_improves_every_step() -> None:
    values: list[float] = []
    config = ClassHmm(
        states=2,
        outside_states=0,
        state_classes="distribution",
        features="basic",
        method="em",
        iterations=15,
    )
    train_model(corpus(6), config, on_progress=lambda step: values.append(step.objective))
    assert len(values) > 5
    assert np.all(np.diff(values) <= 1e-9 * abs(values[0]))


def test_one_class_each_is_the_limit_of_distributions() -> None:
    one, free = Problem(3, scheme=Scheme.IO), Problem(3, scheme=Scheme.IO, free=True)
    point = one.rng.normal(size=one.objective(0.0).parameters)
    shares = np.where(np.repeat(np.eye(len(one.tags)), 2, axis=1) > 0, 0.0, -60.0)
    expected, _ = one.objective(0.0)(point)
    found, _ = free.objective(0.0)(np.append(point, shares.ravel()))
    assert found == pytest.approx(expected, rel=1e-9)


def test_only_two_values() -> None:
    with pytest.raises(ConfigError, match="state_classes"):
        ClassHmm(state_classes="many")  # type: ignore[arg-type]
