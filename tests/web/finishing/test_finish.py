"""Finish: what is learnt from, what is scored, what is promised and what is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import msgspec
import pytest

from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.errors import ConfigError, StoppedError
from lacuna.models.registry import load
from lacuna.pipeline.detection import open_detection
from lacuna.web.finishing.finish import REPORTS, finish
from lacuna.web.finishing.promise_meter import promise_meter
from lacuna.web.finishing.records import FinishAsked, RefusedError, Step
from lacuna.web.finishing.sealed import count_sealed
from lacuna.web.operations import State
from lacuna.web.parts import Part
from lacuna.web.project import Project
from tests.web.finishing.tiny import MODEL, add_notes, decide, keys_of, tiny_project

LEVEL = 0.2  #: 14 patients can promise it with a confidence of 0.95


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    """Return a project with 14 sealed patients, everything reviewed."""
    with tiny_project(tmp_path / "ward7", base=base) as made:
        for part, patients in ((Part.LEARN, 8), (Part.GATE, 2), (Part.SEAL, 14)):
            decide(made, add_notes(made, part, patients))
        yield made


def asked(**more: object) -> FinishAsked:
    return msgspec.convert({"level": LEVEL, **more}, FinishAsked)


def looked_at(project: Project) -> set[int]:
    rows = project.store.database.reader.execute(
        "SELECT key FROM document WHERE looked_at IS NOT NULL"
    )
    return {key for (key,) in rows}


def page(project: Project, protocol: str) -> str:
    return (project.folder / REPORTS / protocol).read_text("utf-8")


def test_a_finished_model(project: Project) -> None:
    steps: list[Step] = []
    made = finish(project, asked(), who="ana", on_step=steps.append)
    learn = {*keys_of(project, Part.LEARN), *keys_of(project, Part.GATE)}
    sealed = set(keys_of(project, Part.SEAL))
    assert {key for key, _ in made.learnt_from} == learn
    assert {key for key, _ in made.scored} == sealed == looked_at(project)
    figures, promise = made.outcome.figures, made.outcome.promise
    assert figures is not None
    assert (figures.documents, figures.patients) == (14, 14)
    assert figures.f1.low <= figures.f1.value <= figures.f1.high
    assert [one.gold for one in figures.labels] == [14, 14]
    assert promise is not None
    assert promise.patients == 14
    assert made.file == "models/finished-0001.lacuna"
    states = [step.state for step in steps]
    assert states[0] == "preparing"
    assert states[-2:] == ["judging", "done"]
    assert "learning" in states
    row = project.store.database.reader.execute(
        "SELECT purpose, lower(hex(sha256)), compared_on FROM taught"
    ).fetchone()
    assert row == ("finish", made.sha256, "[]")
    (look,) = project.store.database.reader.execute("SELECT documents FROM seal_look").fetchall()
    assert {key for key, _ in msgspec.json.decode(look[0])} == sealed


def test_the_file_keeps_the_promise(project: Project) -> None:
    made = finish(project, asked(), who="ana")
    path = project.folder / made.file
    options = with_policy(DetectionOptions(model=str(path)), project.policy())
    opened = open_detection(options, max_missed=LEVEL, confidence=0.95)
    assert made.outcome.promise is not None
    assert opened.threshold == made.outcome.promise.threshold
    card = load(path).card
    assert card.documents == 10
    assert "14 documents of 14 patients that no model had seen" in card.scores[-1].how
    assert card.adapted_from is not None
    assert path.stat().st_mode & 0o077 == 0


def test_the_protocol(project: Project) -> None:
    made = finish(project, asked(), who="ana")
    html = page(project, made.outcome.protocol)
    path = project.folder / REPORTS / made.outcome.protocol
    assert path.stat().st_mode & 0o077 == 0
    for part in ("DOCTOR", "CITY", made.sha256, "with confidence 95.0%", "ana", "--max-missed 0.2"):
        assert part in html
    assert "<script" not in html
    for key in keys_of(project, Part.SEAL):  # no patient, no document, no text
        document = project.store.document(key)
        assert document is not None
        assert document.source.id not in html
        assert document.source.text not in html


def test_the_meter(project: Project) -> None:
    with project.store.database.reading() as connection:
        marks = promise_meter(connection)
        assert [(one.level, one.needed, one.have) for one in marks] == [
            (0.1, 29, 14),
            (0.05, 59, 14),
            (0.02, 149, 14),
            (0.01, 299, 14),
        ]
    finish(project, asked(), who="ana")
    with project.store.database.reading() as connection:
        assert [one.have for one in promise_meter(connection)] == [0, 0, 0, 0]


def test_patients_that_somebody_chose_do_not_count(project: Project) -> None:
    new = add_notes(project, Part.SEAL, 2, notes=2, skip=14)
    with project.store.database.reading() as connection:
        assert count_sealed(connection).unseen_patients == 0  # some wait, and nobody was drawn
    project.store.mark_sampled(keys_of(project, Part.SEAL)[:5])
    decide(project, new[:1])
    with project.store.database.reading() as connection:
        counts = count_sealed(connection)
    assert counts.unseen_patients == 5
    assert (counts.reviewed_documents, counts.reviewed_patients) == (15, 14)
    made = finish(project, asked(), who="ana")
    assert {key for key, _ in made.scored} == set(keys_of(project, Part.SEAL)[:5])
    project.store.mark_sampled(new)
    made = finish(project, asked(again=True), who="ana")
    assert made.outcome.unfinished == 2


def test_with_too_few_patients_nothing_is_promised(project: Project) -> None:
    made = finish(project, asked(level=0.05), who="ana")
    assert made.outcome.figures is not None
    assert made.outcome.promise is None
    assert made.outcome.more_needed == 59 - 14
    assert "45 more sealed patients" in page(project, made.outcome.protocol)
    options = with_policy(DetectionOptions(model=str(project.folder / made.file)), project.policy())
    with pytest.raises(ConfigError, match="no promise"):
        open_detection(options, max_missed=0.05, confidence=0.95)


def test_a_second_look_is_refused_or_void(project: Project) -> None:
    finish(project, asked(), who="ana")
    with pytest.raises(RefusedError) as refused:
        finish(project, asked(), who="ana")
    assert refused.value.kind == "seal-was-opened"
    made = finish(project, asked(again=True), who="ana")
    assert made.outcome.void
    assert made.outcome.promise is None
    assert "The promise is void" in page(project, made.outcome.protocol)
    assert "void" in load(project.folder / made.file).card.scores[-1].how
    options = with_policy(DetectionOptions(model=str(project.folder / made.file)), project.policy())
    with pytest.raises(ConfigError, match="no promise"):
        open_detection(options, max_missed=LEVEL, confidence=0.95)


def test_patients_reviewed_since_are_new(project: Project) -> None:
    finish(project, asked(), who="ana")
    new = add_notes(project, Part.SEAL, 3, skip=14)
    decide(project, new)
    made = finish(project, asked(), who="ana")
    assert {key for key, _ in made.scored} == set(new)
    assert not made.outcome.void


def test_everything(project: Project) -> None:
    made = finish(project, asked(everything=True), who="ana")
    assert len(made.learnt_from) == 24
    assert made.outcome.promise is None
    assert made.outcome.figures is not None
    assert made.outcome.figures.how == "cross-validated"
    assert made.outcome.figures.patients == 10  # the seal stays closed
    assert looked_at(project) == set()
    assert "nothing is promised" in page(project, made.outcome.protocol)
    assert finish(project, asked(), who="ana").outcome.promise is not None


def test_what_cannot_be_finished(tmp_path: Path, base: Path) -> None:
    with tiny_project(tmp_path / "p", base=base) as project:
        keys = add_notes(project, Part.LEARN, 3)
        for kind in ("nothing-to-learn", "too-few"):
            with pytest.raises(RefusedError) as refused:
                finish(project, asked(), who="ana")
            assert refused.value.kind == kind
            decide(project, keys)
        assert finish(project, asked(everything=True), who="ana").outcome.figures is not None


def test_without_a_base_a_new_model_is_trained(tmp_path: Path) -> None:
    with tiny_project(tmp_path / "p") as project:
        for part in (Part.LEARN, Part.SEAL):
            decide(project, add_notes(project, part, 3))
        made = finish(project, asked(), who="ana")
        assert made.base_sha256 is None
        assert "started from nothing" in page(project, made.outcome.protocol)


@pytest.mark.parametrize("state", ["learning", "judging"])
def test_stopped_nothing_is_written(project: Project, state: str) -> None:
    stop = Event()

    def stop_at(step: Step) -> None:
        if step.state == state:
            stop.set()

    before = sorted(project.folder.rglob("*.lacuna"))
    with pytest.raises(StoppedError):
        finish(project, asked(), who="ana", on_step=stop_at, stop=stop)
    assert sorted(project.folder.rglob("*.lacuna")) == before
    assert looked_at(project) == set()
    assert not (project.folder / REPORTS).exists()


Meddle = Callable[[Project], object]


@pytest.mark.parametrize(
    "meddle",
    [
        lambda project: finish(project, asked(), who="bo"),
        lambda project: decide(project, keys_of(project, Part.SEAL)[:1], State.OPEN),
    ],
)
def test_the_seal_is_opened_once_also_by_two_at_the_same_time(
    project: Project, meddle: Meddle
) -> None:
    done: list[str] = []

    def other(step: Step) -> None:
        if step.state == "judging" and not done:
            done.append(step.state)
            meddle(project)

    if "finish" in meddle.__code__.co_names:
        with pytest.raises(RefusedError, match="just now"):
            finish(project, asked(), who="ana", on_step=other)
        assert [path.name for path in project.folder.glob("models/*")] == ["finished-0001.lacuna"]
    else:  # what was reviewed when it began counts
        made = finish(project, asked(), who="ana", on_step=other)
        assert len(made.scored) == 14
    assert (project.folder / MODEL).exists()
