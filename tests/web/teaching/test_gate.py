"""The gate: constructed cases, and how often it errs by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lacuna.errors import ScoringError
from lacuna.evaluation.scores import Scores, score
from lacuna.text.document import Document, Mention, Span
from lacuna.web.teaching.gate import Verdict, compare, is_better

WORDS = 10  #: of each document; each is a mention
TEXT = " ".join(["name"] * WORDS)
EVERY = tuple(Mention("NAME", (Span(5 * n, 5 * n + 4),)) for n in range(WORDS))


def scores(found: list[int], *, labels: bool = True, patients: int | None = None) -> Scores:
    """Return the scores if so many mentions of each document are found."""
    pairs = []
    for number, count in enumerate(found):
        group = f"p{number if patients is None else number % patients}"
        gold = Document(f"d{number}", TEXT, EVERY, group)
        given = EVERY[:count]
        if not labels:
            given = tuple(replace(one, label="OTHER") for one in given)
        pairs.append((gold, replace(gold, mentions=given)))
    return score(pairs)


def test_better_and_equal_models_go_live() -> None:
    for now in ([8] * 6, [9, 9, 9, 8, 8, 10]):
        compared = compare(scores([8] * 6), scores(now), {"NAME": 7})
        assert compared.verdict is Verdict.LIVE
        assert (compared.documents, compared.patients) == (6, 6)
    assert compared.before.missed == pytest.approx(0.2)
    assert compared.now.missed == pytest.approx(7 / 60)
    assert compared.now.f1 == pytest.approx(2 * 53 / (53 + 60))
    (label,) = compared.labels
    assert (label.gold, label.examples) == (60, 7)
    assert label.low <= label.now <= label.high


def test_a_model_that_is_worse_for_several_patients_is_refused() -> None:
    compared = compare(scores([8] * 6), scores([7, 7, 7, 7, 8, 8]))
    assert compared.verdict is Verdict.WORSE
    assert compared.why == (
        "It misses more and has a lower F1 than before on 6 documents that it did not learn from."
    )


def test_wrong_labels_alone_refuse() -> None:
    compared = compare(scores([8] * 6), scores([8] * 6, labels=False))
    assert compared.verdict is Verdict.WORSE
    assert compared.why.startswith("It has a lower F1 than before on 6 documents")


def test_what_is_said_of_models_that_may_suggest() -> None:
    better = compare(scores([7, 7, 7, 7, 8, 8]), scores([8] * 6))
    assert better.why.startswith("It misses less and has a higher F1 than before on 6 documents")
    assert compare(scores([8] * 6), scores([8] * 6)).why.startswith("About as good as before on 6")


@pytest.mark.parametrize("patients", [5, 6, 9, 40])
@pytest.mark.parametrize("loss", [1, 8])
def test_one_patient_never_refuses(patients: int, loss: int) -> None:
    now = [8] * patients
    now[2] -= loss
    assert compare(scores([8] * patients), scores(now)).verdict is Verdict.LIVE


def test_few_documents_or_patients_check_nothing() -> None:
    for before, now in (
        (scores([8] * 4), scores([0] * 4)),
        (scores([8] * 8, patients=2), scores([0] * 8, patients=2)),
        (scores([]), scores([])),
    ):
        compared = compare(before, now)
        assert compared.verdict is Verdict.NO_GATE
        assert "Nothing checks it" in compared.why
    assert compared.now.missed is None


def test_models_are_compared_on_the_same_documents() -> None:
    with pytest.raises(ScoringError):
        compare(scores([8] * 6), scores([8] * 5))


def test_a_longer_learnt_model_replaces_itself_only_if_better() -> None:
    assert is_better(scores([8] * 6), scores([8, 8, 8, 8, 8, 9]))
    assert not is_better(scores([8] * 6), scores([8] * 6))
    assert not is_better(scores([8] * 6), scores([8, 8, 8, 8, 8, 7]))
    assert is_better(scores([8] * 2), scores([7] * 2))  # nothing checks it


def refused(change: float, trials: int, patients: int) -> float:
    """Return how often a model is refused that finds so much more of each mention."""
    rng = np.random.default_rng(3)
    count = 0
    for _ in range(trials):
        skill = rng.beta(16, 4, size=patients)  # patients differ
        before = rng.binomial(WORDS, skill)
        now = rng.binomial(WORDS, np.clip(skill + change, 0, 1))
        compared = compare(scores(before.tolist()), scores(now.tolist()))
        count += compared.verdict is Verdict.WORSE
    return count / trials


def test_how_often_the_gate_errs() -> None:
    trials, patients = 120, 20
    assert refused(0.05, trials, patients) <= 0.05  # a false refusal of a better model
    assert refused(0.0, trials, patients) <= 0.25  # of an equal one: it does no harm
    assert refused(-0.1, trials, patients) >= 0.85  # a harmful one is stopped
