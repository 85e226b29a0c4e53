"""From new labels of words to mentions, by hand."""

from __future__ import annotations

import pytest

from lacuna import Document, Mention
from lacuna.models.aligned.mentions import NewLabel, relabelled
from lacuna.models.aligned.repeated_words import (
    Place,
    RepeatedWord,
    labelled_document,
    repeated_words,
)

TEXT = "Ann Lee saw Bob\nKay Lee in Rome"
#       0   1   2   3    4   5   6  7


def new(**labels: str) -> dict[int, NewLabel]:
    """Write labels as t3="PER"; each is sure to 0.9, and not to be outside."""
    return {
        int(name[1:]): NewLabel(label, {label: 0.9, "PER": 0.9, "O": 0.1})
        for name, label in labels.items()
    }


def result(
    mentions: list[Mention], labels: dict[int, NewLabel], *, only_add: bool = False
) -> list[str]:
    tagged = labelled_document(Document("d", TEXT, tuple(mentions)))
    return [f"{m.label} {m.surface(TEXT)}" for m in relabelled(tagged, labels, only_add=only_add)]


ANN_LEE, BOB, ROME = (
    Mention.of("PER", (0, 7)),
    Mention.of("PER", (12, 15)),
    Mention.of("LOC", (27, 31)),
)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, ["PER Ann Lee", "LOC Rome"]),
        ({"t3": "PER"}, ["PER Ann Lee", "PER Bob", "LOC Rome"]),
        ({"t3": "PER", "t4": "PER"}, ["PER Ann Lee", "PER Bob", "PER Kay", "LOC Rome"]),
        ({"t4": "PER", "t5": "PER"}, ["PER Ann Lee", "PER Kay Lee", "LOC Rome"]),
        ({"t4": "LOC", "t5": "PER"}, ["PER Ann Lee", "LOC Kay", "PER Lee", "LOC Rome"]),
        ({"t2": "PER"}, ["PER Ann Lee saw", "LOC Rome"]),
        ({"t2": "LOC"}, ["PER Ann Lee", "LOC saw", "LOC Rome"]),
        ({"t6": "LOC"}, ["PER Ann Lee", "LOC in Rome"]),
        ({"t7": "O"}, ["PER Ann Lee"]),
        ({"t7": "PER"}, ["PER Ann Lee", "PER Rome"]),
        ({"t0": "O"}, ["PER Ann Lee", "LOC Rome"]),
        ({"t0": "LOC", "t1": "O"}, ["PER Ann Lee", "LOC Rome"]),
        ({"t0": "O", "t1": "O"}, ["LOC Rome"]),
        ({"t0": "LOC", "t1": "LOC"}, ["LOC Ann Lee", "LOC Rome"]),
    ],
)
def test_mentions_change_as_a_whole_and_new_ones_join(
    labels: dict[str, str], expected: list[str]
) -> None:
    assert result([ANN_LEE, ROME], new(**labels)) == expected


def test_mentions_that_were_there_are_not_joined() -> None:
    ann, lee = Mention.of("PER", (0, 3)), Mention.of("PER", (4, 7))
    assert result([ann, lee], new(t3="PER")) == ["PER Ann", "PER Lee", "PER Bob"]


def test_new_words_alone_must_be_believed() -> None:
    tagged = labelled_document(Document("d", TEXT, (ANN_LEE, ROME)))
    labels = new(t2="PER", t4="PER", t5="PER", t6="LOC")
    asked: list[str] = []

    def believed(mention: Mention) -> bool:
        asked.append(mention.surface(TEXT))
        return False

    found = relabelled(tagged, labels, believed=believed)
    assert [m.surface(TEXT) for m in found] == ["Ann Lee saw", "in Rome"]
    assert asked == ["Kay Lee"]
    found = relabelled(tagged, labels, believed=believed, only_add=True)
    assert [m.surface(TEXT) for m in found] == ["Ann Lee", "Rome"]
    assert asked == ["Kay Lee", "saw", "Kay Lee", "in"]


def test_only_adding_removes_nothing() -> None:
    gap = Mention.of("PER", (0, 3), (12, 15))
    labels = new(t0="O", t1="O", t3="O", t5="PER", t7="LOC")
    expected = ["PER Ann … Bob", "PER Ann Lee", "PER Lee", "LOC Rome"]
    assert sorted(result([gap, ANN_LEE], labels, only_add=True)) == sorted(expected)


def test_probabilities_are_at_most_those_of_the_words() -> None:
    sure, unsure = (Mention.of("PER", (0, 7), probability=p) for p in (0.95, 0.5))
    for mention, labels, expected in (
        (sure, new(t1="PER"), 0.9),
        (unsure, new(t1="PER"), 0.5),
        (unsure, new(t0="LOC", t1="LOC"), 0.9),
        (sure, new(), 0.95),
        (unsure, new(t2="PER"), 0.5),
    ):
        tagged = labelled_document(Document("d", TEXT, (mention,)))
        (found,) = relabelled(tagged, labels, probabilities=True)
        assert found.probability == expected


def test_repeated_words_are_those_of_one_group_with_a_label() -> None:
    documents = [
        labelled_document(Document("a", "Ann, Ann saw", (Mention.of("PER", (0, 4)),), "g")),
        labelled_document(Document("b", "saw, Ann ann", (), "g")),
        labelled_document(Document("c", "Ann Ann", (), "h")),
        labelled_document(Document("g", "Ann saw", (Mention.of("PER", (0, 3)),))),
    ]
    assert documents[0].labels == ("PER", "PER", "O", "O")
    places = (Place(0, 0), Place(0, 2), Place(1, 2))
    assert repeated_words(documents) == [RepeatedWord("Ann", places)]
    assert documents[1].around(1) == ["\n", "saw", "ann", "ann"]
