"""The most probable label of tokens that a model is not sure of.

Only a model with one hidden state per token can tell; others do not say. Sentences without a doubt
are not computed, and neither are very long documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.deid.detector import UNNAMED, WINDOW
from lacuna.inference.chain import label_probabilities
from lacuna.models.aligned import AlignedModel
from lacuna.models.base import Tagger
from lacuna.models.chain_tagger import ChainTagger
from lacuna.text.document import Document
from lacuna.types import FloatArray, LongArray

Runs = Sequence[tuple[int, int]]  #: of tokens, ``[first, last)``


@dataclass(frozen=True, slots=True)
class LabelGuesses:
    """Guesses labels of a project; make it with :meth:`of`."""

    tagger: ChainTagger | None
    labels: tuple[str, ...]

    @classmethod
    def of(cls, tagger: Tagger, labels: Sequence[str]) -> LabelGuesses:
        """Return what can tell labels, if the model is of such a kind."""
        inner = tagger.tagger if isinstance(tagger, AlignedModel) else tagger
        can_tell = tuple(label for label in labels if label in tagger.labels)
        is_chain = isinstance(inner, ChainTagger) and bool(can_tell)
        return cls(inner if is_chain else None, can_tell)  # type: ignore[arg-type]

    def guess(self, documents: Sequence[Document], runs: Sequence[Runs]) -> list[list[str]]:
        """Return for each run of each document a label of the project, or ``IDENTIFIER``."""
        guesses = [[UNNAMED] * len(own) for own in runs]
        pairs = enumerate(zip(documents, runs, strict=True))
        chosen = [n for n, (d, own) in pairs if own and len(d.text) <= WINDOW]
        if self.tagger is None or not chosen:
            return guesses
        borders, chances = self._chances([documents[n] for n in chosen], [runs[n] for n in chosen])
        for place, n in enumerate(chosen):
            start = int(borders[place])
            for r, (first, last) in enumerate(runs[n]):
                sums = chances[:, start + first : start + last].sum(axis=1)
                guesses[n][r] = self.labels[int(sums.argmax())]
        return guesses

    def _chances(
        self, documents: Sequence[Document], runs: Sequence[Runs]
    ) -> tuple[LongArray, FloatArray]:
        """Return where the tokens of each document begin, and p[label, token] in these runs."""
        tagger = self.tagger
        assert tagger is not None
        table, chain = tagger.table(documents), tagger.chain()
        emission = tagger.emission(table)
        doubtful = np.zeros(len(emission), np.bool_)
        for start, own in zip(table.documents.tolist(), runs, strict=False):
            for first, last in own:
                doubtful[start + first : start + last] = True
        sentence = np.searchsorted(table.sentences, np.flatnonzero(doubtful), side="right") - 1
        chosen = np.unique(sentence)
        lengths = np.diff(table.sentences)[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        starts = np.repeat(table.sentences[chosen] - offsets[:-1], lengths)
        rows = starts + np.arange(offsets[-1])
        chances = np.zeros((len(self.labels), len(emission)))
        names = np.array([tag.partition("-")[2] for tag in tagger.state_tags])
        for number, label in enumerate(self.labels):
            found = label_probabilities(chain, emission[rows], offsets, names == label)
            chances[number, rows] = found.asked
        return table.documents, chances
