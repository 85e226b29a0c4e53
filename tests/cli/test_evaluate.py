"""``evaluate`` and ``score``: the whole pipeline, leaks, error pages, hints, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lacuna import Document, Mention
from lacuna.deid.patterns import PATTERN_LABELS, find_patterns
from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from lacuna.models import base
from lacuna.models.bundled import bundled_model
from lacuna.pipeline.deidentify import Deidentifier
from lacuna.pipeline.evaluate import evaluate_pipeline
from lacuna.synthetic import Split, generate
from lacuna.text.document import Span
from tests.cli.conftest import Lacuna

SNIPPETS = Path(__file__).parent.parent / "deid" / "snippets.txt"
LEAK = "qwertzon"  # no name, so that nothing finds it
TEXT = f"Dr. Okafor saw {LEAK} on 03/14/2014. SSN 123-45-6789."


def at(words: str, label: str) -> Mention:
    return Mention.of(label, (TEXT.index(words), TEXT.index(words) + len(words)))


GOLD = Document(
    "n1",
    TEXT,
    (at("Okafor", "WHO"), at(LEAK, "WHO"), at("03/14/2014", "DATE"), at("123-45-6789", "SSN")),
    group="p1",
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    write_corpus([GOLD], path, format="jsonl")
    return path


def test_leaks_are_counted_and_shown(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    page = tmp_path / "leaks.html"
    run = lacuna("evaluate", "--pipeline", gold, "--errors", page)
    assert run.code == 0
    assert re.search(r"WHO +2 +1 +1 +0\.5000", run.out)
    assert re.search(r"SSN +5 +5 +0 +1\.0000", run.out)
    assert re.search(r"DATE +4 +4 +0 +1\.0000", run.out)  # the year is no identifier
    assert "1 of 1 document and 1 of 1 patient have a leak" in run.err
    assert LEAK not in run.out + run.err
    assert page.stat().st_mode & 0o777 == 0o600
    assert f"<mark>{LEAK}</mark>" in page.read_text()
    assert "Whole pipeline: 1 error<" in page.read_text()


def test_figures_as_json(lacuna: Lacuna, gold: Path) -> None:
    result = lacuna("evaluate", "--pipeline", gold, "--json").json
    assert result["policy"] == "safe-harbor"
    assert result["leaks"]["tokens"] == {"total": 11, "leaked": 1, "share": pytest.approx(1 / 11)}
    assert result["leaks"]["labels"]["WHO"]["tokens"]["leaked"] == 1
    assert result["binary"]["micro"]["tp"] == 10


def test_options_of_deid_change_the_result(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    (tmp_path / "always.txt").write_text(f"{LEAK}\n")
    found = lacuna("evaluate", "--pipeline", gold, "--json", "--always", tmp_path / "always.txt")
    assert found.json["leaks"]["tokens"]["leaked"] == 0
    less = lacuna("evaluate", "--pipeline", bundled_model(), gold, "--json", "--threshold", "1")
    assert less.json["leaks"]["labels"]["WHO"]["tokens"]["leaked"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gold", "--policy", "mask"), "need --pipeline"),
        (("m.lacuna", "gold", "--no-patterns"), "need --pipeline"),
        (("gold",), "give a model and annotated documents; --pipeline needs no model"),
        (("--pipeline", "m.lacuna"), "give annotated documents"),
        (("--pipeline", "gold", "--task", "ner"), "cannot be combined with --pipeline"),
        (("--pipeline", "gold", "--policy", "none"), "none"),
        (("--pipeline", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--pipeline", "gold", "--max-missed", "0.05"), "makes no promise"),
    ],
)
def test_usage_errors_end_with_2(
    lacuna: Lacuna, gold: Path, arguments: tuple[str, ...], message: str
) -> None:
    run = lacuna("evaluate", *(gold if a == "gold" else a for a in arguments))
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_model_alone_hints_at_patterns(lacuna: Lacuna, gold: Path) -> None:
    run = lacuna("evaluate", bundled_model(), gold)
    assert run.code == 0
    assert "hint: recall is 0 for SSN" in run.err
    assert "lacuna evaluate --pipeline" in run.err
    assert "hint" not in lacuna("evaluate", bundled_model(), gold, "--labels", "DATE").err


def test_the_labels_of_patterns_are_listed() -> None:
    assert {finding.label for finding in find_patterns(SNIPPETS.read_text())} <= PATTERN_LABELS


# agreement with deid


def interleaved() -> list[Document]:
    """Generated notes, those of a patient apart, as no batch would have them."""
    notes = list(generate(24, seed=8, split=Split.TEST))
    return notes[::2] + notes[1::2]


@pytest.mark.parametrize("policy", ["safe-harbor", "mask"])
def test_deid_hides_what_is_said_to_be_hidden(lacuna: Lacuna, tmp_path: Path, policy: str) -> None:
    """The output of deid is the text with something else for each hidden stretch."""
    notes = interleaved()
    source, safe = tmp_path / "notes.jsonl", tmp_path / "safe"
    write_corpus(notes, source, format="jsonl")
    run = lacuna("deid", source, "-o", safe, "--policy", policy, "--rename", "keep")
    assert run.code == 0
    texts = {d.id: d.text for d in read_corpus([str(safe / "notes.jsonl")])}
    pairs: list[tuple[Document, Document]] = []
    scores = evaluate_pipeline(
        Deidentifier(policy=policy), notes, on_pair=lambda *pair: pairs.append(pair)
    )
    assert [gone.id for _, gone in pairs] == [note.id for note in notes]
    for _, gone in pairs:
        assert re.fullmatch(pattern_of(gone), squeezed(texts[gone.id]), re.DOTALL), gone.id
    scored = lacuna("evaluate", "--pipeline", source, "--policy", policy, "--json").json
    binary = scores.section("binary").micro
    assert scored["leaks"]["tokens"]["leaked"] == binary.fn > 0
    hidden = {gone.id: {s for m in gone.mentions for s in m.spans} for _, gone in pairs}
    assert any(hidden.values())


def test_all_notes_of_a_patient_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """However documents are batched: what is found in a later note is hidden in an earlier one."""
    notes = [
        Document("n1", f"was {LEAK}.", (Mention.of("WHO", (4, 12)),), group="p1"),
        Document("n2", "No fever.", group="p2"),
        Document("n3", f"Patient: {LEAK.capitalize()}, Anna\nMRN: 4471203", group="p1"),
    ]
    monkeypatch.setattr(base, "BATCH_DOCUMENTS", 1)
    found = evaluate_pipeline(Deidentifier(), notes)
    assert found.ids == ("n1", "n2", "n3")
    assert found.section("binary").micro.fn == 0
    assert evaluate_pipeline(Deidentifier(), notes[:2]).section("binary").micro.fn == 1


def pattern_of(gone: Document) -> str:
    """Return what the new text must look like: any text without a tag's worth of the old one."""
    spans: list[Span] = sorted((s for m in gone.mentions for s in m.spans), key=lambda s: s.start)
    pattern, done = "", 0
    for span in spans:
        pattern += re.escape(squeezed(gone.text[done : span.start])) + ".{0,40}?"
        done = span.end
    return pattern + re.escape(squeezed(gone.text[done:]))


def squeezed(text: str) -> str:
    return "".join(text.split())


# two annotations


def test_two_annotators_see_where_they_differ(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    other = Document("n1", TEXT, (at("Okafor", "WHO"), at("03/14", "DATE")), group="p1")
    write_corpus([other], tmp_path / "other.jsonl", format="jsonl")
    for number, options in enumerate([(), ("--agreement",)]):
        page = tmp_path / f"differences-{number}.html"
        run = lacuna("score", gold, tmp_path / "other.jsonl", *options, "--errors", page)
        assert run.code == 0
        assert "<h1>3 errors</h1>" in page.read_text()
        assert page.stat().st_mode & 0o777 == 0o600
    assert lacuna("score", gold, gold, "--errors", tmp_path).code == 2


def test_leaks_take_one_line_unless_asked_for(lacuna: Lacuna, gold: Path) -> None:
    short, long = lacuna("score", gold, gold), lacuna("score", gold, gold, "--leaks")
    assert "leaks: 0 of 12 gold tokens are not covered" in short.err
    assert "tokens of SSN" not in short.out
    assert "tokens of SSN" in long.out
    assert re.search(r"discontiguous( +–){5} +0 +0 +0", short.out)


def test_scores_below_1_are_no_failure(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    write_corpus([Document("n1", TEXT)], tmp_path / "none.jsonl", format="jsonl")
    assert lacuna("score", gold, tmp_path / "none.jsonl").code == 0
    other = Document("n1", TEXT + " More.")
    write_corpus([other], tmp_path / "other.jsonl", format="jsonl")
    run = lacuna("score", gold, tmp_path / "other.jsonl")
    assert (run.code, run.out) == (2, "")


def test_annotators_of_one_export_are_compared(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    """From an export of Label Studio with two annotators to their agreement."""
    export = tmp_path / "export.json"
    assert lacuna("convert", gold, export, "--to", "label-studio").code == 0
    (task,) = json.loads(export.read_text())
    (first,) = task["annotations"]
    second = {"completed_by": 2, "result": first["result"][:2]}
    task["annotations"] = [{**first, "completed_by": 1}, second]
    export.write_text(json.dumps([task]))
    for name in ("1", "2"):
        one = ("convert", export, tmp_path / f"{name}.jsonl", "--to", "jsonl", "--annotator", name)
        assert lacuna(*one).code == 0
    run = lacuna("score", tmp_path / "1.jsonl", tmp_path / "2.jsonl", "--agreement", "--json")
    assert run.json["f1"]["strict"] == pytest.approx(2 * 2 / (4 + 2))
