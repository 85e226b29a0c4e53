"""The columns of a second pass in plain Python: what the kernels are judged by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from lacuna.models.crf.elsewhere import BANDS, SURE_BANDS
from lacuna.models.crf.elsewhere_phrases import LONGEST
from lacuna.types import FloatArray

NOTHING, NO_LABEL = "", "O"

Range = tuple[int, int]  #: tokens ``[first, last)``
Words = tuple[str, ...]


def columns(
    words: Sequence[str], found: dict[Range, str], labels: Sequence[str], share: FloatArray
) -> dict[str, list[str]]:
    """Return all columns of a document with these mentions and share[t, k] of labels, O first."""
    made = _votes(words, found)
    folded = [word.casefold() for word in words]
    made["soft"], made["surest"] = _soft_votes(folded, labels, share)
    made["whole"], made["within"] = _majorities(folded, found)
    return made


# --- words as they are written


def _votes(words: Sequence[str], found: dict[Range, str]) -> dict[str, list[str]]:
    """Return the columns ``vote``, ``longer`` and ``cased``."""
    labels = [NO_LABEL] * len(words)
    longer: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[int, str] = {}  # token -> label of the longer mention that contains it
    for (first, last), label in found.items():
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
    columns: dict[str, list[str]] = {"vote": [], "longer": [], "cased": []}
    for t, word in enumerate(words):
        ask = may_be_name(word)
        columns["vote"].append(_majority(votes[word], labels[t]) if ask else NOTHING)
        columns["longer"].append(_majority(longer[word], inside.get(t)) if ask else NOTHING)
        columns["cased"].append("yes" if ask and word.lower() in present else NOTHING)
    return columns


# --- words in any case


def _soft_votes(
    words: Sequence[str], labels: Sequence[str], every: FloatArray
) -> tuple[list[str], list[str]]:
    """Return for each word the mean share of its other occurrences, and the greatest share."""
    places: dict[str, list[int]] = defaultdict(list)
    for t, word in enumerate(words):
        places[word].append(t)
    soft, surest = [NOTHING] * len(words), [NOTHING] * len(words)
    for at in places.values():
        if len(at) == 1:
            continue
        share = every[at]
        mean = (share.sum(axis=0) - share) / (len(at) - 1)
        likely = mean[:, 1:].argmax(axis=1) + 1
        order = np.argsort(-share[:, 1:].max(axis=1), kind="stable")[:2]
        for i, t in enumerate(at):
            soft[t] = _banded(labels[likely[i]], 1.0 - mean[i, 0], BANDS)
            other = share[order[0] if order[0] != i else order[1]]
            best = 1 + int(other[1:].argmax())
            surest[t] = _banded(labels[best], float(other[best]), SURE_BANDS)
    return soft, surest


def _banded(label: str, p: float, borders: Sequence[float]) -> str:
    """Return the label and the band of its probability; O in the lowest band."""
    band = sum(p >= border for border in borders)
    return f"{label}{band}" if band else NO_LABEL


# --- mentions


def _majorities(words: Sequence[str], found: dict[Range, str]) -> tuple[list[str], list[str]]:
    """Return for each word of a mention's words: its label elsewhere, and that of longer ones."""
    labels: dict[Words, Counter[str]] = defaultdict(Counter)  # of mentions, by their words
    for (a, b), label in found.items():
        if b - a <= LONGEST:
            labels[tuple(words[a:b])][label] += 1
    containing: dict[Words, Counter[str]] = defaultdict(Counter)
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


def _parts(mention: Words) -> set[Words]:
    """Return the shorter runs of words in a mention."""
    size = len(mention)
    return {mention[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


def _places(words: Sequence[str], phrases: set[Words]) -> dict[Words, list[Range]]:
    """Return where the phrases occur."""
    begins: dict[str, set[int]] = defaultdict(set)
    for phrase in phrases:
        begins[phrase[0]].add(len(phrase))
    found: dict[Words, list[Range]] = defaultdict(list)
    for a, word in enumerate(words):
        for length in begins.get(word, ()):
            phrase = tuple(words[a : a + length])
            if phrase in phrases and a + length <= len(words):
                found[phrase].append((a, a + length))
    return found


def _around(found: dict[Range, str]) -> defaultdict[Range, str | None]:
    """Return the label of the longer mention around each range of words inside one."""
    around: defaultdict[Range, str | None] = defaultdict(lambda: None)
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
