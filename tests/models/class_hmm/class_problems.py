"""Small random corpora of words and classes for a class HMM."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from lacuna.encoding.schemes import Moves, Scheme, moves, tag_set
from lacuna.models.class_hmm.chain_counts import ClassCorpus
from lacuna.models.class_hmm.objective import ClassHmmObjective
from lacuna.types import IntArray, LongArray

WORDS, OUTCOMES, FEATURES = 6, 8, 5


class Problem:
    """Eight tokens in four sentences, one empty; the last two words count half as others.

    Class O has `outside` states, the others have `states`; 0 is as many as those. If some classes
    are `unknown`, sentences of which all are do not count unless raw text has a weight. If states
    are `free`, each has a distribution over classes.
    """

    def __init__(
        self,
        seed: int,
        *,
        states: int = 2,
        outside: int = 0,
        scheme: Scheme = Scheme.BIO,
        basic: bool = False,
        unknown: bool = False,
        raw_weight: float = 0.0,
        free: bool = False,
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.tags = tag_set(["A", "B"], scheme)
        sizes = [outside or states] + [states] * (len(self.tags) - 1)
        self.borders: LongArray = np.cumsum([0, *sizes])
        self.sentences: LongArray = np.array([0, 3, 3, 4, 8])
        allowed = moves(self.tags, scheme)
        self.table = allowed.allowed
        readings = np.eye(WORDS, OUTCOMES)
        readings[WORDS - 2, [WORDS - 2, WORDS]] = 0.5
        readings[WORDS - 1, [WORDS - 1, WORDS + 1]] = 0.5
        classes = self._classes()
        if unknown:
            classes[self.rng.random(8) < 0.4] = -1
        if raw_weight:
            classes[3] = -1
        self.corpus = ClassCorpus.of(
            np.append(self.rng.integers(0, WORDS, 6), [WORDS - 2, WORDS - 1]).astype(np.int32),
            classes,
            self.sentences,
            csr_array(readings),
            raw_weight,
        )
        features = np.eye(OUTCOMES) if basic else self._distinct_features()
        self.features = csr_array(features)
        self.moves = allowed.split(np.array(sizes))
        self.free = len(self.tags) if free else 0
        if free:
            self.moves = Moves.unrestricted(len(self.moves.first))

    def objective(self, kappa: float) -> ClassHmmObjective:
        return ClassHmmObjective(
            self.corpus,
            self.features,
            self.moves,
            borders=self.borders,
            kappa=kappa,
            classes=self.free,
        )

    def _classes(self) -> IntArray:
        """Draw a path that the scheme allows."""
        classes = np.zeros(8, np.int32)
        for first, last in pairwise(self.sentences.tolist()):
            tag = 0
            for t in range(first, last):
                tag = int(self.rng.choice(np.flatnonzero(self.table[tag])))
                classes[t] = tag
        return classes

    def _distinct_features(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        numbers = self.rng.permutation(2**FEATURES)[:OUTCOMES]
        return (numbers[:, None] >> np.arange(FEATURES) & 1).astype(np.float64)
