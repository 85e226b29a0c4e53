"""Learning rules: splits and pruning computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.models.with_rules.learning import (
    LabelledMention,
    Node,
    grow,
    learn_rules,
    pruned,
    tree_rules,
)
from lacuna.models.with_rules.rules import Condition, Fact, Rule, label_by_rules

A, B, C = (Fact("before", word) for word in "abc")


def examples(*counts: tuple[int, str, set[Fact]]) -> list[LabelledMention]:
    return [
        LabelledMention(frozenset(facts), label) for n, label, facts in counts for _ in range(n)
    ]


def test_the_fact_that_lessens_impurity_most_is_asked_first() -> None:
    """Ten examples, five of each label: n G = 5.

    a holds for 4 X and 1 Y: gain 5 - 1.6 - 1.6 = 1.8. b holds for 3 X: 5 - 0 - (7 - 29 / 7) = 15/7.
    """
    given_examples = examples((3, "X", {A, B}), (1, "X", {A}), (1, "X", set()), (1, "Y", {A}))
    given_examples += examples((4, "Y", set()))
    tree = grow(given_examples, [A, B])
    assert tree.counts == {"X": 5, "Y": 5}
    assert tree.fact == B
    assert tree.yes == Node({"X": 3})
    # of the seven left a holds for 1 X and 1 Y: too few to be asked for
    assert tree.no == Node({"X": 2, "Y": 5})
    assert grow(given_examples, [A]).fact == A


def test_a_question_needs_three_mentions_on_either_side_and_a_gain() -> None:
    assert grow(examples((2, "X", {A}), (8, "Y", set())), [A]).fact is None
    assert grow(examples((3, "X", {A}), (8, "Y", set())), [A]).fact == A
    assert grow(examples((3, "X", set()), (8, "Y", {A})), [A]).fact == A
    assert grow(examples((4, "X", {A}), (4, "Y", {A}), (4, "X", set()), (4, "Y", set())), [A]) == (
        Node({"X": 8, "Y": 8})
    )
    assert grow(examples((4, "X", {A})), [A]) == Node({"X": 4})
    assert grow(examples((4, "X", {A}), (5, "Y", {B})), []) == Node({"X": 4, "Y": 5})


def test_among_equal_facts_the_first_is_asked() -> None:
    both = examples((4, "X", {A, Fact("class", "z")}), (4, "Y", set()))
    assert grow(both, [A, Fact("class", "z")]).fact == Fact("class", "z")


LEAF_X, LEAF_Y = Node({"X": 6, "Y": 1}), Node({"X": 2, "Y": 9})
TREE = Node({"X": 8, "Y": 10}, A, LEAF_X, LEAF_Y)  # 15 right in place of 10
HIGHER = Node({"X": 8, "Y": 11}, B, TREE, Node({"Y": 1}))  # 16 in place of 11, with two rules more


@pytest.mark.parametrize(
    ("tree", "cost", "expected"),
    [
        (TREE, 4.9, TREE),
        (TREE, 5.0, Node(TREE.counts)),
        (HIGHER, 2.4, HIGHER),
        (HIGHER, 2.6, Node(HIGHER.counts)),
        (LEAF_X, 1.0, LEAF_X),
    ],
)
def test_a_rule_must_put_enough_right(tree: Node, cost: float, expected: Node) -> None:
    assert pruned(tree, cost) == expected


def test_pruning_keeps_the_part_that_is_worth_it() -> None:
    useless = Node({"X": 6, "Y": 1}, C, Node({"X": 3}), Node({"X": 3, "Y": 1}))
    tree = Node(TREE.counts, A, useless, LEAF_Y)
    assert pruned(tree, 1.0) == TREE


def test_leaves_become_rules_that_say_nothing_of_what_does_not_hold() -> None:
    a, b = Condition("before", ("a",)), Condition("before", ("b",))
    assert list(tree_rules(HIGHER)) == [
        Rule("X", (b, a), 7, 6),
        Rule("Y", (b,), 11, 9),
        Rule("Y", (), 1, 1),
    ]


def by_tree(node: Node, facts: frozenset[Fact]) -> str:
    while node.fact is not None:
        side = node.yes if node.fact in facts else node.no
        assert side is not None
        node = side
    return node.label


facts = st.frozensets(st.sampled_from([A, B, C]))


@given(
    seen=st.lists(
        st.builds(LabelledMention, facts, st.sampled_from("XYZ")), min_size=1, max_size=60
    ),
    cost=st.sampled_from([0.0, 0.5, 2.0]),
)
def test_rules_say_what_the_tree_says(seen: list[LabelledMention], cost: float) -> None:
    tree = pruned(grow(seen, [A, B, C]), cost)
    rules = {"K": tuple(tree_rules(tree))}
    for example in seen:
        assert label_by_rules("K", example.facts, rules) == by_tree(tree, example.facts)
    assert sum(rule.mentions for rule in rules["K"]) == len(seen)
    assert sum(rule.right for rule in rules["K"]) == sum(
        label_by_rules("K", example.facts, rules) == example.label for example in seen
    )


def notes(groups: int) -> list[Document]:
    """Return notes of several patients: MRN before a RECORD, SSN before an SSN."""
    return [
        Document(
            f"{group}-{n}",
            f"MRN 1234{group} SSN 6789{group}",
            (Mention.of("RECORD", (4, 9)), Mention.of("SSN", (14, 19))),
            f"p{group}",
        )
        for group in range(groups)
        for n in range(3)
    ]


CATEGORIES = {"RECORD": "ID", "SSN": "ID"}


def test_words_of_three_groups_are_asked_for() -> None:
    ssn = Rule("SSN", (Condition("before", ("ssn",)),), 9, 9)
    assert learn_rules(notes(3), CATEGORIES) == {"ID": (ssn, Rule("RECORD", (), 9, 9))}
    assert learn_rules(notes(2), CATEGORIES) == {"ID": (Rule("RECORD", (), 12, 6),)}
    assert learn_rules(notes(3), {}) == {
        "RECORD": (Rule("RECORD", (), 9, 9),),
        "SSN": (Rule("SSN", (), 9, 9),),
    }


def test_a_private_model_asks_for_no_words() -> None:
    assert learn_rules(notes(3), CATEGORIES, private=True) == {"ID": (Rule("RECORD", (), 18, 9),)}
