"""How many documents may have a leak, given a random sample in which a person counted them.

``drawn`` of ``documents`` are drawn without replacement. If K documents have a leak, the number X
of those in the sample is hypergeometric::

    P(X = x) = C(K, x) C(documents - K, drawn - x) / C(documents, drawn)

Numbers K for which so few would be seen too rarely, ``P(X <= seen) <= 1 - confidence``, are ruled
out. The bound is the largest K that is left. It is exact and one-sided, the counterpart of Clopper
and Pearson's bound for a finite population: for many documents the share approaches theirs, which
is ``1 - (1 - confidence)^(1/drawn)`` if none was seen. If all documents were drawn, it is the
number seen.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb


def most_leaking(documents: int, drawn: int, seen: int, confidence: float) -> int:
    """Return the upper bound on the number of documents with a leak.

    Parameters
    ----------
    documents
        How many there are.
    drawn
        How many were drawn at random.
    seen
        How many of those have a leak.
    confidence
        Above 0 and below 1.
    """
    if not 0 <= seen <= drawn <= documents or not drawn:
        raise ValueError(f"cannot see {seen} of {drawn} drawn from {documents}")
    if not 0 < confidence < 1:
        raise ValueError("a confidence is above 0 and below 1")
    tolerated = (1 - Fraction(str(confidence))) * comb(documents, drawn)
    least, most = seen, documents - (drawn - seen)
    while least < most:  # the probability falls with the number of documents
        middle = (least + most + 1) // 2
        if _ways(documents, drawn, seen, middle) > tolerated:
            least = middle
        else:
            most = middle - 1
    return least


def _ways(documents: int, drawn: int, seen: int, leaking: int) -> int:
    """Return in how many samples at most `seen` documents have a leak."""
    return sum(comb(leaking, x) * comb(documents - leaking, drawn - x) for x in range(seen + 1))
