"""From repeated words to features, and from features to new labels.

Every occurrence of a word has the same number of features: one that is always there, the tagger's
label, the band of the tagger's probability that it is in a mention, the shape of the word, and the
word at each place of the window. `objective.py` says how features become scores,
`inference/agreement.py` finds the best labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from lacuna.inference.agreement import solve
from lacuna.models.aligned.mentions import NewLabel
from lacuna.models.aligned.objective import AlignmentWeights, Occurrences, alignment_graphs
from lacuna.models.aligned.repeated_words import WINDOW, LabelledDocument, RepeatedWord
from lacuna.types import FloatArray, IntArray

#: Borders between bands of the probability that a token is in a mention.
BANDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)
SHAPES = ("short number", "number", "with a digit", "short", "capitals", "capitalised", "other")
UNKNOWN = 0  #: number of every word around that the model does not know


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentFeatures:
    """Numbers features and labels.

    Attributes
    ----------
    labels
        ``O`` first.
    words
        Words around that have features of their own, in lower case.
    """

    labels: tuple[str, ...]
    words: tuple[str, ...]
    label_numbers: Mapping[str, int] = field(init=False, repr=False)
    word_numbers: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {label: number for number, label in enumerate(self.labels)}
        words = {word: number for number, word in enumerate(self.words, start=UNKNOWN + 1)}
        object.__setattr__(self, "label_numbers", numbers)
        object.__setattr__(self, "word_numbers", words)

    def _starts(self) -> list[int]:
        """Return the number of the first feature of each sort, and the number of all features."""
        sizes = [1, len(self.labels), len(BANDS) + 1, len(SHAPES)]
        sizes += [len(self.words) + 1] * len(WINDOW)
        return list(accumulate(sizes, initial=0))

    def zeros(self) -> AlignmentWeights:
        """Return tables of weights, all zero."""
        return AlignmentWeights(
            np.zeros((self._starts()[-1], len(self.labels))),
            np.zeros(2 * (len(BANDS) + 1)),
            np.zeros(len(self.labels)),
            np.zeros((len(SHAPES), 2)),
        )

    def occurrences(
        self,
        repeated: Sequence[RepeatedWord],
        documents: Sequence[LabelledDocument],
        sure: Mapping[int, FloatArray],
    ) -> Occurrences:
        """Return features; ``sure[d][t]`` = p(token t of document d is in a mention)."""
        starts = self._starts()
        rows, stay, first, candidates = [], [], [], []
        for form, places in repeated:
            own = [self.label_numbers[documents[d].labels[t]] for d, t in places]
            proposed = [0, *sorted(set(own) - {0})]
            candidates.append(proposed)
            shape = shape_number(form)
            for (d, t), label in zip(places, own, strict=True):
                band = int(np.searchsorted(BANDS, sure[d][t], side="right"))
                around = [self.word_numbers.get(w, UNKNOWN) for w in documents[d].around(t)]
                rows.append([0, label, band, shape, *around])
                stay.append(band + (len(BANDS) + 1) * (label == 0))
                first.append(proposed.index(label))
        return Occurrences(
            borders=np.cumsum([0] + [len(word.places) for word in repeated]),
            labels=np.array([len(labels) for labels in candidates], np.int32),
            candidates=_padded(candidates),
            shape=np.array([shape_number(word.form) for word in repeated], np.int32),
            features=np.array(rows, np.int32).reshape(-1, len(starts) - 1)
            + np.array(starts[:-1], np.int32),
            stay=np.array(stay, np.int32),
            first=np.array(first, np.int32),
        )


def new_labels(
    space: AlignmentFeatures,
    weights: AlignmentWeights,
    repeated: Sequence[RepeatedWord],
    tagged: Sequence[LabelledDocument],
    sure: Mapping[int, FloatArray],
) -> tuple[dict[int, dict[int, NewLabel]], int]:
    """Return labels by number of document and of token, and how many words were approximated.

    ``sure[d][t]`` = p(token t of document d is in a mention), by the tagger.
    """
    if not repeated:
        return {}, 0
    seen = space.occurrences(repeated, tagged, sure)
    solved = solve(alignment_graphs(weights, seen))
    labels: dict[int, dict[int, NewLabel]] = {}
    node = 0
    for g, word in enumerate(repeated):
        names = [space.labels[k] for k in seen.candidates[g, : seen.labels[g]]]
        for place in word.places:
            chances = dict(zip(names, solved.marginals[node].tolist(), strict=False))
            found = NewLabel(names[solved.best[node]], chances)
            labels.setdefault(place.document, {})[place.token] = found
            node += 1
    return labels, int((~solved.exact).sum())


def shape_number(word: str) -> int:
    """Return the number of a word's shape."""
    digits = sum(character.isdigit() for character in word)
    checks = (
        digits == len(word) <= 3,
        digits == len(word),
        digits > 0,
        len(word) <= 2,
        word.isupper(),
        word[0].isupper(),
        True,
    )
    return checks.index(True)


def _padded(rows: Sequence[Sequence[int]]) -> IntArray:
    table = np.zeros((len(rows), max(map(len, rows), default=1)), np.int32)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table
