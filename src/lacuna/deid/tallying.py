"""Counting what was found and replaced in documents, for the report of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from lacuna.deid.detector import Detected
from lacuna.deid.drift import rates
from lacuna.deid.redact import Redacted
from lacuna.deid.remarks import LONG
from lacuna.deid.tally import BINS, Place, Review, Tally, listed, most_in_need
from lacuna.deid.vocabulary import Vocabulary, WordCounts
from lacuna.kernels import kernel
from lacuna.types import BoolArray, FloatArray, LongArray


def tally_of(
    documents: Sequence[tuple[Place, Detected, Redacted]], vocabulary: Vocabulary | None = None
) -> Tally:
    """Return the tally of documents; with a vocabulary, their words are looked at as well.

    Parameters
    ----------
    documents
        Where each is, what was found in it, and what was replaced.
    vocabulary
        Of the model.
    """
    if not documents:
        return Tally()
    found = [detected for _, detected, _ in documents]
    redacted = [replaced for _, _, replaced in documents]
    tokens = [len(one.probability) for one in found]
    histograms, replaced, missed = count_tokens(
        np.concatenate([one.probability for one in found]),
        np.concatenate([one.covered for one in found]),
        np.cumsum(tokens),
        BINS,
    )
    every = zip(documents, tokens, replaced.tolist(), missed.tolist(), strict=True)
    words: Sequence[WordCounts | None] = [None] * len(found)
    if vocabulary is not None:
        words = vocabulary.count_all([one.document.text for one in found])
    reviews, bins, foreign, languages = [], Counter[str](), [], Counter[str]()
    for ((place, _, one), size, hidden, left), counts in zip(every, words, strict=True):
        reviews.append(Review(left, place, size, len(one.plan)))
        bins.update(rates(size, hidden, left, counts))
        if counts is not None and counts.is_foreign:
            foreign.append(place)
            languages.update([counts.looks] if counts.looks else [])
    return Tally(
        documents=len(documents),
        characters=sum([len(one.document.text) for one in found]),
        tokens=sum(tokens),
        labels=_summed(one.counts for one in redacted),
        fallbacks=_summed(one.fallbacks for one in redacted),
        placeholders=sum([one.placeholders for one in redacted]),
        replaced=histograms[1].tolist(),
        left=histograms[0].tolist(),
        expected_missed=float(missed.sum()),
        review=most_in_need(reviews),
        protected=dict(Counter(chain.from_iterable([one.protected for one in found]))),
        rates=dict(bins),
        foreign=len(foreign),
        foreign_documents=listed(foreign),
        languages=dict(languages),
        contradictory_dates=sum([one.orders.contradictory for one in redacted]),
        hidden_dates=sum([one.orders.hidden for one in redacted]),
        dates_against_locale=sum([one.orders.against_locale for one in redacted]),
        long_findings=sum(f.end - f.start > LONG for one in redacted for f in one.plan),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)


@kernel
def count_tokens(
    probability: FloatArray, covered: BoolArray, last: LongArray, bins: int
) -> tuple[LongArray, LongArray, FloatArray]:
    """Count the tokens of documents that follow one another; `last` is where each ends.

    Returns
    -------
    histograms, replaced, missed
        Tokens by probability, row 0 of those that stay, row 1 of the covered; the number of covered
        tokens of each document, and the sum of the probabilities of those that stay.
    """
    histograms = np.zeros((2, bins), np.int64)
    replaced, missed = np.zeros(last.size, np.int64), np.zeros(last.size)
    t = 0
    for d in range(last.size):
        while t < last[d]:
            histograms[int(covered[t]), min(int(probability[t] * bins), bins - 1)] += 1
            if covered[t]:
                replaced[d] += 1
            else:
                missed[d] += probability[t]
            t += 1
    return histograms, replaced, missed
