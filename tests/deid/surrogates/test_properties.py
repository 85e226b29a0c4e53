"""What holds for the surrogates of any name, place or number."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import INVISIBLE
from lacuna.deid.keys import Key
from lacuna.deid.nicknames import name_families, other_forms
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.surrogates.context import article_of, relation_before
from lacuna.deid.surrogates.pools import NameGroup, load_pools
from lacuna.deid.surrogates.scripts import script_of
from lacuna.text.document import Document

RESEARCH = load_policy("research")
KEY = Key(bytes(range(32)))
LABELS = ("PATIENT", "DOCTOR", "HOSPITAL", "STREET", "CITY", "PROFESSION", "IDNUM", "USERNAME")
WORDS = st.text(min_size=1, max_size=8) | st.sampled_from(
    (
        *("Smith", "O'Brien", "ʼt Hooft", "Brontë‑Müller", "Jo\u200bhn", "Smi\u00adth", "J.", "Ø."),
        *("मोहित", "Иван", "王小明", "김", "محمد", "ひろし", "ᏣᎳᎩ", "Иvan", "Ångström", "D’Arcy"),
        *("17th", "3º", "\u0301", "2\u0301", "ﾞ", "Das Gupta", "De La Cruz", "van", "ß", "Ǆ", "ﬁ"),
    )
)
surfaces = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
keys = st.binary(min_size=32, max_size=32).map(Key)


def replaced(surface: str, label: str, key: Key = KEY, before: str = "", after: str = "") -> str:
    """Return what stands in a text instead of a surface; all else is the same."""
    text = f"{before}{surface}{after}"
    found = [Finding(len(before), len(before) + len(surface), label, Origin.MODEL)]
    new = Redactor(RESEARCH, key).redact(Document("d", text), found)
    (span,) = new.plan
    assert new.document.text == text[: span.start] + new.instead[0] + text[span.end :]
    return new.instead[0]


def scripts(text: str) -> set[str]:
    return {script_of(c) for c in text if c.isalpha()} - {""}


@settings(max_examples=300)
@given(surfaces.filter(lambda text: not text.isspace() and "|" not in text),
       st.sampled_from(LABELS), keys)  # fmt: skip
@example("मोहित", "PATIENT", KEY)
@example("मोहित", "IDNUM", KEY)
@example("Иvan Petrov", "PATIENT", KEY)
def test_scripts_are_not_mixed_and_nothing_invisible_is_left(
    surface: str, label: str, key: Key
) -> None:
    new = replaced(surface, label, key, "x | ", " | y")
    if re.fullmatch(r"\[[A-Z]+-1\]", new):
        return
    words = re.findall(r"[^\W\d_]+", new)
    assert all(len(scripts(word)) <= 1 for word in words)
    if label != "IDNUM":
        assert scripts(new) <= (scripts(unicodedata.normalize("NFKC", surface)) or {"LATIN"})
    assert not any(first <= ord(c) <= last for c in new for first, last in INVISIBLE)


@given(st.integers(1, 9999), keys)
def test_ordinals_are_well_formed(number: int, key: Key) -> None:
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    for own in (ending, ending.upper()):
        new = replaced(f"{number}{own} Street", "STREET", key)
        match = re.fullmatch(r"(\d+)([a-zA-Z]+) Street", new)
        assert match is not None
        other = int(match[1])
        right = "th" if other // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(other % 10, "th")
        assert match[2] == (right.upper() if own.isupper() else right)
        assert other != number


@pytest.mark.parametrize("label", ["PROFESSION", "PATIENT", "HOSPITAL", "CITY", "ORGANIZATION"])
@given(
    word=st.sampled_from(("actor", "nurse", "Amy", "Jennifer", "MGH", "BMC", "Oxford")), key=keys
)
def test_surrogates_go_with_the_article(label: str, word: str, key: Key) -> None:
    for article in ("a", "an", "A", "An"):
        new = replaced(word, label, key, f"Saw {article} ", " today")
        assert article_of(new) == article.lower()


@given(st.sampled_from(("James", "Charles", "Williams", "Brooks")), st.sampled_from("'’"), keys)
def test_possessives_stay_well_formed(name: str, sign: str, key: Key) -> None:
    outside = replaced(name, "PATIENT", key, "", f"{sign} wife")
    assert outside.endswith("s")
    inside = replaced(f"{name}{sign}", "PATIENT", key, "", " wife")
    assert re.fullmatch(rf"\w+(s{sign}|[^\Ws]{sign}s)", inside)
    quoted = replaced(name, "PATIENT", key, sign, sign)
    assert quoted == replaced(name, "PATIENT", key)


@given(keys)
def test_short_forms_become_short_forms_of_one_name(key: Key) -> None:
    text = "Robert Bob Margaret Peggy"
    found = [
        Finding(match.start(), match.end(), label, Origin.MODEL)
        for match, label in zip(re.finditer(r"\w+", text), ["PATIENT", "DOCTOR"] * 2, strict=True)
    ]
    new = Redactor(RESEARCH, key).redact(Document("d", text), found).document.text
    robert, bob, margaret, peggy = new.lower().split()
    assert len({robert, bob, margaret, peggy}) == 4
    assert bob in other_forms(robert)
    assert peggy in other_forms(margaret)


@pytest.mark.parametrize(
    ("before", "surface", "group"),
    [
        ("his wife ", "Glenys", NameGroup.FEMALE),
        ("his wife ", "Xolisa", NameGroup.FEMALE),
        ("her brother, ", "Xolisa", NameGroup.MALE),
        ("Parents named her ", "Adaeze", NameGroup.FEMALE),
        ("mother ", "Anjali", NameGroup.FEMALE),
        ("seen by Dr. ", "Xolisa", NameGroup.LAST),
        ("seen by Dr. ", "Trevor", NameGroup.LAST),
        ("", "Trevor", NameGroup.MALE),
        ("Mrs. ", "Xolisk Qwertz", NameGroup.FEMALE),
        ("Mr. ", "Xolisk Qwertz", NameGroup.MALE),
        ("", "Brontë-Müller", NameGroup.LAST),
        ("", "Das Gupta", NameGroup.LAST),
        ("", "Qwertz, Xolisa", NameGroup.LAST),
    ],
)
@given(key=keys)
def test_the_text_tells_first_names_from_family_names(
    before: str, surface: str, group: NameGroup, key: Key
) -> None:
    first = re.split(r"[ ,-]", replaced(surface, "PATIENT", key, before))[0]
    pools = load_pools("en")
    listed = {name for names in pools.names[group].values() for name in names}
    forms = {n for f in name_families().values() for family in f for n in family.names}
    assert first in listed or (first in forms and group is not NameGroup.LAST)


def test_a_relation_is_read_up_to_the_end_of_the_sentence() -> None:
    assert relation_before("lives with his wife ") == "f"
    assert relation_before("the patient's partner is called ") == ""
    assert relation_before("lives with his wife. ") is None
    assert relation_before("his wife was seen by ") is None


@pytest.mark.parametrize(
    ("phrase", "article"),
    [
        ("carpenter", "a"), ("accountant", "an"), ("hour", "an"), ("hotel", "a"), ("unit", "a"),
        ("uninsured man", "an"), ("European", "a"), ("one-time event", "a"), ("urologist", "a"),
        ("usher", "an"), ("MRI", "an"), ("BMC", "a"), ("UN", "a"), ("X-ray", "an"), ("IBM", "an"),
        ("Élodie", "an"), ("yacht", "a"), ("heir", "an"), ("123", "a"), ("USER", "a"),
        ("SET DESIGNER", "a"), ("HR MANAGER", "an"),
    ],
)  # fmt: skip
def test_articles_follow_the_sound(phrase: str, article: str) -> None:
    assert article_of(phrase) == article
