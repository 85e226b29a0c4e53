"""Scores of gold that was reviewed in part: only that part counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention, Span
from lacuna.errors import ScoringError
from lacuna.evaluation.annotator_agreement import agreement
from lacuna.evaluation.counts import Counts
from lacuna.evaluation.mention_errors import ErrorCollector
from lacuna.evaluation.pos_accuracy import score_pos
from lacuna.evaluation.scores import score, score_document
from lacuna.evaluation.seen_part import seen, whole
from lacuna.text.document import Tokens
from tests.strategies import documents, partly_reviewed

TEXT = "Ann met Bob Lee in Rome today"
ANN, BOB, ROME = (Mention.of("X", span) for span in ((0, 3), (8, 15), (19, 23)))
GOLD = Document("d", TEXT, (ANN, ROME), reviewed=(Span(0, 11), Span(19, 29)))


def found(*mentions: Mention) -> Document:
    return Document("d", TEXT, mentions)


def strict(predicted: Document) -> Counts:
    return score([(GOLD, predicted)]).section("strict").micro


def test_what_was_not_reviewed_is_neither_right_nor_wrong() -> None:
    assert strict(found(ANN, ROME)) == Counts(tp=2)
    assert strict(found(ANN, BOB, ROME)) == Counts(tp=2)  # Bob Lee goes beyond the border
    assert strict(found(Mention.of("X", (12, 15)))) == Counts(fn=2)
    assert strict(found(Mention.of("X", (4, 7)))) == Counts(fp=1, fn=2)


def test_tokens_inside_count_whatever_they_belong_to() -> None:
    scores = score([(GOLD, found(ANN, BOB))])
    assert scores.tokens.tolist() == [5]  # Ann met Bob Rome today
    assert scores.section("token").micro == Counts(tp=1, fp=1, fn=1)


def test_pages_of_errors_show_what_counts() -> None:
    errors = ErrorCollector()
    errors.add(GOLD, found(BOB))
    assert [error.gold for error in errors.errors] == [ANN, ROME]


@given(partly_reviewed(), st.data())
def test_scoring_gold_against_itself_is_right(document: Document, data: st.DataObject) -> None:
    counts = score_document(document, document).sections["strict"]
    assert all(not (one.fp or one.fn) for one in counts.values())
    other = replace(data.draw(documents()), text=document.text, mentions=document.mentions)
    gold, predicted = seen(document, other)
    assert set(gold.mentions) == set(predicted.mentions) <= set(document.mentions)


def test_parts_of_speech_of_reviewed_tokens_count() -> None:
    tokens = Tokens(np.array([0, 4]), np.array([3, 7]), np.array([0, 2]), {"pos": ("N", "V")})
    gold = Document("d", TEXT, tokens=tokens, reviewed=(Span(0, 4),))
    wrong = replace(gold, tokens=replace(tokens, columns={"pos": ("N", "N")}))
    scores = score_pos([(gold, wrong)], is_known=lambda _: np.ones(2, np.bool_))
    assert (scores.tokens, scores.accuracy) == (1, 1.0)


def test_agreement_and_promises_need_whole_documents() -> None:
    with pytest.raises(ScoringError, match="document d was reviewed only in part; agreement needs"):
        agreement([(GOLD, found(ANN))])
    everything = replace(GOLD, reviewed=(Span(0, len(TEXT)),))
    assert list(whole([everything, found(ANN)], "a promise")) == [everything, found(ANN)]
