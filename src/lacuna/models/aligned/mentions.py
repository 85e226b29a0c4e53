"""From new labels of single words to mentions.

Alignment labels words one by one. A mention of the tagger changes only as a whole: if all its words
now have one other label it takes that label, if none has a label any more it is removed; otherwise
it stays as it is. Words that newly have a label become mentions. Neighbours of one label on one
line join, also with a mention of the tagger, over blanks or over a sign that is learnt to be inside
such mentions (:func:`learn_joins`): the comma of "Lee, Ann" belongs to a name, not to a list.

A mention of new words alone may be a piece of one, or something else. It is believed if the tagger
found the same words as a whole mention of that label in the group. Others are believed only if
their label is *free* (:func:`learn_free`): if such mentions were right more often than not in
documents that the tagger had not seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lacuna.encoding.schemes import OUTSIDE
from lacuna.models.aligned.repeated_words import LabelledDocument, token_labels
from lacuna.text.align import mention_tokens
from lacuna.text.document import Document, Mention, Span, reading_order
from lacuna.text.reviewed import reviewed_mentions, settled
from lacuna.text.tokens import tokens_of

Joins = frozenset[tuple[str, str]]  #: label, and the text between two words
Group = tuple[str, str]  #: what :attr:`Document.unit` gives
Whole = frozenset[tuple[str, str]]  #: label and text of mentions
Believes = Callable[[Mention], bool]

LONGEST = 3  #: characters of a sign with the blanks around it
GROUPS = 3  #: signs inside mentions of fewer groups are not learnt


class NewLabel(NamedTuple):
    """The label that alignment gives a word, and the probability of each candidate label."""

    label: str
    chances: Mapping[str, float]


class _Piece(NamedTuple):
    """A mention, whether its last part is new, and whether all of it is."""

    mention: Mention
    is_new: bool
    all_new: bool


def relabelled(
    tagged: LabelledDocument,
    new: Mapping[int, NewLabel],
    *,
    joins: Joins = frozenset(),
    believed: Believes = lambda _: True,
    only_add: bool = False,
    probabilities: bool = False,
) -> tuple[Mention, ...]:
    """Return the mentions of a document after alignment.

    Parameters
    ----------
    tagged
        The document as the tagger labelled it.
    new
        Labels of aligned tokens, by token, changed or not.
    joins
        Signs over which mentions of a label join.
    believed
        Says whether to keep a mention of new words alone.
    only_add
        Keep all mentions as they are, because some may overlap or have gaps.
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
    believed: Believes,
) -> tuple[Mention, ...]:
    """Join neighbours of one label, at least one of them new, over blanks and known signs."""
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
    """Whether it is nothing but blanks on one line."""
    return not between.strip() and "\n" not in between and "\r" not in between


def _union(left: Mention, right: Mention) -> Mention:
    sure = [m.probability for m in (left, right) if m.probability is not None]
    return replace(
        left, spans=(Span(left.start, right.end),), probability=min(sure) if sure else None
    )


def whole_mentions(documents: Iterable[LabelledDocument]) -> dict[Group, Whole]:
    """Return label and text of the mentions that the tagger found in each group."""
    found: dict[Group, set[tuple[str, str]]] = defaultdict(set)
    for item in documents:
        found[item.document.unit].update(_key(item, m) for m in item.document.mentions)
    return {group: frozenset(keys) for group, keys in found.items()}


def believes(item: LabelledDocument, whole: Whole, free: frozenset[str]) -> Believes:
    """Return the test whether a new mention in a document is believed."""
    return lambda mention: mention.label in free or _key(item, mention) in whole


def _key(item: LabelledDocument, mention: Mention) -> tuple[str, str]:
    return mention.label, " ".join(mention.surface(item.document.text).split())


def learn_free(
    tagged: Sequence[LabelledDocument],
    truth: Sequence[Document],
    new: Mapping[int, Mapping[int, NewLabel]],
    joins: Joins,
) -> frozenset[str]:
    """Return the labels whose new mentions are right more often than not, though unlike any found.

    Parameters
    ----------
    tagged, truth
        Documents as labelled by a tagger that had not seen them, and as annotated; what nobody
        has reviewed does not count.
    new
        Labels that alignment gives their words, by number of document and of token.
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
        annotated = settled(truth[number])
        gold = {(mention.label, mention.spans) for mention in annotated.mentions}
        for mention in reviewed_mentions(unlike, annotated):
            right[mention.label] += 1 if (mention.label, mention.spans) in gold else -1
    return frozenset(label for label, more in right.items() if more > 0)


def _noting(unlike: list[Mention], known: Believes) -> Believes:
    """Return a test that believes everything, and notes in `unlike` what is not `known`."""

    def believed(mention: Mention) -> bool:
        if not known(mention):
            unlike.append(mention)
        return True

    return believed


def learn_joins(documents: Iterable[Document]) -> Joins:
    """Return the signs that are inside mentions of a label more often than between two of them."""
    inside: Counter[tuple[str, str]] = Counter()
    beside: Counter[tuple[str, str]] = Counter()
    units: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for document in documents:
        for join, within in _signs(document):
            (inside if within else beside)[join] += 1
            if within:
                units.setdefault(join, set()).add(document.unit)
    return frozenset(
        join
        for join, count in inside.items()
        if count > beside[join] and len(units[join]) >= GROUPS
    )


def _signs(document: Document) -> Iterable[tuple[tuple[str, str], bool]]:
    """Yield label and text between two words of one label, and whether one mention has both."""
    tokens = tokens_of(document)
    labels = token_labels(document.mentions, tokens)
    holders: dict[int, set[int]] = {}
    for number, mention in enumerate(document.mentions):
        for token in mention_tokens(mention, tokens):
            holders.setdefault(token, set()).add(number)
    words = tokens.words(document.text)
    left = -1
    for right, word in enumerate(words):
        if not any(map(str.isalnum, word)):
            continue
        if left >= 0 and labels[left] == labels[right] != OUTSIDE:
            between = document.text[tokens.end[left] : tokens.start[right]]
            if between.strip() and len(between) <= LONGEST and between.isprintable():
                yield (labels[left], between), bool(holders[left] & holders[right])
        left = right
