"""Scoring a model or a whole de-identification on annotated documents: ``lacuna.evaluate``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import overload

from lacuna.deid.redact import Redacted
from lacuna.deid.still_readable import hidden, identifiers, without_punctuation
from lacuna.deid.what_stays import WhatStays
from lacuna.errors import RedactionError
from lacuna.evaluation.pos_accuracy import PosScores
from lacuna.evaluation.scores import Pair, Scores, score
from lacuna.evaluation.seen_part import whole
from lacuna.models.base import Tagger, group_batches
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline import evaluating
from lacuna.pipeline.deidentify import Deidentifier
from lacuna.pipeline.detect_and_redact import Failed
from lacuna.text.document import Document


@overload
def evaluate(model: PosTagger, documents: Iterable[Document]) -> PosScores: ...


@overload
def evaluate(
    model: Tagger | Deidentifier,
    documents: Iterable[Document],
    *,
    categories: Mapping[str, str] | None = ...,
) -> Scores: ...


def evaluate(
    model: Tagger | Deidentifier,
    documents: Iterable[Document],
    *,
    categories: Mapping[str, str] | None = None,
) -> Scores | PosScores:
    """Return the scores on documents whose mentions are right.

    Of a :class:`Deidentifier` everything is scored that it hides, whether the model, a pattern, a
    list or the second look found it, see :func:`evaluate_pipeline`. Of a part-of-speech model the
    accuracy is returned.

    Parameters
    ----------
    model
        A model or a de-identifier.
    documents
        Annotated documents.
    categories
        Large categories by label, for two more sections.
    """
    if isinstance(model, Deidentifier):
        return evaluate_pipeline(model, documents, categories=categories)
    if isinstance(model, PosTagger):
        return evaluating.evaluate_pos(model, documents)[0]
    return evaluating.evaluate(model, documents, categories=categories)[0]


def evaluate_pipeline(
    deidentifier: Deidentifier,
    documents: Iterable[Document],
    *,
    categories: Mapping[str, str] | None = None,
    on_pair: Callable[[Document, Document], None] = lambda _wanted, _gone: None,
) -> Scores:
    """Score what a de-identifier hides: patterns, lists and second look as well as the model.

    All documents of a group are de-identified together, as ``lacuna deid`` does. Gold is what the
    policy removes by the annotation, and a token counts as found if it cannot be read any more; see
    :mod:`lacuna.deid.still_readable`. `on_pair` is called with both versions of each document.

    Raises
    ------
    RedactionError
        A document cannot be de-identified.
    ScoringError
        A document was reviewed only in part: what leaks elsewhere is not known.
    """
    stays = WhatStays(deidentifier.policy)
    given = list(whole(documents, "scoring all of deid"))
    pairs: list[Pair] = []
    for document, redacted in zip(given, _redacted(deidentifier, given), strict=True):
        wanted = identifiers(stays, document)
        gone = hidden(stays, wanted, redacted)
        pairs.append((without_punctuation(wanted, gone), gone))
        on_pair(*pairs[-1])
    return score(pairs, categories=categories)


def _redacted(deidentifier: Deidentifier, documents: Sequence[Document]) -> list[Redacted]:
    """De-identify documents, those of a group together, and return them in their own order."""
    fresh = copy(deidentifier)  # it must not remember the groups of these documents
    units: dict[tuple[str, str] | int, list[int]] = {}
    for place, document in enumerate(documents):
        units.setdefault(place if document.group is None else document.unit, []).append(place)
    order = [place for places in units.values() for place in places]
    outcomes: dict[int, Redacted] = {}
    for batch in group_batches(documents[place] for place in order):
        for document, outcome in zip(batch, fresh.deidentify(batch), strict=True):
            if isinstance(outcome, Failed):
                raise RedactionError(f"{document.id}: {outcome.reason}")
            outcomes[order[len(outcomes)]] = outcome.redacted
    return [outcomes[place] for place in range(len(documents))]
