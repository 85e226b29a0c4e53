"""Pairs of documents to compare, from two corpora, by id or by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from lacuna.errors import ScoringError
from lacuna.evaluation.scores import Pair
from lacuna.text.document import Corpus, Document


def pair(gold: Corpus, predicted: Corpus) -> Iterator[Pair]:
    """Yield (gold, predicted) documents that belong together, in gold order.

    Documents are streamed while the ids of both sides come in the same order. From the first
    difference on, the rest is held in memory and paired by id if both sides have the same ids,
    else by position if all texts are equal.

    Raises
    ------
    ScoringError
        A document has no partner, or an id occurs twice. (The texts of a pair are compared
        later, when it is scored.)
    """
    streams = zip_longest(gold, predicted)
    for left, right in streams:
        if left is None or right is None or left.id != right.id:
            rest = [(left, right), *streams]
            yield from _pair_rest(
                [document for document, _ in rest if document is not None],
                [document for _, document in rest if document is not None],
            )
            return
        yield left, right


def _pair_rest(gold: Sequence[Document], predicted: Sequence[Document]) -> Iterator[Pair]:
    by_id = {document.id: document for document in predicted}
    unique = len(by_id) == len(predicted) == len(gold)
    if unique and by_id.keys() == {document.id for document in gold}:
        for document in gold:
            yield document, by_id[document.id]
    elif [d.text for d in gold] == [d.text for d in predicted]:
        yield from zip(gold, predicted, strict=True)
    else:
        raise ScoringError(_why_unpaired(gold, predicted))


def _why_unpaired(gold: Sequence[Document], predicted: Sequence[Document]) -> str:
    """Name the first document without a partner."""
    for side, documents, others in (("gold", gold, predicted), ("predicted", predicted, gold)):
        ids = {document.id for document in others}
        for document in documents:
            if document.id not in ids:
                return f"document {document.id} of the {side} corpus has no partner"
    twice = [
        name
        for documents in (gold, predicted)
        for name, times in Counter(document.id for document in documents).items()
        if times > 1
    ]
    return f"document {twice[0]} occurs twice"
