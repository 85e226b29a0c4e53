"""Training of alignment: minimises `objective.py` on what taggers found in unseen documents.

Documents that a tagger was trained on would teach alignment to trust it too much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE
from lacuna.inference.agreement import is_exact
from lacuna.learning.folds import FOLDS, jackknife
from lacuna.learning.lbfgs import minimise
from lacuna.models.aligned import AlignedModel
from lacuna.models.aligned.features import AlignmentFeatures, new_labels
from lacuna.models.aligned.mentions import Joins, learn_free, learn_joins
from lacuna.models.aligned.objective import AlignmentObjective, AlignmentWeights, Occurrences
from lacuna.models.aligned.repeated_words import (
    LabelledDocument,
    RepeatedWord,
    labelled_document,
    repeated_words,
    true_labels,
)
from lacuna.models.base import FitOptions, Tagger
from lacuna.text.document import Document
from lacuna.types import FloatArray, IntArray

L2 = 1.0
ITERATIONS = 100
SMALL_GRADIENT = 1e-3  #: training stops at this share of the first gradient's norm
WORD_GROUPS = 3  #: words near repeated words of fewer groups have no features of their own


class HeldOut(NamedTuple):
    """An annotated document and what a tagger that had not seen it found there.

    ``sure[t]`` is its probability that token t is in a mention.
    """

    truth: Document
    found: Document
    sure: FloatArray


def fit_alignment(
    held_out: Sequence[HeldOut], labels: Sequence[str], *, private: bool = False
) -> tuple[AlignmentFeatures, AlignmentWeights]:
    """Learn by maximum likelihood with a penalty.

    Ignores occurrences whose right label is unknown or was given to none of the word's occurrences,
    and words that occur too often for exact inference. A private model has no features of words
    around.
    """
    tagged = [labelled_document(item.found) for item in held_out]
    truth = [
        true_labels(item.truth, words.tokens) for item, words in zip(held_out, tagged, strict=True)
    ]
    repeated = _learnable(repeated_words(tagged), tagged, truth)
    words = () if private else _words_around(repeated, tagged)
    space = AlignmentFeatures((OUTSIDE, *labels), words)
    sure = {number: item.sure for number, item in enumerate(held_out)}
    seen = space.occurrences(repeated, tagged, sure)
    objective = AlignmentObjective(seen, _right(repeated, seen, truth, space), space.zeros(), L2)
    first = 0.0
    best = space.zeros().flat()
    for step in minimise(objective, best):
        best, first = np.asarray(step.point, np.float64), first or step.gradient_norm
        if step.iteration >= ITERATIONS or step.gradient_norm <= SMALL_GRADIENT * first:
            break
    return space, space.zeros().like(best)


def fit_free(
    held_out: Sequence[HeldOut], space: AlignmentFeatures, weights: AlignmentWeights, joins: Joins
) -> frozenset[str]:
    """Return the labels whose new mentions need not be like one that the tagger found."""
    tagged = [labelled_document(item.found) for item in held_out]
    sure = {number: item.sure for number, item in enumerate(held_out)}
    new, _ = new_labels(space, weights, repeated_words(tagged), tagged, sure)
    return learn_free(tagged, [item.truth for item in held_out], new, joins)


def _learnable(
    repeated: Sequence[RepeatedWord],
    tagged: Sequence[LabelledDocument],
    truth: Sequence[Sequence[str]],
) -> list[RepeatedWord]:
    """Return the words, and those of their occurrences, that can be learnt from."""
    kept = []
    for word in repeated:
        proposed = {tagged[d].labels[t] for d, t in word.places} | {OUTSIDE}
        places = tuple(place for place in word.places if truth[place[0]][place[1]] in proposed)
        left = {tagged[d].labels[t] for d, t in places} | {OUTSIDE}
        exact = is_exact(np.array([len(places)]), np.array([len(left)], np.int32))[0]
        if len(places) > 1 and exact and all(truth[d][t] in left for d, t in places):
            kept.append(RepeatedWord(word.form, places))
    return kept


def _words_around(
    repeated: Sequence[RepeatedWord], tagged: Sequence[LabelledDocument]
) -> tuple[str, ...]:
    """Return the words near repeated words of enough groups."""
    groups: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for word in repeated:
        for d, t in word.places:
            for beside in tagged[d].around(t):
                groups[beside].add(tagged[d].document.unit)
    return tuple(sorted(word for word, units in groups.items() if len(units) >= WORD_GROUPS))


def _right(
    repeated: Sequence[RepeatedWord],
    seen: Occurrences,
    truth: Sequence[Sequence[str]],
    space: AlignmentFeatures,
) -> IntArray:
    """Return the right candidate of every occurrence."""
    right = [
        seen.candidates[g, : seen.labels[g]].tolist().index(space.label_numbers[truth[d][t]])
        for g, word in enumerate(repeated)
        for d, t in word.places
    ]
    return np.array(right, np.int32)


def align(
    model: Tagger,
    documents: Sequence[Document],
    retrain: Callable[[Sequence[Document]], Tagger],
    options: FitOptions,
) -> AlignedModel:
    """Return a model with alignment learnt on top; `retrain` trains the same on less.

    Alignment learns from documents tagged by models that have not seen them (folds by group); from
    a tagger's own training documents it would learn to trust a tagger that is always right.
    """
    held_out = list(_held_out(documents, retrain, options))
    space, weights = fit_alignment(held_out, model.labels, private=options.private)
    joins = learn_joins(documents)
    return AlignedModel(model, space, weights, joins, fit_free(held_out, space, weights, joins))


def _held_out(
    documents: Sequence[Document],
    retrain: Callable[[Sequence[Document]], Tagger],
    options: FitOptions,
) -> Iterator[HeldOut]:
    """Tag every document by a model that has not seen its group."""
    folds = min(FOLDS, len({document.unit for document in documents}))
    for rest, part in jackknife(documents, folds, rng=options.rng()):
        again = retrain([documents[i] for i in rest])
        left_out = [documents[i] for i in part]
        yield from map(
            HeldOut, left_out, again.find(left_out), again.identifier_probabilities(left_out)
        )
