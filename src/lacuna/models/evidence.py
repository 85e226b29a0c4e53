"""What a first pass over a document says about each of its words elsewhere in the document.

Names are repeated. One occurrence stands in a telling context, another does not; the second pass
of a tagger may look at what the first found for the other occurrences:

* ``vote``    the label that most other occurrences of this form got, ``O`` where most got none;
* ``longer``  the label of a longer mention elsewhere that contains this word;
* ``cased``   the word is capitalised here and stands in lower case elsewhere.

Only words that begin with a capital or hold a digit are asked about: others are not names.
(After Ratinov and Roth 2009, section 4, without outside data.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from lacuna.text.align import align
from lacuna.text.document import Document, Mention, Tokens

COLUMNS = ("vote", "longer", "cased")
NOTHING = ""


def with_evidence(document: Document, tokens: Tokens, found: tuple[Mention, ...]) -> Tokens:
    """Return the tokens with the three columns added, from the mentions of a first pass."""
    words = tokens.words(document.text)
    labels = ["O"] * len(words)
    longer: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[int, str] = {}  # token -> label of the longer mention it is itself in
    for mention, ranges in align(found, tokens).aligned:
        for first, last in ranges:
            for t in range(first, last):
                labels[t] = mention.label
                if last - first > 1 and asked_about(words[t]):
                    longer[words[t]][mention.label] += 1
                    inside[t] = mention.label
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(words, labels, strict=True):
        if asked_about(word):
            votes[word][label] += 1
    present = set(words)
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for t, word in enumerate(words):
        ask = asked_about(word)
        columns["vote"].append(_majority(votes[word], labels[t]) if ask else NOTHING)
        columns["longer"].append(_majority(longer[word], inside.get(t)) if ask else NOTHING)
        columns["cased"].append("yes" if ask and word.lower() in present else NOTHING)
    added = {name: tuple(values) for name, values in columns.items()}
    return replace(tokens, columns={**tokens.columns, **added})


def asked_about(word: str) -> bool:
    """Whether a word may be part of a name: it begins with a capital or holds a digit."""
    return word[0].isupper() or any(character.isdigit() for character in word)


def _majority(counts: Counter[str], own: str | None) -> str:
    """Return the most frequent label of the others; of equals the first in the alphabet."""
    others = counts - Counter([own]) if own is not None else counts
    if not others:
        return NOTHING
    return min(others, key=lambda label: (-others[label], label))
