"""Speed of word clustering: ``python benchmarks/cluster.py [CLUSTERS] [CORPUS...]``.

Without a corpus it clusters a million made-up tokens whose frequencies are as uneven as those of a
language. Prints seconds of wall clock and of this process, and how busy the machine was.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from lacuna.io.corpus import read_corpus
from lacuna.pipeline.clusters import cluster_words
from lacuna.pipeline.raw_text import CountedText, count_words

TOKENS = 1_000_000
TYPES = 80_000
STATES = 60
SENTENCE = 20


def made_up(rng: np.random.Generator) -> CountedText:
    """Return tokens of a hidden Markov model with Zipfian words, each word in two states."""
    moves = np.cumsum(rng.dirichlet(np.full(STATES, 0.3), STATES), axis=1)
    states = np.empty(TOKENS, np.int64)
    state = 0
    for t, draw in enumerate(rng.random(TOKENS)):
        states[t] = state = min(int(np.searchsorted(moves[state], draw)), STATES - 1)
    # word r of a state with probability ∝ 1 / (r + 3); the words of states s and s + 1 overlap
    each = TYPES // STATES
    weight = np.cumsum(1 / (np.arange(2 * each) + 3))
    rank = np.searchsorted(weight, rng.random(TOKENS) * weight[-1])
    ids = ((states * each + rank) % TYPES).astype(np.int32)
    words = [f"w{number}" for number in range(TYPES)]
    borders = np.arange(0, TOKENS + 1, SENTENCE)
    return CountedText(words, np.bincount(ids, minlength=TYPES), [(ids, borders)])


def main() -> None:
    """Cluster once to compile, then for the record."""
    clusters = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    paths = sys.argv[2:]
    text = count_words(read_corpus(paths)) if paths else made_up(np.random.default_rng(0))
    cluster_words(text, clusters=2, max_words=10)
    began = time.process_time()
    _, summary = cluster_words(text, clusters=clusters)
    print(
        f"{summary.tokens:,} tokens, {summary.words:,} words, {summary.clusters:,} clusters:"
        f" {summary.seconds:.1f} s, {time.process_time() - began:.1f} s of this process,"
        f" load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores;"
        f" {summary.information:.3f} of {summary.word_information:.3f} bits"
    )


if __name__ == "__main__":
    main()
