"""The same words everywhere: found like terms of a word list, applied and undone as one step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.folding import fold_words
from lacuna.errors import EditError
from lacuna.text.document import Document
from lacuna.web.edits import check_of, suggestion_uid
from lacuna.web.everywhere import Everywhere, Scope, same_words
from lacuna.web.importing import import_documents
from lacuna.web.operations import Accept, Add, Asked, Reject, Remove, Spans, Status
from lacuna.web.project import Project
from lacuna.web.suggesting import Suggested, Suggestion
from tests.web.conftest import new_project

TEXTS = (
    "Ana Sató came. Mrs. SATO, ana  sato; Satos. Pain in left arm and leg.",
    "Spoke w ana sato. Sato's son, Ana-Sato.\nPain in  left ARM, and leg!",
    "No name.",
)
OTHER = "Ana Sato of another patient."


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a project with three notes of one patient, one of another, and one of nobody."""
    with new_project(tmp_path / "p") as made:
        notes = [Document(f"n{i}", text, group="p1") for i, text in enumerate(TEXTS)]
        notes += [Document("o", OTHER, group="p2"), Document("a", TEXTS[0])]
        import_documents(made.store, notes)
        yield made


class Suggesting:
    """Suggests what it is told to."""

    model, overlapping = 7, True

    def __init__(self, *suggestions: tuple[int, str, Spans]) -> None:
        self.by_key: dict[int, tuple[Suggestion, ...]] = {}
        for key, label, spans in suggestions:
            one = Suggestion(suggestion_uid(label, spans), label, spans, 0.9, "model")
            self.by_key[key] = (*self.by_key.get(key, ()), one)

    def for_document(self, _: object, key: int) -> Suggested:
        return Suggested(self.by_key.get(key, ()))


def asked(
    project: Project,
    key: int,
    label: str,
    spans: Spans,
    *suggestions: tuple[int, str, Spans],
    scope: Scope = Scope.PATIENT,
    remove: bool = False,
) -> Everywhere:
    suggester = Suggesting(*suggestions)
    return same_words(
        project.store,
        suggester,  # type: ignore[arg-type]
        key,
        label,
        spans,
        scope=scope,
        remove=remove,
    )


def surfaces(project: Project, key: int, label: str) -> list[str]:
    reviewed = project.store.document(key)
    assert reviewed is not None
    document = reviewed.document
    return [m.surface(document.text) for m in document.mentions if m.label == label]


def edit(project: Project, key: int, *operations: Asked, request: str = "r") -> None:
    row = project.store.row(key)
    assert row is not None
    project.store.apply_edit(key, operations, request=request, base=row.version, who="ana")


def state(project: Project) -> list[object]:
    return [project.store.document(key).review for key in range(1, 6)]  # type: ignore[union-attr]


def test_in_all_notes_of_the_patient_and_back(project: Project) -> None:
    before = state(project)
    found = asked(project, 1, "PER", ((0, 8),))
    assert (found.places, found.documents, found.kept) == (4, 2, 0)
    assert found.here == (((0, 8),), ((26, 35),))
    assert list(found.edits) == [1, 2]
    project.store.apply_batch(found.edits, request="b", who="ana")
    assert surfaces(project, 1, "PER") == ["Ana Sató", "ana  sato"]
    assert surfaces(project, 2, "PER") == ["ana sato", "Ana-Sato"]
    assert surfaces(project, 4, "PER") == surfaces(project, 5, "PER") == []
    again = asked(project, 2, "PER", ((8, 16),))
    assert (again.edits, again.places, again.here) == ({}, 0, ())
    project.store.undo(1, request="u", who="ana")
    assert state(project) == before
    project.store.redo(2, request="v", who="ana")
    back = asked(project, 1, "PER", ((0, 8),), remove=True)
    assert (back.places, back.documents) == (4, 2)
    project.store.apply_batch(back.edits, request="c", who="ana")
    assert state(project) == before


def test_in_the_document_only(project: Project) -> None:
    here = asked(project, 1, "PER", ((0, 8),), scope=Scope.DOCUMENT)
    assert (here.places, here.documents) == (2, 1)
    alone = asked(project, 5, "PER", ((0, 8),))  # it has no patient
    assert (alone.places, list(alone.edits)) == (2, [5])


def test_with_gaps(project: Project) -> None:
    found = asked(project, 1, "LOC", ((44, 48), (57, 60), (65, 68)))
    project.store.apply_batch(found.edits, request="b", who="ana")
    assert surfaces(project, 1, "LOC") == ["Pain … arm … leg"]
    assert surfaces(project, 2, "LOC") == ["Pain … ARM … leg"]
    half = asked(project, 1, "LOC", ((45, 48), (65, 68)), scope=Scope.PATIENT)
    assert (half.places, half.here) == (1, (((45, 48), (65, 68)),))  # half a word: only there


def test_what_is_there_decides(project: Project) -> None:
    first, second, third = ((0, 8),), ((26, 35),), ((8, 16),)
    edit(project, 1, Add("x", "LOC", ((30, 35),)), request="1")
    edit(project, 2, Add("y", "PER", ((0, 16),)), request="2")
    found = asked(project, 1, "PER", first, (1, "PER", first), (2, "PER", ((24, 40),)))
    assert found.kept == 1  # the other label
    assert found.edits[1][1] == (
        Accept(suggestion_uid("PER", first), "PER", first, check_of(TEXTS[0], first), 0.9, 7),
    )
    longer = ((24, 40),)  # the suggestion around it is accepted; the mention around the third stays
    uid = suggestion_uid("PER", longer)
    assert found.edits[2] == (1, (Accept(uid, "PER", longer, check_of(TEXTS[1], longer), 0.9, 7),))
    assert found.places == 2
    edit(project, 1, Remove("x"), request="3")
    edit(project, 1, Reject("s", "PER", second), request="4")
    found = asked(project, 1, "PER", first, (1, "LOC", first), (1, "PER", ((4, 8),)))
    assert found.edits[1][1][:2] == (
        Reject(suggestion_uid("LOC", first), "LOC", first, check_of(TEXTS[0], first), 0.9, 7),
        Reject(*shorter()),
    )
    assert isinstance(found.edits[1][1][2], Add)
    assert found.edits[1][1][3] == Accept("s")
    assert third not in found.here


def shorter() -> tuple[str, str, Spans, str, float, int]:
    spans = ((4, 8),)
    return suggestion_uid("PER", spans), "PER", spans, check_of(TEXTS[0], spans), 0.9, 7


def test_where_a_person_points_it_is_marked(project: Project) -> None:
    edit(project, 1, Add("x", "LOC", ((4, 8),)))
    found = asked(project, 1, "PER", ((0, 8),), scope=Scope.DOCUMENT)
    assert found.here == (((0, 8),), ((26, 35),))
    edit(project, 2, Add("y", "PER", ((0, 16),)), request="2")
    inside = asked(project, 2, "PER", ((8, 16),), (2, "PER", ((29, 40),)))
    assert [type(one) for one in inside.edits[2][1]] == [Add, Accept]
    around = asked(project, 1, "PER", ((0, 8),), (1, "PER", ((0, 13),)), scope=Scope.DOCUMENT)
    assert [type(one) for one in around.edits[1][1]] == [Reject, Add, Add]
    signs = asked(project, 1, "PER", ((13, 14),))  # no letter: only there
    assert (signs.places, signs.here) == (1, (((13, 14),),))


def test_added_ones_are_removed_and_others_rejected(tmp_path: Path) -> None:
    text = "Ana and ANA and ana and Ana."
    document = Document.from_dict(
        {"id": "n", "text": text, "mentions": [{"label": "PER", "spans": [[0, 3]]}]}
    )
    with new_project(tmp_path / "q") as project:
        import_documents(project.store, [document])
        edit(project, 1, Add("a", "PER", ((8, 11),)), Add("b", "LOC", ((16, 19),)))
        spans = ((24, 27),)
        found = asked(project, 1, "PER", ((0, 3),), (1, "PER", spans), remove=True)
        uid = suggestion_uid("PER", spans)
        assert set(found.edits[1][1]) == {
            Reject("g1"),
            Remove("a"),
            Reject(uid, "PER", spans, check_of(text, spans), 0.9, 7),
        }
        assert (found.places, len(found.here)) == (3, 3)
        project.store.apply_batch(found.edits, request="b", who="ana")
        reviewed = project.store.document(1)
        assert reviewed is not None
        live = {
            uid: entry.label
            for uid, entry in reviewed.review.mentions.items()
            if entry.status is not Status.REJECTED
        }
        assert live == {"b": "LOC"}


def test_refused(project: Project) -> None:
    with pytest.raises(EditError, match="no such document"):
        asked(project, 99, "PER", ((0, 1),))
    for spans in ((), ((0, 999),), ((3, 3),), ((5, 6), (1, 2)), ((-1, 2),)):
        with pytest.raises(EditError, match="inside the text"):
            asked(project, 1, "PER", spans)


parts = st.sampled_from(["Ana", "ANA", "Sató", "sato", "Satos", "x", " ", "-", ", ", "\n", "ß"])


@given(st.lists(parts, max_size=14).map("".join), st.sampled_from(["ana", "Sato", "ana sato"]))
def test_places_by_brute_force(
    tmp_path_factory: pytest.TempPathFactory, text: str, words: str
) -> None:
    source = f"{words}!"
    with new_project(tmp_path_factory.mktemp("p") / "q") as project:
        project.store.database._writer.execute("PRAGMA synchronous = OFF")
        notes = [Document("a", source, group="p"), Document("b", text, group="p")]
        import_documents(project.store, notes)
        found = same_words(
            project.store, None, 1, "PER", ((0, len(words)),), scope=Scope.PATIENT, remove=False
        )
        project.store.apply_batch(found.edits, request="r", who="ana")
        reviewed = project.store.document(2)
        assert reviewed is not None
        marked = [(m.start, m.end) for m in reviewed.document.mentions]
    assert marked == brute_force(text, words.lower().split())
    assert found.places == len(marked) + 1


def brute_force(text: str, words: list[str]) -> list[tuple[int, int]]:
    """Return stretches that have exactly these folded words and cut no word, left to right."""
    found: list[tuple[int, int]] = []
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            is_cut = any(
                len(fold_words(text[place - 1 : place + 1])) == 1
                and text[place - 1].isalnum()
                and text[place].isalnum()
                for place in (start, end)
                if 0 < place < len(text)
            )
            is_trimmed = text[start].isalnum() and text[end - 1].isalnum()
            is_apart = not found or found[-1][1] <= start
            if is_trimmed and is_apart and not is_cut and fold_words(text[start:end]) == words:
                found.append((start, end))
    return found
