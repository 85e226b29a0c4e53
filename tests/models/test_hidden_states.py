"""What hidden states represent: facts computed by hand, and first names separated from last."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.encoding.flat import TaggedDocument, tag_document
from lacuna.features.words import word_shape
from lacuna.models.base import FitOptions
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.training import fit_class_hmm
from lacuna.models.hidden_states import (
    Share,
    describe_states,
    known_names,
    mutual_information,
    name_split,
)
from tests.models.examples import FIRST, LAST, corpus


def tagged(documents: list[Document]) -> list[TaggedDocument]:
    return [tag_document(document) for document in documents]


def trained(documents: list[Document], config: ClassHmm, seed: int = 0) -> ClassHmmModel:
    *_, last = fit_class_hmm(tagged(documents), config, FitOptions(seed))
    model = last.model()
    assert isinstance(model, ClassHmmModel)
    return model


TRAINING = corpus(40)


@pytest.fixture(scope="module")
def model() -> ClassHmmModel:
    return trained(TRAINING, ClassHmm(states=2, outside_states=2, features="basic"))


@pytest.mark.parametrize("seed", range(3))
def test_a_start_by_position_splits_people_into_first_and_last_names(seed: int) -> None:
    config = ClassHmm(states=2, outside_states=2, features="capitalisation")
    model = trained(TRAINING, config, seed)
    training = tagged(TRAINING)
    known = known_names(training, "PER")
    assert known.first == set(FIRST)
    assert known.last == set(LAST)
    split = name_split(model, tagged(corpus(20, seed=5)), known)
    assert split.bits == pytest.approx(split.most_bits)
    assert split.most_bits == pytest.approx(1.0)
    first, last = split.states
    assert (first.name, last.name) == ("I-PER 1", "I-PER 2")
    assert first.last == last.first == 0
    assert first.first == last.last > 10


def test_states_that_are_all_alike_split_nothing() -> None:
    model = trained(TRAINING, ClassHmm(states=2, outside_states=2, noise=0.0, start="random"))
    training = tagged(TRAINING)
    assert name_split(model, training, known_names(training, "PER")).bits == 0.0


def test_names_alone_are_counted_apart() -> None:
    documents = [
        Document(
            "a", "Ana Sato met Bo Ueda.", (Mention.of("PER", (0, 8)), Mention.of("PER", (13, 20)))
        ),
        Document("b", "Sato left.", (Mention.of("PER", (0, 4)),)),
    ]
    model = trained(documents * 5, ClassHmm(states=2, outside_states=2, features="basic"))
    known = known_names(tagged(documents), "PER")
    assert known == (frozenset({"Ana", "Bo"}), frozenset({"Sato", "Ueda"}))
    split = name_split(model, tagged(documents), known)
    assert sum(state.last for state in split.alone) == 1
    assert sum(state.first for state in split.alone) == 0
    assert sum(state.first + state.last for state in split.states) == 5
    nobody = name_split(model, tagged(documents), known, label="LOC")
    assert nobody == (0.0, 0.0, (), ())


def test_facts_of_states(model: ClassHmmModel) -> None:
    training = tagged(TRAINING)
    facts = {state.name: state for state in describe_states(model, training, top=3)}
    assert list(facts) == list(model.state_names)
    assert sum(state.tokens for state in facts.values()) == sum(len(d.tokens) for d in training)
    first, last = facts["I-PER 1"], facts["I-PER 2"]
    assert first.places == (Share("first", 1.0),)
    assert last.places == (Share("last", 1.0),)
    assert {word for word, _ in first.words} < set(FIRST)
    assert {word for word, _ in last.words} < set(LAST)
    assert first.shapes == (Share("Xx", 1.0),)
    assert first.after == (Share("I-PER 2", 1.0),)
    assert last.before == (Share("I-PER 1", 1.0),)
    assert "begin" in {name for name, _ in first.before}
    assert all(len(state.words) <= 3 for state in facts.values())


def test_labels_that_the_model_does_not_know_are_no_obstacle(model: ClassHmmModel) -> None:
    other = [Document("x", "Dr. Ana Sato.", (Mention.of("NEW", (4, 12)),))]
    facts = describe_states(model, tagged(other))
    assert sum(state.tokens for state in facts) == len(tagged(other)[0].tokens)
    assert describe_states(model, [])[0].tokens == 0


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5))
def test_mutual_information_of_the_certain_and_of_the_independent(sizes: list[int]) -> None:
    counts = np.array(sizes, np.float64)
    share = counts / counts.sum()
    entropy = -(share * np.log2(share)).sum()
    assert mutual_information(np.diag(counts)) == pytest.approx(entropy)
    assert mutual_information(np.outer(counts, counts)) == pytest.approx(0.0, abs=1e-12)
    assert mutual_information(np.zeros((2, 2))) == 0.0


def test_mutual_information_by_hand() -> None:
    # p = 3/8, 1/8, 1/8, 3/8: 1 - H(1/4) bits
    expected = 1 + 0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)
    assert mutual_information(np.array([[3.0, 1.0], [1.0, 3.0]])) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("word", "shape"),
    [("McDonald", "XxXx"), ("U.S.", "X.X."), ("10-12", "d-d"), ("", ""), ("é", "x")],
)
def test_shapes(word: str, shape: str) -> None:
    assert word_shape(word) == shape
