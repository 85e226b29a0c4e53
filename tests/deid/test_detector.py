"""Detection: tagger above a threshold, recognizers always; calibration sees the same pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.calibration import calibrate, outcome
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import (
    UNNAMED,
    Detector,
    Recognizers,
    covered,
    keep_all,
    tagger_findings,
)
from lacuna.deid.findings import Finding, Origin
from lacuna.errors import ConfigError
from lacuna.models.base import Examined, parts_of
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of

TEXT = "Ann Lee saw Bo in Rome 555"  # tokens at 0, 4, 8, 12, 15, 18, 23
SURE = (0.9, 0.4, 0.1, 0.3, 0.0, 0.6, 0.2)
FOUND = (Mention.of("PATIENT", (0, 7)), Mention.of("CITY", (18, 22)))


class FakeTagger:
    """Finds what it is told, as surely as it is told."""

    def __init__(self, sure: Sequence[float] = SURE, found: Sequence[Mention] = FOUND) -> None:
        self.sure, self.found = np.array(sure), tuple(found)

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        examined = []
        for document in documents:
            tokens = tokens_of(document)
            found = parts_of(self.found)
            examined.append(Examined(document, found, tokens.start, tokens.end, self.sure))
        return examined


def detector(threshold: float, sure: Sequence[float] = SURE, **options: Any) -> Detector:
    return Detector(FakeTagger(sure), threshold=threshold, **options)  # type: ignore[arg-type]


def number(document: Document) -> list[Finding]:
    return [Finding(23, 26, "PHONE", Origin.PATTERN)] if document.text == TEXT else []


def places(threshold: float, **options: Any) -> list[tuple[int, int, str]]:
    (detected,) = detector(threshold, **options).detect([Document("d", TEXT)])
    return sorted(finding[:3] for finding in detected.findings)


def test_a_mention_is_taken_whole_when_a_token_reaches_the_threshold() -> None:
    assert places(0.5) == [(0, 7, "PATIENT"), (18, 22, "CITY")]
    assert places(0.7) == [(0, 7, "PATIENT")]
    assert places(0.95) == []


def test_a_sure_token_outside_mentions_is_an_identifier_of_no_known_kind() -> None:
    assert (12, 14, UNNAMED) in places(0.25)
    assert (12, 14, UNNAMED) not in places(0.35)


TOKENS = tokens_of(Document("d", TEXT))
spans = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(sorted), max_size=5
)


@given(
    st.lists(
        st.tuples(spans, st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=7, max_size=7)),
        max_size=3,
    )
)
def test_tokens_that_spans_touch(documents: list[tuple[list[list[int]], list[float]]]) -> None:
    tokens = list(zip(TOKENS.start.tolist(), TOKENS.end.tolist(), strict=True))
    document = Document("d", TEXT)
    examined = [
        Examined(
            document,
            [(start, end, "PATIENT") for start, end in spans],
            TOKENS.start,
            TOKENS.end,
            np.array(sure),
        )
        for spans, sure in documents
    ]
    findings = [
        [Finding(start, end, "PATIENT", Origin.MODEL) for start, end in spans]
        for spans, _ in documents
    ]
    found = zip(documents, covered(examined, findings), tagger_findings(examined, 0.5), strict=True)
    for (spans, sure), is_covered, tagged in found:
        touched = [
            [t for t, (first, last) in enumerate(tokens) if start < last and first < end]
            for start, end in spans
        ]
        assert np.flatnonzero(is_covered).tolist() == sorted({t for own in touched for t in own})
        surest = [max([sure[t] for t in own], default=-1) for own in touched]
        taken = {t for i, own in enumerate(touched) if surest[i] >= 0.5 for t in own}
        alone = [t for t in range(7) if sure[t] >= 0.5 and t not in taken]
        assert [(f.start, f.end, f.label, f.probability) for f in tagged] == [
            *((*span, "PATIENT", p) for span, p in zip(spans, surest, strict=True) if p >= 0.5),
            *((*tokens[t], UNNAMED, sure[t]) for t in alone),
        ]


def test_recognizers_do_not_ask_for_a_threshold() -> None:
    assert places(0.95, recognizers=Recognizers(number)) == [(23, 26, "PHONE")]


def test_what_is_expected_to_be_missed_is_what_was_left() -> None:
    (detected,) = detector(0.5, recognizers=Recognizers(number)).detect([Document("d", TEXT)])
    assert detected.covered.tolist() == [True, True, False, False, False, True, True]
    assert detected.expected_missed == pytest.approx(0.1 + 0.3)


def without_rome(_: Document, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.start != 18]


GOLD = (Mention.of("X", (0, 7)), Mention.of("X", (18, 22)), Mention.of("X", (23, 26)))


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.4, 0.8, 1.0]), min_size=7, max_size=7),
    st.sampled_from([0.0, 0.1, 0.2, 0.4, 0.5, 0.8, 1.0]),
    st.booleans(),
)
def test_calibration_misses_what_detection_misses(
    sure: list[float], threshold: float, drops: bool
) -> None:
    drop = without_rome if drops else keep_all
    pipeline = detector(threshold, sure, recognizers=Recognizers(number, drop))
    document = Document("d", TEXT, GOLD)
    units = calibration_units(pipeline, [document])
    (detected,) = pipeline.detect([Document("d", TEXT)])
    gold = np.array([True, True, False, False, False, True, True])
    missed, precision = outcome(units, threshold)
    assert missed == pytest.approx((gold & ~detected.covered).sum() / 4)
    taken = detected.covered.sum()
    expected = (gold & detected.covered).sum() / taken if taken else 1.0
    assert precision == pytest.approx(expected)


def test_documents_of_a_group_are_one_unit() -> None:
    documents = [
        Document("a", TEXT, GOLD, group="p"),
        Document("b", TEXT, (), group="p"),
        Document("c", TEXT, GOLD),
    ]
    units = calibration_units(detector(0.5), documents)
    assert [len(unit.identifiers) for unit in units] == [4, 4]
    assert [len(unit.others) for unit in units] == [10, 3]


def test_a_promise_that_dropped_terms_break_is_refused() -> None:
    documents = [Document(str(n), TEXT, (Mention.of("X", (18, 22)),)) for n in range(30)]
    with pytest.raises(ConfigError, match="never taken out"):
        calibrate(
            calibration_units(detector(0.5, recognizers=Recognizers(drop=without_rome)), documents),
            0.1,
        )


def test_a_token_of_no_kind_inside_something_recognized_is_left_to_it() -> None:
    sure = (*SURE[:-1], 0.9)
    assert (23, 26, UNNAMED) in places(0.5, sure=sure)
    assert places(0.5, sure=sure, recognizers=Recognizers(number))[-1] == (23, 26, "PHONE")
    assert (23, 26, UNNAMED) not in places(0.5, sure=sure, recognizers=Recognizers(number))

    def half(_: Document) -> list[Finding]:
        return [Finding(24, 26, "PHONE", Origin.PATTERN)]

    assert (23, 26, UNNAMED) in places(0.5, sure=sure, recognizers=Recognizers(half))
