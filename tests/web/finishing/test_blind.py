"""Sealed documents are reviewed without a model until they are done for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lacuna.errors import RedactionError
from lacuna.text.document import Document
from lacuna.web.document_output import output_of
from lacuna.web.everywhere import Scope, same_words
from lacuna.web.exporting import Which, documents_to_export
from lacuna.web.importing import import_documents
from lacuna.web.operations import Add, Asked, SetState, State
from lacuna.web.parts import Part
from lacuna.web.project import Project
from lacuna.web.suggestions import Suggester
from tests.web.finishing.tiny import decide, groups_in, note, tiny_project
from tests.web.server.conftest import live_server

TEXT = "Seen by Dr. Sato in Bern. No fever. Dr. Sato called from Bern."
PARTS = {1: Part.LEARN, 2: Part.GATE, 3: Part.SEAL}


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    """Return a project with a note of each part; nobody has marked anything."""
    with tiny_project(tmp_path / "ward7", base=base) as made:
        groups = [next(groups_in(made, part)) for part in PARTS.values()]
        notes = [Document(f"n{n}", TEXT, group=group) for n, group in enumerate(groups)]
        import_documents(made.store, notes)
        yield made


def opened(project: Project) -> Suggester:
    suggester = Suggester.open(project)
    assert suggester is not None
    return suggester


def test_nothing_is_suggested_until_it_is_done(project: Project) -> None:
    store, suggester = project.store, opened(project)
    suggester.fill(store)  # also if it was made before
    assert {key: bool(suggester.for_document(store, key).suggestions) for key in PARTS} == {
        1: True,
        2: True,
        3: False,
    }
    decide(project, [3], State.LATER)
    assert suggester.for_document(store, 3).suggestions == ()
    decide(project, [3])
    assert suggester.for_document(store, 3).suggestions
    decide(project, [3], State.OPEN)  # its first review is over
    assert suggester.for_document(store, 3).suggestions
    decide(project, [3])
    store.undo(3, request="undo", who="ana")
    assert suggester.for_document(store, 3).suggestions


def test_a_comment_or_label_that_says_done_is_no_review(project: Project) -> None:
    operations: list[Asked] = [Add("a", "done", ((0, 4),)), SetState(comment="done")]
    project.store.apply_edit(3, operations, request="r", base=0, who="ana")
    assert opened(project).for_document(project.store, 3).suggestions == ()


def test_the_output_is_refused(project: Project) -> None:
    suggester = opened(project)
    assert output_of(project, suggester, 1).replaced
    with pytest.raises(RedactionError, match="without the help of a model"):
        output_of(project, suggester, 3)
    decide(project, [3])
    assert output_of(project, suggester, 3).text


def test_everywhere_accepts_no_suggestion(project: Project) -> None:
    suggester = opened(project)
    start = TEXT.index("Sato")
    operations = {}
    for key in PARTS:
        found = same_words(
            project.store,
            suggester,
            key,
            "DOCTOR",
            ((start, start + 4),),
            scope=Scope.DOCUMENT,
            remove=False,
        )
        operations[key] = [type(one).__name__ for one in found.edits[key][1]]
        assert found.places == 2
    assert "Accept" in operations[1]
    assert operations[3] == ["Add", "Add"]


def test_exports_have_no_suggestions_for_it(project: Project) -> None:
    exported = documents_to_export(project, Which.ALL, suggester=opened(project))
    assert [bool(document.mentions) for document in exported] == [True, True, False]


def test_the_page_is_told(project: Project, tmp_path: Path) -> None:
    with live_server(project, tmp_path) as live:
        live.served.use(opened(project))
        page = live.page()

        def shown(key: int) -> dict[str, Any]:
            body: dict[str, Any] = page.get(f"/api/documents/{key}").json()
            return body

        bodies = {key: shown(key) for key in PARTS}
        assert {key: body["part"] for key, body in bodies.items()} == PARTS
        assert [body["blind"] for body in bodies.values()] == [False, False, True]
        assert (bodies[3]["suggestions"], bodies[3]["doubts"]) == ([], [])
        assert bodies[3]["need"] is None
        assert page.get("/api/documents/3/output").status_code == 409
        rows = page.get("/api/documents").json()["documents"]
        assert [row["part"] for row in rows] == list(PARTS.values())
        assert rows[2]["need"] is None
        counts = page.get("/api/project").json()["counts"]["parts"]
        one = {"documents": 1, "done": 0, "patients": 1, "patients_done": 0}
        assert counts == dict.fromkeys(Part, one)
        etag = page.get("/api/documents/3").headers["etag"]
        decide(project, [3])
        again = page.get("/api/documents/3", headers={"If-None-Match": etag})
        assert again.status_code == 200
        assert (again.json()["blind"], bool(again.json()["suggestions"])) == (False, True)


def test_patients_are_counted_by_part(project: Project) -> None:
    group = next(groups_in(project, Part.SEAL))
    import_documents(project.store, [note("more", group)])
    decide(project, [1, 3])
    counts = project.store.counts().parts
    assert counts[Part.LEARN].patients_done == 1
    seal = counts[Part.SEAL]
    assert (seal.documents, seal.done, seal.patients, seal.patients_done) == (2, 1, 1, 0)
    assert project.store.counts().held_out == 3
