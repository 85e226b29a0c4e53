"""The second look: what was found once is gone everywhere, and everyday words stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import Detected, Detector, Recognizers
from lacuna.deid.eponyms import DISEASE
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.name_terms import everyday_words, is_clear, name_parts
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.second_look import STEPS, SecondLook, confident
from lacuna.deid.terms import Term, fold_words
from lacuna.models.base import Examined
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Safe
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of
from tests.deid.test_detector import FakeTagger

POLICY = load_policy("safe-harbor")


def detected(
    text: str,
    *found: tuple[str, str] | tuple[str, str, float],
    origin: Origin = Origin.MODEL,
    group: str | None = None,
) -> Detected:
    """Return a document in which the first occurrence of some texts was found."""
    document = Document("d", text, group=group)
    findings = []
    for surface, label, *sure in found:
        start = text.index(surface)
        end = start + len(surface)
        findings.append(Finding(start, end, label, origin, sure[0] if sure else 0.99))
    return with_findings(document, findings)


def with_findings(document: Document, findings: list[Finding]) -> Detected:
    tokens = tokens_of(document)
    nothing = np.zeros(len(tokens.start))
    found = Detected(document, [], tokens.start, tokens.end, nothing, nothing > 0)
    return found.with_more(findings)


def again(*found: Detected, threshold: float = 0.5) -> list[str]:
    """Return the texts that the second look adds."""
    look = SecondLook(POLICY, threshold=threshold)
    return [
        one.document.text[finding.start : finding.end]
        for one in look.look(found)
        for finding in one.findings
        if finding.origin is Origin.AGAIN
    ]


@pytest.mark.parametrize("short", ["617555", "617"])
def test_a_number_in_groups_is_found_next_to_its_beginning(short: str) -> None:
    first = detected(f"Unit {short}, tel 6175550134", ("6175550134", "PHONE"), (short, "IDNUM"))
    assert again(first, detected("Call (617) 555-0134.")) == ["617) 555-0134"]


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("Alan Whitcomb came. spoke w dr whitcomb", ("Alan Whitcomb", "DOCTOR"), ["whitcomb"]),
        ("Mrs. Núñez. NUNEZ, Nun\u0303ez", ("Núñez", "PATIENT"), ["NUNEZ", "Nun\u0303ez"]),
        ("Li Wu. Wu ate; wu wei", ("Li Wu", "PATIENT"), ["Wu"]),
        ("Jo van der Berg; van; Berg", ("Jo van der Berg", "PATIENT"), ["Berg"]),
        ("Smith-Jones, then Jones", ("Smith-Jones", "PATIENT"), ["Jones"]),
        ("Mr Nyberg. The Nybergs; nybergs dog", ("Nyberg", "PATIENT"), ["Nybergs", "nybergs"]),
        ("Her son Ian. ian rang; Dee. dee", ("Ian", "PATIENT"), ["ian"]),
        ("MRN 12-34567 … 1234567 12 34567", ("12-34567", "MEDICALRECORD"), ["1234567", "12 34567"]),
        ("6175550134, (617) 555-0134", ("6175550134", "PHONE"), ["617) 555-0134"]),
        ("at a.b@c.org, A.B@C.ORG", ("a.b@c.org", "EMAIL"), ["A.B@C.ORG"]),
        ("4 Elmer St; 4 ELMER st", ("4 Elmer St", "STREET"), ["4 ELMER st"]),
        ("Duxbury, from duxbury, DUXBURY", ("Duxbury", "CITY"), ["duxbury", "DUXBURY"]),
        ("Room 12, day 12", ("12", "ROOM"), []),
        ("on 3/14, a 3/14 tear", ("3/14", "DATE"), []),
        ("aged 91, 91 %", ("91", "AGE"), []),
        ("Smith, Smithson", ("Smith", "PATIENT"), []),
    ],
)  # fmt: skip
def test_what_is_found_again(text: str, found: tuple[str, str], expected: list[str]) -> None:
    assert again(detected(text, found)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Cook. She likes to cook. The cook came.", []),
        ("Dr. Cook left. Cook well.", []),
        ("Dr. Cook.\nCook, MD", ["Cook"]),
        ("Dr. Cook. Seen by Cook today.", ["Cook"]),
        ("Dr. Cook. Mr. Cook", ["Cook"]),
        ("DR. Cook. TODAY SHE MAY COOK AGAIN.", []),
    ],
)
def test_everyday_words_go_only_where_they_are_written_like_a_name(
    text: str, expected: list[str]
) -> None:
    assert again(detected(text, ("Cook", "DOCTOR"))) == expected


def test_an_everyday_word_next_to_something_found_goes() -> None:
    first = detected("Trevor Husbands came.", ("Trevor Husbands", "PATIENT"))
    second = detected("ED husbands austin 68M. Two husbands.", ("austin", "PATIENT"))
    assert again(first, second) == ["husbands"]


@pytest.mark.parametrize("rest", ["test results", "'s position", "procedure", "line", "body pain"])
def test_only_known_names_of_diseases_are_protected(rest: str) -> None:
    text = f"Alan Whitcomb. whitcomb {rest}".replace(" '", "'")
    assert again(detected(text, ("Alan Whitcomb", "PATIENT"))) == ["whitcomb"]


def test_titles_and_particles_are_not_listed() -> None:
    text = "Maria of the Cross. Some of the time."
    (looked,) = SecondLook(POLICY).look([detected(text, ("Maria of the Cross", "PATIENT"))])
    assert list(looked.protected) == []


def test_protected_words_are_listed_and_never_a_name() -> None:
    text = "Mr. Cook and Dr. Foley Zorn came to cook; a Foley catheter; zorn"
    found = detected(text, ("Cook", "PATIENT"), ("Foley Zorn", "DOCTOR"))
    (looked,) = SecondLook(POLICY).look([found])
    assert sorted(looked.protected) == ["cook", DISEASE]
    assert looked.covered.sum() == found.covered.sum() + 1
    (looked,) = SecondLook(POLICY).look([detected("Mr. Cook will cook", ("Cook", "PATIENT"))])
    assert looked.protected == ["cook"]


def test_never_terms_stay() -> None:
    look = SecondLook(POLICY, Recognizers(drop=lambda _, findings: []))
    found = detected("Ann Zorn. zorn", ("Ann Zorn", "PATIENT"))
    assert look.look([found])[0].findings == found.findings


@pytest.mark.parametrize(
    ("sure", "threshold", "is_found"),
    [
        (0.5, 0.5, True),
        (0.49, 0.1, False),
        (0.7, 0.6, False),
        (0.8, 0.6, True),
        (0.9, 0.9, False),
    ],
)
def test_only_confident_findings_count(sure: float, threshold: float, is_found: bool) -> None:
    found = detected("Ann Zorn. zorn", ("Ann Zorn", "PATIENT", sure))
    assert again(found, threshold=threshold) == ["zorn"] * is_found


def test_a_lower_threshold_looks_for_more() -> None:
    levels = np.linspace(0, 1, 101)
    needed = [confident(level) for level in levels]
    assert needed == sorted(needed)
    assert all(least >= max(level, STEPS[0]) for least, level in zip(needed, levels, strict=True))


def test_documents_without_a_patient_do_not_know_of_one_another() -> None:
    tagger = FakeTagger([0.0] * 4, [])
    work = DetectAndRedact.of(_Finding(tagger), Redactor(POLICY, Key(bytes(32))))  # type: ignore[arg-type]
    safe = work.redact([detected("Ann Zorn saw me.", ("Ann Zorn", "PATIENT")), detected("zorn")])
    assert [_text(one) for one in safe] == ["[NAME-1] saw me.", "zorn"]


class _Finding:
    def __init__(self, tagger: FakeTagger) -> None:
        self.tagger, self.recognizers, self.threshold = tagger, Recognizers(), 0.5


def _text(outcome: object) -> str:
    assert isinstance(outcome, Safe)
    return outcome.redacted.document.text


def test_what_is_hidden_for_the_patient_is_not_kept_for_the_doctor(tmp_path: Path) -> None:
    file = tmp_path / "keep.toml"
    file.write_text('base = "safe-harbor"\n[labels]\nDOCTOR = "keep"\n')
    policy = load_policy(file)
    work = DetectAndRedact.of(_Finding(FakeTagger()), Redactor(policy, Key(bytes(32))))  # type: ignore[arg-type]
    text = "Daughter Siobhan rang. siobhan will call; Dr. Gupta knows."
    found = detected(text, ("Siobhan", "PATIENT"), ("siobhan", "DOCTOR"), ("Gupta", "DOCTOR"))
    (safe,) = work.redact([found])
    assert _text(safe) == "Daughter [NAME-1] rang. [NAME-1] will call; Dr. Gupta knows."


NAMES = st.sampled_from(
    [
        "Whitcomb",
        "Núñez",
        "Zorn",
        "Li",
        "Wu",
        "Cook",
        "Will",
        "O'Brien",
        "Ebba",
        "de la Cruz",
        "Øst",
    ]
)
CASES = st.sampled_from([str, str.upper, str.lower, str.title])
FILLERS = st.sampled_from(["saw", ",", ".", "the", "dr", "\n", "(", ")", "and", "Mr."])


@st.composite
def patients(draw: st.DrawFn) -> list[Detected]:
    """Return documents of one patient; some of the names in them are found."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4))
    documents = []
    for number in range(draw(st.integers(1, 3))):
        written = st.builds(lambda change, name: change(name), CASES, st.sampled_from(names))
        words = draw(st.lists(st.one_of(FILLERS, written), max_size=12))
        text = " ".join(words)
        places = np.cumsum([0] + [len(word) + 1 for word in words]).tolist()
        spans = [
            (start, start + len(word))
            for start, word in zip(places, words, strict=False)
            if word.casefold() in [n.casefold() for n in names] and draw(st.booleans())
        ]
        document = Document(f"d{number}", text, group="p")
        findings = [Finding(start, end, "PATIENT", Origin.MODEL, 0.9) for start, end in spans]
        documents.append(with_findings(document, findings))
    return documents


def _clear_parts(found: Sequence[Detected]) -> set[str]:
    return {
        part
        for one in found
        for finding in one.findings
        for part in name_parts(one.document.text[finding.start : finding.end])
        if is_clear(part)
    }


@given(st.lists(patients(), max_size=4), st.booleans())
def test_many_patients_together_are_as_each_alone(units: list[list[Detected]], hides: bool) -> None:
    if units and hides:  # a zero width space: read twice
        units[0] = [
            one._replace(document=Document("d", one.document.text + "\u200b")) for one in units[0]
        ]
    look, none = SecondLook(POLICY), frozenset[Term]()
    together = look.look_all(units, [none] * len(units))
    for unit, found in zip(units, together, strict=True):
        alone = look._look(unit, none)  # without the quick pass
        assert [one.findings for one in found] == [one.findings for one in alone]
        assert [sorted(one.protected) for one in found] == [sorted(one.protected) for one in alone]


@given(patients())
def test_no_part_of_a_found_name_survives(found: list[Detected]) -> None:
    redactor = Redactor(load_policy("mask"), Key(bytes(32)))
    work = DetectAndRedact.of(_Finding(FakeTagger()), redactor)  # type: ignore[arg-type]
    parts = _clear_parts(found)
    listed = set()
    for outcome in work.redact(found):
        left = set(fold_words(_text(outcome)))
        assert not left & parts
        assert isinstance(outcome, Safe)
        listed |= set(outcome.detected.protected)
    assert listed <= everyday_words()


@given(patients(), st.randoms())
def test_the_order_of_documents_does_not_matter(found: list[Detected], random: Random) -> None:
    look = SecondLook(POLICY)
    shuffled = found.copy()
    random.shuffle(shuffled)
    one = {d.document.id: sorted(d.findings) for d in look.look(found)}
    other = {d.document.id: sorted(d.findings) for d in look.look(shuffled)}
    assert one == other


NUMBERS = ["AB-123456", "+33 6 12 34 56 78", "6175550134", "12-34567", "HE 97 ZDC", "MRN123456"]


def _unsigned(number: str) -> str:
    return "".join(filter(str.isalnum, number))


def _grouped(number: str) -> str:
    plain = _unsigned(number)
    return f"({plain[:3]}) {plain[3:6]}-{plain[6:]}"


def _wide(number: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in number)


WRITTEN: list[Callable[[str], str]] = [str, str.lower, _unsigned, _grouped, _wide]


@st.composite
def numbered(draw: st.DrawFn) -> list[Detected]:
    """Return documents of one patient with numbers, some of which are found, whole or in part."""
    documents = []
    for number in range(draw(st.integers(1, 3))):
        text, findings = "", []
        for value in draw(st.lists(st.sampled_from(NUMBERS), max_size=5)):
            start, written = len(text), draw(st.sampled_from(WRITTEN))(value)
            text += written
            if draw(st.booleans()):
                inside = start + (3 if written.startswith("MRN") else 0)
                findings.append(Finding(inside, len(text), "IDNUM", Origin.PATTERN))
            text += draw(st.sampled_from([" ", ", ", " is ", "\n"]))
        document = Document(f"d{number}", text, group="p")
        documents.append(with_findings(document, findings))
    return documents


@given(st.one_of(patients(), numbered()))
def test_evidence_from_elsewhere_is_like_documents_at_hand(found: list[Detected]) -> None:
    """Looking at each document with the evidence of all finds what looking at all finds."""
    look = SecondLook(POLICY)
    every = frozenset(term for one in found for term in look.terms([one]))
    together = look.look(found)
    alone = [look.look([one], every)[0] for one in found]
    assert [d.covered.tolist() for d in together] == [d.covered.tolist() for d in alone]


# calibration


def test_calibration_knows_the_second_look_and_never_more_than_it_finds() -> None:
    """A token counts as found up to a threshold only if it is found at all lower ones."""
    notes = [
        Document("a", "Alan Whitcomb called Zorn.", (Mention.of("DOCTOR", (0, 13)),), group="p"),
        Document("b", "dr whitcomb, zorn, Cook; cook", (Mention.of("DOCTOR", (3, 11)),), group="p"),
    ]
    tagger = _ByText({notes[0].text: [0.9, 0.97, 0, 0.6, 0], notes[1].text: [0.1] * 8})
    detector = Detector(tagger)  # type: ignore[arg-type]
    (alone,) = calibration_units(detector, notes, POLICY)
    (unit,) = calibration_units(detector, notes, POLICY, second_look=True)
    assert sorted(alone.identifiers) == [0.1, 0.97, 0.97]
    assert sorted(unit.identifiers) == [0.95, 0.97, 0.97]
    for threshold in np.linspace(0.01, 1, 34):
        at = replace(detector, threshold=float(threshold))
        looked = SecondLook(POLICY, threshold=float(threshold)).look(at.detect(notes))
        for seen, one in zip(unit.documents, looked, strict=True):
            assert (one.covered >= (seen.found >= threshold)).all()


class _ByText:
    """Finds names with a capital, as surely as it is told for each text."""

    def __init__(self, sure: dict[str, list[float]]) -> None:
        self.sure = sure

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        examined = []
        for document in documents:
            tokens = tokens_of(document)
            parts = [(0, 13, "DOCTOR"), (21, 25, "DOCTOR")] if "Alan" in document.text else []
            sure = np.array(self.sure[document.text])
            examined.append(Examined(document, parts, tokens.start, tokens.end, sure))
        return examined


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Patient: May Chen, seen May 4, 2022 and 12 May 2022.", "May Chen"),
        ("Dr. March saw him on March 3, 2019.", "March"),
    ],
)
def test_a_name_does_not_take_a_date(text: str, name: str) -> None:
    dates = [d for d in ("May 4, 2022", "12 May 2022", "March 3, 2019") if d in text]
    found = detected(text, (name, "PATIENT"), *((d, "DATE") for d in dates))
    assert again(found) == []


def test_a_sentence_ends_what_is_next_to_something_found() -> None:
    assert again(detected("Rose Long. long history", ("Rose Long", "PATIENT"))) == []


def test_what_is_found_above_all_steps_is_looked_for() -> None:
    found = detected("Ann Zorn. zorn", ("Ann Zorn", "PATIENT", 0.999))
    assert again(found, threshold=0.99) == ["zorn"]
