"""The loop over training steps: the best model is kept, however training ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lacuna import ConfigError, Crf, Document, TrigramHmm
from lacuna.models import registry
from lacuna.models.base import FitOptions, Step
from lacuna.models.trigram_hmm import TrigramHmmModel
from lacuna.models.trigram_hmm.training import fit_trigram_hmm
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.pipeline.tuning import cross_validate
from lacuna.types import Task
from tests.models.examples import corpus

PATIENCE = registry.KINDS["trigram-hmm"].patience


def test_train_finds_the_way_by_the_settings() -> None:
    seen: list[Progress] = []
    trained = train(
        corpus(6), TrigramHmm(), TrainOptions(dev=corpus(4, seed=1), on_progress=seen.append)
    )
    assert isinstance(trained.model, TrigramHmmModel)
    assert trained.model.config == TrigramHmm()
    assert trained.dev_f1 == seen[0].dev_f1
    assert trained.dev_f1 is not None
    assert trained.dev_f1 > 0.8
    assert trained.model.card.documents == 6
    assert trained.tokens > trained.sentences > 6
    with pytest.raises(ConfigError, match="cannot be trained for the task pos"):
        train(corpus(2), Crf(), TrainOptions(task=Task.POS))
    with pytest.raises(ConfigError, match="only a CRF"):
        train(corpus(2), TrigramHmm(), TrainOptions(start=trained.model))
    with pytest.raises(ConfigError, match="no documents"):
        train([], TrigramHmm())


def steps_of_quality(qualities: list[int], interrupted: bool = False) -> Any:
    """Return a `fit` whose n-th model knows the mentions of ``qualities[n]`` documents."""

    def fit(tagged: list[Any], config: TrigramHmm, _: object) -> Iterator[Step]:
        for number, quality in enumerate(qualities, start=1):
            unseen = [item._replace(chunks=()) for item in tagged[quality:]]
            (step,) = fit_trigram_hmm([*tagged[:quality], *unseen], config, FitOptions())
            yield Step(number, float(-quality), step.model)
        if interrupted:
            raise KeyboardInterrupt

    return fit


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Train with given steps and return the result and the number of steps taken."""

    def run(fit: Any, dev: list[Document] | None) -> tuple[Any, int]:
        monkeypatch.setattr(registry.Kind, "fitting", lambda *_: fit)
        monkeypatch.setattr("lacuna.pipeline.training._iterations", lambda _: 100)
        seen: list[Progress] = []
        options = TrainOptions(dev=dev, on_progress=seen.append)
        return train(corpus(12), TrigramHmm(), options), len(seen)

    return run


def test_the_best_on_dev_is_kept_and_patience_ends(tried: Any) -> None:
    trained, steps = tried(steps_of_quality([0, 12, *[0, 1] * PATIENCE]), corpus(4, seed=1))
    assert trained.iterations == 2
    assert steps == 2 + PATIENCE
    assert trained.model.card.iterations == 2
    first, _ = tried(steps_of_quality([0]), corpus(4, seed=1))
    assert first.dev_f1 < trained.dev_f1


def test_without_dev_the_last_is_kept(tried: Any) -> None:
    trained, steps = tried(steps_of_quality([12, 1, 2, 1]), None)
    assert (trained.iterations, steps, trained.dev_f1) == (4, 4, None)


def test_interruption_keeps_the_best(tried: Any) -> None:
    trained, _ = tried(steps_of_quality([0, 12, 0], interrupted=True), corpus(4, seed=1))
    assert trained.iterations == 2
    with pytest.raises(KeyboardInterrupt):
        tried(steps_of_quality([], interrupted=True), None)


def test_folds() -> None:
    scores, config = cross_validate(corpus(8), TrigramHmm(), 3, TrainOptions())
    assert config == TrigramHmm()
    assert scores.section("strict").micro.f1 > 0.7


def test_patience_counts_scores_and_not_iterations(tried: Any) -> None:
    """Hypergraph models are scored every fifth iteration, CRFs too, with less patience."""

    def fit(tagged: list[Any], config: TrigramHmm, options: FitOptions) -> Iterator[Step]:
        for step in steps_of_quality([12, *[0] * PATIENCE])(tagged, config, options):
            yield step._replace(iteration=5 * step.iteration)

    trained, steps = tried(fit, corpus(4, seed=1))
    assert trained.iterations == 5
    assert steps == 1 + PATIENCE
    assert registry.KINDS["crf"].patience == registry.KINDS["li"].patience == 3
