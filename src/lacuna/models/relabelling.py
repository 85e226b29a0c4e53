"""From new labels of single words to mentions.

A mention changes only as a whole: where all of its words have one other label it takes that label,
where none has a label any more it goes; otherwise it stays as it is. Words that newly have a label
become mentions; neighbours of one label on one line join, also with a mention that was there, and
also over a sign that is known to stand inside such mentions (``joins.py``). A mention of new words
alone must be believed (``new_mentions.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from lacuna.encoding.schemes import OUTSIDE
from lacuna.models.joins import Joins
from lacuna.models.repeated_words import TaggedWords, mention_tokens
from lacuna.text.document import Mention, Span, reading_order


class NewLabel(NamedTuple):
    """The label that a word now has, and the probability of each label it could have."""

    label: str
    chances: Mapping[str, float]


class _Piece(NamedTuple):
    """A mention, whether its last part is new, and whether all of it is."""

    mention: Mention
    is_new: bool
    all_new: bool


def relabelled(
    tagged: TaggedWords,
    new: Mapping[int, NewLabel],
    *,
    joins: Joins = frozenset(),
    believed: Callable[[Mention], bool] = lambda _: True,
    only_add: bool = False,
    probabilities: bool = False,
) -> tuple[Mention, ...]:
    """Return the mentions of a document whose tokens `new` have been labelled once more.

    Parameters
    ----------
    tagged
        The document as the first tagger had it.
    new
        Labels by token, also where they are the same as before.
    joins
        Signs over which mentions of a label join.
    believed
        Says whether a mention of new words alone is to stay.
    only_add
        Leave all mentions as they are: some may overlap or have gaps.
    probabilities
        Whether mentions get a probability, at most that of their least probable word.
    """
    kept: list[Mention] = []
    taken: set[int] = set()
    for mention in tagged.document.mentions:
        tokens = mention_tokens(mention, tagged.tokens)
        labels = {new[t].label if t in new else mention.label for t in tokens}
        label = labels.pop() if len(labels) == 1 and not only_add else mention.label
        if label != OUTSIDE:
            own = mention.probability if label == mention.label else None
            sure = _least(own, label, tokens, new) if probabilities else None
            kept.append(Mention(label, mention.spans, sure))
            taken.update(tokens)
    added = [
        Mention(
            new[t].label,
            (Span(int(tagged.tokens.start[t]), int(tagged.tokens.end[t])),),
            _least(None, new[t].label, [t], new) if probabilities else None,
        )
        for t in sorted(new)
        if new[t].label != OUTSIDE and t not in taken
    ]
    if only_add:
        return (*kept, *_joined(tagged.document.text, [], added, joins, believed))
    return _joined(tagged.document.text, kept, added, joins, believed)


def _least(own: float | None, label: str, tokens: list[int], new: Mapping[int, NewLabel]) -> float:
    """Return the least of a mention's own probability and those of its words."""
    words = [new[t].chances.get(label, 1.0) for t in tokens if t in new]
    return min([1.0 if own is None else own, *words])


def _joined(
    text: str,
    kept: list[Mention],
    added: list[Mention],
    joins: Joins,
    believed: Callable[[Mention], bool],
) -> tuple[Mention, ...]:
    """Join mentions of one label with only blanks or known signs between, if one is new."""
    pieces = [_Piece(mention, False, False) for mention in kept]
    pieces += [_Piece(mention, True, True) for mention in added]
    joined: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: reading_order(p.mention)):
        if joined and _belong_together(text, joined[-1], piece, joins):
            union = _union(joined[-1].mention, piece.mention)
            joined[-1] = _Piece(union, piece.is_new, joined[-1].all_new and piece.all_new)
        else:
            joined.append(piece)
    return tuple(p.mention for p in joined if not p.all_new or believed(p.mention))


def _belong_together(text: str, left: _Piece, right: _Piece, joins: Joins) -> bool:
    between = text[left.mention.end : right.mention.start]
    return (
        left.mention.label == right.mention.label
        and (left.is_new or right.is_new)
        and ((left.mention.label, between) in joins or _is_blank(between))
    )


def _is_blank(between: str) -> bool:
    """Whether there is nothing but blanks, and no new line."""
    return not between.strip() and "\n" not in between and "\r" not in between


def _union(left: Mention, right: Mention) -> Mention:
    sure = [m.probability for m in (left, right) if m.probability is not None]
    return replace(
        left, spans=(Span(left.start, right.end),), probability=min(sure) if sure else None
    )
