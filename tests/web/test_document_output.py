"""De-identified output: what people decided counts, in all notes of a patient."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.deid.redact import Redactor
from lacuna.errors import ConfigError, EditError, RedactionError
from lacuna.text.document import Document
from lacuna.web.document_output import Output, output_of
from lacuna.web.edits import suggestion_uid
from lacuna.web.importing import import_documents
from lacuna.web.operations import Accept, Add, Asked, Reject, SetState, State
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named
from lacuna.web.suggestions import Suggester

TEXTS = (
    "Seen by Dr. Ann Whittaker on 03/14/2014. MRN: 4471203.\nBrought by qorvath, a friend.\n",
    "Spoke with qorvath on the phone. Follow up 04/02/2014 with Dr. Whittaker.\n",
    "No complaints. Stable.\n",
)
MARKER = "qorvath"  # no model knows this name


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Suggester]]:
    settings = Settings("x", labels=labels_named([*DEFAULT_LABELS, "OTHER"]))
    with create_project(tmp_path_factory.mktemp("p") / "ward7", settings) as project:
        project.store.database._writer.execute("PRAGMA synchronous = OFF")
        suggester = Suggester.open(project)
        assert suggester is not None
        yield project, suggester


@pytest.fixture
def notes(made: tuple[Project, Suggester]) -> tuple[Project, Suggester, list[int]]:
    """Return a project with three new notes of a patient, and their keys."""
    return *made, patient(made[0])


def patient(project: Project) -> list[int]:
    before = project.store.counts().documents
    group = f"p{before}"
    import_documents(
        project.store,
        [Document(f"{group}-{i}", text, group=group) for i, text in enumerate(TEXTS)],
    )
    return [before + 1, before + 2, before + 3]


def edit(project: Project, key: int, *operations: Asked) -> None:
    row = project.store.row(key)
    assert row is not None
    request = f"r{key}-{row.version}"
    project.store.apply_edit(key, operations, request=request, base=row.version, who="ana")


def check(text: str, output: Output) -> None:
    """Rewriting the text by what was replaced gives the new text."""
    new, done = "", 0
    for one in output.replaced:
        new += text[done : one.start]
        assert (one.new_start, one.new_end) == (len(new), len(new) + len(one.instead))
        new += one.instead
        done = one.end
    assert new + text[done:] == output.text


def add(text: str, label: str = "PATIENT") -> Add:
    start = text.index(MARKER)
    return Add("q", label, ((start, start + len(MARKER)),))


def test_a_name_decided_in_one_note_is_hidden_in_the_others(
    notes: tuple[Project, Suggester, list[int]],
) -> None:
    project, suggester, (one, two, _) = notes
    assert MARKER in output_of(project, suggester, two).text
    edit(project, one, add(TEXTS[0]))
    first, second = output_of(project, suggester, one), output_of(project, suggester, two)
    for text, output in zip(TEXTS, (first, second), strict=False):
        check(text, output)
        assert MARKER not in output.text
        assert "Whittaker" not in output.text
    sources = {TEXTS[1][r.start : r.end]: (r.source, r.probability) for r in second.replaced}
    assert sources[MARKER] == ("again", 1.0)
    assert next(r.source for r in first.replaced if TEXTS[0][r.start : r.end] == MARKER) == "person"
    place = TEXTS[1].index(MARKER)
    edit(project, two, Reject("n", "PATIENT", ((place, place + len(MARKER)),)))
    assert MARKER in output_of(project, suggester, two).text  # a person said: not here
    assert MARKER not in output_of(project, suggester, one).text


def test_what_the_model_finds_counts_until_it_is_done(
    notes: tuple[Project, Suggester, list[int]],
) -> None:
    project, suggester, (one, _, _) = notes
    output = output_of(project, suggester, one)
    assert {r.source for r in output.replaced} <= {"model", "pattern"}
    assert "03/14" not in output.text
    date = next(
        s for s in suggester.for_document(project.store, one).suggestions if s.label == "DATE"
    )
    edit(project, one, Reject(date.uid, "DATE", date.spans))
    assert "03/14/2014" in output_of(project, suggester, one).text
    edit(project, one, Accept(date.uid), SetState(State.DONE))
    done = output_of(project, suggester, one)
    assert [(r.label, r.source) for r in done.replaced if r.source != "again"] == [
        ("DATE", "person")
    ]
    assert "4471203" in done.text
    assert not any("Nobody has said" in remark for remark in done.remarks)
    assert any("Nobody has said" in remark for remark in output.remarks)


def test_threshold_and_policy(notes: tuple[Project, Suggester, list[int]]) -> None:
    project, suggester, (one, _, three) = notes
    everything = output_of(project, suggester, three, threshold=0.0)
    assert everything.expected_missed == 0.0
    assert "Stable" not in everything.text
    plain = output_of(project, suggester, three)
    assert (plain.text, plain.replaced) == (TEXTS[2], ())
    assert 0 < plain.expected_missed < 1
    surrogates = output_of(project, suggester, one, policy="research")
    assert surrogates == output_of(project, suggester, one, policy="research")
    assert (surrogates.policy, surrogates.threshold) == ("research", 0.5)
    assert surrogates.text != output_of(project, suggester, one).text
    for options in ({"policy": "masks"}, {"threshold": 1.5}):
        with pytest.raises(ConfigError):
            output_of(project, suggester, one, **options)
    with pytest.raises(EditError, match="no such document"):
        output_of(project, suggester, 10**6)


def test_without_a_model_only_reviewed_documents(
    notes: tuple[Project, Suggester, list[int]],
) -> None:
    project, _, (one, two, _) = notes
    edit(project, one, add(TEXTS[0]), SetState(State.DONE))
    output = output_of(project, None, one)
    check(TEXTS[0], output)
    assert MARKER not in output.text
    assert [r.label for r in output.replaced] == ["PATIENT"]
    assert any("names no model" in remark for remark in output.remarks)
    assert any("2 other documents" in remark for remark in output.remarks)
    with pytest.raises(RedactionError, match="nobody has reviewed it"):
        output_of(project, None, two)


def test_it_fails_closed(
    notes: tuple[Project, Suggester, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, suggester, (one, two, _) = notes
    honest = Redactor.redact

    def redact(self: Redactor, document: Document, *rest: object, **options: object) -> object:
        if document.text == TEXTS[0]:
            raise ValueError(document.text)
        return honest(self, document, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Redactor, "redact", redact)
    with pytest.raises(RedactionError) as failed:
        output_of(project, suggester, one)
    assert str(failed.value) == "could not be de-identified (ValueError)"
    assert any("1 other document" in one for one in output_of(project, suggester, two).remarks)


WORDS = [(m, m + len(w)) for w in ("Ann", "qorvath", "friend", "MRN") for m in [TEXTS[0].index(w)]]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_decisions_by_brute_force(made: tuple[Project, Suggester], data: st.DataObject) -> None:
    project, suggester = made
    one, _, _ = patient(project)
    found = suggester.for_document(project.store, one).suggestions
    operations: list[Asked] = []
    rejected, live = list[tuple[int, int]](), list[tuple[int, int]]()
    for suggestion in found:
        decision = data.draw(st.sampled_from([None, Accept, Reject]))
        if decision is not None:
            operations.append(decision(suggestion.uid, suggestion.label, suggestion.spans))
        (rejected if decision is Reject else live).append(suggestion.spans[0])
    for place in data.draw(st.lists(st.sampled_from(WORDS), unique=True)):
        operations.append(Add(suggestion_uid("x", (place,)), "OTHER", (place,)))
        live.append(place)
    if operations:
        edit(project, one, *operations)
    output = output_of(project, suggester, one, policy="mask")
    check(TEXTS[0], output)
    replaced = [(r.start, r.end) for r in output.replaced]
    for start, end in live:
        assert any(first <= start and end <= last for first, last in replaced)
    for start, end in rejected:
        is_free = all(end <= first or last <= start for first, last in live)
        again = any(r.source == "again" and start <= r.start < end for r in output.replaced)
        if is_free and not again:
            assert all(end <= first or last <= start for first, last in replaced)
