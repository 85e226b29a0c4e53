"""Scoring documents that were reviewed in part: only what a person has seen counts.

Of gold, mentions that were reviewed as a whole count, and reviewed tokens (`text/reviewed.py`); of
a prediction, mentions that lie wholly inside the reviewed spans. Whether a prediction elsewhere is
right is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lacuna.errors import ScoringError
from lacuna.text.document import Document, Tokens
from lacuna.text.reviewed import only, reviewed_mentions, reviewed_tokens, settled


def seen(gold: Document, predicted: Document) -> tuple[Document, Document]:
    """Return gold and prediction with the mentions that count."""
    if gold.reviewed is None:
        return gold, predicted
    gold = settled(gold)
    return gold, replace(predicted, mentions=reviewed_mentions(predicted.mentions, gold))


def seen_tokens(gold: Document) -> Tokens:
    """Return the tokens that count."""
    from lacuna.text.tokens import tokens_of  # imports numba, which takes time

    gold = settled(gold)
    tokens = tokens_of(gold)
    reviewed = reviewed_tokens(gold, tokens)
    return tokens if reviewed is None else only(tokens, reviewed)


def whole(documents: Iterable[Document], purpose: str) -> Iterator[Document]:
    """Pass documents on; raise :class:`ScoringError` for one that was reviewed in part."""
    from lacuna.text.tokens import tokens_of

    for document in documents:
        if document.reviewed is not None and len(seen_tokens(document)) < len(tokens_of(document)):
            raise ScoringError(
                f"document {document.id} was reviewed only in part; {purpose} needs documents that"
                " were reviewed as a whole"
            )
        yield document
