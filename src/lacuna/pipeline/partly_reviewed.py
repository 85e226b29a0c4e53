"""Counting what training cannot learn from, because nobody has reviewed it."""

from __future__ import annotations

from collections.abc import Sequence

from lacuna.pipeline.training_records import Unreviewed
from lacuna.text.align import mention_tokens
from lacuna.text.document import Document
from lacuna.text.reviewed import all_reviewed, in_sentences, reviewed_tokens, settled, some_reviewed
from lacuna.text.tokens import tokens_of


def unreviewed(documents: Sequence[Document], *, needs_whole: bool) -> Unreviewed | None:
    """Return what was not reviewed; None if all of every document was.

    `needs_whole`: the model learns only from sentences that were reviewed as a whole.
    """
    found = [
        part
        for document in documents
        if document.reviewed is not None and (part := _of(document, needs_whole)) is not None
    ]
    return sum(found, Unreviewed()) if found else None


def _of(document: Document, needs_whole: bool) -> Unreviewed | None:
    """Count in one document, before it is settled."""
    known = settled(document)
    tokens = tokens_of(document)
    reviewed = reviewed_tokens(known, tokens)
    if reviewed is None:
        return None
    used = (all_reviewed if needs_whole else some_reviewed)(tokens, reviewed)
    learnt = in_sentences(tokens, used)
    mentions = sum(learnt[mention_tokens(mention, tokens)].all() for mention in known.mentions)
    return Unreviewed(
        int((~reviewed).sum()), len(document.mentions) - int(mentions), int((~used).sum())
    )
