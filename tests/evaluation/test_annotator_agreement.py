from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from lacuna.errors import ScoringError
from lacuna.evaluation.annotator_agreement import (
    Disagreement,
    Sides,
    agreement,
    cohen_kappa,
    disagreements,
)
from lacuna.evaluation.scores import score
from lacuna.evaluation.token_counts import LabelSetTable
from lacuna.text.document import Document, Mention
from tests.evaluation.cases import Pair, corpora, document, fewer

NONE, PER, LOC = frozenset[str](), frozenset({"PER"}), frozenset({"LOC"})
BOTH = PER | LOC


def test_kappa_by_hand() -> None:
    """Cohen's table: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no; p_o = 0.7, p_e = 0.5."""
    table: LabelSetTable = Counter(
        {(PER, PER): 20, (PER, NONE): 5, (NONE, PER): 10, (NONE, NONE): 15}
    )
    assert cohen_kappa(table, lambda labels: labels) == pytest.approx(0.4)
    assert cohen_kappa(table, bool) == pytest.approx(0.4)


def test_a_label_set_is_one_category() -> None:
    # p_o = 6/10; first: 4 both, 6 none; second: 3 PER, 1 both, 6 none; p_e = (4·1 + 6·6)/100
    table: LabelSetTable = Counter({(BOTH, PER): 3, (BOTH, BOTH): 1, (NONE, NONE): 6})
    assert cohen_kappa(table, lambda labels: labels) == pytest.approx((0.7 - 0.4) / (1 - 0.4))
    assert cohen_kappa(table, bool) == 1.0


def test_kappa_of_chance_is_near_zero() -> None:
    rng = np.random.default_rng(0)
    kinds = [NONE, PER, LOC]
    drawn = rng.choice(3, size=(20_000, 2), p=[0.6, 0.3, 0.1])
    table: LabelSetTable = Counter((kinds[a], kinds[b]) for a, b in drawn.tolist())
    assert abs(cohen_kappa(table, lambda labels: labels)) < 0.02


def test_kappa_without_a_choice_is_one() -> None:
    assert cohen_kappa(Counter(), bool) == 1.0
    assert cohen_kappa(Counter({(NONE, NONE): 9}), bool) == 1.0
    assert cohen_kappa(Counter({(PER, LOC): 9}), lambda labels: labels) == 0.0


def test_kinds_of_disagreement_by_hand() -> None:
    first = [
        Mention.of("PER", (0, 2)),  # agreed
        Mention.of("PER", (3, 5)),  # label differs
        Mention.of("LOC", (6, 9)),  # border differs
        Mention.of("LOC", (10, 12)),  # label and border differ
        Mention.of("LOC", (14, 15)),  # only here
        Mention.of("PER", (0, 1)),  # touches only what is agreed
    ]
    second = [
        Mention.of("PER", (0, 2)),
        Mention.of("LOC", (3, 5)),
        Mention.of("LOC", (8, 9)),
        Mention.of("PER", (11, 13)),
        Mention.of("ADR", (16, 17)),
        Mention.of("ADR", (18, 19)),
        Mention.of("ADR", (18, 19)),
    ]
    one, other = disagreements(first, second)
    assert one == {
        Disagreement.LABEL: 1,
        Disagreement.BORDER: 1,
        Disagreement.LABEL_AND_BORDER: 1,
        Disagreement.MISSING: 2,
    }
    assert other == {**one, Disagreement.MISSING: 3}


def test_agreement_by_hand() -> None:
    first = document(Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 8)), size=10)
    second = document(Mention.of("PER", (0, 3)), Mention.of("LOC", (6, 8)), size=10)
    found = agreement([(first, second)])
    assert (found.documents, found.tokens) == (1, 10)
    assert found.strict.micro.f1 == 0.5
    assert found.relaxed.micro.f1 == 1.0
    assert found.token.micro.f1 == pytest.approx(10 / 11)
    # first: 4 PER, 2 LOC, 4 none; second: 3 PER, 2 LOC, 5 none; 9 of 10 tokens agree
    chance = (4 * 3 + 2 * 2 + 4 * 5) / 100
    assert found.kappa == pytest.approx((0.9 - chance) / (1 - chance))
    chance = (6 * 5 + 4 * 5) / 100
    assert found.binary_kappa == pytest.approx((0.9 - chance) / (1 - chance))
    chance = (4 * 3 + 6 * 7) / 100
    assert found.label_kappa == pytest.approx({"LOC": 1.0, "PER": (0.9 - chance) / (1 - chance)})
    assert found.disagreements[Disagreement.BORDER] == Sides(1, 1)
    assert found.disagreements[Disagreement.MISSING] == Sides(0, 0)


@fewer
@given(corpora())
def test_agreement_has_no_first_and_second(corpus: list[Pair]) -> None:
    there = agreement(corpus)
    back = agreement([(second, first) for first, second in corpus])
    for one, other in (
        (there.strict, back.strict),
        (there.relaxed, back.relaxed),
        (there.token, back.token),
    ):
        assert one.micro.f1 == other.micro.f1
        assert {k: c.f1 for k, c in one.labels.items()} == {
            k: c.f1 for k, c in other.labels.items()
        }
    assert there.kappa == back.kappa
    assert there.binary_kappa == back.binary_kappa
    assert there.label_kappa == back.label_kappa
    for kind in Disagreement:
        sides = back.disagreements[kind]
        assert there.disagreements[kind] == Sides(sides.second, sides.first)


@fewer
@given(corpora())
def test_agreement_counts_what_score_counts(corpus: list[Pair]) -> None:
    found, scores = agreement(corpus), score(corpus)
    for name in ("strict", "relaxed", "token"):
        assert getattr(found, name) == scores.section(name)
    assert found.tokens == scores.tokens.sum()
    strict = found.strict.micro
    assert sum(sides.first for sides in found.disagreements.values()) == strict.fn
    assert sum(sides.second for sides in found.disagreements.values()) == strict.fp


@fewer
@given(corpora())
def test_an_annotator_agrees_with_himself(corpus: list[Pair]) -> None:
    found = agreement([(first, first) for first, _ in corpus])
    assert (found.kappa, found.binary_kappa, found.strict.micro.f1) == (1.0, 1.0, 1.0)
    assert set(found.disagreements.values()) == {Sides(0, 0)}


def test_differing_texts_are_an_error() -> None:
    with pytest.raises(ScoringError, match="document d:"):
        agreement([(Document("d", "a"), Document("d", "b"))])
