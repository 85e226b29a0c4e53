"""Generated notes: the same every time, exactly labelled, with shared facts and no leaks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from lacuna.errors import ConfigError
from lacuna.synthetic import CATEGORIES, CLEAN, FINDING, LABELS, Noise, Split, generate
from lacuna.synthetic.language import load_language
from lacuna.text.document import Document

DIGEST = """
import hashlib
from lacuna.synthetic import generate
digest = hashlib.sha256()
for note in generate(40, seed=7, findings=True):
    digest.update(repr((note.id, note.text, note.mentions, note.group, note.meta)).encode())
print(digest.hexdigest())
"""


@pytest.fixture(scope="module")
def notes() -> list[Document]:
    return list(generate(600, seed=3))


@pytest.fixture(scope="module")
def clean() -> list[Document]:
    return list(generate(400, seed=5, noise=CLEAN))


def content(document: Document) -> tuple[object, ...]:
    return document.id, document.text, document.mentions, document.group, document.meta


def test_same_notes_in_every_process() -> None:
    digests = set()
    for hash_seed in ("0", "12345"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", DIGEST]
        digests.add(subprocess.check_output(command, env=environment, text=True))
    assert len(digests) == 1


def test_fewer_notes_are_the_first_of_more(notes: list[Document]) -> None:
    few = [content(note) for note in generate(37, seed=3)]
    assert few == [content(note) for note in notes[:37]]


def test_another_seed_gives_other_notes(notes: list[Document]) -> None:
    assert not {note.text for note in generate(50, seed=4)} & {note.text for note in notes}


@pytest.mark.parametrize("split", Split)
def test_every_label_occurs(split: Split) -> None:
    counts = Counter(m.label for note in generate(600, seed=1, split=split) for m in note.mentions)
    assert set(counts) == set(LABELS)
    assert min(counts.values()) >= 5
    for frequent in ("DATE", "DOCTOR", "PATIENT", "HOSPITAL", "AGE"):
        assert counts[frequent] > 600


def test_labels_have_the_categories_of_the_task() -> None:
    assert set(CATEGORIES.values()) == {
        "NAME",
        "PROFESSION",
        "LOCATION",
        "AGE",
        "DATE",
        "CONTACT",
        "ID",
    }


def test_every_kind_occurs_and_lengths_vary(notes: list[Document]) -> None:
    kinds = Counter(note.meta["kind"] for note in notes)
    assert set(kinds) == set(load_language("en").settings.kinds)
    lengths = sorted(len(note.text.split()) for note in notes)
    assert lengths[60] >= 50
    assert 250 <= lengths[300] <= 450
    assert lengths[-1] <= 1300


def test_mentions_do_not_overlap_or_start_with_spaces(notes: list[Document]) -> None:
    for note in notes:
        for left, right in pairwise(note.mentions):
            assert left.end <= right.start
        for mention in note.mentions:
            surface = mention.surface(note.text)
            assert surface == surface.strip()


PATTERNS = {
    "AGE": r"\d{1,3}(s|'s)?|[a-z-]+",
    "EMAIL": r"\S+@\S+",
    "IPADDR": r"\d+\.\d+\.\d+\.\d+",
    "SSN": r"[\d -]{9,11}",
    "ZIP": r"\d{5}(-\d{4})?|[A-Z]{1,2}\d{1,2} \d[A-Z]{2}",
    "URL": r"[\w:/.-]+",
    "PHONE": r"[\d() .+,/#px-]+(ext\.? ?\d+|extension \d+)?|ext \d+|[a-z ]+",
    "DATE": r".*(\d|day|Christmas|Easter|Halloween|Year|Passover|Kippur|Ramadan|July|Eve|[A-Z]).*"
    r"|[a-z]+ [a-z ]+",
    "MEDICALRECORD": r"[\dA-Z -]{5,12}|[a-z ]+",
    "PATIENT": r"[^\d]+",
    "DOCTOR": r"[^\d]+",
}


@pytest.mark.parametrize("label", PATTERNS)
def test_labelled_text_looks_like_its_label(label: str, clean: list[Document]) -> None:
    values = [
        mention.surface(note.text)
        for note in clean
        for mention in note.mentions
        if mention.label == label
    ]
    assert values
    for value in values:
        assert re.fullmatch(PATTERNS[label], value), value


def by_patient(documents: list[Document]) -> dict[str | None, list[Document]]:
    groups = defaultdict(list)
    for document in documents:
        groups[document.group].append(document)
    return groups


def values(documents: list[Document], label: str) -> set[str]:
    return {m.surface(d.text) for d in documents for m in d.mentions if m.label == label}


def test_notes_of_a_patient_share_facts(clean: list[Document]) -> None:
    groups = by_patient(clean)
    assert 1.5 < len(clean) / len(groups) < 4
    several = 0
    for group in groups.values():
        for label in ("MEDICALRECORD", "SSN"):
            assert len(values(group, label)) <= 1
        several += sum("MEDICALRECORD" in {m.label for m in d.mentions} for d in group) > 1
    assert several > 50
    records = [v for group in groups.values() for v in values(group, "MEDICALRECORD")]
    assert len(set(records)) > 0.95 * len(records)


def test_ids_and_groups(clean: list[Document]) -> None:
    assert clean[0].id == "p0001-n01"
    assert len({note.id for note in clean}) == len(clean)
    assert all(note.group == note.id.partition("-")[0] for note in clean)


def unlabelled(document: Document) -> str:
    """Return the text with a bar in place of each mention."""
    parts, start = [], 0
    for mention in document.mentions:
        parts.append(document.text[start : mention.start])
        start = mention.end
    return "|".join([*parts, document.text[start:]])


def test_no_identifier_is_left_unlabelled(clean: list[Document]) -> None:
    """Numbers and names of a patient's own notes never occur outside mentions.

    Names that are also words of the language ("White", "Parkinson") are meant to.
    """
    english = load_language("en")
    sources = [t.source for rule in english.rules.values() for t in rule.templates]
    medicine = [w for name, words in english.words.items() if name != "last" for w in words]
    ordinary = set(re.findall(r"[^\W\d_]+", " ".join([*sources, *medicine]).lower()))
    checked = 0
    for group in by_patient(clean).values():
        rest = " ".join(map(unlabelled, group))
        words = set(re.findall(r"[^\W\d_]+", rest))
        names = values(group, "PATIENT") | values(group, "DOCTOR")
        parts = {part for name in names for part in re.findall(r"[^\W\d_]{3,}", name)}
        suspects = {part for part in parts if part.lower() not in ordinary}
        assert not words & suspects
        checked += len(suspects)
        for label in ("MEDICALRECORD", "SSN", "ACCOUNT", "EMAIL", "HEALTHPLAN", "LICENSE"):
            for value in values(group, label):
                assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", rest)
    assert checked > 2000


def test_findings_are_a_second_layer() -> None:
    plain = list(generate(200, seed=2))
    both = list(generate(200, seed=2, findings=True))
    found = 0
    for without, with_findings in zip(plain, both, strict=True):
        assert without.text == with_findings.text
        rest = tuple(m for m in with_findings.mentions if m.label != FINDING)
        assert without.mentions == rest
        found += sum(m.is_discontiguous for m in with_findings.mentions)
    assert found > 50


def test_clean_notes_have_no_noise(clean: list[Document]) -> None:
    for note in clean:
        assert "\r" not in note.text
        assert not re.search(r" [.,;](\s|$)| \n", note.text.replace("....", "")), note.id


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate(-1), "must be at least 0"),
        (lambda: generate(1, most_notes_per_patient=0), "at least 1"),
        (lambda: generate(1, kinds=("letter",)), "unknown kind of note: letter; known are dis"),
        (lambda: Noise(careless=1.5), "noise careless must be between 0 and 1"),
    ],
)
def test_bad_arguments(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ConfigError, match=message):
        call()


def test_only_the_kinds_asked_for() -> None:
    notes = list(generate(40, kinds=("jotting", "lab-report")))
    assert {note.meta["kind"] for note in notes} == {"jotting", "lab-report"}
    assert [note.text for note in generate(5, kinds=("jotting",))] != [n.text for n in notes[:5]]


def test_none_are_none() -> None:
    assert list(generate(0)) == []
