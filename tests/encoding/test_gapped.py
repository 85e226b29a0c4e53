"""Documents to mentions with gaps in tokens and back."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from lacuna import Document, Mention
from lacuna.encoding.gapped import GappedMention, gapped_document, mentions_of, moved
from lacuna.text.overlap import merge_spans
from tests.strategies import documents


@given(documents(max_parts=5))
def test_every_mention_is_there_or_counted(document: Document) -> None:
    found = gapped_document(document, parts=3)
    assert len(found.mentions) + found.left_out.total() == len(document.mentions)
    assert found.labels().total() == len(found.mentions)
    back = mentions_of(found.mentions, found.tokens)
    for mention in back:
        assert any(
            mention.label == gold.label and _inside(mention, gold) for gold in document.mentions
        )


def _inside(mention: Mention, gold: Mention) -> bool:
    """Whether a mention is another one without white space and gaps of white space alone."""
    whole = merge_spans([*mention.spans, *gold.spans])
    return (whole[0].start, whole[-1].end) == (gold.start, gold.end)


@given(documents(max_parts=5))
def test_sentences_hold_their_mentions_apart_and_in_order(document: Document) -> None:
    found = gapped_document(document, parts=3)
    again: Counter[GappedMention] = Counter()
    for label in found.labels():
        first = 0
        for length, mentions in found.sentences(label):
            for parts in mentions:
                assert parts[0][0] >= 0
                assert parts[-1][1] <= length
                assert 1 <= len(parts) <= 3
                borders = [border for part in parts for border in part]
                assert borders == sorted(set(borders))
                again[GappedMention(label, moved(parts, first))] += 1
            first += length
        assert first == len(found.tokens)
    assert again == Counter(found.mentions)


def test_mentions_come_back_as_they_were() -> None:
    mentions = (Mention.of("A", (0, 4), (9, 12)), Mention.of("A", (0, 4)), Mention.of("B", (5, 8)))
    document = Document("d", "pain and leg", mentions)
    found = gapped_document(document)
    assert found.mentions == (
        *[GappedMention("A", ((0, 1), (2, 3))), GappedMention("A", ((0, 1),))],
        GappedMention("B", ((1, 2),)),
    )
    assert mentions_of(found.mentions, found.tokens) == document.mentions
    assert not found.left_out


def test_each_reason_to_leave_a_mention_out() -> None:
    text = "a b c d e f g\n\nh i"
    letters = {letter: i for i, letter in enumerate(text)}

    def mention(*parts: str) -> Mention:
        return Mention.of("X", *((letters[p[0]], letters[p[-1]] + 1) for p in parts))

    document = Document(
        "d",
        text,
        (
            *[mention("a", "c", "e", "g"), mention("a", "b", "d")],  # touching parts are one
            *[mention("a", "bd"), mention("a", "bcd"), mention("b", "h")],
            Mention.of("X", (1, 2)),
        ),
    )
    found = gapped_document(document, parts=3)
    assert found.left_out == {
        "of more than 3 parts": 1,
        "across sentences": 1,
        "without a token": 1,
        "said twice": 1,
    }
    assert set(found.mentions) == {
        GappedMention("X", ((0, 2), (3, 4))),
        GappedMention("X", ((0, 4),)),
    }


def test_tokens_and_sentences_fit_the_parts() -> None:
    text = "headache.\n\nBad pains here"
    document = Document("d", text, (Mention.of("X", (0, 4), (15, 19)), Mention.of("X", (4, 14))))
    found = gapped_document(document)
    assert found.tokens.words(text)[:3] == ["head", "ache", "."]
    assert len(found.tokens.sentences) == 2
    assert found.mentions == (
        GappedMention("X", ((0, 1), (4, 5))),
        GappedMention("X", ((1, 4),)),
    )
    assert not found.left_out
