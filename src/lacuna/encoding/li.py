"""Mentions with gaps ↔ seven tags per word: the encoding LI (Tang et al. 2013).

Let c be the set of mentions that cover a word. Its tag is

    O            no mention
    B, I         one, without a gap
    BD, ID       one, with a gap
    BH, IH       several: a head

and B* wherever c differs from that of the previous word. Tags do not say which segments belong
together; `li_reading.py` decides that. With several labels a tag is ``BD-CL``, six tags for each
label; words that mentions of two labels share have no tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

from lacuna.encoding.flat import Example
from lacuna.encoding.gapped import GappedMention, Parts, gapped_document
from lacuna.encoding.schemes import OUTSIDE, Followers
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind, sequence_tokens


class Cover(StrEnum):
    """What covers a segment; its tags are B or I and this value."""

    WHOLE = ""  #: one mention without a gap
    GAPPED = "D"  #: one mention with a gap
    HEAD = "H"  #: several mentions


class Segment(NamedTuple):
    """Words ``[start, end)`` that the same mentions cover."""

    kind: Cover
    start: int
    end: int


PREFIXES = tuple(f"{letter}{kind.value}" for kind in Cover for letter in "BI")

#: Previous prefix -> prefixes that may follow, as `schemes.FOLLOWERS`.
LI_FOLLOWERS: Followers = {
    OUTSIDE: (OUTSIDE, "B", "BD", "BH"),
    **{prefix: (OUTSIDE, "B", "BD", "BH", f"i{prefix[1:].lower()}") for prefix in PREFIXES},
}


def segments_of(mentions: Collection[Parts]) -> list[Segment]:
    """Return the segments of a set of mentions of one label, in order."""
    cover: dict[int, list[int]] = {}  # word -> mentions that cover it
    ordered = sorted(mentions)
    for number, parts in enumerate(ordered):
        for start, end in parts:
            for word in range(start, end):
                cover.setdefault(word, []).append(number)
    segments: list[Segment] = []
    for word, covering in sorted(cover.items()):
        if cover.get(word - 1) == covering:
            segments[-1] = segments[-1]._replace(end=word + 1)
        elif len(covering) > 1:
            segments.append(Segment(Cover.HEAD, word, word + 1))
        else:
            kind = Cover.GAPPED if len(ordered[covering[0]]) > 1 else Cover.WHOLE
            segments.append(Segment(kind, word, word + 1))
    return segments


def encode(mentions: Collection[Parts], length: int) -> list[str]:
    """Return the tags of a sentence of `length` words, with mentions of one label."""
    tags = [OUTSIDE] * length
    for kind, start, end in segments_of(mentions):
        tags[start:end] = [f"B{kind.value}"] + [f"I{kind.value}"] * (end - start - 1)
    return tags


def read_segments(tags: Iterable[str]) -> list[Segment]:
    """Return the segments that tags of one label spell; I* without its B* begins one too."""
    segments: list[Segment] = []
    for word, tag in enumerate(tags):
        if tag == OUTSIDE:
            continue
        kind = Cover(tag[1:])
        last = segments[-1] if segments else None
        if tag[0] == "I" and last is not None and (last.kind, last.end) == (kind, word):
            segments[-1] = last._replace(end=word + 1)
        else:
            segments.append(Segment(kind, word, word + 1))
    return segments


def li_tag_set(labels: Iterable[str]) -> tuple[str, ...]:
    """Return every tag over `labels`, ``O`` first."""
    return (OUTSIDE, *(f"{prefix}-{label}" for label in labels for prefix in PREFIXES))


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
    return Example(found.document, found.tokens, tags, labels, left_out, found.reviewed)


def one_label_each(mentions: Iterable[GappedMention]) -> list[GappedMention]:
    """Drop mentions so that no word has two labels: the longest are kept, then the leftmost."""
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
