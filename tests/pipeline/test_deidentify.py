"""De-identifying from Python: opened once, shared by threads, pickled; anything else is refused."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import lacuna
from lacuna import Crf, Deidentifier, Document, Failed, Key, Redacted, Safe
from lacuna.deid.redact import Redactor
from lacuna.errors import ConfigError, RedactionError
from lacuna.models.base import Tagger
from lacuna.models.bundled import bundled_model
from lacuna.pipeline import opened_detectors
from lacuna.pipeline.detection import open_detection
from lacuna.pipeline.training import train_model
from lacuna.synthetic import Split, generate
from tests.models.examples import TOWNS, corpus

NOTE = "Mrs. Holloway was seen by Dr. Okafor on 03/18/2024."
SAFE = "Mrs. [NAME-1] was seen by Dr. [NAME-2] on 2024."
KEY = Key(bytes(range(32)))
HALF = "half \ud83d of a pair"


@cache
def small_model() -> Tagger:
    return train_model(corpus(10), Crf(iterations=10))


@cache
def opened() -> Deidentifier:
    return Deidentifier()


def texts(outcomes: list[Safe | Failed]) -> list[str]:
    return [outcome.text if isinstance(outcome, Safe) else "failed" for outcome in outcomes]


# what is taken and given


def test_texts_and_documents_give_a_list_of_safe_ones() -> None:
    document = Document("note-1", NOTE, group="p7", meta={"ward": "Holloway"})
    outcomes = opened().deidentify([NOTE, document])
    opened().forget("p7")
    assert texts(outcomes) == [SAFE, SAFE]
    first, second = outcomes
    assert isinstance(first, Safe)
    assert isinstance(second, Safe)
    assert second.document == Document("note-1", SAFE, group="p7")
    assert second.document is second.redacted.document
    assert second.redacted.counts["DATE"] == 1
    assert second.detected.document.id == "note-1"
    assert texts(opened().deidentify(NOTE)) == [SAFE]
    assert texts(opened().deidentify(iter([NOTE]))) == [SAFE]
    assert opened().deidentify([]) == []


def test_the_function_gives_one_a_list_or_an_iterator() -> None:
    one = lacuna.deidentify(NOTE)
    assert isinstance(one, Redacted)
    assert one.document.text == SAFE
    many = lacuna.deidentify([NOTE, Document("d", NOTE)])
    assert [redacted.document.text for redacted in many] == [SAFE, SAFE]
    seen: list[int] = []

    def stream() -> Iterator[str]:
        for number in range(1000):
            seen.append(number)
            yield f"{NOTE} {number}"

    lazy = lacuna.deidentify(stream())
    assert not seen
    assert next(lazy).document.text == f"{SAFE} 0"
    assert len(seen) < 1000


WRONG: list[Any] = [None, 5, b"text", bytearray(b"text"), {"text": 1}, [None], ["a", 5], (b"a",)]


@pytest.mark.parametrize("wrong", WRONG, ids=map(repr, WRONG))
def test_anything_else_is_a_type_error_at_once(wrong: Any) -> None:
    for take in (opened().deidentify, lacuna.deidentify, small_model().tag):
        with pytest.raises(TypeError, match="expected a text"):
            take(wrong)


def test_a_stream_with_something_else_is_a_type_error_when_it_comes() -> None:
    wrong: Any = (item for item in ["a", None])
    with pytest.raises(TypeError, match="expected a text or a Document, not NoneType"):
        list(lacuna.deidentify(wrong))


def test_half_of_a_surrogate_pair_fails_like_in_an_archive() -> None:
    outcomes = opened().deidentify([NOTE, HALF, NOTE])
    assert texts(outcomes) == [SAFE, "failed", SAFE]
    assert isinstance(outcomes[1], Failed)
    assert outcomes[1].reason == "contains half of a surrogate pair, which cannot be written"
    with pytest.raises(RedactionError, match=r"^document 2 \(text-\w+\): contains half"):
        lacuna.deidentify([NOTE, HALF])


# options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"key": "secret"},
            "a key must be .* a pathlib.Path, not str; lacuna.Key.random",
        ),
        ({"key": b"secret"}, "a key has 32 bytes, this one has 6"),
        ({"key": Path("no.key")}, "no.key: cannot be read"),
        ({"policy": "resarch"}, "did you mean research"),
        ({"consistency": "both"}, "consistency must be one of document, patient, none"),
        ({"threshold": 2}, "between 0 and 1"),
        ({"model": 5}, "a model must be a file or a loaded model, not int"),
        ({"policy": "research", "locale": "xx"}, "xx"),
    ],
)
def test_wrong_options_are_named_at_once(options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Deidentifier(**options)
    with pytest.raises(ConfigError, match=message):
        lacuna.deidentify(NOTE, **options)


def test_a_key_may_be_its_bytes_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "study.key"
    path.write_bytes(KEY.secret)
    keys: list[Any] = [KEY, KEY.secret, path]
    found = {texts(Deidentifier(policy="research", key=key).deidentify(NOTE))[0] for key in keys}
    assert len(found) == 1
    assert found != {texts(Deidentifier(policy="research").deidentify(NOTE))[0]}


def test_the_model_may_be_named_in_the_detection_options() -> None:
    options = lacuna.DetectionOptions(model="no-such.lacuna")
    with pytest.raises(FileNotFoundError):
        Deidentifier(detection=options)
    named = Deidentifier(model=bundled_model(), detection=options)
    assert texts(named.deidentify(NOTE)) == [SAFE]


def test_texts_of_different_patients_do_not_share_date_offsets() -> None:
    """The offset of one text, once known, must not give the dates of all others away."""
    deidentifier = Deidentifier(policy="research", key=KEY)
    notes = [f"Seen on 03/18/2024, note {word}." for word in ("one", "two", "three", "four")]
    alone = [text for note in notes for text in texts(deidentifier.deidentify(note))]
    dates = {re.findall(r"\d+/\d+/\d+", text)[0] for text in alone}
    assert len(dates) > 1
    assert texts(deidentifier.deidentify(notes)) == alone  # in any order, in every call
    outcome = deidentifier.deidentify(notes[0])[0]
    assert isinstance(outcome, Safe)
    assert outcome.document.id != Deidentifier().document(notes[0]).id


# what is remembered


def test_a_group_is_remembered_until_it_is_forgotten() -> None:
    deidentifier = Deidentifier()

    def seen(name: str) -> str:
        return texts(deidentifier.deidentify(Document(name, f"Seen by Dr. {name}.", group="p")))[0]

    assert seen("Okafor") == "Seen by Dr. [NAME-1]."
    assert seen("Whittaker") == "Seen by Dr. [NAME-2]."
    assert seen("Okafor") == "Seen by Dr. [NAME-1]."
    deidentifier.warm_up()
    lacuna.evaluate(deidentifier, [Document("x", "Seen by Dr. Jones.", group="p")])
    assert seen("Brandt") == "Seen by Dr. [NAME-3]."
    deidentifier.forget("p")
    deidentifier.forget("never seen")
    assert seen("Whittaker") == "Seen by Dr. [NAME-1]."


# threads


def test_eight_threads_give_what_one_gives() -> None:
    """Each thread takes a patient; the documents of a patient come in order."""
    patients: dict[Any, list[Document]] = {}
    for note in generate(60, seed=11, split=Split.TEST):
        patients.setdefault(note.unit, []).append(note)

    def all_texts(deidentifier: Deidentifier, notes: list[Document]) -> list[str]:
        return [text for note in notes for text in texts(deidentifier.deidentify(note))]

    single, shared = (Deidentifier(policy="research", key=KEY) for _ in range(2))
    expected = [all_texts(single, notes) for notes in patients.values()]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda notes: all_texts(shared, notes), patients.values()))
    assert len(found) > 8
    assert found == expected


def test_only_one_thread_at_a_time_changes_what_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside, most = [], [0]
    really_redact = Redactor.redact

    def watched(*arguments: Any, **options: Any) -> Redacted:
        inside.append(1)
        most[0] = max(most[0], len(inside))
        time.sleep(0.002)
        redacted = really_redact(*arguments, **options)
        inside.pop()
        return redacted

    monkeypatch.setattr(Redactor, "redact", watched)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(opened().deidentify, [NOTE] * 16))
    assert most == [1]


def test_threads_that_share_a_patient_share_the_numbers() -> None:
    names = [f"{first}{last}" for first in "BDFGHKLM" for last in ("arnes", "oward", "illiams")]
    shared = Deidentifier(consistency="patient")
    documents = [
        Document(f"{n} {name}", f"Seen by Dr. {name}.", group="p")
        for n in range(6)
        for name in names
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda document: texts(shared.deidentify(document))[0], documents))
    by_name: dict[str, set[str]] = {}
    for document, text in zip(documents, found, strict=True):
        by_name.setdefault(document.text, set()).add(text)
    numbers = {f"Seen by Dr. [NAME-{n}]." for n in range(1, len(names) + 1)}
    assert set().union(*by_name.values()) == numbers  # each has its own,
    assert all(len(forms) == 1 for forms in by_name.values())  # and always the same


# pickling


def safe_text(deidentifier: Deidentifier) -> str:
    return texts(deidentifier.deidentify(NOTE))[0]


def again(deidentifier: Deidentifier) -> Deidentifier:
    made: Deidentifier = pickle.loads(pickle.dumps(deidentifier))  # noqa: S301
    return made


def test_a_pickled_one_has_the_same_options_and_key_and_no_memory() -> None:
    deidentifier = Deidentifier(policy="research", threshold=0.3)
    copied = again(deidentifier)
    assert safe_text(copied) == safe_text(deidentifier)
    assert safe_text(again(copied)) == safe_text(deidentifier)
    grouped = Deidentifier()
    grouped.deidentify(Document("d", NOTE, group="p"))
    late = Document("e", "Seen by Dr. Whittaker.", group="p")
    assert texts(grouped.deidentify(late)) == ["Seen by Dr. [NAME-3]."]
    assert texts(again(grouped).deidentify(late)) == ["Seen by Dr. [NAME-1]."]


def test_a_loaded_model_is_in_the_pickle_and_a_file_is_not() -> None:
    own = Deidentifier(model=small_model(), policy="mask")
    note = corpus(1)[0].text
    assert texts(again(own).deidentify(note)) == texts(own.deidentify(note))
    assert len(pickle.dumps(own)) > 10_000
    assert len(pickle.dumps(opened())) < 1000
    assert str(bundled_model()).encode() not in pickle.dumps(opened())


def test_the_key_is_in_the_pickle_unless_it_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "study.key"
    path.write_bytes(KEY.secret)
    assert KEY.secret in pickle.dumps(Deidentifier(key=KEY))
    by_path = Deidentifier(policy="research", key=path)
    assert KEY.secret not in pickle.dumps(by_path)
    assert safe_text(again(by_path)) == safe_text(Deidentifier(policy="research", key=KEY))


def test_another_process_gives_the_same() -> None:
    deidentifier = Deidentifier(policy="research", key=KEY)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(safe_text, deidentifier).result() == safe_text(deidentifier)


# models stay open


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which every opened model is added; nothing is open at first."""
    found: list[str] = []
    really_open = open_detection

    def note(options: lacuna.DetectionOptions, **others: Any) -> Any:
        found.append(options.model)
        return really_open(options, **others)

    monkeypatch.setattr(opened_detectors, "open_detection", note)
    monkeypatch.setattr(opened_detectors, "_opened", {})
    return found


def test_a_model_is_opened_once_also_by_threads(openings: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: lacuna.deidentify(NOTE).document.text, range(16)))
    assert found == {SAFE}
    assert len(openings) == 1
    lacuna.deidentify(NOTE, policy="mask")
    assert len(openings) == 1
    lacuna.deidentify(NOTE, threshold=0.2)
    assert len(openings) == 2


def test_a_file_that_changed_is_opened_again(openings: list[str], tmp_path: Path) -> None:
    path, never = tmp_path / "m.lacuna", tmp_path / "never.txt"
    lacuna.save(small_model(), path)
    never.write_text("nobody\n")
    options = lacuna.DetectionOptions(never=str(never))
    note = corpus(1)[0].text
    before = lacuna.deidentify(note, model=path, policy="mask", detection=options).document.text
    lacuna.deidentify(note, model=path, policy="mask", detection=options)
    assert len(openings) == 1
    os.utime(path, (1, 1))
    lacuna.deidentify(note, model=path, policy="mask", detection=options)
    assert len(openings) == 2
    never.write_text("\n".join(TOWNS))
    after = lacuna.deidentify(note, model=path, policy="mask", detection=options).document.text
    assert len(openings) == 3
    assert after != before


def test_only_the_last_ones_stay_open(openings: list[str]) -> None:
    for threshold in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        lacuna.deidentify(NOTE, threshold=threshold)
    assert len(opened_detectors._opened) == opened_detectors.MOST_OPENED
    lacuna.deidentify(NOTE, threshold=0.6)
    lacuna.deidentify(NOTE, threshold=0.3)
    assert len(openings) == 6
    lacuna.deidentify(NOTE, threshold=0.1)
    assert len(openings) == 7


# scoring


def test_the_whole_pipeline_is_scored() -> None:
    notes = list(generate(20, seed=3, split=Split.TEST))
    whole = lacuna.evaluate(opened(), notes)
    alone = lacuna.evaluate(lacuna.load(bundled_model()), notes)
    assert whole.section("binary").micro.recall > alone.section("binary").micro.recall - 0.02
    assert whole.section("binary").micro.recall > 0.9
    gone = Document("d", "Seen by Dr. Okafor.", (lacuna.Mention.of("DOCTOR", (12, 18)),))
    assert lacuna.evaluate(opened(), [gone]).section("strict").micro.f1 == 1
    with pytest.raises(RedactionError, match="half: contains half"):
        lacuna.evaluate(opened(), [Document("half", HALF)])


def test_what_is_found_in_one_call_is_looked_for_in_later_ones() -> None:
    work = Deidentifier(threshold=1.0)  # patterns only
    first, second = Document("1", "MRN: 76543 came.", group="p"), "Lab 76543 is back."
    work.deidentify(first)
    (safe,) = work.deidentify(Document("2", second, group="p"))
    assert isinstance(safe, Safe)
    assert "76543" not in safe.text
    work.forget("p")
    (safe,) = work.deidentify(Document("2", second, group="p"))
    assert isinstance(safe, Safe)
    assert "76543" in safe.text
