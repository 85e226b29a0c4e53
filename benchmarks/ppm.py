"""Speed of the character model: ``python benchmarks/ppm.py [WORDS]``.

Prints characters per second of CPU time for one character model and for many over one tree.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from lacuna.models.ppm_hmm.ppm import Ppm, Words

ROUNDS = 5
LETTERS = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))


def made_up(count: int, rng: np.random.Generator) -> list[str]:
    """Return words whose letters are about as uneven as those of a language."""
    lengths = rng.integers(2, 13, count)
    ranks = np.minimum(rng.geometric(0.12, lengths.sum()) - 1, len(LETTERS) - 1)
    pieces = np.split(LETTERS[ranks], np.cumsum(lengths)[:-1])
    return ["".join(piece) for piece in pieces]


def main() -> None:
    """Print one line for each number of classes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = np.random.default_rng(0)
    training, words = made_up(count, rng), Words.of(made_up(count, rng))
    characters = int((words.end - words.start).sum())
    for size in (1, 10, 100):
        began = time.process_time()
        classes = rng.integers(0, size, count)
        ppm = Ppm.train(training, classes=classes, size=size, order=3, exclusion=True)
        trained = time.process_time() - began
        ppm.score(["compile"])
        seconds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            ppm.score(words)
            seconds.append(time.process_time() - began)
        megabytes = sum(array.nbytes for array in (*ppm.tree, *ppm.shares)) / 1e6
        print(
            f"{size:4} classes  {characters / min(seconds) / 1e6:6.2f}M characters/s"
            f"  trained in {trained:.2f} s  {megabytes:.1f} MB"
        )


if __name__ == "__main__":
    main()
