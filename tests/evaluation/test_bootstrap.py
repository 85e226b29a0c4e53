from __future__ import annotations

import numpy as np
import pytest

from lacuna.errors import ScoringError
from lacuna.evaluation import bootstrap
from lacuna.evaluation.bootstrap import Interval, draws, interval, intervals
from lacuna.evaluation.scores import Scores, score
from lacuna.text.document import Document, Mention
from tests.evaluation.cases import document


def corpus(found: list[bool], groups: list[str] | None = None) -> Scores:
    """Score documents of one PER and one LOC each; PER is found or not, LOC always."""
    names: list[str | None] = [*groups] if groups else [None] * len(found)
    pairs: list[tuple[Document, Document]] = []
    for i, (is_found, group) in enumerate(zip(found, names, strict=True)):
        per, loc = Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 8))
        gold = document(per, loc, name=f"d{i}", group=group)
        pairs.append((gold, document(*([per, loc] if is_found else [loc]), name=f"d{i}")))
    return score(pairs)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_same_rng_same_intervals() -> None:
    scores = corpus([True, False] * 10)
    assert intervals(scores, rng=rng()) == intervals(scores, rng=rng())
    assert intervals(scores, rng=rng()) != intervals(scores, rng=np.random.default_rng(8))


def test_interval_of_a_proportion() -> None:
    """Recall of PER is the mean of 200 draws of a coin: 0.5 ± 1.96 · sqrt(0.25 / 200)."""
    scores = corpus([True, False] * 100)
    found = intervals(scores, rng=rng(), resamples=4000)["strict"]
    half = 1.96 * np.sqrt(0.25 / 200)
    assert found.labels["PER"]["recall"] == pytest.approx((0.5 - half, 0.5 + half), abs=0.01)
    assert found.labels["PER"]["precision"] == Interval(1.0, 1.0)
    assert found.labels["LOC"]["f1"] == Interval(1.0, 1.0)
    micro = scores.section("strict").micro
    for name, value in micro.figures().items():
        assert found.micro[name].low <= value <= found.micro[name].high
    assert found.micro["recall"].high - found.micro["recall"].low == pytest.approx(half, abs=0.01)


def test_an_interval_leaves_as_much_below_as_above() -> None:
    assert interval(np.arange(101.0), 0.9) == pytest.approx((5, 95))


def test_groups_are_drawn_whole() -> None:
    """Ten copies of one patient are no more evidence than one: the interval stays wide."""
    alone = corpus([True, False] * 10)
    copied = corpus(([True] * 10 + [False] * 10) * 10, [f"p{i // 10}" for i in range(200)])
    width = [
        np.ptp(intervals(s, rng=rng())["strict"].labels["PER"]["recall"]) for s in (alone, copied)
    ]
    assert len(copied.units) == len(alone.units) == 20
    assert width[1] == pytest.approx(width[0], abs=0.02)


def test_one_document_gives_a_point() -> None:
    found = intervals(corpus([False]), rng=rng())
    assert found["strict"].micro["recall"] == Interval(0.5, 0.5)
    assert found["discontiguous"].micro["f1"] == Interval(1.0, 1.0)
    assert found["discontiguous"].labels == {}


def test_no_documents_are_an_error() -> None:
    with pytest.raises(ScoringError, match="no documents"):
        intervals(score([]), rng=rng())


def test_level_and_beta() -> None:
    scores = corpus([True, False] * 10)
    wide, narrow = (intervals(scores, rng=rng(), level=x)["strict"].micro for x in (0.99, 0.5))
    assert wide["f1"].low < narrow["f1"].low < narrow["f1"].high < wide["f1"].high
    assert "f2" in intervals(scores, rng=rng(), beta=2.0)["strict"].micro


def test_every_resample_has_as_many_units_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = np.concatenate(list(draws(5, 11, rng())))
    monkeypatch.setattr(bootstrap, "BLOCK", 12)
    blocks = list(draws(5, 11, rng()))
    assert [len(block) for block in blocks] == [2, 2, 2, 2, 2, 1]
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    assert (whole.sum(axis=1) == 5).all()
    assert whole.std() > 0
