"""Lessons: what is learnt, reproducibly, and how it is judged."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lacuna.errors import ConfigError
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.hypergraph import Shared
from lacuna.models.registry import load
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.operations import Asked, Reject, SetState, State
from lacuna.web.parts import Part
from lacuna.web.project import Project
from lacuna.web.teaching.frames import Made, Teach, Told, Warm, Working
from lacuna.web.teaching.gate import Verdict
from lacuna.web.teaching.learnable import to_judge, to_learn
from lacuna.web.teaching.lesson_plan import plan_of
from lacuna.web.teaching.lessons import Classroom
from tests.web.teaching.lesson_notes import fill, of_part, project_with, tiny_model


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with(tmp_path / "ward7", []) as made:
        yield made


def asked(project: Project, **more: object) -> Teach:
    with project.store.database.reading() as connection:
        documents, judged = tuple(to_learn(connection)), tuple(to_judge(connection))
    live = str(project.folder.parent / "tiny.lacuna") if project.settings.model != "none" else None
    draft = str(project.folder / "models" / ".draft")
    values = {"early": 2, "iterations": 6} | more
    return Teach(1, str(project.folder), documents, judged, live, draft, **values)  # type: ignore[arg-type]


def taught(lesson: Teach, stop: threading.Event | None = None) -> tuple[list[Made], list[Working]]:
    told: list[Told] = []
    Classroom().teach(lesson, told.append, stop or threading.Event())
    return (
        [one for one in told if isinstance(one, Made)],
        [one for one in told if isinstance(one, Working)],
    )


def test_a_lesson_gives_an_early_model_and_a_last_one(project: Project) -> None:
    fill(project, learn=10, gate=8)
    (early, last), working = taught(asked(project))
    assert [one.state for one in working][:2] == ["preparing", "learning"]
    assert {"judging", "polishing"} <= {one.state for one in working}
    assert (early.iterations, early.is_last, last.is_last) == (2, False, True)
    assert early.compared.documents == early.compared.patients == 8
    for made in (early, last):
        file = Path(made.file)
        assert hashlib.sha256(file.read_bytes()).hexdigest() == made.sha256
        assert set(load(file).labels) == {"DOCTOR", "CITY"}
    before, now = last.compared.before.missed, last.compared.now.missed
    assert before is not None
    assert now is not None
    assert now < before  # it has learnt the other style
    assert {one.label: one.examples for one in last.compared.labels} == {"DOCTOR": 10, "CITY": 10}


def test_a_model_can_be_made_again_after_more_edits(project: Project) -> None:
    fill(project, learn=6, gate=0)
    lesson = asked(project)
    first = taught(lesson)[0][-1].sha256
    for key in (1, 2):
        row = project.store.row(key)
        assert row is not None
        operations: list[Asked] = [Reject("g1"), SetState(State.OPEN)]
        project.store.apply_edit(key, operations, request=f"x{key}", base=row.version, who="ana")
    import_documents(project.store, of_part(project, Part.LEARN, 8))
    assert taught(asked(project))[0][-1].sha256 != first
    assert taught(lesson)[0][-1].sha256 == first  # from keys and versions alone


def test_without_a_gate_every_model_goes_live_unchecked(project: Project) -> None:
    fill(project, learn=4, gate=2)
    (early, last), _ = taught(asked(project))
    assert early.compared.verdict is last.compared.verdict is Verdict.NO_GATE
    assert last.replaces


def test_stopping_keeps_what_was_learnt(project: Project) -> None:
    fill(project, learn=6, gate=5)
    stop = threading.Event()
    made: list[Made] = []

    def hear(told: Told) -> None:
        if isinstance(told, Working) and told.iteration == 3:
            stop.set()
        if isinstance(told, Made):
            made.append(told)

    Classroom().teach(asked(project, early=20, iterations=40), hear, stop)
    (one,) = made
    assert (one.iterations, one.is_last) == (3, True)


def test_stopped_before_the_first_iteration_there_is_no_model(project: Project) -> None:
    fill(project, learn=6, gate=0)
    stop = threading.Event()
    stop.set()
    assert taught(asked(project, iterations=40), stop)[0] == []


def test_without_a_model_a_new_one_is_trained(tmp_path: Path) -> None:
    with project_with(tmp_path / "ward7", [], model=False) as project:
        fill(project, learn=8, gate=6)
        made = taught(asked(project, iterations=10))[0][-1]
        assert made.base_sha256 is None
        assert made.compared.before.missed == 1.0
        assert made.compared.now.missed is not None
        assert made.compared.now.missed < 0.5
        assert isinstance(load(made.file), CrfModel)


def test_a_prepared_lesson_gives_the_same_models(project: Project) -> None:
    fill(project, learn=6, gate=5)
    lesson, room = asked(project, iterations=0), Classroom()
    room.warm(Warm(lesson.folder, lesson.documents, lesson.judged_on, lesson.live))
    prepared = room.prepared
    assert prepared is not None
    assert next(prepared.begun.steps).iteration == 0  # prepared, and not used up
    for _ in range(2):
        room.warm(Warm(lesson.folder, lesson.documents, lesson.judged_on, lesson.live))
    assert room.prepared is prepared  # nothing has changed
    room.prepared = None
    room.warm(Warm(lesson.folder, lesson.documents, lesson.judged_on, lesson.live))
    told: list[Told] = []
    room.teach(lesson, told.append, threading.Event())
    assert room.prepared is None
    made = [one for one in told if isinstance(one, Made)]
    assert [one.sha256 for one in made] == [one.sha256 for one in taught(lesson)[0]]


def test_what_was_prepared_for_other_documents_is_not_used(project: Project) -> None:
    fill(project, learn=6, gate=0)
    lesson, room = asked(project, iterations=0), Classroom()
    room.warm(Warm(lesson.folder, lesson.documents[1:], (), lesson.live))
    told: list[Told] = []
    room.teach(lesson, told.append, threading.Event())
    (*_, last) = [one for one in told if isinstance(one, Made)]
    assert last.sha256 == taught(lesson)[0][-1].sha256


def test_warming_opens_what_a_lesson_needs(project: Project) -> None:
    fill(project, learn=3, gate=2)
    lesson, room = asked(project), Classroom()
    room.warm(Warm(lesson.folder, lesson.documents, lesson.judged_on, lesson.live))
    assert set(room.documents) == {*lesson.documents, *lesson.judged_on}
    assert len(room.models) == 1


def test_how_to_learn(project: Project) -> None:
    notes = of_part(project, Part.LEARN, 4)
    base = tiny_model()
    plan = plan_of(project, base, notes)
    assert plan.start is base
    assert isinstance(plan.config, Crf)
    assert plan_of(project, None, notes).start is None
    named = replace(project, settings=replace(project.settings, learn="trigram-hmm"))
    assert type(plan_of(named, base, notes).config).__name__ == "TrigramHmm"
    with pytest.raises(ConfigError, match="no label has 3 examples"):
        plan_of(project, None, notes[:2])


def with_gap(document: Document, label: str = "WARD") -> Document:
    item = document.to_dict()
    item["mentions"].append({"label": label, "spans": [[0, 2], [4, 6]]})
    return Document.from_dict(item)


def test_mentions_with_gaps_beside_a_model_that_is_adapted(project: Project) -> None:
    """A few are left out, counted and not learnt as nothing; many need a new model."""
    notes, base = of_part(project, Part.LEARN, 12), tiny_model()
    few = [*map(with_gap, notes[:3]), *notes[3:]]  # 3 of 27 mentions
    plan = plan_of(project, base, few)
    assert plan.start is base
    assert plan.examples == {"DOCTOR": 12, "CITY": 12}
    assert [one.reviewed is None for one in plan.documents] == [False] * 3 + [True] * 9
    assert plan.remark.startswith("Not learnt: 3 mentions of WARD with gaps or overlaps.")
    many = [*map(with_gap, notes[:7]), *notes[7:]]  # 7 of 31
    plan = plan_of(project, base, many)
    assert (plan.start, plan.remark, plan.examples["WARD"]) == (None, "", 7)
    assert isinstance(plan.config, Shared)


def test_mentions_with_gaps_and_no_model_to_adapt(project: Project) -> None:
    notes = of_part(project, Part.LEARN, 12)
    few = [*map(with_gap, notes[:3]), *notes[3:]]
    for base in (None, others_model()):  # which knows no label of the project
        assert isinstance(plan_of(project, base, few).config, Shared)
    plan = plan_of(project, None, few[1:])  # two examples are too few
    assert isinstance(plan.config, Crf)
    assert "2 mentions of WARD" in plan.remark


def others_model() -> CrfModel:
    text = "Aspirin daily."
    item = {"id": "a", "text": text, "mentions": [{"label": "DRUG", "spans": [[0, 7]]}]}
    model = train_model([Document.from_dict(item)], Crf(iterations=1))
    assert isinstance(model, CrfModel)
    return model


def test_a_lesson_says_what_it_left_out(project: Project) -> None:
    import_documents(project.store, list(map(with_gap, of_part(project, Part.LEARN, 1))))
    fill(project, learn=6, gate=5)
    for made in taught(asked(project))[0]:
        assert made.compared.why.endswith("but begins from nothing.")


def test_a_rare_new_label_is_left_out(project: Project) -> None:
    notes = of_part(project, Part.LEARN, 4)
    item = notes[0].to_dict()
    item["mentions"].append({"label": "WARD", "spans": [[0, 4]]})
    plan = plan_of(project, tiny_model(), [Document.from_dict(item), *notes[1:]])
    assert set(plan.examples) == {"DOCTOR", "CITY"}
    assert plan.documents[0].reviewed is not None
