"""``lacuna deid``, ``calibrate`` and ``restore`` as commands."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import lacuna as library
from lacuna.deid.promises import promises_of
from lacuna.errors import ConfigError, RedactionError
from lacuna.io.output import write_corpus
from lacuna.models.bundled import bundled_model
from lacuna.models.file import read_model
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document
from tests.archive.conftest import contents, tiny_model
from tests.cli.conftest import Lacuna
from tests.deid.test_vocabulary import FRENCH, GERMAN, SPANISH
from tests.models.examples import corpus

NOTE = "Call Ana Okafor about the results on 03/14/2014.\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("model") / "tiny.lacuna")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write_corpus(corpus(80, seed=11), tmp_path / "gold.jsonl", format="jsonl")
    return tmp_path / "gold.jsonl"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(NOTE)
    return path


def test_a_key_is_made_and_used_again(
    lacuna: Lacuna, model: Path, note: Path, tmp_path: Path
) -> None:
    key = tmp_path / "study.key"
    options = ("--model", model, "--policy", "research", "--key", key)
    first = lacuna("deid", note, "-o", tmp_path / "a", *options)
    assert first.code == 0
    assert "new key" in first.err
    assert key.stat().st_mode & 0o777 == 0o600
    second = lacuna("deid", note, "-o", tmp_path / "b", *options)
    assert "new key" not in second.err
    assert contents(tmp_path / "a") == contents(tmp_path / "b") != {"note.txt": NOTE.encode()}
    without = lacuna("deid", note, "-o", tmp_path / "c", *options[:4])
    assert "no --key" in without.err


def test_json_is_the_report(lacuna: Lacuna, model: Path, note: Path, tmp_path: Path) -> None:
    run = lacuna("deid", note, "-o", tmp_path / "safe", "--model", model, "--json")
    written = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert run.json == written
    assert run.json["documents"] == 1


def test_a_dry_run_counts(lacuna: Lacuna, model: Path, note: Path, tmp_path: Path) -> None:
    run = lacuna("deid", note, "--model", model, "--dry-run")
    assert run.code == 0
    assert "DATE" in run.err
    assert run.out == ""
    assert list(tmp_path.iterdir()) == [note]


def test_standard_input_to_standard_output(
    lacuna: Lacuna, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    typed(NOTE.replace("\n", "\r\n").encode())
    run = lacuna("deid", "-", "--model", model)
    assert run.code == 0
    assert "Okafor" not in run.out
    assert run.out.endswith(" on 2014.\r\n")
    typed(b"Ana \x81 Okafor")
    bad = lacuna("deid", "-", "--model", model)
    assert (bad.code, bad.out) == (2, "")


def test_an_output_is_needed(lacuna: Lacuna, model: Path, note: Path) -> None:
    assert "-o FOLDER" in lacuna("deid", note, "--model", model).err


def test_a_promise_is_kept_only_by_the_same_pipeline(
    lacuna: Lacuna, model: Path, gold: Path, note: Path, tmp_path: Path
) -> None:
    promising = tmp_path / "promising.lacuna"
    run = lacuna(
        "calibrate", model, gold, "--max-missed", 0.2, "--max-missed", 0.05, "-o", promising
    )
    assert run.code == 0
    assert "--max-missed 0.05: on average at most 5.00%" in run.err
    assert "--max-missed 0.2 --confidence 0.95: with confidence 95.0%, at most 20.00%" in run.err
    assert "0.05 is promised on average only" in run.err
    assert "at least 59 patients" in run.err
    assert "are few for 0.05" in run.err
    assert "chosen after looking at this curve is not promised" in run.err
    promises = promises_of(read_model(promising))
    assert promises is not None
    kinds = [(one.level, one.confidence) for one in promises.calibrations]
    assert kinds == [(0.05, None), (0.2, None), (0.2, 0.95)]
    assert promises_of(read_model(model)) is None
    options = ("--model", promising, "--max-missed", 0.05)
    kept = lacuna("deid", note, "-o", tmp_path / "safe", *options)
    assert kept.code == 0
    assert "promise: on average at most 5.00%" in kept.err
    report = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert report["threshold"] == promises.calibrations[0].threshold
    assert (report["promised"], report["confidence"]) == (0.05, None)
    for change in (("--no-patterns",), ("--policy", "mask")):
        other = lacuna("deid", note, "--dry-run", *options, *change)
        assert other.code == 2
        assert "calibrate it again" in other.err
    level = lacuna("deid", note, "--dry-run", "--model", promising, "--max-missed", 0.3)
    assert "not calibrated for" in level.err


def test_the_promise_with_confidence_is_the_one_that_is_asked_for(
    lacuna: Lacuna, model: Path, gold: Path, note: Path, tmp_path: Path
) -> None:
    promising = tmp_path / "promising.lacuna"
    assert lacuna("calibrate", model, gold, "--max-missed", 0.2, "-o", promising).code == 0
    options = ("--model", promising, "--max-missed", 0.2, "--confidence", 0.95)
    run = lacuna("deid", note, "-o", tmp_path / "safe", *options)
    assert run.code == 0
    assert "promise: with confidence 95.0%, at most 20.00%" in run.err
    report = json.loads((tmp_path / "safe" / "report.json").read_text())
    promises = promises_of(read_model(promising))
    assert promises is not None
    mean, signed = promises.calibrations
    assert report["threshold"] == signed.threshold <= mean.threshold
    assert report["confidence"] == 0.95
    assert "with confidence 95.0%" in (tmp_path / "safe" / "report.html").read_text()
    alone = lacuna("deid", note, "--dry-run", "--model", promising, "--confidence", 0.95)
    assert alone.code == 2
    assert "--confidence needs --max-missed" in alone.err
    asked = lacuna("calibrate", model, gold, "--max-missed", 0.05, "--confidence", 0.95)
    assert asked.code == 2
    assert "with confidence 0.95: at least 59 are needed" in asked.err


def test_without_a_promise_the_two_commands_that_give_one_are_named(
    lacuna: Lacuna, model: Path, note: Path
) -> None:
    for options in (("--model", model), ()):
        run = lacuna("deid", note, "--dry-run", *options, "--max-missed", 0.05)
        assert run.code == 2
        assert "makes no promise" in run.err
        assert "GOLD --max-missed 0.05 -o own.lacuna" in run.err
        assert "--model own.lacuna --max-missed 0.05" in run.err


def test_the_bundled_model_is_not_calibrated_in_place(lacuna: Lacuna, gold: Path) -> None:
    run = lacuna("calibrate", bundled_model(), gold, "--max-missed", 0.2)
    assert run.code == 2
    assert "-o own.lacuna" in run.err


def test_documents_unlike_the_calibration_break_a_strict_promise(
    lacuna: Lacuna, model: Path, gold: Path, tmp_path: Path
) -> None:
    promising = tmp_path / "promising.lacuna"
    assert lacuna("calibrate", model, gold, "--max-missed", 0.2, "-o", promising).code == 0
    options = ("--model", promising, "--max-missed", 0.2)
    same = lacuna("deid", gold, "-o", tmp_path / "same", *options, "--strict-promise")
    assert same.code == 0
    assert "warning" not in same.err
    notes = tmp_path / "other.jsonl"
    prose = "the quick brown fox jumps over the lazy dog and goes home"
    write_corpus([Document(str(n), prose) for n in range(80)], notes, format="jsonl")
    lenient = lacuna("deid", notes, "-o", tmp_path / "lenient", *options)
    assert lenient.code == 0
    assert "warning: the documents differ from those of the calibration" in lenient.err
    assert "unknown words" in lenient.err
    report = json.loads((tmp_path / "lenient" / "report.json").read_text())
    assert "the documents differ" in report["warnings"][0]
    assert "the documents differ" in (tmp_path / "lenient" / "report.html").read_text()
    strict = lacuna("deid", notes, "-o", tmp_path / "strict", *options, "--strict-promise")
    assert strict.code == 2
    assert "nothing was written" in strict.err
    assert not (tmp_path / "strict").exists()
    alone = lacuna("deid", notes, "--dry-run", "--model", promising, "--strict-promise")
    assert "--strict-promise needs --max-missed" in alone.err


def test_documents_in_another_language_are_named(
    lacuna: Lacuna, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = next(iter(generate(1, seed=8, split=Split.TEST))).text
    texts = {"a": SPANISH, "b": english, "c": GERMAN, "d": FRENCH}
    for name, text in texts.items():
        (tmp_path / "notes").mkdir(exist_ok=True)
        (tmp_path / "notes" / f"{name}.txt").write_text(text, encoding="utf-8")
    warning = "warning: 3 documents do not look like English text; 1 looks Spanish, try"
    for workers in (1, 2):
        safe = tmp_path / f"safe{workers}"
        run = lacuna("deid", tmp_path / "notes", "-o", safe, "--workers", workers)
        assert run.code == 0
        assert warning in run.err
        report = json.loads((safe / "report.json").read_text())
        assert report["foreign"] == len(report["foreign_documents"]) == 3
        assert warning.partition(": ")[2] in (safe / "report.html").read_text()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GERMAN.encode())))
    assert "1 document does not look like English" in lacuna("deid", "-").err


def test_too_few_documents_promise_nothing(lacuna: Lacuna, model: Path, gold: Path) -> None:
    before = model.read_bytes()
    run = lacuna("calibrate", model, gold, "--max-missed", 0.001)
    assert run.code == 2
    assert "at least 999 are needed" in run.err
    assert model.read_bytes() == before


def test_restoring(
    lacuna: Lacuna, model: Path, note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = tmp_path / "v.vault"
    note = note.rename(tmp_path / "okafor.txt")
    options = ("--model", model, "--vault", vault)
    assert "LACUNA_PASSPHRASE" in lacuna("deid", note, "-o", tmp_path / "x", *options).err
    monkeypatch.setenv("LACUNA_PASSPHRASE", "open sesame")
    short = lacuna("deid", note, "-o", tmp_path / "x", *options)
    assert (short.code, "at least 12 characters" in short.err) == (2, True)
    assert list(tmp_path.iterdir()) == [note]
    monkeypatch.setenv("LACUNA_PASSPHRASE", "open sesame, please")
    inside = lacuna("deid", note, "-o", tmp_path / "x", *options[:3], tmp_path / "x" / "v.vault")
    assert "must not be in the output folder" in inside.err
    lacuna("deid", note, "-o", tmp_path / "safe", *options)
    (name,) = contents(tmp_path / "safe")
    assert "okafor" not in name
    run = lacuna("restore", vault, tmp_path / "safe" / name, "-o", "-")
    assert run.out == NOTE
    assert lacuna("restore", vault, tmp_path / "safe", "-o", tmp_path / "back").code == 0
    assert contents(tmp_path / "back") == {"okafor.txt": NOTE.encode()}
    again = lacuna("deid", note, "-o", tmp_path / "y", *options)
    assert (again.code, "never overwritten" in again.err) == (2, True)
    assert not (tmp_path / "y").exists()
    (tmp_path / "safe" / name).write_text("changed")
    assert lacuna("restore", vault, tmp_path / "safe", "-o", tmp_path / "more").code == 1
    vault.write_bytes(vault.read_bytes()[:-1])
    cut = lacuna("restore", vault, tmp_path / "safe", "-o", tmp_path / "cut")
    assert "is incomplete, its run was stopped; it contains 1 documents" in cut.err
    monkeypatch.setenv("LACUNA_PASSPHRASE", "wrong")
    assert lacuna("restore", vault, tmp_path / "safe", "-o", tmp_path / "no").code == 2


def test_the_private_folder_is_named(
    lacuna: Lacuna, model: Path, note: Path, tmp_path: Path
) -> None:
    run = lacuna("deid", note, "-o", tmp_path / "safe", "--model", model)
    *_, first, last = run.err.splitlines()
    assert first == f"to pass on: {tmp_path / 'safe'}/"
    assert last.startswith(f"keep private: {tmp_path / 'safe.private'}/ (which output belongs to")
    assert {path.name for path in tmp_path.iterdir()} == {"note.txt", "safe", "safe.private"}


def test_in_python(model: Path) -> None:
    safe = library.deidentify(NOTE, model=model, policy="mask")
    assert "Okafor" not in safe.document.text
    assert safe.counts["DATE"] == 1
    loaded = library.load(model)
    documents = [library.Document("a", NOTE), library.Document("b", NOTE)]
    many = list(library.deidentify(documents, model=loaded, policy="mask"))
    assert [one.document.text for one in many] == [safe.document.text] * 2
    with pytest.raises(ConfigError, match="needs a model file"):
        library.deidentify(NOTE, model=loaded, max_missed=0.1)


def test_in_python_a_failure_is_raised(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lacuna.deid.redact import Redactor

    def fail(*_: object) -> None:
        raise KeyError("Okafor")

    monkeypatch.setattr(Redactor, "redact", fail)
    with pytest.raises(RedactionError) as error:
        library.deidentify(NOTE, model=model)
    assert "Okafor" not in str(error.value)
