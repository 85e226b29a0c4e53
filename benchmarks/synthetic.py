"""Speed of the note generator: ``python benchmarks/synthetic.py [COUNT]``."""

from __future__ import annotations

import statistics
import sys
import time

from lacuna.synthetic import Split, generate

ROUNDS = 5


def main() -> None:
    """Print notes per second and words per note, the median of several rounds."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    start = time.perf_counter()
    next(generate(1))
    print(f"first note after {time.perf_counter() - start:.2f} s")
    for split in Split:
        next(generate(1, split=split))
        rates, words = [], 0
        for seed in range(ROUNDS):
            start = time.perf_counter()
            notes = list(generate(count, seed=seed, split=split))
            rates.append(count / (time.perf_counter() - start))
            words += sum(len(note.text.split()) for note in notes)
        mean = words / ROUNDS / count
        print(f"{split:5}  {statistics.median(rates):6.0f} notes/s  {mean:4.0f} words/note")


if __name__ == "__main__":
    main()
