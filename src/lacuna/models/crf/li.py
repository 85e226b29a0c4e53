"""The CRF of mentions with gaps: LI tags say what is in a mention, a heuristic what goes together.

The probability of a mention is that of its words having the tags by which it was found, each of its
segments ending where it does: exact for the chain. It is not lessened by what else those tags could
mean.
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
        Most parts of a mention, at least 2.
    heuristic
        Which mentions are read off tags: ``enough`` of them, or ``all`` that they allow.
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
        """Return which tags may follow one another, begin and end a sentence."""
        return moves(tags, LI_FOLLOWERS)


class _Found(NamedTuple):
    """Mentions of each document in characters of its text."""

    documents: list[list[Mention]]

    def mentions(self, documents: int) -> Iterator[tuple[Mention, ...]]:
        """Yield the mentions of each document."""
        assert documents == len(self.documents)
        return map(tuple, self.documents)

    def parts(self, documents: int) -> Iterator[list[Part]]:
        """Yield the parts of the mentions of each document."""
        return map(parts_of, self.mentions(documents))


@dataclass(frozen=True, slots=True, eq=False)
class LiModel(ChainCrf):
    """A trained CRF with LI tags."""

    kind: ClassVar[str] = "li"
    overlapping: ClassVar[bool] = True

    config: Li

    def read(self, found: BestPaths, *, probabilities: bool) -> _Found:
        """Return the mentions that paths of tags stand for."""
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
            _log.warning("li: %d sentences have more to read off than is looked for", capped)
        return _Found(documents)

    def _mentions(self, path: IntArray) -> tuple[list[tuple[str, Parts]], bool]:
        """Return the mentions of one sentence, label and parts, and whether a cap was reached."""
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
        """Return which tags leave a mention as it is: its own, and behind its parts no I* of them.

        What stands in its gaps does not matter.
        """
        begin, end = parts[0][0], min(parts[-1][1] + 1, len(path))
        allowed = np.ones((end - begin, len(self.tags)), np.bool_)
        for start, stop in parts:
            states = path[start:stop]
            if stop < end:
                allowed[stop - begin, self.goes_on(int(states[-1]))] = False
            allowed[start - begin : stop - begin] = states[:, None] == np.arange(len(self.tags))
        return Stretch(begin, allowed)

    def goes_on(self, state: int) -> int:
        """Return the tag that prolongs the segment of a tag."""
        return self.tags.index(f"I{self.tags[state][1:]}")
