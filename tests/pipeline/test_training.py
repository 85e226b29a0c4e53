"""The training loop: dev scores, stopping, interruption, folds, settings."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError
from lacuna.learning.folds import jackknife
from lacuna.models.crf import Crf
from lacuna.models.settings import Settings, configure
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.pipeline.tuning import best, cross_validate, penalties, try_each
from tests.models.examples import corpus


def test_dev_scores_are_measured_and_the_best_is_kept() -> None:
    seen: list[Progress] = []
    dev = corpus(5, seed=1)
    trained = train(
        corpus(20), Crf(iterations=12, tolerance=0), TrainOptions(dev=dev, on_progress=seen.append)
    )
    scores = [p.dev_f1 for p in seen if p.dev_f1 is not None]
    assert len(scores) >= 2
    assert trained.dev_f1 == max(scores)
    assert [p.iteration for p in seen] == list(range(len(seen)))
    values = [p.objective for p in seen]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_the_time_left_is_that_of_the_steps_left_at_the_pace_so_far() -> None:
    seen: list[Progress] = []
    train(corpus(10), Crf(iterations=6, tolerance=0), TrainOptions(on_progress=seen.append))
    assert seen[0].seconds_left is None
    for progress in seen[1:]:
        assert progress.seconds_left is not None
        pace = (progress.seconds - seen[0].seconds) / progress.iteration
        assert progress.seconds_left == pytest.approx(pace * (6 - progress.iteration))
    assert seen[-1].seconds_left == 0


def test_dev_may_have_other_labels_than_the_training_documents() -> None:
    new = Document("new", "Takes Zyrex daily.", (Mention.of("DRUG", (6, 11)),))
    trained = train(corpus(10), Crf(iterations=10), TrainOptions(dev=[new, *corpus(2, seed=1)]))
    assert trained.model.labels == ("LOC", "PER")
    assert trained.dev_f1 is not None
    assert 0 < trained.dev_f1 < 1
    none = train(corpus(10), Crf(iterations=5), TrainOptions(dev=[Document("none", "No pain.")]))
    assert none.dev_f1 == 1.0
    assert none.model.labels == ("LOC", "PER")


def test_stops_when_the_objective_is_flat_or_iterations_are_used_up() -> None:
    early = train(corpus(10), Crf(iterations=200, tolerance=0.5))
    late = train(corpus(10), Crf(iterations=200, tolerance=0.01))
    assert early.iterations < late.iterations < 200
    assert train(corpus(10), Crf(iterations=4, tolerance=0)).iterations == 4


def test_an_interruption_keeps_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 3:
            raise KeyboardInterrupt

    trained = train(corpus(10), Crf(iterations=50), TrainOptions(on_progress=interrupt))
    assert trained.interrupted
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


def test_dots_lead_into_settings() -> None:
    lists = {"first": "a.tsv", "last": "b.tsv"}
    config = configure(
        Crf, ["word_lists.first=a.tsv", "clusters . c = 'd.tsv'", "word_lists.last=b.tsv"]
    )
    assert config == Crf(word_lists=lists, clusters={"c": "d.tsv"})
    assert configure(Crf, ['word_lists={first = "a.tsv", last = "b.tsv"}']) == Crf(word_lists=lists)
    assert configure(Crf, ['word_lists={first = "a.tsv"}', "word_lists.last=b.tsv"]) == Crf(
        word_lists=lists
    )


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("itterations=1", "did you mean iterations"),
        ("l2", "expected key=value"),
        (".=1", "unknown setting"),
        ("l2=much", "l2: expected a number, got 'much'"),
        ("iterations=abc", "iterations: expected a whole number, got 'abc'"),
        ("iterations=1.5", "iterations: expected a whole number, got 1.5"),
        ("iterations=-1", "iterations: must be at least 0, got -1"),
        ("two_pass=yes", "two_pass: expected true or false, got 'yes'"),
        ("columns=pos", "columns: expected a list of names, got 'pos'"),
        ("scheme=XYZ", "scheme: expected one of IO, .*, IOBES, got 'XYZ'"),
        ("qqqqq=1", "known are"),
        ("word_list.first=a", "did you mean word_lists"),
        ("word_lists.first=1", r"word_lists: expected word_lists\.NAME=FILE"),
        ("word_lists=names.tsv", "word_lists"),
        ("l2.x=1", "l2"),
        ("word_lists.a.b=c", "word_lists"),
    ],
)
def test_wrong_settings_are_named(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configure(Crf, [assignment])


def test_a_setting_that_has_a_value_has_no_names_inside() -> None:
    with pytest.raises(ConfigError, match="word_lists was already given a value"):
        configure(Crf, ["word_lists=a", "word_lists.first=b"])


def test_cross_validation_scores_every_document_by_a_model_that_has_not_seen_it() -> None:
    documents = corpus(12)
    config = Crf(iterations=10, tolerance=0.0)
    scores, chosen = cross_validate(documents, config, 3, TrainOptions())
    assert sorted(scores.ids) == sorted(document.id for document in documents)
    assert 0.5 < scores.section("strict").micro.f1 <= 1
    assert isinstance(chosen, Crf)
    assert 1 <= chosen.iterations <= 10


def test_cross_validation_passes_an_interruption_on() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 6:  # a dev score was measured
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(
            corpus(12),
            Crf(iterations=10, tolerance=0.0),
            3,
            TrainOptions(on_progress=interrupt),
        )


def test_the_best_penalty_is_the_first_with_the_highest_score() -> None:
    f1 = {0.03: 0.5, 0.1: 0.8, 0.3: 0.8, 1.0: 0.7}
    config = Crf(iterations=7)

    def run(tried: Settings) -> tuple[float, int]:
        assert isinstance(tried, Crf)
        return f1[tried.l2], tried.iterations

    tries = list(try_each(penalties(config), run))
    assert [(cast(Crf, tried.config).l2, tried.f1, tried.outcome) for tried in tries] == [
        (l2, score, 7) for l2, score in f1.items()
    ]
    assert best(tries).config == Crf(iterations=7, l2=0.1)
