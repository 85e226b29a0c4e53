"""CRF for mentions with gaps: the chain of `crf` over LI tags.

    p(y | x) = exp( Σ_t s(x, t, y_t) + Σ_t m(y_{t-1}, y_t) ) / Z(x),   y_t ∈ O, B, I, BD, ID, BH, IH

Tags say whether a word is in no mention, in one without a gap, in one with a gap (D), or in several
(H); a heuristic then decides which segments form a mention. The probability of a mention,

    p( y_t = ŷ_t for its tokens t, and no segment of it goes on after its last token | x ),

is exact for the chain; it does not account for other mentions that the same tags could mean.

What to read next: `encoding/li.py` (tags) → `encoding/li_reading.py` (the heuristics); training is
that of any CRF, `training.py` → `objective.py` → `inference/chain.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from lacuna.encoding.flat import Example
from lacuna.encoding.gapped import PARTS, Parts
from lacuna.encoding.li import LI_FOLLOWERS, li_example, li_tag_set, read_segments
from lacuna.encoding.li_reading import decode
from lacuna.encoding.schemes import OUTSIDE, Heuristic, Moves, moves
from lacuna.inference.stretches import Stretch, stretch_probabilities
from lacuna.models.base import Part, parts_of
from lacuna.models.chain_tagger import BestPaths
from lacuna.models.crf import ChainCrf, CrfSettings
from lacuna.models.settings import Range
from lacuna.text.document import Document, Mention, Span
from lacuna.types import IntArray

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Li(CrfSettings):
    """Settings of a CRF with LI tags; see also :class:`CrfSettings`.

    Attributes
    ----------
    parts
        Maximum number of parts of a mention, at least 2.
    heuristic
        Which mentions are read from the tags: the simplest set that explains them (``enough``), or
        ``all`` that they allow.
    """

    parts: Annotated[int, Range(2)] = PARTS
    heuristic: Heuristic = Heuristic.ENOUGH

    def example(self, document: Document) -> Example:
        """Return a document with its LI tags."""
        return li_example(document, self.parts, self.sequence)

    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""
        return li_tag_set(labels)

    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, and begin or end a sentence."""
        return moves(tags, LI_FOLLOWERS)


@dataclass(frozen=True, slots=True, eq=False)
class LiModel(ChainCrf):
    """A trained CRF with LI tags."""

    kind: ClassVar[str] = "li"
    overlapping: ClassVar[bool] = True

    config: Li

    def read(self, found: BestPaths, *, probabilities: bool) -> _Found:
        """Return the mentions that the paths encode in LI tags."""
        table, sentences = found.table, found.table.sentences
        documents: list[list[Mention]] = [[] for _ in table.documents[1:]]
        inside = np.flatnonzero(found.path)  # O is state 0
        number = np.searchsorted(sentences, inside, side="right") - 1
        capped = 0
        for s in np.unique(number).tolist():
            first, last = int(sentences[s]), int(sentences[s + 1])
            path = found.path[first:last]
            mentions, has_more = self._mentions(path)
            capped += has_more
            sure: list[float] | list[None] = [None] * len(mentions)
            if probabilities:
                stretches = [self._stretch(path, parts) for _, parts in mentions]
                rows = found.emission[first:last]
                sure = stretch_probabilities(found.chain, rows, stretches).tolist()
            owner = int(np.searchsorted(table.documents, first, side="right")) - 1
            shift = int(table.texts[owner])
            for (label, parts), probability in zip(mentions, sure, strict=True):
                spans = tuple(
                    Span(int(table.start[first + a]) - shift, int(table.end[first + b - 1]) - shift)
                    for a, b in parts
                )
                documents[owner].append(Mention(label, spans, probability))
        if capped:
            _log.warning("li: %d sentences allow too many mentions to search all of them", capped)
        return _Found(documents)

    def _mentions(self, path: IntArray) -> tuple[list[tuple[str, Parts]], bool]:
        """Return label and parts of the mentions of a sentence, and whether a limit was reached."""
        tags = [self.tags[state].partition("-") for state in path.tolist()]
        found: list[tuple[str, Parts]] = []
        capped = False
        for name in dict.fromkeys(label for _, _, label in tags if label):
            own = [prefix if label == name else OUTSIDE for prefix, _, label in tags]
            decoded = decode(read_segments(own), self.config.heuristic, self.config.parts)
            found += [(name, parts) for parts in decoded.mentions]
            capped |= decoded.capped
        return found, capped

    def _stretch(self, path: IntArray, parts: Parts) -> Stretch:
        """Return the tags that keep a mention as it is; in its gaps any tags do.

        Its tokens have their own tags, and no segment is extended by an I* tag.
        """
        begin, end = parts[0][0], min(parts[-1][1] + 1, len(path))
        allowed = np.ones((end - begin, len(self.tags)), np.bool_)
        for start, stop in parts:
            states = path[start:stop]
            if stop < end:
                allowed[stop - begin, self._extending(int(states[-1]))] = False
            allowed[start - begin : stop - begin] = states[:, None] == np.arange(len(self.tags))
        return Stretch(begin, allowed)

    def _extending(self, state: int) -> int:
        """Return the tag that extends a segment with this tag."""
        return self.tags.index(f"I{self.tags[state][1:]}")


class _Found(NamedTuple):
    """The mentions of each document of a batch."""

    documents: list[list[Mention]]

    def mentions(self, documents: int) -> Iterator[tuple[Mention, ...]]:
        """Yield the mentions of each document."""
        assert documents == len(self.documents)
        return map(tuple, self.documents)

    def parts(self, documents: int) -> Iterator[list[Part]]:
        """Yield the parts of the mentions of each document."""
        return map(parts_of, self.mentions(documents))
