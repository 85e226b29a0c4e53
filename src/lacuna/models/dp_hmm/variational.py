"""Variational Bayes for the HMM with Dirichlet-process sub-tags.

Tags s are observed, the sub-tags z = 1 … K_s of each are hidden; a state is a pair (s, z). The
border of sentences is a tag with one sub-tag, so that starts and stops are ordinary moves.

    v_{s,k} ~ Beta(1, α)                    π_s = the shares of the stick v_s (`sticks.py`)
    φE_{s,z} ~ Dir(αE)                      words given the state
    φT_{s,z} ~ Dir(αT)                      next tag given the state
    φt_{s,z,s'} ~ DP(αt, π_{s'})            next sub-tag given the state and the next tag

π has K atoms, so the DP is the Dirichlet Dir(αt π_{s'}), and its own stick and atoms need not be
represented. q(φE), q(φT), q(φt) are Dirichlets: the prior plus expected counts. v is a point
estimate. q(z) is a chain per sentence or a product over tokens (`e_step.py`). The objective, which
never falls from one E-step to the next, is

    ELBO = Σ_sentences [E_q ln weights + H(q(z))] − KL(q(φE) ‖ p) − KL(q(φT) ‖ p)
           − KL(q(φt) ‖ Dir(αt π)) + ln p(v | α)

The M-step sets q(φ) = Dir(prior + expected counts), so that with counts c and prior a

    E[ln φ_i] = ψ(a_i + c_i) − ψ(Σ_j (a_j + c_j))

and climbs in v along the gradient of the bound (`sticks.py`). Tags that nobody has reviewed are
hidden as well (`unknown_tags.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lacuna.inference.batch import run_chunks
from lacuna.inference.known_labels import known_first
from lacuna.models.dp_hmm.corpus_layout import Layout, TaggedWords, lay_out, own_words
from lacuna.models.dp_hmm.e_step import Expected, LogWeights, expect, gather, improve, moves_of
from lacuna.models.dp_hmm.sticks import (
    better_stick,
    divergence,
    even_stick,
    expected_log,
    log_prior,
    shares,
)
from lacuna.models.dp_hmm.unknown_tags import PartlyTagged, expect_given, in_parts
from lacuna.types import BoolArray, FloatArray, LongArray

#: Maximum size of a matrix of rows × sub-tags; a larger corpus is laid out in parts.
MOST_NUMBERS = 1 << 23
#: At least this many parts, so that no core is idle.
LEAST_PARTS = 2
#: Share of the random start that is drawn per token; the rest is drawn per pair of adjacent tags.
NOISE = 0.3


class Priors(NamedTuple):
    """α, αE, αT and αt."""

    alpha: float
    alpha_e: float
    alpha_tag: float
    alpha_t: float


class Learnt(NamedTuple):
    """The state of training: q(φ) is the priors plus these counts.

    emission[s][w, z], moves[i, j]
        Expected counts, as in `Expected`.
    sticks[s]
        v_s.
    memberships[b][s][r, z]
        q(z) of the rows of the b-th layout.
    """

    emission: list[FloatArray]
    moves: FloatArray
    sticks: tuple[FloatArray, ...]
    memberships: list[list[FloatArray]]

    def in_use(self, least: float = 1.0) -> list[int]:
        """Return how many sub-tags of each tag have at least `least` expected tokens."""
        return [int((counts.sum(axis=0) >= least).sum()) for counts in self.emission]


class VbStep(NamedTuple):
    """An E-step and an M-step: the bound after the first, `learnt` after the second."""

    elbo: float
    learnt: Learnt


@dataclass(frozen=True, slots=True, eq=False)
class DpHmmProblem:
    """A corpus, its model and the updates of variational Bayes; made by :func:`pose`.

    Attributes
    ----------
    vocabulary
        Number of words.
    words
        ``words[s]``: the words that may occur with tag s.
    layouts
        The sentences whose tags are all known, in one or several parts.
    partly
        The sentences with unknown tags, in parts.
    first
        Tag s has the states ``first[s]`` to ``first[s + 1]``; the border comes last, with one.
    tag_moves
        ``tag_moves[s, s']``: tag s' may follow s, the border included.
    priors
        α, αE, αT, αt.
    structured
        Whether q(z) is a chain per sentence, not a product over tokens.
    """

    vocabulary: int
    words: list[LongArray]
    layouts: list[Layout]
    partly: list[PartlyTagged]
    first: LongArray
    tag_moves: BoolArray
    priors: Priors
    structured: bool

    @property
    def subtags(self) -> LongArray:
        """K_s of every tag, the border included."""
        return np.diff(self.first)

    def start(self, rng: np.random.Generator) -> Learnt:
        """Return random sub-tags, drawn per token and per pair of tags before and after a token."""
        contexts, sizes = len(self.subtags) ** 2, [len(own) for own in self.words]
        drawn = [rng.dirichlet(np.full(k, 1.0 / k), contexts) for k in self.subtags[:-1]]
        found = []
        known = (part.stretches(len(self.words)) for part in self.partly)
        for layout in (*self.layouts, *known):
            members = [
                NOISE * _noise(rng, len(own), part.shape[1]) + (1 - NOISE) * part[own]
                for part, own in zip(drawn, layout.contexts, strict=True)
            ]
            moves = moves_of(self.first, layout, members)
            found.append(gather(sizes, self.first, layout, members, moves))
        return self.learn(found, [even_stick(size) for size in self.subtags[:-1]])

    def weights(self, learnt: Learnt) -> LogWeights:
        """Return E_q[ln φ] of the words that occur with each tag, and of all moves."""
        moves = self.log_tag_moves(learnt) + self.log_subtag_moves(learnt)
        return LogWeights(moves, [self.log_words(c) for c in learnt.emission], self.first)

    def log_tag_moves(self, learnt: Learnt) -> FloatArray:
        """E[ln φT], [i, j]: of the tag of state j after state i."""
        counts = np.add.reduceat(learnt.moves, self.first[:-1], axis=1)
        return np.repeat(expected_log(self._tag_prior(), counts), self.subtags, axis=1)

    def log_subtag_moves(self, learnt: Learnt) -> FloatArray:
        """E[ln φt], [i, j]: of state j after state i, given its tag."""
        logs = np.zeros_like(learnt.moves)
        for own, stick in self._blocks(learnt.sticks):
            logs[:, own] = expected_log(self.priors.alpha_t * shares(stick), learnt.moves[:, own])
        return logs

    def elbo(self, learnt: Learnt, bound: float) -> float:
        """Return the bound at q(φ); `bound` is the part that depends on q(z)."""
        tag_counts = np.add.reduceat(learnt.moves, self.first[:-1], axis=1)
        total = bound - divergence(self._tag_prior(), tag_counts)
        for own, stick in self._blocks(learnt.sticks):
            prior = self.priors.alpha_t * shares(stick) + np.zeros_like(learnt.moves[:, own])
            total -= divergence(prior, learnt.moves[:, own])
            total += log_prior(stick, self.priors.alpha)
        return total - sum(map(self._divergence_of_words, learnt.emission))

    def expect(self, learnt: Learnt) -> list[Expected]:
        """E-step: the best q(z) for q(φ), or with mean field a better one."""
        found = None if self.structured else learnt.memberships
        return self.expect_given(self.weights(learnt), found)

    def expect_given(
        self, logs: LogWeights, memberships: list[list[FloatArray]] | None = None
    ) -> list[Expected]:
        """Return expected counts under the best q(z) for given weights; improve q(z) if given."""
        whole = len(self.layouts)

        def of_part(part: int, _: int) -> Expected:
            if part >= whole:
                return expect_given(logs, self.partly[part - whole], self.words)
            layout = self.layouts[part]
            if memberships is None:
                return expect(logs, layout)
            return improve(logs, layout, memberships[part])

        parts = whole + len(self.partly)
        return run_chunks(of_part, [(part, part + 1) for part in range(parts)])

    def learn(self, found: Sequence[Expected], sticks: Sequence[FloatArray]) -> Learnt:
        """M-step: the best q(φ) for q(z), and a better v."""
        moves = np.sum([part.moves for part in found], axis=0)
        emission = [
            np.sum(parts, axis=0) for parts in zip(*(p.emission for p in found), strict=True)
        ]
        better = tuple(
            better_stick(stick, moves[:, own], alpha=self.priors.alpha, alpha_t=self.priors.alpha_t)
            for own, stick in self._blocks(sticks)
        )
        return Learnt(emission, moves, better, [part.memberships for part in found])

    def climb(self, learnt: Learnt) -> Iterator[VbStep]:
        """Yield E- and M-steps without end."""
        while True:
            found = self.expect(learnt)
            elbo = self.elbo(learnt, sum(part.bound for part in found))
            learnt = self.learn(found, learnt.sticks)
            yield VbStep(elbo, learnt)

    def _blocks(self, sticks: Sequence[FloatArray]) -> Iterator[tuple[slice, FloatArray]]:
        for (first, last), stick in zip(pairwise(self.first[:-1]), sticks, strict=True):
            yield slice(first, last), stick

    def _tag_prior(self) -> FloatArray:
        """αT if tag s may follow the tag of state i, else 0, [i, s]."""
        may = np.repeat(self.tag_moves, self.subtags, axis=0).astype(np.float64)
        return self.priors.alpha_tag * may

    def log_words(self, counts: FloatArray, total: FloatArray | None = None) -> FloatArray:
        """E[ln φE] = ψ(αE + c) − ψ(αE V + Σ c), counts[w, z] of words of one tag.

        `total` is Σ c over all words, if `counts` has only some.
        """
        from scipy.special import digamma  # slow to load, and tagging does not need it

        whole = counts.sum(axis=0) if total is None else total
        own: FloatArray = digamma(self.priors.alpha_e + counts)
        of_all: FloatArray = digamma(self.priors.alpha_e * self.vocabulary + whole)
        return own - of_all

    def _divergence_of_words(self, counts: FloatArray) -> float:
        """KL(q(φE) ‖ Dir(αE)) over the sub-tags of one tag; words without counts add 0."""
        from scipy.special import gammaln

        prior, total = self.priors.alpha_e, self.priors.alpha_e * self.vocabulary
        whole = gammaln(total + counts.sum(axis=0)) - gammaln(total)
        own = gammaln(prior + counts) - gammaln(prior)
        return float(whole.sum() - own.sum() + (counts * self.log_words(counts)).sum())


def pose(
    corpus: TaggedWords,
    vocabulary: int,
    subtags: Sequence[int],
    tag_moves: BoolArray,
    priors: Priors,
    *,
    structured: bool = True,
    raw_weight: float = 0.0,
) -> DpHmmProblem:
    """Lay out a corpus; subtags[s] = K_s, tag_moves[s, s'] with the border last.

    Sentences without a known tag are left out unless they have a weight.
    """
    tags = len(subtags)
    seen = known_first(corpus.tags, corpus.sentences, raw=raw_weight > 0)
    corpus = TaggedWords(corpus.words[seen.rows], corpus.tags[seen.rows], seen.offsets)
    words, numbers = own_words(corpus, tags)
    whole, others = seen.parts()
    partly: list[PartlyTagged] = []
    for borders, weight in ((others, 1.0), (seen.raw(), raw_weight)):
        rest = slice(int(borders[0]), int(borders[-1]))
        unknown = TaggedWords(corpus.words[rest], corpus.tags[rest], borders - borders[0])
        part = PartlyTagged(unknown, numbers[rest], weight)
        partly += in_parts(part, MOST_NUMBERS // sum(subtags))
    corpus = corpus._replace(sentences=whole)
    tokens = min(MOST_NUMBERS // max(subtags), -(-int(corpus.sentences[-1]) // LEAST_PARTS))
    marks = np.searchsorted(corpus.sentences, np.arange(0, corpus.sentences[-1], max(tokens, 1)))
    cuts = np.unique(np.append(marks, [0, len(corpus.sentences) - 1])).tolist()
    layouts = [lay_out(corpus, numbers, tags, a, b) for a, b in pairwise(cuts)]
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum([*subtags, 1])))
    return DpHmmProblem(vocabulary, words, layouts, partly, first, tag_moves, priors, structured)


def _noise(rng: np.random.Generator, rows: int, subtags: int) -> FloatArray:
    """Return random rows that sum to 1."""
    drawn = rng.random((rows, subtags))
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn
