"""What is learnt from: parts, finished and open documents, and documents as they once were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.errors import EditError
from lacuna.text.document import Document, Span
from lacuna.text.reviewed import settled
from lacuna.web.importing import import_documents
from lacuna.web.operations import Accept, Add, Asked, Reject, SetState, State
from lacuna.web.parts import Part
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings
from lacuna.web.teaching.learnable import (
    at_version,
    document_at,
    flat,
    label_counts,
    not_flat,
    to_judge,
    to_learn,
    too_rare,
    without_labels,
)
from tests.web.strategies import edits
from tests.web.strategies import note as edited_note
from tests.web.teaching.lesson_notes import finish, of_part, project_with


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with(tmp_path / "ward7", [], model=False) as made:
        notes = [one for part in Part for one in of_part(made, part, 3)]
        import_documents(made.store, notes)
        yield made


def learnt(project: Project) -> list[Document]:
    with project.store.database.reading() as connection:
        return [document_at(connection, *version) for version in to_learn(connection)]


def edit(project: Project, key: int, *operations: Asked) -> None:
    row = project.store.row(key)
    assert row is not None
    request = f"r{key}-{row.version}"
    project.store.apply_edit(key, operations, request=request, base=row.version, who="ana")


def test_each_part_has_its_use(project: Project) -> None:
    assert learnt(project) == []
    finish(project)
    with project.store.database.reading() as connection:
        learn, gate = to_learn(connection), to_judge(connection)
    assert [key for key, _ in learn] == [1, 2, 3]
    assert [key for key, _ in gate] == [4, 5, 6]
    assert all(one.reviewed is None and len(one.mentions) == 2 for one in learnt(project))


def test_of_open_documents_only_decided_lines_count(project: Project) -> None:
    edit(project, 1, SetState(State.OPEN))
    assert learnt(project) == []
    edit(project, 1, Accept("g1"))
    (one,) = learnt(project)
    first_line = one.text.index("\n") + 1
    assert one.reviewed == (Span(0, first_line),)
    edit(project, 1, Reject("x", "CITY", ((first_line + 3, first_line + 8),)))
    (one,) = learnt(project)
    assert settled(one).reviewed == (Span(0, len(one.text)),)
    assert len(one.mentions) == 2  # what was rejected is none
    edit(project, 1, SetState(State.NEW))
    assert learnt(project) == []


def test_examples_are_counted_where_they_are_learnt_from(project: Project) -> None:
    edit(project, 1, SetState(State.OPEN), Accept("g1"))
    edit(project, 2, SetState(State.DONE), Reject("g2"))
    edit(project, 4, SetState(State.DONE))  # of the gate
    with project.store.database.reading() as connection:
        assert label_counts(connection) == {"DOCTOR": 2}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(edits, max_size=6))
def test_documents_as_they_were(tmp_path_factory: object, steps: list[list[Asked]]) -> None:
    folder = tmp_path_factory.mktemp("p") / "ward7"  # type: ignore[attr-defined]
    with create_project(folder, Settings("x", model="none")) as project:
        import_documents(project.store, [edited_note()])
        seen = [project.store.document(1)]
        for step in steps:
            row = project.store.row(1)
            assert row is not None
            try:
                project.store.apply_edit(
                    1, step, request=f"r{len(seen)}.{id(step)}", base=row.version, who="a"
                )
            except EditError:
                continue
            seen.append(project.store.document(1))
        with project.store.database.reading() as connection:
            for version, then in enumerate(seen):
                assert then is not None
                found = at_version(connection, 1, version)
                assert found.review == then.review
                assert (found.row.version, found.row.state) == (version, then.row.state)
            with pytest.raises(EditError, match="has no version"):
                at_version(connection, 1, len(seen))


def test_a_new_label_needs_three_examples() -> None:
    assert too_rare({"A": 2, "B": 3, "C": 1}, known=["C"]) == ["A"]


def test_what_is_not_learnt_is_not_learnt_as_nothing_either() -> None:
    text = "Ana saw Bo in Bern"
    spans = {"DOCTOR": (0, 3), "WARD": (8, 10)}
    item = {
        "id": "a",
        "text": text,
        "mentions": [{"label": label, "spans": [span]} for label, span in spans.items()],
    }
    (left,) = without_labels([Document.from_dict(item)], ["WARD"])
    known = settled(left)
    assert [one.label for one in known.mentions] == ["DOCTOR"]
    assert known.reviewed == (Span(0, 8), Span(10, len(text)))


def test_what_a_flat_model_leaves_out_is_not_learnt_as_nothing() -> None:
    text = "pain in left arm and leg, and knees, too"
    spans = {
        "FLAT": [[8, 16]],  # left arm
        "GAP": [[8, 12], [21, 24]],  # left ... leg
        "ALONE": [[0, 4], [30, 35]],  # pain ... knees
        "SHORT": [[13, 16]],  # arm
    }
    mentions = [{"label": label, "spans": given} for label, given in spans.items()]
    document = Document.from_dict({"id": "a", "text": text, "mentions": mentions})
    assert not_flat([document]) == {"GAP": 1, "ALONE": 1, "SHORT": 1}
    known = settled(flat(document))
    assert [one.label for one in known.mentions] == ["FLAT"]
    assert known.reviewed == (Span(4, 21), Span(24, 30), Span(35, len(text)))


def test_accepting_makes_a_version(project: Project) -> None:
    edit(project, 1, Add("n", "WARD", ((0, 4),)), SetState(State.DONE))
    with project.store.database.reading() as connection:
        assert len(document_at(connection, 1, 1).mentions) == 3
        assert len(document_at(connection, 1, 0).mentions) == 2
