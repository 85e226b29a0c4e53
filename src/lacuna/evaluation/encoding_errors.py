"""Errors of an encoding itself: gold mentions are encoded, decoded and compared.

An encoding of mentions with gaps is ambiguous if several sets of mentions have the same code. No
model can avoid these errors, however well it is trained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lacuna.encoding import hypergraph, li_reading
from lacuna.encoding.gapped import PARTS, GappedSentence, Parts, gapped_document
from lacuna.encoding.li import segments_of
from lacuna.encoding.schemes import Heuristic
from lacuna.text.document import Corpus


class Encoding(StrEnum):
    """Encodings of sets of mentions."""

    LI = "LI"
    SHARED = "SHARED"
    SPLIT = "SPLIT"


@dataclass(slots=True)
class ReadBackErrors:
    """Mentions decoded rightly and wrongly, and lost; `capped` sentences were decoded in part."""

    right: int = 0
    wrong: int = 0
    lost: int = 0
    capped: int = 0

    @property
    def precision_error(self) -> float:
        """Share of wrong mentions among those decoded."""
        return self.wrong / max(self.right + self.wrong, 1)

    @property
    def recall_error(self) -> float:
        """Share of lost mentions among those of gold."""
        return self.lost / max(self.right + self.lost, 1)


@dataclass(slots=True)
class Subset:
    """Sentences with mentions, counted once per label, and the errors of each decoding."""

    sentences: int = 0
    mentions: int = 0
    errors: Mapping[tuple[Encoding, Heuristic], ReadBackErrors] = field(
        default_factory=lambda: {(e, h): ReadBackErrors() for h in Heuristic for e in Encoding}
    )


@dataclass(slots=True)
class StructureErrors:
    """Errors of decoding gold structures.

    Attributes
    ----------
    discontiguous, everything
        Sentences with a discontiguous mention of the label; sentences with any mention of it.
    left_out
        Mentions that no encoding can express, by reason.
    """

    discontiguous: Subset = field(default_factory=Subset)
    everything: Subset = field(default_factory=Subset)
    left_out: Counter[str] = field(default_factory=Counter)


def structure_errors(corpus: Corpus, *, parts: int = PARTS) -> StructureErrors:
    """Encode the mentions of every sentence, one label at a time, and decode them again."""
    found = StructureErrors()
    for document in corpus:
        gapped = gapped_document(document, parts=parts)
        found.left_out += gapped.left_out
        for label in gapped.labels():
            for sentence in gapped.sentences(label):
                if sentence.mentions:
                    _count(found, sentence, parts)
    return found


def _count(found: StructureErrors, sentence: GappedSentence, parts: int) -> None:
    gold = sentence.mentions
    has_gap = any(len(mention) > 1 for mention in gold)
    subsets = [found.everything, found.discontiguous] if has_gap else [found.everything]
    for subset in subsets:
        subset.sentences += 1
        subset.mentions += len(gold)
    for encoding, heuristic in found.everything.errors:
        read, capped = read_back(sentence, encoding, heuristic, parts)
        for subset in subsets:
            errors = subset.errors[encoding, heuristic]
            errors.right += len(read & gold)
            errors.wrong += len(read - gold)
            errors.lost += len(gold - read)
            errors.capped += capped


def read_back(
    sentence: GappedSentence, encoding: Encoding, heuristic: Heuristic, parts: int
) -> tuple[frozenset[Parts], bool]:
    """Return the mentions after encoding and decoding, and whether a limit cut decoding short."""
    length, gold = sentence
    if encoding is Encoding.LI:
        results = [li_reading.decode(segments_of(gold), heuristic, parts)]
    else:
        shared = encoding is Encoding.SHARED
        graphs = hypergraph.shared(parts) if shared else hypergraph.split(parts)
        results = [
            hypergraph.decode(
                hypergraph.encode(list(filter(graph.holds, gold)), length, graph), heuristic
            )
            for graph in graphs
        ]
    mentions = frozenset(mention for result in results for mention in result.mentions)
    return mentions, any(result.capped for result in results)
