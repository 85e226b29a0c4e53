"""The slow, obvious version of things: what the fast code has to agree with."""

from __future__ import annotations

from itertools import product

import numpy as np

from lacuna.inference.chain import Chain
from lacuna.types import RealArray


def path_score(chain: Chain, emission: RealArray, path: tuple[int, ...]) -> float:
    """Log weight of one labelling, straight from the definition."""
    if not path:
        return 0.0
    second_order = len(chain.transition) > 1
    before_first = len(chain.transition) - 1
    histories = [before_first] + [label if second_order else 0 for label in path[:-1]]
    score = float(chain.start[path[0]])
    score += sum(float(emission[t, label]) for t, label in enumerate(path))
    for t in range(1, len(path)):
        score += float(chain.transition[histories[t - 1], path[t - 1], path[t]])
    return score + float(chain.stop[histories[-1], path[-1]])


def enumerate_paths(chain: Chain, emission: RealArray) -> dict[tuple[int, ...], float]:
    """All K**T labellings with their log weights."""
    paths = product(range(chain.labels), repeat=len(emission))
    return {path: path_score(chain, emission, path) for path in paths}


def probabilities(scores: dict[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Normalised weights; needs at least one possible labelling."""
    log_total = np.logaddexp.reduce(list(scores.values()))
    return {path: float(np.exp(score - log_total)) for path, score in scores.items()}
