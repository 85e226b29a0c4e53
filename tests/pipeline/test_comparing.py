"""Comparing models: settings, figures, and a model that fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lacuna import Crf, Document
from lacuna.errors import ConfigError
from lacuna.models.registry import trainable
from lacuna.models.settings import configure
from lacuna.pipeline.comparing import chosen_configs, compare
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from tests.models.examples import corpus


def test_settings_go_to_the_model_they_name() -> None:
    assert list(chosen_configs()) == list(trainable())
    assert chosen_configs("crf, crf", ["crf.l2=0.5", "crf.word_lists.towns=t.tsv"]) == {
        "crf": Crf(l2=0.5, word_lists={"towns": "t.tsv"})
    }
    for wrong, said in {
        "l2=0.5": "--set l2: expected MODEL.key=value",
        "magic.l2=0.5": "MODEL one of crf",
        "crf.l22=0.5": "did you mean l2",
        "crf.l2=x.y": "--set l2: expected a number",
    }.items():
        with pytest.raises(ConfigError, match=said):
            chosen_configs("crf", [wrong])
    with pytest.raises(ConfigError, match="unknown model 'magic'"):
        chosen_configs("crf,magic")


def test_each_switch_of_a_model_has_a_row() -> None:
    found = chosen_configs("crf,trigram-hmm", ["crf.iterations=5"], switches=True)
    assert list(found) == ["crf", "crf lexicon=false", "crf two_pass=true", "trigram-hmm"]
    assert found["crf lexicon=false"] == Crf(iterations=5, lexicon=False)
    assert found["crf two_pass=true"] == Crf(iterations=5, two_pass=True)
    turned = chosen_configs("crf", ["crf.lexicon=false"], switches=True)
    assert list(turned) == ["crf", "crf two_pass=true"]
    for kind in trainable().values():
        for switch in kind.switches:
            assert configure(kind.config, [switch]) != kind.config()


def test_a_model_is_trained_scored_timed_and_weighed() -> None:
    seen: list[tuple[str, int]] = []

    def note(name: str, progress: Progress) -> None:
        seen.append((name, progress.iteration))

    training, test = corpus(12), corpus(3, seed=9)
    configs = chosen_configs("crf", ["crf.iterations=12"])
    (row,) = compare(training, test, configs, on_progress=note)
    assert (row.model, row.error) == ("crf", "")
    assert row.measured is not None
    assert row.measured.scores.section("strict").micro.f1 > 0.7
    assert len(row.measured.scores.ids) == 3
    assert row.measured.training_seconds > 0
    assert row.measured.tokens_per_second > 0
    assert row.measured.size > 1000
    assert seen[0] == ("crf", 0)
    assert seen[-1] == ("crf", max(step for _, step in seen))


def test_a_model_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_at_one(documents: list[Document], config: Crf, *options: TrainOptions) -> Any:
        if config.iterations == 1:
            raise RuntimeError(documents[0].text)
        return train(documents, config, *options)

    monkeypatch.setattr("lacuna.pipeline.comparing.train", fails_at_one)
    configs = {
        "broken": Crf(iterations=1),
        "missing": Crf(iterations=2, word_lists={"a": "no-such-file.tsv"}),
        "fine": Crf(iterations=2),
    }
    broken, missing, fine = compare(corpus(3), corpus(3), configs)
    assert broken.error == "internal error: RuntimeError"  # without a word of the document
    assert "no-such-file.tsv" in missing.error
    assert (broken.measured, missing.measured, fine.error) == (None, None, "")
    assert fine.measured is not None


def test_nothing_is_trained_before_it_is_asked_for() -> None:
    rows = compare([], [], chosen_configs("crf"))
    assert isinstance(rows, Iterator)
    (row,) = rows
    assert row.error == "there are no documents to train on"
