"""What some documents of a patient tell about the others: what to look for, how to read dates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from lacuna.deid.dates.order import OrderEvidence
from lacuna.deid.terms import Term


class Evidence(msgspec.Struct, frozen=True, array_like=True):
    """Evidence adds up, in whatever order; it can be sent to another process.

    Attributes
    ----------
    terms
        Names, numbers and addresses that were found; see :mod:`lacuna.deid.second_look`.
    order
        Of numeric dates; see :mod:`lacuna.deid.dates.order`.
    """

    terms: frozenset[Term] = frozenset()
    order: OrderEvidence = OrderEvidence()

    def __repr__(self) -> str:
        return f"Evidence({len(self.terms)} terms)"

    def merged(self, other: Evidence) -> Evidence:
        """Return the evidence of both."""
        return Evidence(self.terms | other.terms, self.order.merged(other.order))


NOTHING = Evidence()


def merge_all(several: Iterable[Evidence]) -> Evidence:
    """Return the evidence of all."""
    terms: set[Term] = set()
    order = OrderEvidence()
    for evidence in several:
        terms |= evidence.terms
        order = order.merged(evidence.order)
    return Evidence(frozenset(terms), order)


def merge_by_group(
    mine: Mapping[str, Evidence], its: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """Return the evidence of both, by group."""
    return {
        group: mine.get(group, NOTHING).merged(its.get(group, NOTHING)) for group in {**mine, **its}
    }
