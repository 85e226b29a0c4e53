"""Names: how they are read, and who is taken for whom."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.linking import People, Person, may_be_one
from lacuna.deid.person_names import FullName, NameForm, WordRole, form_of, name_form, name_words


@pytest.mark.parametrize(
    ("surface", "form"),
    [
        ("John Smith", NameForm(("john",), "smith")),
        ("Dr. John A. Smith Jr., MD", NameForm(("john", "a"), "smith", generation="jr")),
        ("SMITH, JOHN", NameForm(("john",), "smith")),
        ("Smith, J.R.", NameForm(("j", "r"), "smith")),
        ("Mr. Smith", NameForm((), "smith", gender="m")),
        ("Mrs. van der Berg", NameForm((), "van der berg", gender="f")),
        ("Smith", NameForm(alone="smith")),
        ("O’Brien", NameForm(alone="obrien")),
        ("José García", NameForm(("jose",), "garcia")),
        ("Zoe\u0308", NameForm(alone="zoe")),
        ("Smith's", NameForm(alone="smith")),
        ("Sr. Pérez", NameForm((), "perez")),
        ("John Smith, RN", NameForm(("john",), "smith")),
        ("Dr.", NameForm(alone="dr")),
        ("KIM DO", NameForm(("kim",), "do")),
        ("Al Smith", NameForm(("al",), "smith")),
        ("Don Smith", NameForm(("don",), "smith")),
        ("Van Morrison", NameForm(("van",), "morrison")),
        ("De La Cruz", NameForm(alone="de la cruz")),
        ("Oscar de la Hoya", NameForm(("oscar",), "de la hoya")),
        ("LE, MINH", NameForm(("minh",), "le")),
        ("", NameForm()),
        ("123", NameForm()),
    ],
)
def test_names_are_read(surface: str, form: NameForm) -> None:
    assert name_form(surface) == form


some_words = st.lists(
    st.sampled_from(
        ("Dr.", "John", "A.", "SMITH", "smith,", "van", "Van", "O'Brien", "RN", "Jr", "é")
    )
)


@given(st.text(max_size=20) | st.text("AaBb. ,'’-MrDd", max_size=20) | some_words.map(" ".join))
def test_any_text_is_read_and_has_a_name_word_if_it_has_words(text: str) -> None:
    words = name_words(text)
    assert name_form(text) == form_of(text, words)
    assert not words or any(w.role in (WordRole.NAME, WordRole.INITIAL) for w in words)
    assert all(a.end <= b.start for a, b in pairwise(words))


def who(*surfaces: str) -> list[int]:
    """Return one number per surface of a document; equal numbers are one person."""
    forms = [name_form(surface) for surface in surfaces]
    linked = People().link(forms)
    people: list[object] = []
    for form in forms:
        if linked[form] not in people:
            people.append(linked[form])
    return [people.index(linked[form]) for form in forms]


def test_one_person_in_many_forms() -> None:
    assert who("John Smith", "Mr. Smith", "SMITH", "J. Smith", "Smith, John", "John A. Smith") == (
        [0] * 6
    )
    assert who("Mr. Smith", "John Smith", "John") == [0, 0, 0]
    assert who("María García López", "García", "Sra. López") == [0, 0, 0]


def test_short_forms_are_the_same_person_if_nobody_else_can_be_meant() -> None:
    assert who("Robert Smith", "Bob Smith", "Bob", "Rob", "R. Smith") == [0] * 5
    assert who("Bob", "Robert Smith") == [0, 0]
    assert who("Ted Smith", "Theodore Smith") == [0, 0]
    assert who("Ted Smith", "Theodore Smith", "Edward Smith") == [0, 1, 2]
    assert who("Bob Smith", "Robert Jones", "Bob") == [0, 1, 2]
    assert who("Bob Smith", "Bill Smith") == [0, 1]
    assert who("Dr. Jack", "John Jones") == [0, 1]


def test_two_people_are_not_one() -> None:
    assert who("John Smith", "Jane Smith") == [0, 1]
    assert who("Mr. Smith", "Mrs. Smith") == [0, 1]
    assert who("John Smith", "John Smith Jr.") == [0, 1]
    assert who("John A. Smith", "John B. Smith") == [0, 1]
    assert who("John Smith", "John Jones") == [0, 1]


def test_what_may_be_two_people_is_neither() -> None:
    assert who("Mr. Smith", "John Smith", "Robert Smith") == [0, 1, 2]
    assert who("J. Smith", "John Smith", "Jane Smith") == [0, 1, 2]
    assert who("Smith", "Mr. Smith", "Mrs. Smith") == [0, 1, 2]
    assert who("John Smith", "John A. Smith", "John B. Smith") == [0, 1, 2]
    assert who("John", "John Smith", "John Jones") == [0, 1, 2]


def test_later_documents_know_the_people_of_earlier_ones() -> None:
    people = People()
    john, smith = name_form("John Smith"), name_form("Mr. Smith")
    first = people.link([john])[john]
    assert people.link([smith])[smith] is first
    robert = name_form("Robert Smith")
    both = people.link([robert, smith])
    assert both[robert] is not first
    assert both[smith] not in (first, both[robert])
    assert people.link([john])[john] is first


def test_namesakes_under_two_labels_are_one_person_unless_their_titles_differ() -> None:
    namesakes: dict[FullName, Person] = {}
    patients, doctors = People(namesakes), People(namesakes)
    john, mister, mistress = map(name_form, ("John Smith", "Mr. John Smith", "Mrs. John Smith"))
    initial, junior, smith = map(name_form, ("J. Smith", "John Smith Jr.", "Smith"))
    patient = patients.link([mister])[mister]
    assert doctors.link([smith])[smith] is not patient
    doctors = People(namesakes)
    doctor = doctors.link([initial, junior, mistress])
    assert patient not in doctor.values()
    doctors = People(namesakes)
    linked = doctors.link([smith, john])
    assert linked[john] is linked[smith] is patient


forms = st.builds(
    NameForm,
    st.lists(st.sampled_from(["j", "john", "jane", "a", "ann"]), max_size=2).map(tuple),
    st.sampled_from(["smith", "jones"]),
    st.just(""),
    gender=st.sampled_from(["", "m", "f"]),
    generation=st.sampled_from(["", "jr"]),
) | st.builds(NameForm, st.just(()), st.just(""), st.sampled_from(["smith", "john"]))


@given(st.lists(forms, max_size=8))
def test_nobody_is_two_people_at_once(document: list[NameForm]) -> None:
    linked = People().link(document)
    for a in document:
        assert may_be_one(a, linked[a].form)
        for b in document:
            if linked[a] is linked[b]:
                assert not (a.gender and b.gender and a.gender != b.gender)
                assert not (a.family and b.family and a.family != b.family)
                assert all(x[0] == y[0] for x, y in zip(a.given, b.given, strict=False))
                assert not (a.given and b.given and a.generation != b.generation)


@given(forms, forms)
def test_may_be_one_does_not_depend_on_the_order(a: NameForm, b: NameForm) -> None:
    assert may_be_one(a, b) == may_be_one(b, a)


def test_a_crowd_takes_no_quadratic_time() -> None:
    crowd = [NameForm((f"n{i}",), "smith") for i in range(20_000)]
    people = People()
    linked = people.link(crowd)
    assert len(set(map(id, linked.values()))) == 20_000
    again = people.link(crowd)
    assert all(again[form] is person for form, person in linked.items())
