"""Words that occur several times in a group of documents, and how the tagger labelled them.

The occurrences of one form in the documents of one group (a patient) are the nodes of a graph, if
the form has a letter or digit and the tagger labelled it at least once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE
from lacuna.text.align import mention_tokens
from lacuna.text.document import Document, Mention, Tokens
from lacuna.text.reviewed import reviewed_tokens, settled
from lacuna.text.tokens import tokens_of

MOST_OCCURRENCES = 1000  #: a word that occurs more often in a group is not aligned
WINDOW = (-2, -1, 1, 2)  #: places around a word
UNREVIEWED = ""  #: in place of a label that is not known
BORDER = "\n"  #: in place of a word outside the document; no token is white space


class Place(NamedTuple):
    """One token: its document, by number, and its own number there."""

    document: int
    token: int


class RepeatedWord(NamedTuple):
    """All places of one form in one group."""

    form: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A document with the tagger's mentions, word by word.

    ``labels[t]`` is the label of the longest mention that token t is in, else ``O``.
    """

    document: Document
    tokens: Tokens
    words: tuple[str, ...]
    labels: tuple[str, ...]

    def around(self, t: int) -> list[str]:
        """Return the words around token t, in lower case, at the places of WINDOW."""
        places = (t + offset for offset in WINDOW)
        size = len(self.words)
        return [self.words[p].lower() if 0 <= p < size else BORDER for p in places]


def labelled_document(document: Document) -> LabelledDocument:
    """Label the words of a document by its mentions."""
    tokens = tokens_of(document)
    labels = token_labels(document.mentions, tokens)
    return LabelledDocument(document, tokens, tuple(tokens.words(document.text)), tuple(labels))


def token_labels(mentions: Iterable[Mention], tokens: Tokens) -> list[str]:
    """Return the label of the longest mention that each token shares a character with."""
    labels = [OUTSIDE] * len(tokens)
    for mention in sorted(mentions, key=lambda m: m.length):
        for token in mention_tokens(mention, tokens):
            labels[token] = mention.label
    return labels


def true_labels(document: Document, tokens: Tokens) -> list[str]:
    """Return the labels of an annotated document, UNREVIEWED where nobody has reviewed."""
    document = settled(document)
    labels = token_labels(document.mentions, tokens)
    reviewed = reviewed_tokens(document, tokens)
    for token in [] if reviewed is None else np.flatnonzero(~reviewed).tolist():
        labels[token] = UNREVIEWED
    return labels


def repeated_words(documents: Sequence[LabelledDocument]) -> list[RepeatedWord]:
    """Return the words to align, group by group, in order of first occurrence."""
    groups: dict[tuple[str, str], dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    labelled: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, item in enumerate(documents):
        unit = item.document.unit
        for token, (word, label) in enumerate(zip(item.words, item.labels, strict=True)):
            groups[unit][word].append(Place(number, token))
            if label != OUTSIDE:
                labelled[unit].add(word)
    return [
        RepeatedWord(form, tuple(places))
        for unit, forms in groups.items()
        for form, places in forms.items()
        if 1 < len(places) <= MOST_OCCURRENCES
        and form in labelled[unit]
        and any(map(str.isalnum, form))
    ]
