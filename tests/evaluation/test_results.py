"""Results as JSON and as tables."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given

from lacuna.evaluation import result_tables
from lacuna.evaluation.annotator_agreement import agreement
from lacuna.evaluation.bootstrap import intervals
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.result_json import agreement_json, comparison_json, scores_json
from lacuna.evaluation.scores import SECTIONS, score
from lacuna.evaluation.significance import compare_systems
from lacuna.text.document import Mention
from tests.evaluation.cases import Pair, corpora, document, fewer

CORPUS = [
    (
        document(Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 8)), name="a", group="p1"),
        document(Mention.of("PER", (0, 4)), Mention.of("LOC", (7, 8)), name="a", group="p1"),
    ),
    (document(Mention.of("PER", (0, 2)), name="b"), document(name="b")),
]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_shape_of_a_result() -> None:
    result = scores_json(score(CORPUS))
    assert list(result) == ["documents", "tokens", *SECTIONS, "leaks"]
    assert (result["documents"], result["tokens"]) == (2, 40)
    third = pytest.approx(1 / 3)
    per = {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3), "tp": 1, "fp": 0, "fn": 1}
    loc = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "tp": 0, "fp": 1, "fn": 1}
    assert result["strict"] == {
        "micro": {"precision": 0.5, "recall": third, "f1": 0.4, "tp": 1, "fp": 1, "fn": 2},
        "macro": {"precision": 0.5, "recall": 0.25, "f1": third},
        "error_rate": third,
        "labels": {"LOC": loc, "PER": per},
    }
    assert all(result[name].keys() == result["strict"].keys() for name in SECTIONS)
    half = {"total": 2, "leaked": 1, "share": 0.5}
    assert result["leaks"] == {
        "documents": {"total": 2, "leaked": 2, "share": 1.0},
        "groups": {"total": 2, "leaked": 2, "share": 1.0},
        "tokens": {"total": 8, "leaked": 3, "share": 3 / 8},
        "mentions": {"total": 3, "leaked": 1, "share": third},
        "labels": {
            "LOC": {"tokens": half, "mentions": {"total": 1, "leaked": 0, "share": 0.0}},
            "PER": {"tokens": {"total": 6, "leaked": 2, "share": third}, "mentions": half},
        },
    }


def test_what_is_added_on_request() -> None:
    scores = score(CORPUS, categories={"PER": "WHO"})
    cuts = intervals(scores, rng=rng(), beta=2.0)
    result = scores_json(scores, beta=2.0, per_document=True, intervals=cuts)
    assert list(result["categories"]["labels"]) == ["LOC", "WHO"]
    assert result["categories_token"].keys() == result["token"].keys()
    assert result["strict"]["micro"]["f2"] == pytest.approx(5 / (5 + 4 * 2 + 1))
    assert "f2" in result["strict"]["macro"]
    assert result["intervals"]["strict"]["micro"]["f2"] == list(cuts["strict"].micro["f2"])
    assert result["intervals"]["strict"]["labels"].keys() == {"LOC", "PER"}
    first, second = result["per_document"]
    assert (first["id"], first["group"], first["tokens"]) == ("a", "p1", 20)
    assert (first["strict"]["tp"], first["strict"]["fp"], first["strict"]["fn"]) == (1, 1, 1)
    assert (first["missed_tokens"], first["missed_mentions"]) == (1, 0)
    assert (second["id"], second["group"]) == ("b", None)
    assert (second["missed_tokens"], second["missed_mentions"]) == (2, 1)


def fractions(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [x for inner in value.values() for x in fractions(inner)]
    return [value] if isinstance(value, float) else []


@fewer
@given(corpora())
def test_results_are_plain_json_and_fractions(corpus: list[Pair]) -> None:
    result = scores_json(score(corpus), per_document=True)
    for part in (result, result["document_mean"], *result["per_document"]):
        for name in SECTIONS:
            rate = part[name].pop("error_rate")  # the one figure that may pass 1
            assert rate is None or rate >= 0
    assert all(0 <= x <= 1 for x in fractions(result))
    assert json.loads(msgspec.json.encode(result)) == result
    other = agreement_json(agreement(corpus))
    assert json.loads(msgspec.json.encode(other)) == other


def test_a_section_without_mentions_has_no_figures() -> None:
    """0/0 is no perfect score: dashes in tables, null in JSON."""
    scores = score(CORPUS)
    cuts = intervals(scores, rng=rng())
    summary = {row[0]: row[1:] for row in result_tables.summary_table(scores).rows}
    assert summary["discontiguous"] == (*["–"] * 5, "0", "0", "0")
    assert "–" not in summary["strict"]
    shown = {row[0]: row[1:] for row in result_tables.interval_table(cuts).rows}
    assert shown["discontiguous"] == ("–", "–", "–")
    result = scores_json(scores, intervals=cuts)
    nothing = {"precision": None, "recall": None, "f1": None}
    assert result["discontiguous"] == {
        "micro": nothing | {"tp": 0, "fp": 0, "fn": 0},
        "macro": nothing,
        "error_rate": None,
        "labels": {},
    }
    assert result["intervals"]["discontiguous"]["micro"] == nothing


def test_leaks_in_one_line() -> None:
    assert result_tables.leaks_in_words(leaks(score(CORPUS))) == (
        "leaks: 3 of 8 gold tokens are not covered by any prediction, in 2 of 2 documents"
    )
    assert "in 1 of 1 document" in result_tables.leaks_in_words(leaks(score(CORPUS[1:])))


def test_what_is_hidden() -> None:
    scores = score(CORPUS)
    table = result_tables.hidden_table(leaks(scores))
    assert table.rows == (
        ("all labels", "8", "5", "3", "0.6250"),
        ("LOC", "2", "1", "1", "0.5000"),
        ("PER", "6", "4", "2", "0.6667"),
    )
    assert result_tables.hidden_in_words(scores, leaks(scores)) == (
        "5 tokens hidden, 5 of them in identifiers (precision 1.0000);"
        " 2 of 2 documents and 2 of 2 patients have a leak"
    )


def test_shape_of_a_comparison() -> None:
    scores = score(CORPUS)
    assert comparison_json(compare_systems(scores, scores, rng=rng())) == {
        "section": "strict",
        "figure": "f1",
        "first": 0.4,
        "second": 0.4,
        "difference": 0.0,
        "interval": [0.0, 0.0],
        "p_value": 1.0,
        "units": 2,
    }


def test_shape_of_an_agreement() -> None:
    result = agreement_json(agreement(CORPUS))
    assert (result["documents"], result["tokens"]) == (2, 40)
    assert result["f1"]["strict"] == 0.4
    assert set(result["kappa"]) == {"labels", "binary"}
    assert result["labels"]["LOC"]["first"] == result["labels"]["LOC"]["second"] == 1
    assert set(result["labels"]["LOC"]) == {
        "first",
        "second",
        "strict",
        "relaxed",
        "token",
        "kappa",
    }
    assert result["disagreements"] == {
        "label": {"first": 0, "second": 0},
        "border": {"first": 1, "second": 1},
        "label_and_border": {"first": 0, "second": 0},
        "missing": {"first": 1, "second": 0},
    }


def test_a_row_for_every_document_their_mean_and_the_whole() -> None:
    scores = score(CORPUS)
    table = result_tables.document_table(scores)
    assert table.header == ("document", "precision", "recall", "f1", "error rate", "gold", "found")
    assert table.rows == (
        ("a", "0.5000", "0.5000", "0.5000", "0.5000", "2", "2"),
        ("b", "0.0000", "0.0000", "0.0000", "0.0000", "1", "0"),
        ("mean of documents", "0.2500", "0.2500", "0.2500", "0.2500", "1.5", "1.0"),
        ("whole corpus", "0.5000", "0.3333", "0.4000", "0.3333", "3", "2"),
    )
    relaxed = result_tables.document_table(scores, by="relaxed", beta=2.0)
    assert relaxed.rows[0] == ("a", *["1.0000"] * 4, "0.0000", "2", "2")
    result = scores_json(scores, per_document=True)
    assert [row["strict"]["error_rate"] for row in result["per_document"]] == [0.5, 0.0]
    mean = {"precision": 0.25, "recall": 0.25, "f1": 0.25, "error_rate": 0.25}
    assert result["document_mean"]["strict"] == mean
    assert result_tables.document_table(score([])).rows[0][:3] == (
        "mean of documents",
        "0.0000",
        "0.0000",
    )


def test_tables_of_words() -> None:
    scores = score(CORPUS)
    summary = result_tables.summary_table(scores, beta=2.0)
    assert summary.header[:5] == ("section", "precision", "recall", "f1", "f2")
    assert summary.rows[0] == (
        *("strict", "0.5000", "0.3333", "0.4000", "0.3571"),
        *("0.3333", "0.3333", "1", "1", "2"),
    )
    labels = result_tables.label_table(scores.section("strict"), title="strict")
    assert labels.rows[1] == ("PER", "1.0000", "0.5000", "0.6667", "1", "0", "1")
    cuts = result_tables.interval_table(intervals(scores, rng=rng()))
    assert cuts.header == ("section", "precision", "recall", "f1")
    assert cuts.rows[0] == ("strict", "0.0000…0.5000", "0.0000…0.5000", "0.0000…0.5000")
    assert result_tables.leak_table(leaks(scores)).rows[2] == ("tokens", "3", "8", "0.3750")


def test_tables_have_a_cell_for_every_column() -> None:
    scores, found = score(CORPUS), agreement(CORPUS)
    for table in (
        result_tables.summary_table(scores),
        result_tables.label_table(scores.section("token"), title="token"),
        result_tables.document_table(scores, beta=2.0),
        result_tables.leak_table(leaks(scores)),
        result_tables.hidden_table(leaks(scores)),
        result_tables.interval_table(intervals(scores, rng=rng(), beta=2.0)),
        result_tables.comparison_table(compare_systems(scores, scores, rng=rng())),
        result_tables.agreement_table(found),
        result_tables.disagreement_table(found),
    ):
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}
    assert result_tables.agreement_table(found).rows[0][:4] == ("all", "3", "2", "0.4000")
    assert result_tables.disagreement_table(found).rows[1] == ("border", "1", "1")
