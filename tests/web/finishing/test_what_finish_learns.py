"""Finish learns what the teacher learns, and in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from lacuna.models.crf import CrfModel
from lacuna.models.registry import load
from lacuna.web.finishing.finish import REPORTS, finish
from lacuna.web.finishing.records import FinishAsked, Finished
from lacuna.web.operations import Add
from lacuna.web.parts import Part
from lacuna.web.project import Project
from lacuna.web.teaching.frames import Made, Teach, Told
from lacuna.web.teaching.lessons import Classroom
from tests.web.finishing.tiny import add_notes, decide, decide_a_line, keys_of, tiny_project


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    """Return a project with three notes of which a line was decided, one of them of the gate."""
    with tiny_project(tmp_path / "ward7", base=base) as made:
        for part, patients in ((Part.LEARN, 6), (Part.GATE, 2), (Part.SEAL, 3)):
            decide(made, add_notes(made, part, patients))
        decide_a_line(made, add_notes(made, Part.LEARN, 2, skip=6))
        decide_a_line(made, add_notes(made, Part.GATE, 1, skip=2))
        add_notes(made, Part.LEARN, 1, skip=8)  # of which nobody has decided anything
        yield made


def finished(project: Project, *, everything: bool = False) -> Finished:
    return finish(project, FinishAsked(level=0.3, everything=everything), who="ana")


def page(project: Project, made: Finished) -> str:
    return (project.folder / REPORTS / made.outcome.protocol).read_text("utf-8")


def test_lines_that_somebody_decided_count(project: Project) -> None:
    made = finished(project)
    learn = {*keys_of(project, Part.LEARN)[:-1], *keys_of(project, Part.GATE)}
    assert {key for key, _ in made.learnt_from} == learn
    assert made.outcome.in_part == 3
    html = page(project, made)
    assert "8 documents as a whole" in html
    assert "3 documents in part" in html
    assert load(project.folder / made.file).card.data == (
        "11 reviewed documents, 3 of them in part, of the project Ward 7",
    )


def test_it_is_the_model_that_the_teacher_would_make(project: Project) -> None:
    made = finished(project)
    told: list[Told] = []
    draft = str(project.folder / "models" / ".draft")
    lesson = Teach(1, str(project.folder), made.learnt_from, (), None, draft)
    Classroom().teach(lesson, told.append, Event())
    last = [one for one in told if isinstance(one, Made)][-1]
    ours, theirs = load(project.folder / made.file), load(last.file)
    assert isinstance(ours, CrfModel)
    assert isinstance(theirs, CrfModel)
    assert made.iterations == last.iterations
    assert made.base_sha256 == last.base_sha256
    assert ours.config == theirs.config
    many = len(ours.tags)
    np.testing.assert_array_equal(ours.weights.dense(many), theirs.weights.dense(many))


def test_folds_score_only_what_was_reviewed_as_a_whole(project: Project) -> None:
    figures = finished(project, everything=True).outcome.figures
    assert figures is not None
    assert figures.documents == 8


def test_a_label_with_two_examples_is_not_learnt(project: Project) -> None:
    for key in keys_of(project, Part.LEARN)[:2]:
        row = project.store.row(key)
        assert row is not None
        add = Add("w", "WARD", ((0, 4),))
        project.store.apply_edit(key, [add], request=f"w{key}", base=row.version, who="ana")
    made = finished(project)
    assert made.outcome.not_learnt == ("WARD",)
    assert set(load(project.folder / made.file).labels) == {"DOCTOR", "CITY"}
    assert "fewer than 3 examples: WARD" in page(project, made)


def test_the_kind_of_model_that_the_project_names(project: Project) -> None:
    named = replace(project, settings=replace(project.settings, learn="trigram-hmm"))
    made = finished(named)
    assert load(project.folder / made.file).kind == "trigram-hmm"
    assert made.base_sha256 is None
    assert "started from nothing" in page(project, made)
