"""Kernel: forward–backward over valid paths, the state sequences whose classes are the known ones.

With m states per class, token t of class c has only the states c·m … c·m + m - 1 to choose from,
so a step costs m² and not (number of states)². Everything is in linear space, scaled so that
Σ_j alpha[t, j] = 1:

    alpha[t, j] = Σ_i alpha[t-1, i] transition[i, j] emission[x_t, j] / scale[t]
    beta[t, i]  = Σ_j transition[i, j] emission[x_{t+1}, j] beta[t+1, j] / scale[t+1]

    p(state t is j) = alpha[t, j] beta[t, j],   log p(words, classes) = Σ_t log scale[t]
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray


@kernel
def add_expected_counts(
    words: IntArray,
    classes: IntArray,
    sentences: LongArray,
    emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    states: int,
    word_counts: FloatArray,
    move_counts: FloatArray,
    start_counts: FloatArray,
) -> float:
    """Add the expected uses of emission[x, s], transition[s, s'] and start[s]; return log p.

    Sentence n is tokens sentences[n] to sentences[n + 1]. The result is -inf where a sentence has
    no valid path; the counts are then of no use.
    """
    total = 0.0
    longest = 0
    for n in range(len(sentences) - 1):
        longest = max(longest, sentences[n + 1] - sentences[n])
    alpha = np.empty((longest, states))
    scale = np.empty(longest)
    beta, behind = np.empty(states), np.empty(states)
    for n in range(len(sentences) - 1):
        own_words = words[sentences[n] : sentences[n + 1]]
        own_classes = classes[sentences[n] : sentences[n + 1]]
        size = len(own_words)
        if size == 0:
            continue
        total += _forward(own_words, own_classes, emission, transition, start, states, alpha, scale)
        if total == -np.inf:
            return total
        beta[:] = 1.0
        for t in range(size - 1, -1, -1):
            here = own_classes[t] * states
            row = word_counts[own_words[t]]
            for j in range(states):
                row[here + j] += alpha[t, j] * beta[j]
            if t == 0:
                for j in range(states):
                    start_counts[here + j] += alpha[t, j] * beta[j]
                break
            before = own_classes[t - 1] * states
            for j in range(states):
                behind[j] = emission[own_words[t], here + j] * beta[j] / scale[t]
            for i in range(states):
                beta[i] = 0.0
                for j in range(states):
                    move = transition[before + i, here + j] * behind[j]
                    beta[i] += move
                    move_counts[before + i, here + j] += alpha[t - 1, i] * move
    return total


@kernel
def _forward(
    words: IntArray,
    classes: IntArray,
    emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    states: int,
    alpha: FloatArray,
    scale: FloatArray,
) -> float:
    """Fill alpha and scale for one sentence and return Σ_t log scale[t]."""
    total = 0.0
    for t in range(len(words)):
        here = classes[t] * states
        scale[t] = 0.0
        for j in range(states):
            reached = start[here + j] if t == 0 else 0.0
            if t > 0:
                before = classes[t - 1] * states
                for i in range(states):
                    reached += alpha[t - 1, i] * transition[before + i, here + j]
            alpha[t, j] = reached * emission[words[t], here + j]
            scale[t] += alpha[t, j]
        if scale[t] == 0.0:
            return -np.inf
        for j in range(states):
            alpha[t, j] /= scale[t]
        total += np.log(scale[t])
    return total
