"""What a first pass found elsewhere in the document, as token columns for the second pass.

Names are repeated. The context of one occurrence may be clear and that of another not, so each
word is told about the other occurrences of it, never about itself:

* ``vote``     the label that most other occurrences got, ``O`` if most got none;
* ``longer``   the label of a longer mention elsewhere that contains the word;
* ``cased``    the word is capitalised here and occurs in lower case elsewhere;
* ``soft``     the mean over the other occurrences of p(label), in bands (soft votes);
* ``surest``   the most probable label of any other occurrence, in bands;
* ``whole``    the words from here on are a mention elsewhere: its label, by majority, and whether
  most other occurrences are mentions;
* ``within``   the majority label of longer mentions elsewhere that contain these words.

``vote`` to ``cased`` compare words as they are written, and only words that begin with a capital
or contain a digit have them. The others ignore case, so that headlines count. (Ratinov and Roth
2009, section 4; entity majorities after Krishnan and Manning 2006.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lacuna.text.align import TokenRange, align
from lacuna.text.document import Document, Mention, Tokens
from lacuna.types import FloatArray

NOTHING, NO_LABEL = "", "O"
LONGEST = 8  #: words of a mention that is looked for elsewhere
BANDS = (0.1, 0.3, 0.5, 0.7, 0.9)  #: borders of mean probabilities
SURE_BANDS = (0.5, 0.8, 0.95)  #: borders of the greatest probability


VOTES = ("vote", "longer", "cased")
SHARES = ("soft", "surest", "whole", "within")
COLUMNS = (*VOTES, *SHARES)


class FirstPass(NamedTuple):
    """What a first pass says about a document: mentions, and share[t, k] of label k, O first."""

    mentions: Sequence[Mention]
    labels: Sequence[str]
    share: FloatArray


def with_columns(
    document: Document, tokens: Tokens, first: FirstPass, wanted: Collection[str] = COLUMNS
) -> Tokens:
    """Return the tokens with the columns."""
    words = tokens.words(document.text)
    ranges = [(mention.label, parts) for mention, parts in align(first.mentions, tokens).aligned]
    columns = _votes(words, ranges)
    if not columns.keys() >= set(wanted):
        folded = [word.casefold() for word in words]
        columns["soft"], columns["surest"] = _soft_votes(folded, first)
        found = {parts[0]: label for label, parts in ranges if len(parts) == 1}
        columns["whole"], columns["within"] = _majorities(folded, found)
    added = {name: tuple(values) for name, values in columns.items()}
    return replace(tokens, columns={**tokens.columns, **added})


# --- words as they are written


def _votes(
    words: Sequence[str], found: Sequence[tuple[str, tuple[TokenRange, ...]]]
) -> dict[str, list[str]]:
    """Return the columns ``vote``, ``longer`` and ``cased``."""
    labels = [NO_LABEL] * len(words)
    longer: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[int, str] = {}  # token -> label of the longer mention that contains it
    for label, ranges in found:
        for first, last in ranges:
            for t in range(first, last):
                labels[t] = label
                if last - first > 1 and may_be_name(words[t]):
                    longer[words[t]][label] += 1
                    inside[t] = label
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(words, labels, strict=True):
        if may_be_name(word):
            votes[word][label] += 1
    present = set(words)
    columns: dict[str, list[str]] = {name: [] for name in VOTES}
    for t, word in enumerate(words):
        ask = may_be_name(word)
        columns["vote"].append(_majority(votes[word], labels[t]) if ask else NOTHING)
        columns["longer"].append(_majority(longer[word], inside.get(t)) if ask else NOTHING)
        columns["cased"].append("yes" if ask and word.lower() in present else NOTHING)
    return columns


# --- words in any case


def _soft_votes(words: Sequence[str], first: FirstPass) -> tuple[list[str], list[str]]:
    """Return for each word the mean share of its other occurrences, and the greatest share."""
    places: dict[str, list[int]] = defaultdict(list)
    for t, word in enumerate(words):
        places[word].append(t)
    soft, surest = [NOTHING] * len(words), [NOTHING] * len(words)
    for at in places.values():
        if len(at) == 1:
            continue
        share = first.share[at]
        mean = (share.sum(axis=0) - share) / (len(at) - 1)
        likely = mean[:, 1:].argmax(axis=1) + 1
        order = np.argsort(-share[:, 1:].max(axis=1), kind="stable")[:2]
        for i, t in enumerate(at):
            soft[t] = _banded(first.labels[likely[i]], 1.0 - mean[i, 0], BANDS)
            other = share[order[0] if order[0] != i else order[1]]
            best = 1 + int(other[1:].argmax())
            surest[t] = _banded(first.labels[best], float(other[best]), SURE_BANDS)
    return soft, surest


def _banded(label: str, p: float, borders: Sequence[float]) -> str:
    """Return the label and the band of its probability; O in the lowest band."""
    band = sum(p >= border for border in borders)
    return f"{label}{band}" if band else NO_LABEL


# --- mentions

_Words = tuple[str, ...]


def _majorities(words: Sequence[str], found: dict[TokenRange, str]) -> tuple[list[str], list[str]]:
    """Return for each word of a mention's words: its label elsewhere, and that of longer ones."""
    labels: dict[_Words, Counter[str]] = defaultdict(Counter)  # of mentions, by their words
    for (a, b), label in found.items():
        if b - a <= LONGEST:
            labels[tuple(words[a:b])][label] += 1
    containing: dict[_Words, Counter[str]] = defaultdict(Counter)
    for mention, counts in labels.items():
        for part in _parts(mention):
            containing[part] += counts
    places = _places(words, labels.keys() | containing.keys())
    around = _around(found)
    whole, within = [NOTHING] * len(words), [NOTHING] * len(words)
    for phrase, at in sorted(places.items(), key=lambda item: len(item[0])):  # longer ones win
        counts = labels.get(phrase, Counter())
        for a, b in at:
            own = found.get((a, b))
            label = _majority(counts, own)
            if label:
                others = counts.total() - (own is not None)
                often = "+" if 2 * others > len(at) - 1 else "-"
                whole[a:b] = [f"B{label}{often}", *[f"I{label}{often}"] * (b - a - 1)]
            if phrase in containing and (longer := _majority(containing[phrase], around[a, b])):
                within[a:b] = [longer] * (b - a)
    return whole, within


def _parts(mention: _Words) -> set[_Words]:
    """Return the shorter runs of words in a mention."""
    size = len(mention)
    return {mention[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


def _places(words: Sequence[str], phrases: set[_Words]) -> dict[_Words, list[TokenRange]]:
    """Return where the phrases occur."""
    begins: dict[str, set[int]] = defaultdict(set)
    for phrase in phrases:
        begins[phrase[0]].add(len(phrase))
    found: dict[_Words, list[TokenRange]] = defaultdict(list)
    for a, word in enumerate(words):
        for length in begins.get(word, ()):
            phrase = tuple(words[a : a + length])
            if phrase in phrases:
                found[phrase].append((a, a + length))
    return found


def _around(found: dict[TokenRange, str]) -> defaultdict[TokenRange, str | None]:
    """Return the label of the longer mention around each range of words inside one."""
    around: defaultdict[TokenRange, str | None] = defaultdict(lambda: None)
    for (first, last), label in found.items():
        for a in range(first, last):
            for b in range(a + 1, last + 1):
                if b - a < last - first <= LONGEST:
                    around[a, b] = label
    return around


# --- shared


def may_be_name(word: str) -> bool:
    """Whether a word may be part of a name: it begins with a capital or contains a digit."""
    return word[0].isupper() or any(character.isdigit() for character in word)


def _majority(counts: Counter[str], own: str | None) -> str:
    """Return the most frequent label of the other occurrences; ties go by alphabet."""
    others = counts - Counter([own]) if own is not None else counts
    if not others:
        return NOTHING
    return min(others, key=lambda label: (-others[label], label))
