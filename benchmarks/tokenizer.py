"""Tokens per second of the tokenizer, beside ``re.finditer``, on one core.

::

    python benchmarks/tokenizer.py [TEXT_FILE] [--rounds 9] [--json]

Without a file the text is made here: a million words of made-up notes. Rounds of all methods
alternate; medians are reported. Compiling is done before.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lacuna.text.characters import class_table, code_points
from lacuna.text.document import Tokens
from lacuna.text.tokens import token_borders, tokenize
from lacuna.text.word_types import WordTypes, hash_tokens, word_hashes
from lacuna.types import HashArray

PATTERN = re.compile(r"\w+|[^\w\s]")


def made_text(words: int, rng: np.random.Generator) -> str:
    """Return notes of made-up words (Zipf), with names, dates, numbers and wrapped lines."""
    syllables = [c + v for c in "bcdfglmnprstv" for v in "aeiou"]
    vocabulary = ["".join(rng.choice(syllables, rng.integers(1, 5))) for _ in range(20_000)]
    ranks = np.minimum(rng.zipf(1.2, words), len(vocabulary)) - 1
    pieces: list[str] = []
    width = 0
    for rank, chance in zip(ranks.tolist(), rng.random(words).tolist(), strict=True):
        word = vocabulary[rank]
        if chance < 0.02:
            word = f"{rank % 12 + 1:02}/{rank % 28 + 1:02}/19{rank % 100:02}"
        elif chance < 0.06:
            word = f"Dr. {word.capitalize()}'s"
        elif chance < 0.12:
            word += "."
        elif chance < 0.18:
            word = word.capitalize() + ","
        width += len(word) + 1
        pieces.append(word + (" " if width < 80 else "\n"))
        width = 0 if width >= 80 else width
    return "".join(pieces)


def hashed(text: str) -> tuple[Tokens, HashArray]:
    """Text to offsets and hashes."""
    codes = code_points(text)
    start, end = token_borders(codes, class_table())
    start.flags.writeable = end.flags.writeable = False
    return Tokens(start, end, np.unique([0, len(start)])), hash_tokens(codes, start, end)


def methods(text: str) -> dict[str, Callable[[], int]]:
    """Return what is timed; each gives the number of tokens."""
    types = WordTypes.build(hashed(text)[1])

    def with_sentences() -> int:
        tokens = tokenize(text)
        return len(types.lookup(word_hashes(code_points(text), tokens)))

    return {
        "re.finditer": lambda: sum(1 for _ in PATTERN.finditer(text)),
        "offsets, hashes": lambda: len(hashed(text)[1]),
        "offsets, hashes, type ids": lambda: len(types.lookup(hashed(text)[1])),
        "offsets, hashes, type ids, sentences": with_sentences,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("text", nargs="?", type=Path, help="a UTF-8 text file")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    text = (
        options.text.read_text("utf-8")
        if options.text
        else made_text(1_000_000, np.random.default_rng(0))
    )
    timed = methods(text)
    counts = {name: run() for name, run in timed.items()}  # compiles
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(options.rounds):
        for name, run in timed.items():
            begin = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - begin)
    rates = {name: counts[name] / statistics.median(seconds[name]) for name in timed}
    if options.json:
        about = {
            "characters": len(text),
            "tokens": counts["offsets, hashes"],
            "rounds": options.rounds,
            "machine": platform.machine(),
            "python": platform.python_version(),
            "tokens_per_second": rates,
        }
        print(json.dumps(about, indent=2))
        return
    print(f"{len(text):,} characters, {counts['offsets, hashes']:,} tokens, median of rounds")
    for name, rate in rates.items():
        print(f"{name:40}{rate / 1e6:8.2f} M tokens/s{rate / rates['re.finditer']:8.1f} x re")


if __name__ == "__main__":
    main()
