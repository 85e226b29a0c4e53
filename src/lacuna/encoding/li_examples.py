"""Documents as LI tags, with six tags for each label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lacuna.encoding.examples import Example
from lacuna.encoding.gapped import GappedMention, gapped_document
from lacuna.encoding.li import FOLLOWERS, PREFIXES, segments_of
from lacuna.encoding.schemes import OUTSIDE, may_follow
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind, sequence_tokens
from lacuna.types import BoolArray


def li_tag_set(labels: Iterable[str]) -> tuple[str, ...]:
    """Return every tag over `labels`, ``O`` first."""
    return (OUTSIDE, *(f"{prefix}-{label}" for label in labels for prefix in PREFIXES))


def li_allowed(tags: Sequence[str]) -> BoolArray:
    """Return which tag may follow which, as :func:`lacuna.encoding.schemes.allowed`."""
    return may_follow(tags, FOLLOWERS)


def li_example(document: Document, parts: int, sequence: SequenceKind) -> Example:
    """Return the LI tags of a document."""
    found = gapped_document(document, sequence_tokens(document, sequence), parts=parts)
    kept = one_label_each(found.mentions)
    left_out = found.left_out.copy()
    if len(kept) < len(found.mentions):
        left_out["sharing words with another label"] = len(found.mentions) - len(kept)
    tags = [OUTSIDE] * len(found.tokens)
    labels = Counter(mention.label for mention in kept)
    for label in labels:
        for kind, start, end in segments_of([m.parts for m in kept if m.label == label]):
            tags[start] = f"B{kind.value}-{label}"
            tags[start + 1 : end] = [f"I{kind.value}-{label}"] * (end - start - 1)
    return Example(document, found.tokens, tags, labels, left_out)


def one_label_each(mentions: Iterable[GappedMention]) -> list[GappedMention]:
    """Leave out mentions so that no word has two labels: the longest stay, then the leftmost."""
    owner: dict[int, str] = {}
    kept: list[GappedMention] = []
    for mention in sorted(mentions, key=lambda m: (-_length(m), m.parts, m.label)):
        words = [word for start, end in mention.parts for word in range(start, end)]
        if all(owner.get(word, mention.label) == mention.label for word in words):
            owner.update(dict.fromkeys(words, mention.label))
            kept.append(mention)
    return kept


def _length(mention: GappedMention) -> int:
    return sum(end - start for start, end in mention.parts)
