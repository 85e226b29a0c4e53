"""What is told about documents that wait: nothing about sealed ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lacuna.web.importing import import_documents
from lacuna.web.parts import SEAL, Part
from lacuna.web.project import Project
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching import waiting
from tests.web.teaching.lesson_notes import of_part, project_with


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with(tmp_path / "ward7", []) as made:
        notes = of_part(made, Part.LEARN, 3, style="plain")
        import_documents(made.store, [replace(note, mentions=()) for note in notes])
        yield made


def test_changes_are_those_of_documents_that_are_not_sealed(project: Project) -> None:
    suggester = Suggester.open(project)
    assert suggester is not None
    suggester.fill(project.store)
    with project.store.database.reading() as connection:
        uids = waiting.suggested_uids(connection, suggester.model)
        assert set(uids) == {1, 2, 3}
        assert all(len(found) == 2 for found in uids.values())
        told = waiting.changes(
            connection, {1: frozenset(), 2: uids[2], 3: uids[3]}, suggester.model
        )
        assert [(one.key, one.new, one.gone) for one in told.documents] == [(1, 2, 0)]
    with project.store.database.writing() as connection:
        connection.execute("UPDATE document SET fold = ? WHERE key = 2", (SEAL,))
    with project.store.database.reading() as connection:
        assert set(waiting.suggested_uids(connection, suggester.model)) == {1, 3}
        told = waiting.changes(connection, dict.fromkeys((1, 2, 3), frozenset()), suggester.model)
        assert {one.key for one in told.documents} == {1, 3}
