"""Scoring a model or a whole de-identification on annotated documents: ``lacuna.evaluate``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import overload

from lacuna.errors import RedactionError
from lacuna.evaluation.pos_accuracy import PosScores
from lacuna.evaluation.scores import Pair, Scores, score
from lacuna.models.base import Tagger, group_batches
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline import evaluating
from lacuna.pipeline.deidentify import Deidentifier
from lacuna.pipeline.detect_and_redact import Failed
from lacuna.text.document import Document, Mention


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

    Of a :class:`Deidentifier` everything is scored that it replaces, whether the model, a pattern
    or a list found it; what its policy keeps counts as missed. Of a part-of-speech model the
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
        return score(_pairs(model, documents), categories=categories)
    if isinstance(model, PosTagger):
        return evaluating.evaluate_pos(model, documents)[0]
    return evaluating.evaluate(model, documents, categories=categories)[0]


def _pairs(deidentifier: Deidentifier, documents: Iterable[Document]) -> Iterator[Pair]:
    fresh = copy(deidentifier)  # it must not remember the groups of these documents
    for batch in group_batches(documents):
        for document, outcome in zip(batch, fresh.deidentify(batch), strict=True):
            if isinstance(outcome, Failed):
                raise RedactionError(f"{document.id}: {outcome.reason}")
            plan = outcome.redacted.plan
            mentions = tuple(Mention.of(found.label, (found.start, found.end)) for found in plan)
            yield document, replace(document, mentions=mentions)
