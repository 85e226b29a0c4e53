"""Projects to test with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lacuna.web.importing import import_documents
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named
from tests.web.strategies import LABELS, note


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold no note out: which are is random, and sealed ones are shown without suggestions."""
    monkeypatch.setattr("lacuna.web.importing.fold_of", lambda *_: 1)


def new_project(folder: Path) -> Project:
    return create_project(folder, Settings("Ward 7", labels=labels_named(LABELS)))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a project with three notes of two patients."""
    with new_project(tmp_path / "ward7") as made:
        notes = [note("n1", "p1"), note("n2", "p1"), note("n3", "p2")]
        import_documents(made.store, notes)
        yield made
