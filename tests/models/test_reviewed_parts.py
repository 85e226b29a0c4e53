"""Documents reviewed in part, for every kind of model: only what a person has seen counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from lacuna import Crf, Document, Li, Span
from lacuna.errors import ConfigError, LacunaError
from lacuna.evaluation.scores import score
from lacuna.models.base import Tagger
from lacuna.models.crf import CrfModel
from lacuna.models.file import model_bytes
from lacuna.models.hypergraph import HypergraphModel
from lacuna.models.registry import trainable
from lacuna.models.settings import configure
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.training import train, train_model
from lacuna.text.reviewed import settled
from lacuna.types import Task
from tests.models.every_kind import _with_parts_of_speech
from tests.models.examples import corpus, work_histories
from tests.models.test_conformance import check_result, plain, small_config
from tests.strategies import partly_reviewed

MODELS = pytest.mark.parametrize("kind", trainable())
NOTES = corpus(8)
NEW = corpus(10, seed=7)
RERANKED = ["rerank=3", "iterations=5", "subtags.outside=4"]


def half(document: Document, *, first: bool) -> Document:
    """Return a document of which one half was reviewed; what was not has no mentions."""
    middle, size = len(document.text) // 2, len(document.text)
    span = Span(0, middle) if first else Span(middle, size)
    return settled(replace(document, reviewed=(span,)))


def halves(documents: list[Document]) -> list[Document]:
    return [half(document, first=i % 2 == 0) for i, document in enumerate(documents)]


def f1(model: Tagger, documents: list[Document]) -> float:
    found = model.find(plain(documents))
    return score(zip(documents, found, strict=True)).section("strict").micro.f1


def changed(document: Document, *spans: tuple[int, int]) -> Document:
    return replace(document, reviewed=tuple(Span(*span) for span in spans))


@MODELS
def test_all_reviewed_gives_the_same_file(kind: str) -> None:
    whole = [changed(d, (0, 9), (9, len(d.text))) for d in NOTES]
    one, other = (train_model(notes, small_config(kind), seed=3) for notes in (NOTES, whole))
    assert model_bytes(one.store()) == model_bytes(other.store())


@MODELS
def test_a_document_that_nobody_reviewed_adds_nothing(kind: str) -> None:
    more = [changed(replace(d, id=f"more {d.id}", group=None)) for d in NEW]
    config = small_config(kind)
    if kind in {"shared", "split"}:  # else features that only these documents have change sums
        config = replace(config, lexicon=False)
    alone, both = (train_model(n, config, seed=3) for n in (NOTES, [*NOTES, *more]))
    assert alone.labels == both.labels
    assert alone.card.mentions == both.card.mentions
    for document in plain(NEW):
        one, other = (model.identifier_probability(document) for model in (alone, both))
        np.testing.assert_allclose(one, other, atol=0.02 if kind in {"crf", "li"} else 1e-6)


@pytest.mark.parametrize("kind", ["crf", "shared"])
def test_a_document_that_nobody_reviewed_is_not_in_the_lexicon(kind: str) -> None:
    more = [changed(replace(d, id=f"more {d.id}", group=None)) for d in NEW]
    found = []
    for notes in (NOTES, [*NOTES, *more]):
        model = train_model(notes, small_config(kind), seed=3)
        assert isinstance(model, CrfModel | HypergraphModel)
        lexicon = model.index.plan.resources.lexicon
        assert lexicon is not None
        found.append(lexicon.to_arrays())
    assert found[0].keys() == found[1].keys()
    for name, array in found[0].items():
        np.testing.assert_array_equal(array, found[1][name])


@pytest.mark.parametrize("kind", ["crf", "class-hmm"])
def test_half_of_each_document_is_better_than_taking_the_rest_for_empty(kind: str) -> None:
    right, wrong = both_ways(kind, halves(corpus(24, seed=1)))
    assert right > 0.9
    assert right > wrong + 0.1


@MODELS
def test_a_quarter_is_much_better_than_taking_the_rest_for_empty(kind: str) -> None:
    right, wrong = both_ways(kind, [window(d, i) for i, d in enumerate(corpus(48, seed=1))])
    assert right > 0.7
    assert right > wrong + 0.15


def both_ways(kind: str, partly: list[Document]) -> tuple[float, float]:
    """Return the scores of learning from parts, and of taking the rest for empty."""
    for_empty = [replace(document, reviewed=None) for document in partly]
    right, wrong = (train_model(n, small_config(kind), seed=3) for n in (partly, for_empty))
    return f1(right, NEW), f1(wrong, NEW)


def window(document: Document, number: int) -> Document:
    """Return a document of which a quarter was reviewed, another one for each number."""
    size = len(document.text)
    start = number * (size // 4) % (size - size // 4)
    return settled(replace(document, reviewed=(Span(start, start + size // 4),)))


@MODELS
def test_mentions_where_nobody_reviewed_are_ignored(kind: str) -> None:
    partly = halves(NOTES)
    noisy = [
        replace(d, mentions=(*d.mentions, *(m for m in whole.mentions if m not in d.mentions)))
        for d, whole in zip(partly, NOTES, strict=True)
    ]
    one, other = (train_model(notes, small_config(kind), seed=3) for notes in (partly, noisy))
    assert noisy != partly
    assert model_bytes(one.store()) == model_bytes(other.store())


@MODELS
def test_nothing_reviewed_is_an_error(kind: str) -> None:
    with pytest.raises(ConfigError, match="to train on"):
        train_model([changed(NOTES[0])], small_config(kind))


@MODELS
@settings(max_examples=10, deadline=None)
@given(document=partly_reviewed())
def test_trains_on_any_document_or_says_why_not(kind: str, document: Document) -> None:
    few = ["iterations=2"] if hasattr(small_config(kind), "iterations") else []
    try:
        model = train_model([document], configure(trainable()[kind].config, few))
    except LacunaError:
        return
    (found,) = model.find([document], probabilities=True)
    check_result(model, document, found)


@pytest.mark.parametrize(
    "more",
    [
        {"config": Crf(iterations=15, two_pass=True)},
        {"config": Crf(iterations=15), "align": True},
        {"config": Crf(iterations=15), "categories": Categories({"PER": "NAME", "LOC": "NAME"})},
        {"config": Crf(iterations=15), "private": True},
        {"config": Crf(iterations=15), "dev": halves(NEW)},
        {"config": Li(iterations=15), "dev": halves(NEW)},
        {
            "config": configure(
                trainable()["dp-hmm"].config, ["rerank=3", "iterations=5", "subtags.outside=4"]
            )
        },
    ],
    ids=["two-pass", "aligned", "with-rules", "private", "dev", "li", "rerank"],
)
def test_works_with_every_option(more: dict[str, Any]) -> None:
    more = dict(more)
    model = train_model(halves(corpus(12, seed=1)), more.pop("config"), **more)
    assert f1(model, NEW) > 0.8


def test_an_adapted_model_learns_from_parts() -> None:
    start = train_model(work_histories(4), Crf(iterations=20))
    model = train_model(halves(corpus(24, seed=1)), start=start)
    assert f1(start, NEW) == 0.0
    assert f1(model, NEW) > 0.9
    assert "PROFESSION" in model.labels


def test_parts_of_speech() -> None:
    notes = [_with_parts_of_speech(document) for document in NOTES]
    wrong = [
        replace(d, tokens=replace(d.tokens, columns={"pos": ("X",) * len(d.tokens)}), reviewed=())
        for d in notes
        if d.tokens is not None
    ]
    one, other = (train_model(n, task=Task.POS) for n in (notes, [*notes, *wrong]))
    (first,), (second,) = one.find([NEW[0]]), other.find([NEW[0]])
    assert first == second


def test_the_report_counts_what_was_not_learnt_from() -> None:
    #                0         1         2
    text = "Ann left.\nBob saw Eve.\nIt rained.\n"
    document = Document.from_dict(
        {
            "text": text,
            "mentions": [
                {"label": "PER", "spans": [[0, 3]]},
                {"label": "PER", "spans": [[10, 13]]},
                {"label": "PER", "spans": [[18, 21]]},
            ],
            "reviewed": [[0, 17]],
        }
    )
    chain = train([document], Crf(iterations=2)).unreviewed
    graph = train([document], configure(trainable()["split"].config, ["iterations=2"])).unreviewed
    assert chain is not None
    assert graph is not None
    # "Eve ." and "It rained ."; the mention of Eve; the last sentence
    assert (chain.tokens, chain.mentions, chain.sentences) == (5, 1, 1)
    # also the second sentence, and Bob in it
    assert (graph.tokens, graph.mentions, graph.sentences) == (5, 2, 2)
    assert train(NOTES, Crf(iterations=2)).unreviewed is None
