"""Rules for labels within large categories: what they look at, and as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import ConfigError, Document, Mention
from lacuna.models.with_rules.rules import (
    CLASSES,
    PLACES,
    Condition,
    Fact,
    Rule,
    label_by_rules,
    mention_class,
    mention_facts,
)
from lacuna.models.with_rules.rules_file import (
    read_rules,
    rules_as_values,
    rules_from_values,
    write_rules,
)
from lacuna.text.tokens import tokens_of


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("12345", "number"),
        ("12 345", "number"),
        ("12/03/2014", "date"),
        ("12-03", "date"),
        ("(617) 555-0142", "phone"),
        ("+34 91 555 01 42", "phone"),
        ("a.b@x.org", "address"),
        ("http://x.org", "address"),
        ("37947241ZGJ", "mixed"),
        ("10 Oak St", "mixed"),
        ("MA", "capitals"),
        ("Ann Lee", "capitalised"),
        ("van Dam", "words"),
        ("--", "signs"),
    ],
)
def test_classes_of_mentions(surface: str, expected: str) -> None:
    assert mention_class(surface) == expected
    assert expected in CLASSES


def test_facts_are_words_up_to_three_tokens_away() -> None:
    text = "one two Seen at North Clinic by Dr Lee today"
    document = Document("d", text, (Mention.of("LOCATION", (16, 28)),))
    (facts,) = mention_facts(document, tokens_of(document))
    assert facts == {
        Fact("class", "capitalised"),
        *(Fact("before", word) for word in ("two", "seen", "at")),
        *(Fact("inside", word) for word in ("north", "clinic")),
        *(Fact("after", word) for word in ("by", "dr", "lee")),
    }


RULES = {
    "ID": (
        Rule("SSN", (Condition("before", ("ssn", "security")), Condition("class", ("phone",)))),
        Rule("RECORD", (Condition("before", ("mrn",)),), 7, 5),
        Rule("OTHER"),
    ),
    "AGE": (Rule("AGE", (Condition("after", ("years",)),)),),
}


@pytest.mark.parametrize(
    ("category", "facts", "expected"),
    [
        ("ID", {Fact("before", "security"), Fact("class", "phone")}, "SSN"),
        ("ID", {Fact("before", "security"), Fact("before", "mrn")}, "RECORD"),
        ("ID", {Fact("after", "mrn")}, "OTHER"),
        ("AGE", {Fact("after", "years")}, "AGE"),
        ("AGE", set(), "AGE"),
        ("DATE", {Fact("before", "mrn")}, "DATE"),
    ],
)
def test_the_first_rule_whose_conditions_all_hold_gives_the_label(
    category: str, facts: set[Fact], expected: str
) -> None:
    assert label_by_rules(category, frozenset(facts), RULES) == expected


def test_a_file_to_edit(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(write_rules(RULES))
    assert read_rules(path) == RULES
    text = path.read_text()
    assert (
        '[["ID"]]\nwhen = [{ before = ["ssn", "security"] }, { class = "phone" }]\nlabel = "SSN"'
    ) in text
    path.write_text('[[ID]]\nwhen = [{ before = "MRN", class = "number" }]\nlabel = "RECORD"')
    both = (Condition("before", ("mrn",)), Condition("class", ("number",)))
    assert read_rules(path) == {"ID": (Rule("RECORD", both),)}


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
conditions = st.one_of(
    st.builds(
        Condition,
        st.sampled_from(PLACES[1:]),
        st.lists(words.map(str.lower), min_size=1, max_size=3).map(tuple),
    ).filter(lambda c: all(w == w.lower() for w in c.words)),
    st.builds(Condition, st.just("class"), st.sampled_from(CLASSES).map(lambda name: (name,))),
)
counts = st.integers(1, 9)
rule = st.builds(Rule, words, st.lists(conditions, max_size=3).map(tuple), counts, counts)


@given(rules=st.dictionaries(words, st.lists(rule, min_size=1, max_size=3).map(tuple), max_size=3))
def test_any_rules_are_the_same_after_writing(
    rules: dict[str, tuple[Rule, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert rules_from_values(rules_as_values(rules)) == rules
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_bytes(write_rules(rules).encode())
    assert read_rules(path) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ID = 3", "ID: expected rules"),
        ("[[ID]]\nwhen = []", "ID, rule 1: a rule needs a label"),
        ('[[ID]]\nlabel = "A"\n[[ID]]\nlabel = ""', "ID, rule 2: a rule needs a label"),
        ('[[ID]]\nlabel = "A"\nif = 3', "ID, rule 1: expected when"),
        ('[[ID]]\nlabel = "A"\nwhen = "x"', "when is a list"),
        ('[[ID]]\nlabel = "A"\nright = -1', "right are counts"),
        ('[[ID]]\nlabel = "A"\nwhen = ["x"]', "a condition is written"),
        ('[[ID]]\nlabel = "A"\nwhen = [{ near = "x" }]', "unknown place 'near'"),
        ('[[ID]]\nlabel = "A"\nwhen = [{ before = [] }]', "before takes a word"),
        ('[[ID]]\nlabel = "A"\nwhen = [{ class = "big" }]', "unknown class"),
        ("[[ID", "not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_rules(path)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_rules(tmp_path / "none.toml")
