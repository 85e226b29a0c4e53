"""Corpus statistics on documents small enough to count by hand."""

from __future__ import annotations

from lacuna import Document, Mention
from lacuna.evaluation.statistics import describe

#       0123456789012345678901234567890
TEXT = "Pain in arm and leg.\n\nNo fever."

DOCUMENT = Document(
    "a",
    TEXT,
    (
        Mention.of("ADR", (0, 11)),  # pain in arm
        Mention.of("ADR", (0, 7), (16, 19)),  # pain in … leg, crosses the first
        Mention.of("SITE", (8, 11)),  # arm, inside the first
        Mention.of("SITE", (16, 19)),  # leg, inside the second
        Mention.of("NEGATED", (25, 30)),  # fever
        Mention.of("FINDING", (25, 30)),  # the same characters
    ),
    group="patient",
)


def test_counts_by_label_and_parts() -> None:
    found = describe([DOCUMENT])
    assert (found.documents, found.groups, found.mentions) == (1, 1, 6)
    assert found.characters == len(TEXT)
    assert (found.tokens, found.sentences) == (9, 2)
    assert list(found.labels) == ["ADR", "FINDING", "NEGATED", "SITE"]
    assert found.labels["ADR"].mentions == 2
    assert found.labels["ADR"].parts == {1: 1, 2: 1}
    assert found.labels["ADR"].characters == 11 + 10


def test_overlaps_within_and_between_labels() -> None:
    found = describe([DOCUMENT])
    assert found.overlapping_mentions == 6
    assert found.within == {"crossing": 1}
    assert found.between == {"nested": 2, "same": 1}
    assert found.label_pairs == {"ADR + ADR": 1, "ADR + SITE": 2, "FINDING + NEGATED": 1}


def test_sentences_touched() -> None:
    across = Document("b", TEXT, (Mention.of("ADR", (0, 4), (25, 30)),))
    found = describe([DOCUMENT, across])
    assert found.discontiguous_sentences == 1 + 2
    assert found.overlapping_sentences == 2
    assert found.across_sentences == 1
    assert found.groups == 2


def test_a_mention_before_the_first_token_counts_for_the_first_sentence() -> None:
    found = describe([Document("c", "  x", (Mention.of("A", (0, 1), (2, 3)),))])
    assert (found.discontiguous_sentences, found.across_sentences) == (1, 0)


def test_empty_corpus_and_empty_document() -> None:
    assert describe([]).documents == 0
    assert describe([Document("e", "")]).sentences == 0
