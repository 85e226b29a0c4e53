"""nervaluate as oracle, where its definitions are ours: strict, on flat mentions.

Its precision and recall coincide with ours when both sides have something (it gives 0 for 0/0).
It pairs mentions greedily, so a mention that merely overlaps can use up a gold mention another
one matches exactly; each label alone, with mentions of a side apart, is free of that only when
the exact match comes first. So mentions that match exactly are listed first.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from nervaluate import Evaluator

from lacuna.evaluation.counts import Counts
from lacuna.evaluation.scores import score
from lacuna.text.document import Document, Mention
from tests.evaluation.cases import Pair, pairs
from tests.strategies import LABELS


def as_entities(side: Document, other: Document) -> list[dict[str, object]]:
    """List mentions with inclusive ends, those that are also in `other` first."""
    shared = {(m.label, m.spans) for m in other.mentions}

    def exact_first(mention: Mention) -> bool:
        return (mention.label, mention.spans) not in shared

    return [
        {"label": m.label, "start": m.start, "end": m.end - 1}
        for m in sorted(side.mentions, key=exact_first)
    ]


@given(st.lists(pairs(flat=True), min_size=1, max_size=3))
def test_strict_agrees_with_nervaluate(corpus: list[Pair]) -> None:
    gold = [as_entities(gold, predicted) for gold, predicted in corpus]
    predicted = [as_entities(predicted, gold) for gold, predicted in corpus]
    result = Evaluator(gold, predicted, tags=list(LABELS), loader="dict").evaluate()
    ours = score(corpus).section("strict")
    theirs = {tag: kinds["strict"] for tag, kinds in result["entities"].items()}
    assert {
        tag: Counts(r.correct, r.actual - r.correct, r.possible - r.correct)
        for tag, r in theirs.items()
    } == ours.labels
    overall = result["overall"]["strict"]
    assert (overall.correct, overall.actual, overall.possible) == (
        ours.micro.tp,
        ours.micro.predicted,
        ours.micro.gold,
    )
