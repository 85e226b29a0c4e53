"""How much raw text counts in the likelihood that a model maximises.

    Σ_{annotated sentences} log p(x, c) + w Σ_{raw sentences} log p(x)

Raw text may be any number of times larger than the annotated text. At w = 1 it would decide alone
what the states of the model stand for, and that need not be the labels (Merialdo 1994). So w is
chosen such that all raw tokens together count as a share of the annotated tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

from lacuna.encoding.flat import TaggedDocument


def weight_of_raw(
    share: float, annotated: Sequence[TaggedDocument], raw: Sequence[TaggedDocument]
) -> float:
    """Return w = min(1, share · annotated tokens / raw tokens); 0 without raw text."""
    known, more = (sum(len(d.tokens) for d in part) for part in (annotated, raw))
    return min(1.0, share * known / more) if more else 0.0
