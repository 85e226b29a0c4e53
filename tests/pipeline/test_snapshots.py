"""Models handed out while training goes on, stopping, and adapting with a model's own settings."""

from __future__ import annotations

import threading
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import lacuna
from lacuna import Crf, Document, Mention, Progress, StoppedError, Tagger, TrigramHmm
from lacuna.errors import ConfigError
from lacuna.models.crf import CrfModel
from lacuna.models.file import model_bytes
from lacuna.models.registry import trainable
from lacuna.models.settings import Settings, configure
from lacuna.models.with_rules import WithRules
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.pipeline.tuning import cross_validate
from lacuna.text.sequences import SequenceKind
from tests.models.examples import corpus

DOCUMENTS = corpus(10)
NEW = Document("new", "Call Ana Sato about the results.\nBoris Rossi was moved to Arden.\n")
AFTER = 3  # iterations


def few(kind: str) -> Settings:
    """Return settings of several iterations, where a kind has iterations."""
    record = trainable()[kind].config
    names = {field.name for field in fields(record)}
    wanted = ["iterations=12", "tolerance=0"]
    return configure(record, [one for one in wanted if one.split("=")[0] in names])


def content(model: Tagger) -> bytes:
    return model_bytes(model.store())


@cache
def uninterrupted(kind: str) -> bytes:
    return content(lacuna.train(DOCUMENTS, few(kind), seed=1))


KINDS = pytest.mark.parametrize("kind", trainable())


@KINDS
def test_a_model_is_handed_out_and_training_goes_on(kind: str) -> None:
    handed_out: list[tuple[Tagger, bytes, int]] = []

    def look(progress: Progress) -> None:
        if progress.model is not None and (progress.iteration >= AFTER or not handed_out):
            model = progress.model()
            handed_out.append((model, content(model), progress.iteration))

    final = lacuna.train(DOCUMENTS, few(kind), seed=1, on_progress=look)
    assert content(final) == uninterrupted(kind)  # looking changed nothing
    assert handed_out
    for model, before, iteration in handed_out:
        assert content(model) == before  # nor did going on change what was handed out
        assert (model.card.documents, model.card.iterations) == (10, iteration)
        assert model.tag(NEW).text == NEW.text
    last = handed_out[-1][0]
    assert last.tag(NEW).mentions == final.tag(NEW).mentions


@KINDS
def test_stopping_keeps_the_model_of_that_iteration(kind: str) -> None:
    stop = threading.Event()
    seen: list[tuple[int, bytes]] = []

    def look(progress: Progress) -> None:
        assert progress.model is not None
        seen.append((progress.iteration, content(progress.model())))
        if progress.iteration >= AFTER:
            stop.set()

    model = lacuna.train(DOCUMENTS, few(kind), seed=1, on_progress=look, stop=stop)
    assert (model.card.iterations, content(model)) == seen[-1]
    assert sum(iteration >= AFTER for iteration, _ in seen) <= 1
    if hasattr(few(kind), "iterations"):
        assert model.card.iterations < 12


def test_another_thread_may_stop_training() -> None:
    stop, far_enough = threading.Event(), threading.Event()

    def wait(progress: Progress) -> None:
        if progress.iteration == AFTER:
            far_enough.set()
            assert stop.wait(10)

    def cancel() -> None:
        assert far_enough.wait(10)
        stop.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    model = lacuna.train(DOCUMENTS, few("crf"), on_progress=wait, stop=stop)
    thread.join()
    assert model.card.iterations == AFTER


def test_with_dev_documents_the_best_so_far_is_kept() -> None:
    stop = threading.Event()
    scores: list[float] = []

    def look(progress: Progress) -> None:
        scores.extend([] if progress.dev_f1 is None else [progress.dev_f1])
        if progress.iteration == 11:
            stop.set()

    options = TrainOptions(dev=corpus(4, seed=1), on_progress=look, stop=stop)
    trained = train(DOCUMENTS, replace(Crf(tolerance=0), iterations=30), options)
    assert trained.interrupted
    assert trained.dev_f1 == max(scores)
    assert trained.iterations in (5, 10)


def test_stopped_before_the_first_score_there_is_still_a_model() -> None:
    stop = threading.Event()
    stop.set()
    options = TrainOptions(dev=corpus(4, seed=1), stop=stop)
    trained = train(DOCUMENTS, Crf(), options)
    assert (trained.interrupted, trained.iterations, trained.dev_f1) == (True, 0, None)


def test_stopped_before_there_is_a_model() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError, match="before there was a model"):
        lacuna.train(DOCUMENTS, Crf(two_pass=True), stop=stop)


def test_the_first_of_two_passes_is_not_handed_out() -> None:
    seen: list[tuple[bool, str]] = []

    def look(progress: Progress) -> None:
        seen.append((progress.model is not None, progress.note))

    lacuna.train(DOCUMENTS, Crf(iterations=2, two_pass=True), on_progress=look)
    assert set(seen) == {(False, "first pass"), (True, "")}


def test_models_of_folds_are_not_handed_out() -> None:
    handed_out: list[int] = []

    def look(progress: Progress) -> None:
        if progress.model is not None:
            handed_out.append(progress.model().card.documents)

    lacuna.train(DOCUMENTS, TrigramHmm(), align=True, on_progress=look)
    assert handed_out == [10]
    cross_validate(DOCUMENTS, TrigramHmm(), 3, TrainOptions(on_progress=look))
    assert handed_out == [10]


def test_stopped_while_alignment_is_learnt_it_does_not_align() -> None:
    stop = threading.Event()

    def look(progress: Progress) -> None:
        if progress.model is None:
            stop.set()

    options = TrainOptions(align=True, on_progress=look, stop=stop)
    trained = train(DOCUMENTS, TrigramHmm(), options)
    assert trained.interrupted
    assert trained.model.kind == "trigram-hmm"


def test_a_model_of_categories_is_handed_out_with_its_rules() -> None:
    handed_out: list[Tagger] = []

    def look(progress: Progress) -> None:
        assert progress.model is not None
        handed_out.append(progress.model())

    categories = Categories({"PER": "ANY", "LOC": "ANY"})
    final = lacuna.train(DOCUMENTS, TrigramHmm(), categories=categories, on_progress=look)
    (model,) = handed_out
    assert isinstance(model, WithRules)
    assert model.tag(NEW).mentions == final.tag(NEW).mentions
    assert {mention.label for mention in model.tag(NEW).mentions} == {"PER", "LOC"}


# adapting

MORE = [Document(f"n{n}", "Takes Zyrex daily.", (Mention.of("DRUG", (6, 11)),)) for n in range(4)]


@pytest.fixture
def old(tmp_path: Path) -> CrfModel:
    towns = tmp_path / "towns.txt"
    towns.write_text("Arden\nBruck\n")
    config = Crf(
        iterations=10,
        caution=1.5,
        l2=0.3,
        sequence=SequenceKind.LINE,
        word_lists={"towns": str(towns)},
    )
    lacuna.save(lacuna.train(DOCUMENTS, config), tmp_path / "old.lacuna")
    model = lacuna.load(tmp_path / "old.lacuna")
    assert isinstance(model, CrfModel)
    return model


def test_a_model_is_adapted_with_its_own_settings(old: CrfModel) -> None:
    plain = lacuna.train(MORE, start=old)
    given = lacuna.train(MORE, old.config, start=old)
    shorter = lacuna.train(MORE, replace(old.config, iterations=2), start=old)
    assert content(plain) == content(given)
    assert plain.config == old.config
    assert shorter.config == replace(old.config, iterations=2)
    assert shorter.card.adapted_from == old.card
    assert "DRUG" in shorter.labels
    other: Any = replace(old.config, word_lists={"towns": "other.txt"})
    for wrong in (other, Crf(clusters={"c": "c.tsv"})):
        with pytest.raises(ConfigError, match="keeps its own word lists and clusters"):
            lacuna.train(MORE, wrong, start=old)


def test_new_settings_are_taken_as_they_are(old: CrfModel) -> None:
    """Features, tags and sequences stay those of the old model; the rest is as given."""
    adapted = lacuna.train(MORE, Crf(iterations=3), start=old)
    assert adapted.config == replace(old.config, iterations=3, caution=0.0, l2=0.1)
