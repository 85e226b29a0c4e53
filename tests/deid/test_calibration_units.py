"""Calibration counts what can still be read in what ``deid`` writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.deid import detector as detector_module
from lacuna.deid.calibration import outcome
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import Detector, Recognizers, detect_bounded
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.what_stays import NOTHING, Stays, WhatStays
from lacuna.models.base import Examined
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of

HARBOR = load_policy("safe-harbor")
RESEARCH = load_policy("research")


class WordTagger:
    """Knows the label and the probability of some words."""

    def __init__(self, known: dict[str, tuple[str, float]]) -> None:
        self.known = known

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        examined = []
        for document in documents:
            tokens = tokens_of(document)
            words = [document.text[a:b] for a, b in zip(tokens.start, tokens.end, strict=True)]
            found = [
                (int(tokens.start[t]), int(tokens.end[t]), self.known[word][0])
                for t, word in enumerate(words)
                if word in self.known and self.known[word][0]
            ]
            sure = np.array([self.known.get(word, ("", 0.01))[1] for word in words], float)
            examined.append(Examined(document, found, tokens.start, tokens.end, sure))
        return examined


def pipeline(
    known: dict[str, tuple[str, float]], recognizers: Recognizers | None = None
) -> Detector:
    return Detector(WordTagger(known), recognizers or Recognizers())  # type: ignore[arg-type]


def missed(known: dict[str, tuple[str, float]], gold: Document, policy: Policy) -> float:
    """Return the share missed at threshold 0.5."""
    return outcome(calibration_units(pipeline(known), [gold], policy), 0.5)[0]


ROOM = Document("d", "Seen in room 1987 by Ann", (Mention.of("ROOM", (13, 17)),))
NAME = Document("d", "Seen in Utah by Ann", (Mention.of("DOCTOR", (16, 19)),))


def test_found_under_a_label_that_is_kept_is_missed() -> None:
    assert missed({"Ann": ("DOCTOR", 0.9)}, NAME, HARBOR) == 0.0
    assert missed({"Ann": ("STATE", 0.9)}, NAME, HARBOR) == 1.0
    assert missed({"Ann": ("STATE", 0.9)}, NAME, load_policy("mask")) == 0.0


@pytest.mark.parametrize("policy", [HARBOR, RESEARCH], ids=["safe-harbor", "research"])
def test_a_room_number_found_as_a_year_is_missed(policy: Policy) -> None:
    assert missed({"1987": ("IDNUM", 0.9)}, ROOM, policy) == 0.0
    assert missed({"1987": ("DATE", 0.9)}, ROOM, policy) == 1.0


def test_a_hiding_label_takes_precedence_over_a_lenient_one() -> None:
    def as_number(_: Document) -> list[Finding]:
        return [Finding(13, 17, "IDNUM", Origin.PATTERN)]

    both = pipeline({"1987": ("DATE", 0.9)}, Recognizers(as_number))
    assert outcome(calibration_units(both, [ROOM], HARBOR), 1.0)[0] == 0.0


def test_a_token_of_no_kind_inside_a_date_does_not_hide_it() -> None:
    def as_date(_: Document) -> list[Finding]:
        return [Finding(13, 17, "DATE", Origin.PATTERN)]

    both = pipeline({"1987": ("", 0.9)}, Recognizers(as_date))
    assert outcome(calibration_units(both, [ROOM], HARBOR), 0.5)[0] == 1.0


def test_what_the_policy_keeps_is_no_identifier() -> None:
    text = "Utah, 3/14/2014, aged 44"
    gold = Document(
        "d",
        text,
        (Mention.of("STATE", (0, 4)), Mention.of("DATE", (6, 15)), Mention.of("AGE", (22, 24))),
    )
    (harbor,) = calibration_units(pipeline({}), [gold], HARBOR)
    assert len(harbor.identifiers) == 4  # 3 / 14 /
    (research,) = calibration_units(pipeline({}), [gold], RESEARCH)
    assert len(research.identifiers) == 5  # the year is shifted, too
    (mask,) = calibration_units(pipeline({}), [gold], load_policy("mask"))
    assert len(mask.identifiers) == 7


def test_the_year_of_a_date_found_as_a_date_is_not_missed() -> None:
    text = "on 3/14/2014"
    gold = Document("d", text, (Mention.of("DATE", (3, 12)),))

    def as_date(_: Document) -> list[Finding]:
        return [Finding(3, 12, "DATE", Origin.PATTERN)]

    for policy in (HARBOR, RESEARCH):
        units = calibration_units(pipeline({}, Recognizers(as_date)), [gold], policy)
        assert outcome(units, 1.0) == (0.0, 1.0)  # and it is not removed needlessly


def test_what_stays() -> None:
    harbor, research = WhatStays(HARBOR), WhatStays(RESEARCH)
    assert harbor.of("DOCTOR", "Ann Lee") == NOTHING
    assert harbor.of("STATE", "New York").words == {"New", "York"}
    assert harbor.of("DATE", "3/14/2014").words == {"2014"}
    assert harbor.of("DATE", "some day") == NOTHING  # cannot be read, so it is hidden
    assert harbor.of("AGE", "44").words == {"44"}
    assert "93" not in harbor.of("AGE", "93").words
    assert harbor.of("ZIP", "02139").words == {"021"}
    assert harbor.of("DATE", "02MAR2007").words == {"2007"}
    moved = Stays(frozenset(("3", "/", "14", "2014")), is_moved=True)
    assert research.of("DATE", "3/14/2014") == moved
    assert research.of("DATE", "some day") == NOTHING


WORDS = ("Ann", "Utah", "1987", "44", "Lee", "and")
LABELS = ("DOCTOR", "STATE", "DATE", "AGE", "IDNUM", "")


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([HARBOR, RESEARCH, load_policy("mask")]))
def test_nothing_that_counts_as_hidden_can_be_read(data: st.DataObject, policy: Policy) -> None:
    """Whatever is found under whatever label: a hidden word is not in the output any more."""
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True))
    text = " ".join(words)
    known = {
        word: (data.draw(st.sampled_from(LABELS)), data.draw(st.sampled_from([0.1, 0.5, 0.9])))
        for word in words
    }
    places = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    gold = Document(
        "d",
        text,
        tuple(
            Mention.of("IDNUM", (place, place + len(word)))
            for place, word in zip(places, words, strict=False)
        ),
    )
    (unit,) = calibration_units(pipeline(known), [gold], policy)
    lost: list[float] = []
    for threshold in (0.0, 0.05, 0.3, 0.7, 1.0):
        detector = Detector(WordTagger(known), threshold=threshold)  # type: ignore[arg-type]
        (found,) = detector.detect([Document("d", text)])
        written = Redactor(policy, Key(bytes(32))).redact(found.document, found.findings)
        kept = [word in written.document.text.split() for word in words]
        hidden = unit.identifiers >= threshold
        assert not any(h and k for h, k in zip(hidden.tolist(), kept, strict=True))
        lost.append(outcome([unit], threshold)[0])
    assert lost == sorted(lost)


def test_long_documents_are_read_through_the_windows_of_deid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detector_module, "WINDOW", 60)
    monkeypatch.setattr(detector_module, "OVERLAP", 20)
    monkeypatch.setattr("lacuna.deid.calibration_units.WINDOW", 60)

    class FirstOnly(WordTagger):
        """Finds a name only where it is the first word: the result depends on the windows."""

        def examine(self, documents: Sequence[Document]) -> list[Examined]:
            examined = super().examine(documents)
            for one in examined:
                one.probability[4:] = 0.0
            return [one._replace(found=one.found[:1]) for one in examined]

    text = " ".join(["Ann saw Lee once more"] * 12)
    spans = [(i, i + 3) for i in range(len(text)) if text[i : i + 3] in ("Ann", "Lee")]
    gold = Document("d", text, tuple(Mention.of("DOCTOR", span) for span in spans))
    tagger = FirstOnly({"Ann": ("DOCTOR", 0.9), "Lee": ("DOCTOR", 0.8)})
    detector = Detector(tagger, threshold=0.5)  # type: ignore[arg-type]
    (unit,) = calibration_units(detector, [gold])
    (found,) = detect_bounded(detector, [Document("d", text)])
    places = {(finding.start, finding.end) for finding in found.findings}
    assert 1 < len(places & set(spans)) < len(spans)
    assert len(unit.identifiers) == len(spans)  # overlaps count once
    assert (unit.identifiers >= 0.5).sum() == len(places & set(spans))
    assert len(unit.others) == len(tokens_of(gold)) - len(spans)


def test_documents_of_a_patient_come_together_and_without_annotation() -> None:
    seen: list[list[Document]] = []

    class Recording(WordTagger):
        def examine(self, documents: Sequence[Document]) -> list[Examined]:
            seen.append(list(documents))
            return super().examine(documents)

    documents = [
        Document(str(n), f"Ann {n}", (Mention.of("DOCTOR", (0, 3)),), group=f"p{n % 2}")
        for n in range(4)
    ]
    detector = Detector(Recording({"Ann": ("DOCTOR", 0.9)}))  # type: ignore[arg-type]
    units = calibration_units(detector, documents)
    assert [one.id for batch in seen for one in batch] == ["0", "2", "1", "3"]
    assert all(one.mentions == () and one.tokens is None for batch in seen for one in batch)
    assert [len(unit.documents) for unit in units] == [2, 2]
