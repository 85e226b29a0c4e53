"""Finding columns that look like a second layer of tags but are read as a plain column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lacuna.encoding.schemes import OUTSIDE, parse_tag
from lacuna.io.conll_columns import Layout

#: Phrases, in the third column of CoNLL-2000 and CoNLL-2003: not labels of mentions.
PHRASES = frozenset(
    {"ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP"}
    | {"NC", "PC", "VC"}  # German
)


class IgnoredTags:
    """Counts tags in columns between word and tag, over the documents of a file.

    A column is taken for a layer of tags if all its cells are tags, not only of phrases.
    """

    def __init__(self, layout: Layout) -> None:
        self._is_needed = not layout.is_chosen and layout.names is None
        self._offset = 2 if layout.picks is None else layout.picks[0] + 2
        self._layers: dict[int, tuple[int, set[str]]] = {}  # column -> tags, labels
        self._others: set[int] = set()  # columns of something else
        self._last = 0  # number of the tag column

    def count(self, between: Sequence[Sequence[str]]) -> None:
        """Count in the columns of one document."""
        if not self._is_needed or not between:
            return
        self._last = self._offset + len(between)
        for number, cells in enumerate(between, start=self._offset):
            if number in self._others:
                continue
            labels = _labels(set(cells))
            if labels is None:
                self._others.add(number)
                continue
            count, known = self._layers.get(number, (0, set()))
            self._layers[number] = count + len(cells) - cells.count(OUTSIDE), known | labels

    def found(self) -> Iterator[tuple[str, int]]:
        """Yield what was ignored, and how often."""
        for number, (count, labels) in self._layers.items():
            if number not in self._others and not labels <= PHRASES:
                both = f"--column tag={number} --column tag={self._last}"
                yield f"tags in column {number} ({both} reads them, too, as nested mentions)", count


def _labels(cells: set[str]) -> set[str] | None:
    """Return the labels of some tags; ``None`` if one is no tag."""
    tags = [parse_tag(cell) for cell in cells]
    return {tag.label for tag in tags if tag and tag.label} if all(tags) else None
