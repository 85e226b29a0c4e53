"""Training a re-ranker on top of an HMM with sub-tags.

It learns from taggings by models that have not seen the sentences (folds by group): from a model's
own training sentences it would learn to trust the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lacuna.encoding.flat import TaggedDocument, tag_document
from lacuna.features.token_table import token_table
from lacuna.inference.subtags import projected_lists
from lacuna.learning.folds import jackknife
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.reranking import Lesson, Reranker, candidates, fit_reranker, lesson
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.text.document import Document

FOLDS = 5  #: or the number of groups, if there are fewer


def train_reranker(documents: Sequence[Document], config: DpHmm, *, seed: int) -> Reranker:
    """Train one model per fold and learn to rank its taggings of the other documents.

    If all documents are of one group, the most probable tagging stays the best.
    """
    return fit_reranker(list(_lessons(documents, config, seed)))


def _lessons(documents: Sequence[Document], config: DpHmm, seed: int) -> Iterator[Lesson]:
    """Tag every document with a model that has not seen its group."""
    folds = min(FOLDS, len({document.unit for document in documents}))
    if folds < 2:
        return
    tagged = [tag_document(document) for document in documents]
    for rest, part in jackknife(documents, folds, rng=np.random.default_rng(seed)):
        *_, last = fit_dp_hmm([tagged[i] for i in rest], config, np.random.default_rng(seed))
        model = last.model()
        assert isinstance(model, DpHmmModel)
        yield _lesson(model, [tagged[i] for i in part], config)


def _lesson(model: DpHmmModel, tagged: Sequence[TaggedDocument], config: DpHmm) -> Lesson:
    table = token_table([item.document for item in tagged], [item.tokens for item in tagged])
    number = {tag: s for s, tag in enumerate(model.tags)}
    # a label that the other documents do not have cannot be learnt here: no candidate has it
    gold = [number.get(tag, -1) for item in tagged for tag in item.tags(config.scheme)]
    emission = model.emission(table)
    lists = projected_lists(model.chain(), emission, table.sentences, model.borders, config.rerank)
    return lesson(candidates(lists, model.tags, table, model.words.words), np.array(gold, np.int32))
