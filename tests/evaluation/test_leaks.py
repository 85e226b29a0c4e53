from __future__ import annotations

from hypothesis import given

from lacuna.evaluation.leaks import LabelLeaks, LeakShare, document_leaks, leaks
from lacuna.evaluation.scores import score
from lacuna.text.document import Mention, Tokens
from tests.evaluation.cases import Pair, corpora, document, fewer


def test_by_hand() -> None:
    corpus = [
        (  # 2 of 4 tokens of PER left open, one mention untouched
            document(Mention.of("PER", (0, 4)), Mention.of("LOC", (6, 9)), name="a", group="p1"),
            document(Mention.of("LOC", (2, 4)), name="a", group="p1"),
        ),
        (  # covered under another label: no leak
            document(Mention.of("PER", (0, 4)), name="b", group="p1"),
            document(Mention.of("LOC", (0, 4)), name="b", group="p1"),
        ),
        (document(name="c"), document(Mention.of("PER", (0, 2)), name="c")),
        (document(Mention.of("PER", (1, 2)), name="d"), document(name="d")),
    ]
    found = leaks(score(corpus))
    assert found.documents == LeakShare(4, 2)
    assert found.groups == LeakShare(3, 2)
    assert found.tokens == LeakShare(12, 6)
    assert found.mentions == LeakShare(4, 2)
    assert found.labels == {
        "LOC": LabelLeaks(LeakShare(3, 3), LeakShare(1, 1)),
        "PER": LabelLeaks(LeakShare(9, 3), LeakShare(3, 1)),
    }
    by_document = document_leaks(score(corpus))
    assert by_document.tokens.tolist() == [5, 0, 0, 1]
    assert by_document.mentions.tolist() == [1, 0, 0, 1]


def test_an_untouched_mention_without_tokens_is_a_leak() -> None:
    between = Tokens([0, 8], [2, 9], [0, 2])  # type: ignore[arg-type]
    gold = document(Mention.of("PER", (3, 6)), tokens=between)
    found = leaks(score([(gold, document(tokens=between))]))
    assert found.documents == LeakShare(1, 1)
    assert found.tokens == LeakShare(0, 0)


def test_nothing_to_leak() -> None:
    assert leaks(score([])).documents.share == 0
    found = leaks(score([(document(), document())]))
    assert (found.documents, found.mentions, found.labels) == (LeakShare(1, 0), LeakShare(0, 0), {})


@fewer
@given(corpora())
def test_a_perfect_prediction_leaks_nothing_and_an_empty_one_everything(
    corpus: list[Pair],
) -> None:
    golds = [gold for gold, _ in corpus]
    perfect = leaks(score([(gold, gold) for gold in golds]))
    for share in (perfect.documents, perfect.groups, perfect.tokens, perfect.mentions):
        assert share.leaked == 0
    blank = [type(gold)(gold.id, gold.text) for gold in golds]
    nothing = leaks(score(zip(golds, blank, strict=True)))
    assert nothing.tokens.leaked == nothing.tokens.total
    assert nothing.mentions == LeakShare(*[sum(len(gold.mentions) for gold in golds)] * 2)
    assert nothing.documents == LeakShare(len(golds), sum(bool(gold.mentions) for gold in golds))
    assert nothing.groups.leaked == len({gold.unit for gold in golds if gold.mentions})
