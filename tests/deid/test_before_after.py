"""What is doubtful, and what the owner gets to see of a document."""

from __future__ import annotations

import numpy as np

from lacuna.deid.before_after import BeforeAfter, Doubtful, before_after
from lacuna.deid.detector import Detected
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.tally import Place
from lacuna.text.document import Document

TEXT = "Ann saw Bo, Cy & Di."
FINDINGS = [
    Finding(0, 3, "PATIENT", Origin.MODEL, 0.74),
    Finding(8, 10, "DOCTOR", Origin.MODEL, 0.76),
    Finding(12, 14, "PATIENT", Origin.LIST, 0.5),
]


def shown(policy: Policy, threshold: float = 0.5) -> BeforeAfter:
    document = Document("d", TEXT, group="g")
    starts = np.array([0, 4, 8, 10, 12, 15, 17, 19], np.int32)
    ends = np.array([3, 7, 10, 11, 14, 16, 19, 20], np.int32)
    sure = np.array([0.74, 0.045, 0.76, 0.3, 0.2, 0.0, 0.05, 0.4])
    covered = np.array([True, False, True, False, True, False, False, False])
    redacted = Redactor(policy, Key(bytes(32))).redact(document, FINDINGS)
    detected = Detected(document, FINDINGS, starts, ends, sure, covered)
    return before_after(Place("x", "o.txt"), detected, redacted, policy, threshold)


def test_doubtful_are_words_near_the_threshold() -> None:
    document = shown(load_policy("mask"))
    assert document.doubtful == [Doubtful(17, 19, 0.05)]  # not "saw", and no punctuation
    assert [document.is_doubtful(f) for f in document.plan] == [True, False, False]
    assert document.doubts == 2
    careful = shown(load_policy("mask"), threshold=0.4)
    assert careful.doubtful == [Doubtful(4, 7, 0.045), Doubtful(17, 19, 0.05)]
    assert not any(careful.is_doubtful(f) for f in careful.plan)


def test_json_has_a_mention_for_everything_found() -> None:
    item = shown(load_policy("mask")).as_json()
    assert item == {
        "id": "d",
        "text": TEXT,
        "group": "g",
        "mentions": [
            mention((0, 3), "PATIENT", "model", 0.74, "■■■"),
            mention((8, 10), "DOCTOR", "model", 0.76, "■■"),
            mention((12, 14), "PATIENT", "list", 0.5, "■■"),
        ],
        "output": "o.txt",
    }
    assert Document.from_dict(item).mentions[1].probability == 0.76


def mention(
    span: tuple[int, int], label: str, source: str, probability: float, replacement: str
) -> dict[str, object]:
    return {
        "label": label,
        "spans": [list(span)],
        "probability": probability,
        "source": source,
        "replacement": replacement,
    }
