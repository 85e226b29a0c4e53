"""The training loop: dev scores, stopping, interruption, folds, settings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError
from lacuna.models.crf import Crf
from lacuna.pipeline.cross_validation import cross_validate
from lacuna.pipeline.folds import jackknife
from lacuna.pipeline.settings import configure, describe_config
from lacuna.pipeline.training import Progress, train
from tests.models.examples import corpus


def test_dev_scores_are_measured_and_the_best_is_kept() -> None:
    seen: list[Progress] = []
    dev = corpus(5, seed=1)
    trained = train(corpus(20), Crf(iterations=12, tolerance=0), dev=dev, on_progress=seen.append)
    scores = [p.dev_f1 for p in seen if p.dev_f1 is not None]
    assert len(scores) >= 2
    assert trained.dev_f1 == max(scores)
    assert [p.iteration for p in seen] == list(range(len(seen)))
    values = [p.objective for p in seen]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_stops_when_the_objective_is_flat_or_iterations_are_used_up() -> None:
    early = train(corpus(10), Crf(iterations=200, tolerance=0.5))
    late = train(corpus(10), Crf(iterations=200, tolerance=0.01))
    assert early.iterations < late.iterations < 200
    assert train(corpus(10), Crf(iterations=4, tolerance=0)).iterations == 4


def test_an_interruption_keeps_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 3:
            raise KeyboardInterrupt

    trained = train(corpus(10), Crf(iterations=50), on_progress=interrupt)
    assert trained.iterations == 3
    assert trained.model.tag("Call Ana Sato about it.").text


def test_folds_keep_groups_together_and_cover_everything_once() -> None:
    documents = corpus(21)
    held_out: list[int] = []
    for rest, part in jackknife(documents, 4, rng=np.random.default_rng(0)):
        assert sorted(rest + part) == list(range(21))
        assert not {documents[i].unit for i in rest} & {documents[i].unit for i in part}
        assert part
        held_out += part
    assert sorted(held_out) == list(range(21))
    with pytest.raises(ConfigError, match="folds"):
        list(jackknife(documents, 100, rng=np.random.default_rng(0)))


def test_settings_from_words() -> None:
    config = configure(Crf, ["l2=0.5", "scheme=BILOU", 'columns=["pos"]', "two_pass=true"])
    assert config == Crf(l2=0.5, scheme=Scheme.BILOU, columns=("pos",), two_pass=True)
    assert ("l2", "0.1") in describe_config(Crf)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("itterations=1", "did you mean iterations"),
        ("l2", "expected key=value"),
        ("l2=much", "float"),
        ("scheme=XYZ", "scheme"),
        ("qqqqq=1", "known are"),
    ],
)
def test_wrong_settings_are_named(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configure(Crf, [assignment])


def test_cross_validation_scores_every_document_by_a_model_that_has_not_seen_it() -> None:
    documents = corpus(12)
    config = Crf(iterations=10, tolerance=0.0)
    scores, chosen = cross_validate(documents, config, 3, rng=np.random.default_rng(0))
    assert sorted(scores.ids) == sorted(document.id for document in documents)
    assert 0.5 < scores.section("strict").micro.f1 <= 1
    assert 1 <= chosen.iterations <= 10
