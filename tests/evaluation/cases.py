"""Pairs of annotated documents for the scoring tests: a strategy and short ways to write one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st

from lacuna.text.document import Document, Mention, Tokens
from tests.strategies import mentions_in

Pair = tuple[Document, Document]

#: Short: scoring sees offsets and tokens, not characters; crowded mentions meet more often.
texts = st.text("ab7 .\n😀", max_size=16)

#: For tests that score whole corpora: each example is several documents.
fewer = settings(max_examples=60)


def document(
    *mentions: Mention,
    name: str = "d",
    group: str | None = None,
    size: int = 20,
    tokens: Tokens | None = None,
) -> Document:
    """Write a document of one-letter tokens: token i is character i, unless `tokens` says else."""
    own = Tokens(range(size), range(1, size + 1), [0, size]) if tokens is None else tokens  # type: ignore[arg-type]
    return Document(name, "x" * size, mentions, group, tokens=own)


@st.composite
def tokens_in(draw: st.DrawFn, size: int) -> Tokens:
    """Draw tokens inside ``[0, size)``, apart, with or without gaps."""
    borders = sorted(draw(st.sets(st.integers(0, size), max_size=12)))
    kept = [pair for pair in pairwise(borders) if draw(st.booleans())]
    starts, ends = [s for s, _ in kept], [e for _, e in kept]
    return Tokens(starts, ends, [0, len(kept)] if kept else [0])  # type: ignore[arg-type]


@st.composite
def pairs(draw: st.DrawFn, name: str = "doc-1", flat: bool = False) -> Pair:
    """Draw gold and prediction of one text; predictions repeat gold mentions about half the time.

    Some documents carry tokens (both sides the same), some leave them to the tokenizer. `flat`
    draws mentions of one span, no two of a side overlapping.
    """
    text = draw(texts)
    gold: list[Mention] = []
    predicted: list[Mention] = []
    if text:
        fresh = mentions_in(len(text), 1 if flat else 3)
        gold = draw(st.lists(fresh, max_size=5))
        predicted = draw(st.lists(st.sampled_from(gold) | fresh if gold else fresh, max_size=5))
    tokens = draw(st.none() | tokens_in(len(text)))
    group = draw(st.sampled_from([None, "p1", "p2"]))
    sides = [_apart(gold), _apart(predicted)] if flat else [gold, predicted]
    left, right = (Document(name, text, tuple(m), group, tokens=tokens) for m in sides)
    return left, right


def _apart(mentions: list[Mention]) -> list[Mention]:
    kept: list[Mention] = []
    for mention in mentions:
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return kept


def corpora() -> st.SearchStrategy[list[Pair]]:
    """Draw up to two pairs of documents."""
    return st.integers(0, 2).flatmap(
        lambda count: st.tuples(*(pairs(name=f"doc-{i}") for i in range(count))).map(list)
    )
