"""Exports with suggestions, of chosen documents, and of de-identified texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lacuna.errors import ConfigError, FormatLimitError
from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS
from lacuna.io.limits import Loss
from lacuna.text.document import Document
from lacuna.web.exporting import (
    Which,
    check_export,
    check_texts,
    documents_to_export,
    export,
    export_texts,
)
from lacuna.web.importing import import_documents
from lacuna.web.operations import Accept, Add, Asked, Reject, SetState, State
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named
from lacuna.web.redacting import Redaction
from lacuna.web.suggestions import Suggester
from tests.web.conftest import new_project

MARKER = "Qorvath"
NOTES = [
    Document(
        f"{MARKER}-1", f"Seen by Dr. Ann Whittaker on 03/14/2014; no {MARKER}.\n", group=MARKER
    ),
    Document("b", "No complaints.\n"),
    Document(f"{MARKER}-2", f"{MARKER.lower()} called on 03/20/2014.\n", group=MARKER),
]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Project, Suggester]]:
    settings = Settings("x", labels=labels_named(DEFAULT_LABELS))
    with create_project(tmp_path / "ward7", settings) as project:
        import_documents(project.store, NOTES)
        suggester = Suggester.open(project)
        assert suggester is not None
        yield project, suggester


def edit(project: Project, key: int, *operations: Asked) -> None:
    row = project.store.row(key)
    assert row is not None
    request = f"r{key}-{row.version}"
    project.store.apply_edit(key, operations, request=request, base=row.version, who="ana")


def name() -> Add:
    start = NOTES[0].text.index(MARKER)
    return Add("q", "PATIENT", ((start, start + len(MARKER)),))


def test_undecided_suggestions_have_a_probability(made: tuple[Project, Suggester]) -> None:
    project, suggester = made
    first, last = suggester.for_document(project.store, 1).suggestions[:2]
    edit(project, 1, Accept(first.uid, first.label, first.spans), name())
    edit(project, 1, Reject(last.uid, last.label, last.spans))
    documents = list(documents_to_export(project, Which.ALL, suggester=suggester))
    undecided = suggester.for_document(project.store, 1).suggestions[2:]
    rows = {(m.label, m.start, m.end, m.probability) for m in documents[0].mentions}
    assert {(first.label, *first.spans[0], None), ("PATIENT", *name().spans[0], None)} <= rows
    assert {(s.label, *s.spans[0], s.probability) for s in undecided} <= rows
    assert len(rows) == len(documents[0].mentions) == 2 + len(undecided)
    edit(project, 1, SetState(State.DONE))
    done = next(documents_to_export(project, [1], suggester=suggester))
    assert [m.probability for m in done.mentions] == [None, None]
    assert next(documents_to_export(project, [3])).mentions == ()
    assert next(documents_to_export(project, [3], suggester=suggester)).mentions


@pytest.mark.parametrize("format_", FORMATS)
def test_with_suggestions_it_is_read_back(
    made: tuple[Project, Suggester], tmp_path: Path, format_: str
) -> None:
    project, suggester = made
    options = {"format": format_, "which": [1, 3], "suggester": suggester}
    target = tmp_path / "out"
    try:
        check_export(project, target, loss=Loss.EXTRAS, **options)  # type: ignore[arg-type]
    except FormatLimitError:
        with pytest.raises(FormatLimitError):
            export(project, target, loss=Loss.EXTRAS, **options)  # type: ignore[arg-type]
        return
    export(project, target, loss=Loss.EXTRAS, **options)  # type: ignore[arg-type]
    expected = list(documents_to_export(project, [1, 3], suggester=suggester))
    with new_project(tmp_path / "two") as two:
        import_documents(two.store, read_corpus([target], format=format_))
        found = list(documents_to_export(two, Which.ALL))
    assert sorted(map(names, found)) == sorted(map(names, expected))
    if format_ == "jsonl":
        assert found == expected


def names(document: Document) -> list[tuple[str, str]]:
    """Return labels and words; white space is lost in columns."""
    rows = [(m.label, m.surface(document.text)) for m in document.mentions]
    return [(label, "".join(surface.split())) for label, surface in rows]


# --- de-identified


def test_texts_without_names_in_ids_or_notes(
    made: tuple[Project, Suggester], tmp_path: Path
) -> None:
    project, suggester = made
    edit(project, 1, name(), SetState(State.DONE))
    redaction = Redaction.of(project, suggester)
    out = tmp_path / "safe.jsonl"
    done = export_texts(redaction, out, format="jsonl", which=Which.ALL)
    assert (done.written.documents, done.written.mentions, done.failed) == (3, 0, {})
    content = out.read_text()
    assert MARKER.lower() not in content.lower()
    assert "03/20" not in content
    assert out.stat().st_mode & 0o777 == 0o600
    first, second, alone = read_corpus([out])
    assert first.group == second.group is not None
    assert alone.group is None
    assert len({first.id, second.id, alone.id}) == 3
    assert alone.text == NOTES[1].text
    export_texts(redaction, tmp_path / "again.jsonl", format="jsonl", which=Which.ALL)
    assert (tmp_path / "again.jsonl").read_text() == content
    only = export_texts(redaction, tmp_path / "txt", format="txt", which=[3])
    assert only.written.left_out == {"groups": 1}
    (file,) = (tmp_path / "txt").iterdir()
    assert (file.stem, file.read_text()) == (second.id, second.text)  # as with all of them


def test_what_cannot_be_de_identified_is_left_out(
    made: tuple[Project, Suggester], tmp_path: Path
) -> None:
    project, _ = made
    edit(project, 1, name(), SetState(State.DONE))
    redaction = Redaction.of(project, None)
    done = export_texts(redaction, tmp_path / "o.jsonl", format="jsonl", which=Which.ALL)
    assert done.written.documents == 1
    assert set(done.failed) == {2, 3}
    assert MARKER.lower() not in (tmp_path / "o.jsonl").read_text().lower()
    assert not any(MARKER.lower() in reason.lower() for reason in done.failed.values())


def test_formats_of_texts(made: tuple[Project, Suggester], tmp_path: Path) -> None:
    project, _ = made
    checked = check_texts(project, tmp_path / "o", format="txt", which=Which.ALL)
    assert (checked.documents, checked.left_out) == (3, {"groups": 2})
    with pytest.raises(ConfigError, match="jsonl or txt"):
        check_texts(project, tmp_path / "o", format="brat", which=Which.ALL)
    with pytest.raises(FormatLimitError, match="groups"):
        check_texts(project, tmp_path / "o", format="txt", which=[1], loss=Loss.NOTHING)
    assert not (tmp_path / "o").exists()
