from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from lacuna.errors import ScoringError
from lacuna.evaluation.counts import Counts
from lacuna.evaluation.scores import CATEGORY_SECTIONS, SECTIONS, score
from lacuna.text.document import Document, Mention
from tests.evaluation.cases import Pair, corpora, document, fewer, pairs

CATEGORIES = {"PER": "WHO", "ADR": "WHO", "LOC": "WHERE"}
ALL_SECTIONS = SECTIONS + CATEGORY_SECTIONS


def test_every_section_by_hand() -> None:
    gold = document(
        Mention.of("PER", (0, 4)),
        Mention.of("LOC", (2, 6)),  # crosses the first
        Mention.of("ADR", (8, 10), (12, 14)),
        Mention.of("ADR", (16, 18)),
    )
    predicted = document(
        Mention.of("PER", (0, 4)),
        Mention.of("LOC", (2, 5)),  # crosses the first; border
        Mention.of("ADR", (8, 10), (13, 14)),  # discontiguous; border
        Mention.of("PER", (16, 18)),  # label
        Mention.of("LOC", (19, 20)),  # spurious
    )
    scores = score([(gold, predicted)], categories=CATEGORIES)
    sections = {name: scores.section(name).labels for name in scores.tables}
    assert sections == {
        "strict": {"ADR": Counts(0, 1, 2), "LOC": Counts(0, 2, 1), "PER": Counts(1, 1, 0)},
        "relaxed": {"ADR": Counts(1, 0, 1), "LOC": Counts(1, 1, 0), "PER": Counts(1, 1, 0)},
        "token": {"ADR": Counts(3, 0, 3), "LOC": Counts(3, 1, 1), "PER": Counts(4, 2, 0)},
        "binary": {"identifier": Counts(10, 1, 2)},
        "discontiguous": {"ADR": Counts(0, 1, 1)},
        "overlapping": {"LOC": Counts(0, 1, 1), "PER": Counts(1, 0, 0)},
        "categories": {"WHERE": Counts(0, 2, 1), "WHO": Counts(2, 1, 1)},
        "categories_token": {"WHERE": Counts(3, 1, 1), "WHO": Counts(9, 0, 1)},
    }
    assert scores.tokens.tolist() == [20]


@fewer
@given(corpora())
def test_gold_against_itself_is_perfect(corpus: list[Pair]) -> None:
    scores = score([(gold, gold) for gold, _ in corpus], categories=CATEGORIES)
    for name in ALL_SECTIONS:
        section = scores.section(name)
        assert set(section.micro.figures(2.0).values()) == {1.0}
        assert set(section.macro(2.0).values()) == {1.0}
        assert section.micro.error_rate == 0


@fewer
@given(corpora())
def test_swapping_the_sides_swaps_spurious_and_missed(corpus: list[Pair]) -> None:
    there = score(corpus, categories=CATEGORIES)
    back = score([(predicted, gold) for gold, predicted in corpus], categories=CATEGORIES)
    for name in ALL_SECTIONS:
        one, other = there.section(name), back.section(name)
        assert one.labels == {k: Counts(c.tp, c.fn, c.fp) for k, c in other.labels.items()}
        assert one.micro.precision == other.micro.recall
        assert one.macro()["precision"] == other.macro()["recall"]
        assert one.micro.f1 == other.micro.f1


@fewer
@given(corpora())
def test_relaxed_finds_at_least_what_strict_finds(corpus: list[Pair]) -> None:
    scores = score(corpus)
    strict, relaxed = scores.section("strict").labels, scores.section("relaxed").labels
    assert strict.keys() == relaxed.keys()
    for label, counts in strict.items():
        assert relaxed[label].tp >= counts.tp
        assert relaxed[label].gold == counts.gold
        assert relaxed[label].predicted == counts.predicted


@fewer
@given(corpora())
def test_a_corpus_is_the_sum_of_its_documents(corpus: list[Pair]) -> None:
    scores = score(corpus)
    singles = [score([pair]) for pair in corpus]
    assert scores.ids == tuple(f"doc-{i}" for i in range(len(corpus)))
    assert scores.tokens.sum() == sum(int(single.tokens.sum()) for single in singles)
    for name in SECTIONS:
        micro = [single.section(name).micro for single in singles]
        assert scores.section(name).micro == sum(micro, Counts())
        assert scores.by_document(name).tolist() == [[c.tp, c.fp, c.fn] for c in micro]
        for place, unit in enumerate(scores.units):
            own = [c for c, (gold, _) in zip(micro, corpus, strict=True) if gold.unit == unit]
            total = sum(own, Counts())
            assert scores.by_unit(name)[place].tolist() == [total.tp, total.fp, total.fn]


@given(pairs())
def test_labels_are_those_of_either_side(pair: Pair) -> None:
    labels = {m.label for side in pair for m in side.mentions}
    scores = score([pair])
    assert tuple(scores.section("strict").labels) == tuple(sorted(labels))
    assert all(sum((c.tp, c.fp, c.fn)) for c in scores.section("token").labels.values())


def test_no_documents() -> None:
    scores = score([])
    assert scores.units == ()
    assert scores.section("strict").micro == Counts()
    assert scores.by_unit("strict").shape == (0, 3)


def test_empty_prediction_and_empty_gold() -> None:
    empty, full = document(), document(Mention.of("PER", (0, 4)))
    for name in ("strict", "relaxed", "token", "binary"):
        assert set(score([(full, empty)]).section(name).micro.figures().values()) == {0.0}
        assert set(score([(empty, full)]).section(name).micro.figures().values()) == {0.0}
        assert set(score([(empty, empty)]).section(name).micro.figures().values()) == {1.0}


def test_tokens_are_those_of_gold_else_ours() -> None:
    text = "Ann Lee went home"
    gold = Document("d", text, (Mention.of("PER", (0, 7)),))
    coarse = document(size=len(text)).tokens
    predicted = replace(gold, mentions=(Mention.of("PER", (4, 7)),), tokens=coarse)
    assert score([(gold, predicted)]).section("token").micro == Counts(1, 0, 1)
    gold_in_letters = replace(gold, tokens=coarse)
    assert score([(gold_in_letters, predicted)]).section("token").micro == Counts(3, 0, 4)


def test_differing_texts_are_an_error_that_quotes_nothing() -> None:
    with pytest.raises(ScoringError) as caught:
        score([(Document("note-7", "Ann Lee"), Document("note-7", "Bob Lee"))])
    assert "note-7" in str(caught.value)
    assert "Ann" not in str(caught.value)
    assert "Bob" not in str(caught.value)
