"""What a format can hold, and what happens to a document that has more.

Each :class:`Reduction` removes one feature from a document and counts what it removed; :func:`fit`
applies those that a format needs, and raises if that loses more than the caller allows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import NamedTuple

from lacuna.encoding.schemes import Scheme
from lacuna.errors import FormatLimitError
from lacuna.text.document import Document, Mention, reading_order
from lacuna.text.overlap import flatten, overlapping_pairs

#: Key of ``meta`` for the tag scheme of the tokens; losing it with them is not counted.
SCHEME_KEY = "scheme"
WRITTEN_SCHEMES = tuple(scheme for scheme in Scheme if scheme is not Scheme.IO)


class Feature(StrEnum):
    """Something a document can have; the value is its name in messages."""

    MENTIONS = "mentions"
    GAPS = "discontiguous mentions"
    OVERLAPS = "overlapping mentions"
    CROSSING = "crossing mentions"
    LABELS = "some labels"
    BLANK_MENTIONS = "mentions of white space only"
    PROBABILITIES = "probabilities"
    GROUPS = "groups"
    META = "meta data"
    TOKENS = "tokens"
    OWN_TOKENS = "tokens as they are"
    SENTENCES = "sentences as they are"
    COLUMNS = "columns as they are"
    REVIEWED = "which part was reviewed"
    LAYOUT = "white space as it is"
    IDS = "ids"
    ODD_IDS = "such an id"
    ODD_CHARACTERS = "some characters of the text"


class Loss(IntEnum):
    """How much may be left out on writing; each level includes those before it."""

    NOTHING = 0
    EXTRAS = 1  #: anything but text and mentions, and white space in conll
    MENTIONS = 2  #: mentions, some of their information, or where there may be more of them


class Reduction(NamedTuple):
    """How to remove one feature from a document: `reduce` returns the rest and a count."""

    feature: Feature
    level: Loss
    reduce: Callable[[Document], tuple[Document, int]]


NOTHING = re.compile(r"(?!)")
ANYTHING = re.compile(r"(?s:.+)")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a format can hold.

    Attributes
    ----------
    holds
        Features it can hold.
    label
        What a label must match in full.
    no_text, no_id
        What must not be found in a text, in an id.
    layout
        Further steps that bring a document into the form of the format.
    """

    holds: frozenset[Feature]
    label: re.Pattern[str] = ANYTHING
    no_text: re.Pattern[str] = NOTHING
    no_id: re.Pattern[str] = NOTHING
    layout: tuple[Reduction, ...] = ()


def fit(document: Document, name: str, limits: Limits, loss: Loss) -> tuple[Document, Counter[str]]:
    """Return what the format `name` can hold of `document`, and counts of what is left out.

    Raises :class:`FormatLimitError` if more than `loss` would be left out.
    """
    if limits.no_text.search(document.text):
        raise FormatLimitError(name, Feature.ODD_CHARACTERS, document=document.id)
    if limits.no_id.search(document.id):
        raise FormatLimitError(name, Feature.ODD_IDS, document=document.id)
    left_out: Counter[str] = Counter()
    for feature, level, reduce in _steps(limits):
        if feature in limits.holds:
            continue
        document, count = reduce(document)
        if count:
            allow(feature, level, loss, name, document.id)
            left_out[str(feature)] += count
    return document, left_out


def _steps(limits: Limits) -> tuple[Reduction, ...]:
    spelling = Reduction(
        Feature.LABELS, Loss.MENTIONS, lambda d: _keep(d, lambda m: limits.label.fullmatch(m.label))
    )
    return *REDUCTIONS, spelling, *limits.layout


def loss_needed(what: str, limits: Limits) -> Loss | None:
    """Return the loss that must be allowed to leave out `what`; ``None`` if it never is."""
    levels = {step.feature: step.level for step in _steps(limits)} | {Feature.IDS: Loss.EXTRAS}
    return next((level for feature, level in levels.items() if feature == what), None)


def allow(feature: Feature, level: Loss, loss: Loss, name: str, document: str) -> None:
    """Raise unless the caller allows enough loss to leave out a feature."""
    if level > loss:
        raise FormatLimitError(name, feature, document=document)


def _keep(document: Document, wanted: Callable[[Mention], object]) -> tuple[Document, int]:
    kept = tuple(mention for mention in document.mentions if wanted(mention))
    return _with_mentions(document, kept)


def _with_mentions(document: Document, kept: tuple[Mention, ...]) -> tuple[Document, int]:
    left_out = len(document.mentions) - len(kept)
    return (replace(document, mentions=kept) if left_out else document), left_out


def _drop_probabilities(document: Document) -> tuple[Document, int]:
    count = sum(mention.probability is not None for mention in document.mentions)
    if not count:
        return document, 0
    bare = tuple(replace(mention, probability=None) for mention in document.mentions)
    return replace(document, mentions=bare), count


def _drop_meta(document: Document) -> tuple[Document, int]:
    scheme = document.meta.get(SCHEME_KEY)
    goes_with_tokens = document.tokens is not None and scheme in WRITTEN_SCHEMES
    kept = {SCHEME_KEY: scheme} if goes_with_tokens else {}
    return replace(document, meta=kept), int(kept.keys() != document.meta.keys())


def _uncross(document: Document) -> tuple[Document, int]:
    """Drop mentions until none cross; the longest is kept first, then the leftmost."""
    mentions = document.mentions
    rivals: dict[int, set[int]] = {}
    for i, j in overlapping_pairs(mentions):
        if _cross(mentions[i], mentions[j]):
            rivals.setdefault(i, set()).add(j)
            rivals.setdefault(j, set()).add(i)
    kept: set[int] = set()
    for i in sorted(rivals, key=lambda i: (-mentions[i].length, reading_order(mentions[i]))):
        if not rivals[i] & kept:
            kept.add(i)
    return _with_mentions(
        document, tuple(m for i, m in enumerate(mentions) if i not in rivals or i in kept)
    )


def _cross(first: Mention, second: Mention) -> bool:
    """Whether two contiguous mentions, in reading order, overlap and neither contains the other."""
    return first.start < second.start < first.end < second.end


#: In this order: what one step removes is not counted by the next.
REDUCTIONS = (
    Reduction(
        Feature.GROUPS, Loss.EXTRAS, lambda d: (replace(d, group=None), int(d.group is not None))
    ),
    Reduction(Feature.META, Loss.EXTRAS, _drop_meta),
    Reduction(
        Feature.TOKENS, Loss.EXTRAS, lambda d: (replace(d, tokens=None), int(d.tokens is not None))
    ),
    Reduction(Feature.MENTIONS, Loss.MENTIONS, lambda d: _keep(d, lambda _: False)),
    Reduction(Feature.PROBABILITIES, Loss.EXTRAS, _drop_probabilities),
    Reduction(Feature.GAPS, Loss.MENTIONS, lambda d: _keep(d, lambda m: not m.is_discontiguous)),
    Reduction(Feature.OVERLAPS, Loss.MENTIONS, lambda d: _with_mentions(d, flatten(d.mentions)[0])),
    Reduction(Feature.CROSSING, Loss.MENTIONS, _uncross),
    Reduction(
        Feature.REVIEWED,
        Loss.MENTIONS,
        lambda d: (replace(d, reviewed=None), int(d.reviewed is not None)),
    ),
)
