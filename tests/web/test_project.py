"""Projects: the folder, project.toml, import and export."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.errors import ConfigError, FormatLimitError
from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS
from lacuna.io.limits import Loss
from lacuna.io.output import Written
from lacuna.text.document import Document
from lacuna.web.document_pages import Filter
from lacuna.web.exporting import Which, check_export, documents_to_export, export
from lacuna.web.importing import BATCH, Imported, import_documents
from lacuna.web.operations import Add, Asked, Reject, SetState, State
from lacuna.web.project import Project, create_project, open_project
from lacuna.web.project_file import (
    COLOURS,
    DEFAULT_LABELS,
    Settings,
    labels_named,
    parse_settings,
    read_settings,
    written,
)
from tests.strategies import documents, laid_out_documents, rich_documents
from tests.web.conftest import new_project
from tests.web.strategies import note

PATH = Path("project.toml")
EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in folder.rglob("*")}


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with new_project(tmp_path / "p") as project:
            import_documents(project.store, [note()])
            export(project, project.exports / "x.jsonl", format="jsonl", which=Which.ALL)
            export(
                project, project.exports / "brat", format="brat", which=Which.ALL, loss=Loss.EXTRAS
            )
            assert modes(project.folder) == {0o600, 0o700}
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    names = {path.name for path in (tmp_path / "p").iterdir()}
    assert names == {"project.toml", "review.db", "models", "exports"}
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o700


def test_folders_that_are_no_place_for_a_project(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder, reason in (("", "not empty"), ("file", "not a folder"), ("a/b", "does not exist")):
        with pytest.raises(ConfigError, match=reason):
            new_project(tmp_path / folder)
    new_project(tmp_path / "p").close()
    with pytest.raises(ConfigError, match="is a project already"):
        new_project(tmp_path / "p")
    with pytest.raises(ConfigError, match=r"is no project; make one with: lacuna project init"):
        open_project(tmp_path)
    with pytest.raises(ConfigError, match="policy: unknown policy"):
        create_project(tmp_path / "q", Settings("x", policy="safe-harbour"))
    assert not (tmp_path / "q").exists()


def test_opening_loads_no_compiler() -> None:
    code = (
        "import sys; from lacuna.web import project, importing, exporting;"
        "print(sorted({'numba', 'scipy', 'faker'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# --- project.toml

visible = st.characters(exclude_categories=["C", "Z"])


@given(
    st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1).filter(
        str.strip
    ),
    st.lists(
        st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9),
        unique=True,
        max_size=25,
    ),
    st.floats(0, 1),
)
def test_what_is_written_is_read(name: str, labels: list[str], threshold: float) -> None:
    made = Settings(name, "de-CH", "research", threshold, labels_named(labels))
    assert parse_settings(written(made).encode(), PATH) == made


def test_keys_and_colours_are_completed() -> None:
    content = """
        name = "x"
        [labels]
        A = {}
        B = { key = "1", colour = "blue" }
        "C d" = { colour = "blue" }
        [labels.E]
        key = "Shift+0"
    """
    read = parse_settings(content.encode(), PATH)
    rows = [(label.name, label.key, label.colour) for label in read.labels]
    assert rows == [
        ("A", "2", COLOURS[1]),
        ("B", "1", "blue"),
        ("C d", "3", "blue"),
        ("E", "Shift+0", COLOURS[2]),
    ]
    more = read.with_labels(["B", "F"])
    assert more[:4] == read.labels
    assert (more[4].name, more[4].key, more[4].colour) == ("F", "4", COLOURS[3])
    keys = [label.key for label in labels_named(DEFAULT_LABELS)]
    assert len({*keys[:20]} - {None}) == 20
    assert not any(keys[20:])
    assert labels_named(map(str, range(21)))[20].key is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name = \n", "project.toml: not valid TOML: .*line 1"),
        ("", "project.toml: name: must have"),
        ('\nname = " "', "project.toml:2: name: must have"),
        ("name = 3", "project.toml:1: name: must be a string"),
        ('name = "x"\nthreshhold = 1', "project.toml:2: threshhold: .* did you mean threshold"),
        ('name = "x"\nthreshold = 1.5', "project.toml:2: threshold: must be a number"),
        ('name = "x"\nthreshold = true', "project.toml:2: threshold: must be a number"),
        ('name = "x"\nlanguage = "English"', "project.toml:2: language: must be"),
        ('name = "x"\npolicy = "masks"', "project.toml:2: policy: unknown policy masks"),
        ('name = "x"\npolicy = "no.toml"', "project.toml:2: policy: .*cannot be read"),
        ('name = "x"\nlabels = 3', "project.toml:2: labels: must be a table"),
        ('name = "x"\n[labels]\nA = "1"', "project.toml:3: A: must be a table"),
        ('name = "x"\n[labels]\n" A" = {}', "project.toml:3:  A: is no label"),
        ('name = "x"\n[labels]\nA = { key = "11" }', "project.toml:3: A: key must be"),
        ('name = "x"\n[labels]\nA = { key = 1 }', "project.toml:3: A: key must be"),
        ('name = "x"\n[labels]\nA = { color = "red" }', "3: A: unknown option color; did you mean"),
        ('name = "x"\n[labels.A]\ncolour = "mauve"', "project.toml:2: A: colour must be one of"),
        (
            'name = "x"\n[labels]\nA = { key = "1" }\nB = { key = "1" }',
            "project.toml:4: B: key 1 is that of A already",
        ),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "project.toml").write_text(content)
    with pytest.raises(ConfigError, match=message):
        read_settings(tmp_path / "project.toml")


def test_labels_of_documents_are_labels_of_the_project(project: Project) -> None:
    operation = Add("n", "CITY", ((36, 40),))
    project.store.apply_edit(1, [operation], request="r", base=0, who="ana")
    assert [label.name for label in project.labels()] == ["PER", "LOC", "DATE", "CITY"]


# --- import


def test_what_is_there_is_skipped_and_other_content_refused(project: Project) -> None:
    store = project.store
    store.apply_edit(1, [Reject("g1")], request="r", base=0, who="ana")
    before = store.document(1)
    other = replace(note("n2", "p1"), mentions=())
    notes = [note("n1", "p1"), other, note("n4", "p1")]
    assert import_documents(store, notes) == Imported(1, 2, 1, 1, "n2")
    assert store.document(1) == before
    assert len(store.document(2).review.mentions) == 2  # type: ignore[union-attr]


def test_an_interrupted_import_keeps_what_is_committed(project: Project) -> None:
    def notes(stop: int | None) -> Iterator[Document]:
        for number in range(500):
            if number == stop:
                raise KeyboardInterrupt
            yield note(f"x{number}")

    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        import_documents(project.store, notes(450), lambda so_far: seen.append(so_far.documents))
    assert seen == [BATCH, 2 * BATCH]
    assert project.store.counts().documents == 3 + 2 * BATCH
    total = import_documents(project.store, notes(None))
    assert (total.documents, total.present) == (100, 400)


def test_what_cannot_be_stored_is_refused_without_quoting(project: Project) -> None:
    for bad in (Document("x", "Ana \ud83d"), Document("x", "Ana", meta={"a": object()})):
        with pytest.raises(ConfigError, match="document 'x': cannot be stored") as refused:
            import_documents(project.store, [note("y"), bad])
        assert "Ana" not in str(refused.value)
    assert project.store.counts().documents == 3


def test_a_fifth_of_the_patients_is_held_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()  # hold notes out as it is
    notes = [note(f"n{i}", f"p{i // 2}") for i in range(600)]
    drawn = []
    for name in ("a", "b"):
        with new_project(tmp_path / name) as project:
            import_documents(project.store, notes)
            rows = [
                row
                for after in (None, 100, 200, 300, 400, 500)
                for row in project.store.documents(after=after)
            ]
            held_out = {row.group for row in rows if row.held_out}
            assert held_out.isdisjoint({row.group for row in rows if not row.held_out})
            assert 30 <= len(held_out) <= 95  # of 300; outside once in a million
            assert len(project.store.documents(Filter(held_out=True))) == min(
                100, 2 * len(held_out)
            )
            drawn.append(held_out)
    assert drawn[0] != drawn[1]  # each project has a key of its own


# --- export


def whole(project: Project, which: Which = Which.ALL) -> list[Document]:
    return list(documents_to_export(project, which))


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
@EXAMPLES
def test_an_export_is_imported_as_the_same_documents(name: str, data: st.DataObject) -> None:
    kinds = [rich_documents(), documents(probabilities=False), documents(2, 1, probabilities=False)]
    kinds += [laid_out_documents()] * (name == "conll")
    drawn = data.draw(st.lists(st.one_of(kinds), min_size=1, max_size=3, unique_by=lambda d: d.id))
    if name == "inline-lines":
        drawn = [replace(d, id=f"out-{i}") for i, d in enumerate(drawn, start=1)]
    with (
        tempfile.TemporaryDirectory() as folder,
        new_project(Path(folder) / "one") as one,
        new_project(Path(folder) / "two") as two,
    ):
        for project in (one, two):
            project.store.database._writer.execute("PRAGMA synchronous = OFF")
        import_documents(one.store, drawn)
        assert whole(one) == drawn
        keys = list(range(len(drawn), 0, -1))
        assert list(documents_to_export(one, keys)) == drawn[::-1]
        target = Path(folder) / "out"
        expected = outcome(lambda: check_export(one, target, format=name, **EXACTLY))
        assert not target.exists()
        assert outcome(lambda: export(one, target, format=name, **EXACTLY)) == expected
        if isinstance(expected, str):
            assert not target.exists()
            return
        import_documents(two.store, read_corpus([target], format=name))
        bare = {d.id for d in drawn if d.tokens is None and name == "conll"}  # gets tokens
        found = [replace(d, tokens=None) if d.id in bare else d for d in whole(two)]
        assert sorted(found, key=lambda d: d.id) == sorted(drawn, key=lambda d: d.id)


EXACTLY: dict[str, Any] = {"which": Which.ALL, "loss": Loss.NOTHING}


def outcome(attempt: Callable[[], Written]) -> Written | str:
    """Return what is written, or why it is refused."""
    try:
        return attempt()
    except FormatLimitError as error:
        return str(error)


def test_reviewed_documents_only_with_what_people_decided(project: Project) -> None:
    store = project.store
    operations: list[Asked] = [
        Reject("g2"),
        Add("n", "LOC", ((0, 4), (36, 40))),
        SetState(State.DONE),
    ]
    store.apply_edit(2, operations, request="r", base=0, who="ana")
    (reviewed,) = whole(project, Which.REVIEWED)
    assert reviewed.id == "n2"
    assert [m.surface(reviewed.text) for m in reviewed.mentions] == ["Seen … Bern", "Ana Sató"]
    target = project.exports / "out"
    checked = check_export(project, target, format="conll", which=Which.ALL)
    assert checked.left_out["discontiguous mentions"] == 1
    assert checked.left_out["groups"] == 3
    assert list(project.exports.iterdir()) == []
    with pytest.raises(FormatLimitError, match="conll cannot hold discontiguous mentions"):
        check_export(project, target, format="conll", which=Which.ALL, loss=Loss.EXTRAS)


def test_file_names_are_checked_before_anything_is_written(project: Project) -> None:
    import_documents(project.store, [note("../x")])
    with pytest.raises(FormatLimitError, match="safe file name"):
        check_export(project, project.exports / "o", format="brat", which=Which.ALL)
    with pytest.raises(ConfigError, match="one document per file; give a folder"):
        check_export(project, project.exports / "o.xml", format="i2b2", which=Which.ALL)
