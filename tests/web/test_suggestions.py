"""Suggestions: what is shown, what is doubtful, how much a person is needed, and the cache."""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.detection_options import BUNDLED_MODEL
from lacuna.deid.detector import UNNAMED, Detected, detect_bounded
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.resolution import resolve
from lacuna.errors import ConfigError, EditError
from lacuna.inference.chain import posterior
from lacuna.models.base import Tagger
from lacuna.models.chain_tagger import ChainTagger
from lacuna.synthetic import generate
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize
from lacuna.web.edits import suggestion_uid
from lacuna.web.importing import import_documents
from lacuna.web.label_guesses import LabelGuesses
from lacuna.web.operations import SetState, State
from lacuna.web.project import Project, create_project, open_project
from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named, parse_settings
from lacuna.web.suggesting import doubtful_runs, read_findings, suggested
from lacuna.web.suggestions import Suggested, Suggester, remembered

NOTES = [replace(note, mentions=()) for note in generate(12, seed=7)]
GOLDEN = Path(__file__).parent.parent / "models" / "golden"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a project with generated notes and the bundled model."""
    settings = Settings("Ward 7", labels=labels_named(DEFAULT_LABELS))
    with create_project(tmp_path / "ward7", settings) as made:
        import_documents(made.store, NOTES)
        yield made


def opened(project: Project) -> Suggester:
    suggester = Suggester.open(project)
    assert suggester is not None
    return suggester


def with_setting(project: Project, line: str) -> Project:
    """Return the project opened anew with another line in project.toml."""
    path = project.folder / "project.toml"
    name = line.partition(" ")[0]
    kept = [one for one in path.read_text().splitlines() if not one.startswith(f"{name} =")]
    path.write_text("\n".join([line, *kept]))
    project.close()
    return open_project(project.folder)


# --- what is suggested


def test_suggestions_are_what_deid_finds(project: Project) -> None:
    suggester = opened(project)
    assert {"PATIENT", "DATE", "URL"} <= set(suggester.labels)
    assert suggester.name == "en-clinical"
    for note, found in zip(NOTES, suggester.suggest(NOTES), strict=True):
        (detected,) = detect_bounded(suggester.detector, [note])
        wanted = [f for f in detected.findings if f.label in DEFAULT_LABELS]
        assert any(f.label not in DEFAULT_LABELS for f in detected.findings) or wanted
        rows = [(s.label, s.spans, s.probability, s.source) for s in found.suggestions]
        assert rows == [
            (f.label, ((f.start, f.end),), f.probability, f.origin)
            for f in resolve(note.text, wanted)
        ]
        assert all(s.uid == suggestion_uid(s.label, s.spans) for s in found.suggestions)
        check_apart(found)
        assert found.need == pytest.approx(plain_need(detected, found))


def check_apart(found: Suggested) -> None:
    taken = [span for one in found.suggestions for span in one.spans]
    for doubt in found.doubts:
        ((start, end),) = doubt.spans
        assert start < end
        assert all(last <= start or end <= first for first, last in taken)
        assert doubt.uid == suggestion_uid(doubt.label, doubt.spans)
        taken.append((start, end))


def plain_need(detected: Detected, found: Suggested) -> float:
    """Return the need by a plain loop over tokens; findings nobody asked for count as missed."""
    spans = [span for one in found.suggestions for span in one.spans]
    missed = 0.0
    for start, end, chance in zip(detected.start, detected.end, detected.probability, strict=True):
        if not any(first < end and start < last for first, last in spans):
            missed += chance
    wrong = sum(s.probability * (1 - s.probability) for s in found.suggestions)
    return float((missed + wrong / 2) / math.sqrt(len(detected.start) / 1000))


LINES = "Ana Sato, 😀 Bern\r\nDr. Li (ward 7)\n03/14 Ann Lee"
LABELS = ("PER", "LOC")


@st.composite
def detections(draw: st.DrawFn) -> Detected:
    text = LINES[: draw(st.integers(0, len(LINES)))]
    tokens = tokenize(text)
    chance = st.sampled_from([0.0, 0.05, 0.1, 0.4, 0.9, 1.0])
    count = len(tokens)
    sure = np.array(draw(st.lists(chance, min_size=count, max_size=count)), np.float64)
    findings = []
    for _ in range(draw(st.integers(0, 4)) if count else 0):
        first = draw(st.integers(0, count - 1))
        last = min(count - 1, first + draw(st.integers(0, 2)))
        label = draw(st.sampled_from([*LABELS, "DATE", UNNAMED]))
        start, end = int(tokens.start[first]), int(tokens.end[last])
        origin = draw(st.sampled_from([Origin.MODEL, Origin.PATTERN]))
        findings.append(Finding(start, end, label, origin, draw(chance)))
    nothing = np.zeros(count, np.bool_)
    return Detected(Document("n", text), findings, tokens.start, tokens.end, sure, nothing)


@given(detections())
def test_doubts_by_brute_force(detected: Detected) -> None:
    read = read_findings(detected, LABELS)
    runs = doubtful_runs(read)
    found = suggested(read, runs, ["LOC"] * len(runs))
    check_apart(found)
    text = detected.document.text
    assert all(s.label in LABELS for s in found.suggestions)
    shown = [span for s in found.suggestions for span in s.spans]
    known = shown + [f[:2] for f in detected.findings if f.label == "DATE"]
    unnamed = [f[:2] for f in detected.findings if f.label == UNNAMED]

    def touches(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in spans)

    doubts = [d.spans[0] for d in found.doubts]
    need = 0.0
    for start, end, chance in zip(detected.start, detected.end, detected.probability, strict=True):
        is_known = touches(known, start, end)
        is_shown = touches(doubts, start, end)
        is_doubtful = not is_known and (chance >= 0.1 or touches(unnamed, start, end))
        need += 0 if touches(shown, start, end) else chance
        if any(map(str.isalnum, text[start:end])):
            assert is_shown == is_doubtful
        assert not is_shown or is_doubtful
    need += sum(s.probability * (1 - s.probability) / 2 for s in found.suggestions)
    assert found.need == pytest.approx(need / math.sqrt(max(len(detected.start), 1) / 1000))
    for start, end in doubts:
        assert len(text[start:end].splitlines()) == 1
        assert text[start].isalnum()
        assert text[end - 1].isalnum()
    assert len(found.words) == len(set(found.words)) == len(found.shares)
    assert sum(found.shares) <= found.need + 1e-9


def test_findings_with_other_labels_are_needed_but_no_doubts() -> None:
    text = "Ana Sato in Bern"
    tokens = tokenize(text)
    sure = np.array([0.9, 0.8, 0.0, 0.05])
    finding = Finding(0, 8, "STAFF", Origin.MODEL, 0.9)
    nothing = np.zeros(4, np.bool_)
    detected = Detected(Document("n", text), [finding], tokens.start, tokens.end, sure, nothing)
    known = suggested(read_findings(detected, ["STAFF"]), [], [])
    assert len(known.suggestions) == 1
    assert known.need == pytest.approx((0.05 + 0.9 * 0.1 / 2) / math.sqrt(0.004))
    read = read_findings(detected, ["PER"])
    assert doubtful_runs(read) == []
    other = suggested(read, [], [])
    assert (other.suggestions, other.doubts) == ((), ())
    assert other.need == pytest.approx(1.75 / math.sqrt(0.004))
    expected = {"ana": 0.9 / math.sqrt(0.004), "sato": 0.8 / math.sqrt(0.004)}
    assert dict(zip(other.words, other.shares, strict=True)) == pytest.approx(expected)


def test_a_label_is_guessed_where_the_model_can_tell(project: Project) -> None:
    tagger = opened(project).detector.tagger
    assert isinstance(tagger, ChainTagger)
    labels = ("PATIENT", "DOCTOR", "FINDING")
    guesses = LabelGuesses.of(tagger, labels)
    assert guesses.labels == labels[:2]
    runs = [[(0, 2), (7, 8)], [], [(3, 5)]]
    found = guesses.guess(NOTES[:3], runs)
    for note, own, names in zip(NOTES, runs, found, strict=False):
        table = tagger.table([note])
        for (first, last), name in zip(own, names, strict=True):
            sums = dict.fromkeys(labels[:2], 0.0)
            for token in range(first, last):
                s = int(np.searchsorted(table.sentences, token, side="right")) - 1
                a, b = table.sentences[s : s + 2].tolist()
                chances = posterior(tagger.chain(), tagger.emission(table)[a:b]).marginals
                for state, tag in enumerate(tagger.state_tags):
                    if tag[2:] in sums:
                        sums[tag[2:]] += float(chances[token - a, state])
            assert name == max(sums, key=sums.__getitem__)
    assert LabelGuesses.of(tagger, ("FINDING",)).guess(NOTES[:1], [[(0, 1)]]) == [[UNNAMED]]


@pytest.mark.filterwarnings("ignore::lacuna.errors.ModelFileWarning")
def test_overlapping_models_are_used_alone(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "li.lacuna", tmp_path / "own.lacuna")
    settings = Settings(
        "x", labels=labels_named(["PER", "CITY"]), model=str(tmp_path / "own.lacuna")
    )
    text = "Seen by Dr. Zola Wexler in Arden today, 03/14/2014. Call 555-123-4567."
    with create_project(tmp_path / "p", settings) as project:
        suggester = opened(project)
        assert suggester.detector.tagger.core().overlapping
        (tagged,) = suggester.detector.tagger.find([Document("n", text)], probabilities=True)
        names = [label for label in suggester.detector.tagger.labels if label in ("PER", "CITY")]
        assert set(suggester.labels) == set(names)
        (found,) = suggester.suggest([Document("n", text)])
    expected = {
        (m.label, tuple((s.start, s.end) for s in m.spans), m.probability)
        for m in tagged.mentions
        if m.label in ("PER", "CITY") and (m.probability or 0) >= 0.5
    }
    assert expected
    assert {(s.label, s.spans, s.probability) for s in found.suggestions} == expected
    check_apart(found)


# --- project.toml


def test_the_model_of_a_project(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    assert parse_settings(b'name = "x"', path).model == "bundled"
    with pytest.raises(
        ConfigError, match=r'project.toml:2: model: .*own\.lacuna: no such file; .*"none"'
    ):
        parse_settings(b'name = "x"\nmodel = "own.lacuna"', path)
    with with_setting(project, 'model = "none"') as without:
        assert Suggester.open(without) is None


def test_another_threshold_is_another_model(project: Project) -> None:
    first = opened(project)
    assert opened(project).model == first.model
    for line in ("threshold = 0.9", 'policy = "research"', 'model = "copy.lacuna"'):
        if line.startswith("model"):
            shutil.copy(BUNDLED_MODEL, project.folder / "copy.lacuna")
        project = with_setting(project, line)
        other = opened(project)
        assert (other.model == first.model) == (not line.startswith("threshold"))
        first = other
    assert first.name == "copy"
    project.close()


# --- the cache


def test_filling_stores_suggestions_and_need(project: Project) -> None:
    store, suggester = project.store, opened(project)
    store.apply_edit(2, [SetState(State.DONE)], request="r", base=0, who="ana")
    seen: list[tuple[int, int]] = []
    suggester.fill(store, lambda done, of: seen.append((done, of)))
    assert seen == [(11, 11)]
    expected = suggester.suggest(NOTES)
    for key, one in enumerate(expected, start=1):
        row = store.row(key)
        assert row is not None
        if key == 2:
            assert (row.need, remembered(store, suggester.model, 2)) == (None, None)
        else:
            assert row.need == one.need
            assert remembered(store, suggester.model, key) == one
        assert suggester.for_document(store, key) == one
    seen.clear()
    suggester.fill(store, lambda done, of: seen.append((done, of)))
    assert seen == []
    with pytest.raises(EditError, match="no such document"):
        suggester.for_document(store, 99)


def test_what_another_model_said_is_forgotten(project: Project) -> None:
    suggester = opened(project)
    suggester.for_document(project.store, 1)
    project = with_setting(project, "threshold = 0.999")
    strict = opened(project)
    assert remembered(project.store, strict.model, 1) is None
    assert len(strict.for_document(project.store, 1).suggestions) < len(
        suggester.suggest(NOTES[:1])[0].suggestions
    )
    assert remembered(project.store, suggester.model, 1) is None
    project.close()


def test_filling_can_be_stopped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lacuna.web.suggestions.BATCH", 5)
    suggester, seen = opened(project), list[int]()
    suggester.fill(project.store, lambda done, _: seen.append(done), lambda: len(seen) == 2)
    assert seen == [5, 10]
    suggester.fill(project.store, lambda done, _: seen.append(done))
    assert seen == [5, 10, 2]


class Failing:
    """A tagger that cannot read one of the notes."""

    overlapping, labels = False, ("PATIENT",)

    def __init__(self, real: Tagger) -> None:
        self.real = real

    def core(self) -> Failing:
        return self

    def examine(self, documents: Sequence[Document]) -> list[object]:
        if any(document.id == NOTES[3].id for document in documents):
            raise ValueError(documents[0].text)
        return [*self.real.examine(documents)]


def test_a_note_that_fails_does_not_stop_the_others(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    suggester = opened(project)
    tagger = Failing(suggester.detector.tagger)
    detector = replace(suggester.detector, tagger=tagger)  # type: ignore[arg-type]
    failing = replace(suggester, detector=detector)
    with caplog.at_level(logging.WARNING):
        failing.fill(project.store)
    assert caplog.messages == ["no suggestions for document 4: ValueError"]
    needs = [row.need for row in project.store.documents()]
    assert [need is None for need in needs] == [key == 4 for key in range(1, 13)]


def test_a_new_project_has_every_label_that_can_be_found() -> None:
    """Otherwise what ``deid`` hides would not be suggested."""
    from lacuna.deid.patterns import PATTERN_LABELS
    from lacuna.models.registry import load
    from lacuna.web.project_file import DEFAULT_LABELS

    assert {*load(BUNDLED_MODEL).labels, *PATTERN_LABELS} <= set(DEFAULT_LABELS)
