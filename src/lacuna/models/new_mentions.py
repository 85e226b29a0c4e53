"""Which new mentions of alignment are believed.

Alignment labels words one by one, and a run of words that it newly labels may be a piece of a
mention, or stand for something else. A run is believed where the tagger found the same words as a
whole mention of that label in the group; any other only if its label is free: if in documents that
the tagger had not seen such runs were right more often than not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from lacuna.models.joins import Joins
from lacuna.models.relabelling import NewLabel, relabelled
from lacuna.models.repeated_words import TaggedWords
from lacuna.text.document import Mention

Unit = tuple[str, str]
Whole = frozenset[tuple[str, str]]  #: label and text of mentions
Believes = Callable[[Mention], bool]


def whole_mentions(documents: Iterable[TaggedWords]) -> dict[Unit, Whole]:
    """Return the mentions that the tagger found in each group."""
    found: dict[Unit, set[tuple[str, str]]] = defaultdict(set)
    for item in documents:
        found[item.document.unit].update(_key(item, m) for m in item.document.mentions)
    return {unit: frozenset(keys) for unit, keys in found.items()}


def believes(item: TaggedWords, whole: Whole, free: frozenset[str]) -> Believes:
    """Return what says of a new mention in a document whether it is believed."""
    return lambda mention: mention.label in free or _key(item, mention) in whole


def _key(item: TaggedWords, mention: Mention) -> tuple[str, str]:
    return mention.label, " ".join(mention.surface(item.document.text).split())


def learn_free(
    tagged: Sequence[TaggedWords],
    truth: Sequence[Iterable[Mention]],
    new: Mapping[int, Mapping[int, NewLabel]],
    joins: Joins,
) -> frozenset[str]:
    """Return the labels whose new mentions are right more often than not, like another or not.

    Parameters
    ----------
    tagged, truth
        Documents as a tagger had them that had not seen them, and their mentions.
    new
        What alignment makes of their words, by number of document and of token.
    joins
        Signs over which mentions join.
    """
    right: Counter[str] = Counter()
    whole = whole_mentions(tagged)
    for number, words in new.items():
        item = tagged[number]
        known = believes(item, whole.get(item.document.unit, frozenset()), frozenset())
        unlike: list[Mention] = []
        relabelled(item, words, joins=joins, believed=_noting(unlike, known))
        gold = {(mention.label, mention.spans) for mention in truth[number]}
        for mention in unlike:
            right[mention.label] += 1 if (mention.label, mention.spans) in gold else -1
    return frozenset(label for label, more in right.items() if more > 0)


def _noting(unlike: list[Mention], known: Believes) -> Believes:
    """Return `known`, taking note of what is not."""

    def believed(mention: Mention) -> bool:
        if not known(mention):
            unlike.append(mention)
        return True

    return believed
