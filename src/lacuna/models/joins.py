"""Which signs stand inside mentions: the comma of "Lee, Ann" belongs to a name, not to a list.

Alignment labels words one by one. Whether two words with a sign between are one mention is learnt
from annotated documents: for each label, the signs that have been inside more often than between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lacuna.encoding.schemes import OUTSIDE
from lacuna.models.repeated_words import mention_tokens, token_labels
from lacuna.text.document import Document
from lacuna.text.tokenizer import tokens_of

Joins = frozenset[tuple[str, str]]  #: label, and what stands between two words

LONGEST = 3
GROUPS = 3  #: signs inside mentions of fewer groups are not learnt


def learn_joins(documents: Iterable[Document]) -> Joins:
    """Return the signs that belong to mentions of a label when they stand between two words."""
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
    """Yield what stands between two words of one label, and whether one mention holds both."""
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
