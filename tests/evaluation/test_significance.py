from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lacuna.errors import ScoringError
from lacuna.evaluation.counts import Counts
from lacuna.evaluation.scores import Scores, score
from lacuna.evaluation.significance import compare_systems
from lacuna.text.document import Mention
from tests.evaluation.cases import document

PER, LOC = Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 8))


def system(found: list[bool], order: list[int] | None = None) -> Scores:
    """Score a system that finds the PER of some documents (each has a PER and a LOC)."""
    pairs = [
        (document(PER, LOC, name=f"d{i}"), document(*([PER, LOC] if hit else [LOC]), name=f"d{i}"))
        for i, hit in enumerate(found)
    ]
    return score(pairs if order is None else [pairs[i] for i in order])


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_identical_systems_do_not_differ() -> None:
    scores = system([True, False, True])
    found = compare_systems(scores, scores, rng=rng())
    assert (found.difference, found.p_value, found.interval) == (0.0, 1.0, (0.0, 0.0))


def test_clearly_different_systems() -> None:
    good, bad = system([True] * 30), system([False] * 30)
    found = compare_systems(good, bad, rng=rng())
    assert found.difference == pytest.approx(1 - 2 / 3)
    assert found.p_value < 0.001
    assert found.interval.low > 0
    assert found.units == 30


def counted(rows: list[Counts]) -> Scores:
    """Score a system that has these strict counts, document by document."""
    pairs = []
    for i, row in enumerate(rows):
        gold = [Mention.of("PER", (n, n + 1)) for n in range(row.gold)]
        wrong = [Mention.of("LOC", (n, n + 1)) for n in range(row.fp)]
        pairs.append(
            (document(*gold, name=f"d{i}"), document(*gold[: row.tp], *wrong, name=f"d{i}"))
        )
    return score(pairs)


def exact_f1(rows: list[Counts]) -> Fraction:
    total = sum(rows, Counts())
    return Fraction(2 * total.tp, 2 * total.tp + total.fp + total.fn)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            [Counts(2, 0, 0), Counts(2, 1, 0), Counts(2, 0, 0), Counts(1, 0, 1), Counts(1, 2, 1)],
            [Counts(1, 0, 1), Counts(1, 0, 1), Counts(1, 0, 1), Counts(1, 3, 1), Counts(2, 0, 0)],
        ),
        # swapping the last two leaves the difference as it is, but not to the last bit
        (
            [Counts(1, 0, 0), Counts(1, 2, 0), Counts(1, 2, 0)],
            [Counts(0, 1, 1), Counts(0, 0, 1), Counts(1, 1, 0)],
        ),
    ],
)
def test_p_value_approaches_the_exact_one(one: list[Counts], other: list[Counts]) -> None:
    """A few documents can be swapped in all ways, with fractions that do not round."""

    def difference(swaps: tuple[bool, ...]) -> Fraction:
        units = list(zip(one, other, swaps, strict=True))
        return exact_f1([b if s else a for a, b, s in units]) - exact_f1(
            [a if s else b for a, b, s in units]
        )

    observed = difference((False,) * len(one))
    every_way = [difference(swaps) for swaps in product((False, True), repeat=len(one))]
    exact = sum(abs(d) >= abs(observed) for d in every_way) / len(every_way)
    found = compare_systems(counted(one), counted(other), rng=rng(), trials=20_000)
    assert found.difference == pytest.approx(float(observed))
    assert 0 < exact < 1
    assert found.p_value == pytest.approx(exact, abs=0.015)


def test_the_order_of_systems_and_documents_does_not_matter() -> None:
    first, second = [True] * 6 + [False] * 4, [False, True] * 5
    there = compare_systems(system(first), system(second), rng=rng())
    back = compare_systems(system(second), system(first), rng=rng())
    shuffled = compare_systems(system(first), system(second, order=[*range(9, -1, -1)]), rng=rng())
    assert back.difference == -there.difference
    assert back.p_value == there.p_value
    assert shuffled == there


def test_other_sections_and_beta() -> None:
    found = compare_systems(
        system([True] * 5), system([False] * 5), rng=rng(), section="binary", beta=2.0
    )
    assert (found.section, found.figure) == ("binary", "f2")
    assert found.second == pytest.approx(5 * 2 / (5 * 2 + 4 * 4))


def test_same_rng_same_result() -> None:
    systems = system([True, False] * 5), system([False, False, True, True, True] * 2)
    assert compare_systems(*systems, rng=rng()) == compare_systems(*systems, rng=rng())


def test_different_documents_or_gold_are_errors() -> None:
    with pytest.raises(ScoringError, match="same documents"):
        compare_systems(system([True]), system([True, True]), rng=rng())
    other_gold = score([(document(PER, name="d0"), document(PER, name="d0"))])
    with pytest.raises(ScoringError, match=r"^document d0: .* different gold$"):
        compare_systems(system([True]), other_gold, rng=rng())
    with pytest.raises(ScoringError, match="no documents"):
        compare_systems(score([]), score([]), rng=rng())
