"""Training a re-ranker on top of a Dirichlet-process HMM.

It learns from taggings by models that have not seen the sentences (folds by group): from the
model's own training sentences it would learn to trust the model too much. A tagging is of a whole
sentence, so it learns only from sentences that were reviewed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lacuna.encoding.flat import TaggedDocument
from lacuna.features.token_table import token_table
from lacuna.inference.subtags import projected_lists
from lacuna.learning.folds import FOLDS, jackknife
from lacuna.models.base import FitOptions
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.reranking import Lesson, candidates, fit_reranker, lesson
from lacuna.models.dp_hmm.training import fit_dp_hmm


def with_reranking(
    model: DpHmmModel, tagged: Sequence[TaggedDocument], options: FitOptions
) -> DpHmmModel:
    """Return the model with a trained re-ranker, if its settings ask for one.

    If all documents belong to one group, there is nothing to learn from and the best tagging wins.
    """
    if not model.config.rerank:
        return model
    return replace(model, reranker=fit_reranker(list(_lessons(tagged, model.config, options))))


def _lessons(
    tagged: Sequence[TaggedDocument], config: DpHmm, options: FitOptions
) -> Iterator[Lesson]:
    """Tag every document with a model that has not seen its group."""
    documents = [item.document for item in tagged]
    folds = min(FOLDS, len({document.unit for document in documents}))
    if folds < 2:
        return
    for rest, part in jackknife(documents, folds, rng=options.rng()):
        *_, last = fit_dp_hmm([tagged[i] for i in rest], config, options)
        model = last.model()
        assert isinstance(model, DpHmmModel)
        whole = [tagged[i].in_whole_sentences() for i in part]
        if any(len(item.tokens) for item in whole):
            yield _lesson(model, whole, config)


def _lesson(model: DpHmmModel, tagged: Sequence[TaggedDocument], config: DpHmm) -> Lesson:
    table = token_table([item.document for item in tagged], [item.tokens for item in tagged])
    number = {tag: s for s, tag in enumerate(model.tags)}
    # -1: a label that the other documents do not have, so that no candidate has it
    gold = [number.get(tag, -1) for item in tagged for tag in item.tags(config.scheme)]
    emission = model.emission(table)
    lists = projected_lists(model.chain(), emission, table.sentences, model.borders, config.rerank)
    return lesson(candidates(lists, model.tags, table, model.words.words), np.array(gold, np.int32))
