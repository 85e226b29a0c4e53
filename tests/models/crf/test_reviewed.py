"""The CRF and documents reviewed in part: enumeration, finite differences, the two borders."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna import Crf, Document, Li, Mention, Span
from lacuna.errors import ConfigError
from lacuna.models.base import FitOptions
from lacuna.models.crf import CrfSettings
from lacuna.models.crf.objective import CrfObjective
from lacuna.models.crf.training import encode
from lacuna.models.crf.training_set import TrainingSet, encoded, set_up, training_set
from lacuna.types import IntArray, RealArray

#: Five tags and up to four tokens: every labelling can be written down.
NOTES = (
    Document("a", "Ann saw Bob.\nBob left.\n", (Mention.of("P", (0, 3)), Mention.of("P", (8, 11)))),
    Document(
        "b", "He met Eve.\nRome burns.\n", (Mention.of("P", (7, 10)), Mention.of("L", (12, 16)))
    ),
)
CONFIGS = [Crf(l2=0.3), Li(l2=0.3)]


def reviewed(document: Document, *spans: tuple[int, int]) -> Document:
    return replace(document, reviewed=tuple(Span(*span) for span in spans))


def training(documents: list[Document], config: CrfSettings) -> TrainingSet:
    examples = [encode(document, config) for document in documents]
    config = replace(config, features="default")
    setup = set_up(examples, config, FitOptions())
    return training_set(encoded(examples, setup), setup)


def enumerated(data: TrainingSet, point: RealArray, *, given_labels: bool) -> float:
    """Return Σ log Σ_y exp(score), over the labellings that agree with the known labels or all."""
    objective = data.objective
    scores, moves = objective._scores(point)
    total = 0.0
    first = 0
    for pack in objective.packs:
        for rank in range(len(pack.sequences)):
            own = first + np.flatnonzero(pack.rank == rank)
            total += _log_sum(objective, scores[own], moves, objective.labels[own], given_labels)
        first += len(pack.rows)
    return total


def _log_sum(
    objective: CrfObjective, scores: RealArray, moves: RealArray, labels: IntArray, given: bool
) -> float:
    rules = objective.moves
    weights = []
    for path in product(range(scores.shape[1]), repeat=len(scores)):
        agrees = all(label in (-1, y) for y, label in zip(path, labels, strict=True))
        legal = all(rules.allowed[i, j] for i, j in pairwise(path))
        if (agrees or not given) and legal and rules.first[path[0]] and rules.last[path[-1]]:
            score = sum(float(scores[t, y]) for t, y in enumerate(path))
            weights.append(score + sum(float(moves[i, j]) for i, j in pairwise(path)))
    return float(np.logaddexp.reduce(weights))


SPANS = st.lists(st.booleans(), min_size=6, max_size=6).map(
    lambda chosen: [
        pair for pair, own in zip(pairwise((0, 4, 8, 11, 12, 16, 24)), chosen, strict=True) if own
    ]
)


@settings(max_examples=15)
@given(SPANS, SPANS, st.sampled_from(CONFIGS), st.integers(0, 999))
def test_value_by_enumeration(one: list, two: list, config: CrfSettings, seed: int) -> None:  # type: ignore[type-arg]
    documents = [
        reviewed(NOTES[0], *_inside(NOTES[0], one)),
        reviewed(NOTES[1], *_inside(NOTES[1], two)),
    ]
    data = _trainable(documents, config)
    if data is None or len(data.tags) > 7:
        return
    point = np.random.default_rng(seed).normal(size=data.objective.parameters)
    value, _ = data.objective(point)
    every = enumerated(data, point, given_labels=False)
    right = enumerated(data, point, given_labels=True)
    assert value == pytest.approx(every - right + 0.3 * float(point @ point), rel=1e-9)


def _inside(document: Document, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    size = len(document.text)
    return [(a, min(b, size)) for a, b in spans if a < size]


def _trainable(documents: list[Document], config: CrfSettings) -> TrainingSet | None:
    try:
        return training(documents, config)
    except ConfigError:  # nothing was reviewed
        return None


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_by_central_differences(config: CrfSettings, seed: int) -> None:
    documents = [reviewed(NOTES[0], (0, 11)), reviewed(NOTES[1], (0, 6), (12, 17)), NOTES[0]]
    objective = training(documents, config).objective
    assert 0 < objective.whole < len(objective.packs)
    rng = np.random.default_rng(seed)
    point = rng.normal(size=objective.parameters)
    _, gradient = objective(point)
    size = len(objective.observed)
    forbidden = np.flatnonzero(~objective.moves.allowed.reshape(-1)) + len(point) - size * size
    h = 1e-6
    for n in rng.choice(len(point), 40, replace=False):
        step = np.zeros_like(point)
        step[n] = h
        expected = (objective(point + step)[0] - objective(point - step)[0]) / (2 * h)
        if n in forbidden:
            expected = 2 * objective.l2 * point[n]
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    moves = np.arange(len(point) - size * size, len(point))
    for n in np.setdiff1d(moves, forbidden):
        step = np.zeros_like(point)
        step[n] = h
        expected = (objective(point + step)[0] - objective(point - step)[0]) / (2 * h)
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("config", CONFIGS)
def test_all_reviewed_is_the_ordinary_objective(config: CrfSettings) -> None:
    whole = [reviewed(note, (0, len(note.text))) for note in NOTES]
    one, other = (training(documents, config).objective for documents in (list(NOTES), whole))
    point = np.random.default_rng(1).normal(size=one.parameters).astype(np.float32)
    (value, gradient), (again, same) = one(point), other(point)
    assert value == again
    np.testing.assert_array_equal(gradient, same)
    assert other.whole == len(other.packs)


@pytest.mark.parametrize("config", CONFIGS)
def test_what_nobody_reviewed_contributes_nothing(config: CrfSettings) -> None:
    """Neither the value nor the gradient changes, whatever the weights."""
    alone, more = (
        training([NOTES[0], *others], config).objective
        for others in ([], [reviewed(Document("c", NOTES[1].text + " Zed zags."))])
    )
    assert len(alone.labels) == len(more.labels)
    assert alone.whole == len(alone.packs) == len(more.packs)


def test_unreviewed_tokens_of_a_sentence_have_no_gradient_of_their_own() -> None:
    """At the start, where the model knows nothing, an unknown token has no preference."""
    config = Crf(l2=0.0, scheme="IO")  # type: ignore[arg-type]
    objective = training([reviewed(NOTES[0], (0, 3))], config).objective
    scores, moves = objective._scores(np.zeros(objective.parameters))
    objective._expect(scores, moves)
    unknown = objective.labels < 0
    np.testing.assert_allclose(scores[unknown], 0.0, atol=1e-12)
    assert np.abs(scores[~unknown]).max() > 0.4


def test_nothing_reviewed_at_all_is_an_error() -> None:
    with pytest.raises(ConfigError, match="nothing was reviewed"):
        training([reviewed(NOTES[0])], Crf())
