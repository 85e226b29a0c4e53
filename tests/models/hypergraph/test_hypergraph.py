"""SHARED and SPLIT on made-up mentions with gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lacuna import ConfigError, Document, Mention, ModelFileError, Shared, Split
from lacuna.encoding.hypergraph import ON, STAY, TOP, columns
from lacuna.encoding.schemes import Heuristic
from lacuna.evaluation.scores import score
from lacuna.models.file import StoredModel, write_model
from lacuna.models.hypergraph import (
    HypergraphModel,
    Inference,
    SharedModel,
    SplitModel,
    bonus,
    graphs_of,
)
from lacuna.models.registry import load, restore
from lacuna.pipeline.training import train, train_model
from lacuna.text.tokens import tokens_of

SITES, FINDINGS = ("arm", "leg", "hand", "knee"), ("pain", "swelling", "rash", "fever")


def mention(text: str, *words: str) -> Mention:
    """Return the mention of words that occur once in a text, in order."""
    return Mention.of("FINDING", *((text.index(w), text.index(w) + len(w)) for w in words))


def sentence(rng: np.random.Generator) -> Document:
    """Return a sentence: a finding, two of one site, one of two sites, or nothing."""
    one, two = map(str, rng.choice(FINDINGS, 2, replace=False))
    here, there = map(str, rng.choice(SITES, 2, replace=False))
    pick = int(rng.integers(4))
    if pick == 0:
        text = f"There was {one} at night ."
        return Document(text, text, (mention(text, one),))
    if pick == 1:
        text = f"Then {here} {one} and {two} came ."
        found = (mention(text, f"{here} {one}"), mention(text, here, two))
        return Document(text, text, found)
    if pick == 2:
        text = f"Some {one} of {here} and {there} too ."
        return Document(text, text, (mention(text, one, here), mention(text, one, there)))
    text = f"Nothing at the {here} was seen ."
    return Document(text, text)


def corpus(size: int, seed: int) -> list[Document]:
    rng = np.random.default_rng(seed)
    return [sentence(rng) for _ in range(size)]


Kind = Callable[..., Shared | Split]
TRAINING, TEST = corpus(80, 0), corpus(40, 1)


@cache
def model_of(kind: Kind, inference: Inference) -> HypergraphModel:
    model = train_model(TRAINING, kind(iterations=25, inference=inference))
    assert isinstance(model, HypergraphModel)
    return model


BOTH = pytest.mark.parametrize("kind", [Shared, Split])


@BOTH
@pytest.mark.parametrize("inference", Inference)
def test_learns_mentions_with_gaps_and_overlaps(kind: Kind, inference: Inference) -> None:
    model = model_of(kind, inference)
    found = model.find([Document(d.id, d.text) for d in TEST])
    scores = score(zip(TEST, found, strict=True))
    assert scores.section("strict").micro.f1 > 0.95
    assert scores.section("discontiguous").micro.f1 > 0.9


@BOTH
@pytest.mark.parametrize("inference", Inference)
def test_probabilities_fit_together(kind: Kind, inference: Inference) -> None:
    model = model_of(kind, inference)
    for document in model.find(TEST, probabilities=True):
        sure, tokens = model.identifier_probability(document), tokens_of(document)
        for found in document.mentions:
            assert found.probability is not None
            assert 0 < found.probability <= 1
            for span in found.spans:
                own = (tokens.start >= span.start) & (tokens.end <= span.end)
                assert (sure[own] >= found.probability - 1e-6).all()


@BOTH
def test_is_the_same_after_storing(kind: Kind, tmp_path: Path) -> None:
    model, path = model_of(kind, Inference.EXACT), tmp_path / "m.lacuna"
    write_model(path, model.store())
    again = load(path)
    assert type(again) is type(model)
    assert again.config == model.config
    assert again.find(TEST, probabilities=True) == model.find(TEST, probabilities=True)


def test_the_heuristic_can_be_chosen_at_tagging_time(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, model_of(Shared, Inference.EXACT).store())
    every, enough = (load(path, heuristic=heuristic) for heuristic in Heuristic)
    for more, fewer in zip(every.find(TEST), enough.find(TEST), strict=True):
        assert set(more.mentions) >= set(fewer.mentions)
    text = "Some pain of arm and leg too ."
    gold = {mention(text, "pain", "arm"), mention(text, "pain", "leg")}
    assert set(every.tag(text).mentions) == set(enough.tag(text).mentions) == gold


def test_split_has_a_graph_for_each_number_of_parts_that_occurs() -> None:
    split, shared = model_of(Split, Inference.EXACT), model_of(Shared, Inference.EXACT)
    assert [graph.parts for _, graph in split.graphs] == [1, 2]
    assert [(graph.parts, graph.ends_anywhere) for _, graph in shared.graphs] == [(3, True)]
    assert isinstance(split, SplitModel)
    assert isinstance(shared, SharedModel)


def test_mentions_of_too_many_parts_are_counted() -> None:
    text = "a b c d e f g h i"
    many = Document("many", text, (mention(text, "a", "c", "e", "g"),))
    trained = train([many, *TRAINING], Split(iterations=2))
    assert trained.left_out == {"of more than 3 parts": 1}


def test_refuses_documents_without_mentions() -> None:
    with pytest.raises(ConfigError, match="no mention in 1 document"):
        train_model([Document("d", "Nothing here .")], Shared(iterations=2))


@pytest.mark.parametrize("wrong", [{"parts": 0}, {"parts": 9}, {"l2": 0.0}, {"iterations": 0}])
def test_refuses_settings_that_leave_no_model(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        train_model(TRAINING, Shared(**wrong))  # type: ignore[arg-type]


def test_refuses_a_file_whose_graphs_are_damaged(tmp_path: Path) -> None:
    stored, path = model_of(Split, Inference.EXACT).store(), tmp_path / "m.lacuna"
    for graphs in ([["FINDING", 7]], [["OTHER", 1]], [["FINDING", 1], ["FINDING", 1]], []):
        damaged = StoredModel(stored.kind, {**stored.header, "graphs": graphs}, stored.arrays)
        write_model(path, damaged)
        with pytest.raises(ModelFileError):
            load(path)


@BOTH
def test_gap_caution_finds_more_gaps_and_leaves_probabilities_alone(kind: Kind) -> None:
    model = model_of(kind, Inference.EXACT)
    shy, bold = (
        replace(model, config=replace(model.config, gap_caution=gap)) for gap in (-12.0, 2.0)
    )
    few, many = ([m for document in m.find(TEST) for m in document.mentions] for m in (shy, bold))
    assert sum(m.is_discontiguous for m in many) > sum(m.is_discontiguous for m in few)
    for document in TEST:
        np.testing.assert_array_equal(
            shy.identifier_probability(document), bold.identifier_probability(document)
        )


@BOTH
def test_only_edges_into_a_gap_and_from_the_start_get_a_bonus(kind: Kind) -> None:
    config = kind(caution=0.5, gap_caution=3.0)
    for graph in graphs_of(config):
        added = dict(zip(columns(graph), bonus(graph, config).tolist(), strict=True))
        before = {(node, ON) for node in range(0, graph.nodes - 1, 2)}
        assert {edge for edge, value in added.items() if value == 3.0} == before
        assert {edge for edge, value in added.items() if value == 0.5} == {(TOP, STAY)}
        assert sum(added.values()) == 3.0 * len(before) + 0.5
        other = replace(config, inference=Inference.UNFOLDED)
        assert bonus(graph, other).tolist() == bonus(graph, replace(config, gap_caution=0)).tolist()


@BOTH
def test_models_of_older_files_have_no_gap_caution(kind: Kind) -> None:
    stored = model_of(kind, Inference.EXACT).store()
    config = {name: v for name, v in stored.header["config"].items() if name != "gap_caution"}
    older = restore(StoredModel(stored.kind, {**stored.header, "config": config}, stored.arrays))
    assert isinstance(older, HypergraphModel)
    assert older.config.gap_caution == 0.0


@BOTH
def test_looks_at_what_a_mention_is_without_its_gap(kind: Kind) -> None:
    templates = model_of(kind, Inference.EXACT).index.plan.templates
    assert [str(t) for t in templates if "joined" in str(t)] == [
        f"joined[{offset}]" for offset in (-1, 0, 1)
    ]


@BOTH
def test_a_corpus_without_gaps_gives_none(kind: Kind) -> None:
    gapped = [sentence(np.random.default_rng(number)) for number in range(12)]
    flat = [
        replace(note, mentions=tuple(m for m in note.mentions if not m.is_discontiguous))
        for note in gapped
    ]
    for notes, expected in ((flat, 0.0), (gapped, 2.0)):
        model = train_model(notes, kind(iterations=5))
        assert isinstance(model, HypergraphModel)
        assert model.config.gap_caution == expected


@BOTH
def test_caution_finds_more_and_leaves_probabilities_alone(kind: Kind) -> None:
    model = model_of(kind, Inference.EXACT)
    usual, bold = (
        replace(model, config=replace(model.config, caution=caution)) for caution in (0.0, 8.0)
    )
    found = [sum(len(d.mentions) for d in m.find(TEST)) for m in (usual, bold)]
    assert found[1] > found[0]
    for document in TEST:
        np.testing.assert_array_equal(
            usual.identifier_probability(document), bold.identifier_probability(document)
        )
