"""Training alignment on top of a tagger.

It learns from documents tagged by models that have not seen them (folds by group); from a tagger's
own training documents it would learn to trust a tagger that is always right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from lacuna.learning.folds import jackknife
from lacuna.models.aligned import AlignedModel
from lacuna.models.aligned.mentions import learn_joins
from lacuna.models.aligned.training import HeldOut, fit_alignment, fit_free
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline.progress import Trained
from lacuna.text.document import Document

FOLDS = 5  #: fewer where there are fewer groups


def with_alignment(
    trained: Trained,
    documents: Sequence[Document],
    retrain: Callable[[Sequence[Document]], Trained],
    *,
    private: bool,
    seed: int,
) -> Trained:
    """Return a trained model with alignment learnt on top; `retrain` trains the same on less.

    Interrupted, the model is returned as it is, without alignment.
    """
    try:
        held_out = list(_held_out(documents, retrain, seed))
    except KeyboardInterrupt:
        return replace(trained, interrupted=True)
    model = trained.model
    assert not isinstance(model, AlignedModel | PosTagger)
    space, weights = fit_alignment(held_out, model.labels, private=private)
    joins = learn_joins(documents)
    free = fit_free(held_out, space, weights, joins)
    return replace(trained, model=AlignedModel(model, space, weights, joins, free))


def _held_out(
    documents: Sequence[Document], retrain: Callable[[Sequence[Document]], Trained], seed: int
) -> Iterator[HeldOut]:
    """Tag every document by a model that has not seen its group."""
    folds = min(FOLDS, len({document.unit for document in documents}))
    for rest, part in jackknife(documents, folds, rng=np.random.default_rng(seed)):
        again = retrain([documents[i] for i in rest])
        if again.interrupted:
            raise KeyboardInterrupt
        left_out = [documents[i] for i in part]
        found = again.model.find(left_out)
        sure = again.model.identifier_probabilities(left_out)
        yield from map(HeldOut, left_out, found, sure)
