"""Tallies: they add up, whatever the order, and hold the documents that need a look most."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.calibration import Calibration
from lacuna.deid.detector import Detected
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.remarks import estimate_in_words, remarks_on
from lacuna.deid.run_report import warnings_of
from lacuna.deid.tally import (
    BINS,
    MOST_FOREIGN,
    MOST_IN_NEED,
    Place,
    Review,
    Tally,
    total,
)
from lacuna.deid.tallying import tally_of
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of


def test_one_document_by_hand() -> None:
    document = Document("d", "Ann saw Bo.")
    findings = [Finding(0, 3, "PATIENT", Origin.MODEL), Finding(8, 10, "DOCTOR", Origin.MODEL)]
    sure, covered = np.array([0.99, 0.12, 1.0, 0.0]), np.array([True, False, True, False])
    starts, ends = np.array([0, 4, 8, 10], np.int32), np.array([3, 7, 10, 11], np.int32)
    redacted = Redactor(load_policy("mask"), Key(bytes(32))).redact(document, findings)
    detected = Detected(document, findings, starts, ends, sure, covered)
    tally = tally_of([(Place("x"), detected, redacted)])
    assert (tally.documents, tally.characters, tally.tokens) == (1, 11, 4)
    assert tally.labels == {"PATIENT": 1, "DOCTOR": 1}
    assert Counter(dict(enumerate(tally.replaced))) == Counter({BINS - 1: 2})
    assert Counter(dict(enumerate(tally.left))) == Counter({0: 1, 2: 1})
    assert tally.expected_missed == pytest.approx(0.12)
    assert tally.review == [Review(tally.expected_missed, Place("x"), 4, 2)]


def test_documents_together_are_the_sum_of_each() -> None:
    redactor = Redactor(load_policy("safe-harbor"), Key(bytes(32)))
    documents = []
    for number, text in enumerate(["Ann saw Bo.", "", "Ann left [NAME-1] on 3/4/2014."]):
        document = Document(f"d{number}", text)
        tokens = tokens_of(document)
        findings = [Finding(0, 3, "PATIENT", Origin.MODEL)] if text else []
        sure = np.linspace(0, 1, len(tokens.start))
        detected = Detected(document, findings, tokens.start, tokens.end, sure, sure > 0.6)
        documents.append((Place(f"h{number}"), detected, redactor.redact(document, findings)))
    every = tally_of(documents)
    apart = total(tally_of([one]) for one in documents)
    assert every.expected_missed == pytest.approx(apart.expected_missed)
    every.expected_missed = apart.expected_missed
    assert every == apart
    assert tally_of([]) == Tally()


def test_placeholders_are_counted() -> None:
    document = Document("d", "[NAME-1] [NAME-2]")
    redacted = Redactor(load_policy("safe-harbor"), Key(bytes(32))).redact(document, [])
    nothing, none = np.zeros(0), np.zeros(0, np.int32)
    detected = Detected(document, [], none, none, nothing, nothing > 0)
    tally = tally_of([(Place("x"), detected, redacted)])
    assert total([tally, tally]).placeholders == 4
    assert tally.labels == {}


@given(st.permutations(range(MOST_FOREIGN + 12)), st.integers(1, 7))
def test_foreign_documents_and_rates_add_up_in_any_order(order: list[int], size: int) -> None:
    tallies = [
        Tally(
            documents=1,
            foreign=1,
            foreign_documents=[Place(f"{i:03d}")],
            rates={f"rate:{i % 3}": 1},
        )
        for i in order
    ]
    parts = [tallies[i : i + size] for i in range(0, len(tallies), size)]
    whole = total(total(part) for part in parts)
    assert whole.foreign == len(order)
    assert whole.foreign_documents == [Place(f"{i:03d}") for i in range(MOST_FOREIGN)]
    assert whole.rates == Counter(f"rate:{i % 3}" for i in order)


def test_a_run_is_warned_about() -> None:
    promise = Calibration(0.01, 0.2, 100, 0.0, 1.0)
    tally = Tally(foreign=3, expected_missed=3.4, replaced=[0] * (BINS - 1) + [96])
    foreign, expected = warnings_of(tally, promise, "English")
    assert foreign == "3 documents do not look like English text"
    assert "expects that 3.4% of the identifier tokens remain" in expected
    assert warnings_of(tally, None, "English") == [foreign]
    assert warnings_of(Tally(foreign=1), None, "English")[0].startswith("1 document does not look")
    assert warnings_of(Tally(), promise, "English") == []
    words = estimate_in_words(tally, (0.02, 0.01))
    assert words == (
        "about 3 identifying words may still be in the texts (3.4% of all), as far as the model can"
        " tell; in the calibration it expected 2.0%, and 1.0% remained"
    )
    many = Tally(expected_missed=3.0, replaced=[0] * (BINS - 1) + [100_000])
    assert "about 3 identifying words may still be in the texts (less than 0.1% of all)" in (
        estimate_in_words(many, None)
    )
    one, none = Tally(expected_missed=1.2), Tally(expected_missed=0.4)
    assert estimate_in_words(one, None).startswith("about 1 identifying word may still be")
    assert estimate_in_words(none, None).startswith("less than 1 identifying word may still be in")


@given(st.permutations(range(MOST_IN_NEED + 12)), st.integers(1, 7))
def test_the_neediest_documents_are_kept_in_order(needs: list[int], size: int) -> None:
    reviews = [Review(need // 3, Place(f"{i:03d}"), 1, 0) for i, need in enumerate(needs)]
    parts = [reviews[i : i + size] for i in range(0, len(reviews), size)]
    whole = total(total(Tally(documents=1, review=[one]) for one in part) for part in parts)
    assert whole.documents == len(needs)
    neediest = sorted(reviews, key=lambda r: (r.expected_missed, r.place.document), reverse=True)
    assert whole.review == neediest[:MOST_IN_NEED]


def test_a_long_finding_is_reported() -> None:
    document = Document("d", "Ann " * 200)
    findings = [Finding(0, len(document.text), "STREET", Origin.MODEL)]
    tokens = tokens_of(document)
    sure = np.ones(len(tokens.start))
    detected = Detected(document, findings, tokens.start, tokens.end, sure, sure > 0)
    redacted = Redactor(load_policy("mask"), Key(bytes(32))).redact(document, findings)
    tally = total([tally_of([(Place("x"), detected, redacted)])] * 2)
    assert tally.long_findings == 2
    assert remarks_on(tally) == [
        "2 findings of more than 300 characters were replaced as a whole (see --review)"
    ]
