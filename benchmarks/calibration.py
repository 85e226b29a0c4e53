"""Do the promises hold? Draw calibration sets from a pool of patients whose risk is known.

    python benchmarks/calibration.py [--train TRAIN --dev DEV] [--draws 1000] [--set key=value …]

A CRF is trained on TRAIN and used together with patterns under a policy, as in ``lacuna deid``; by
default it learns little, from 60 generated notes, and the pool are 900 generated notes of unseen
sentences. The patients of DEV are the population: a calibration set is drawn from them with
replacement, and what a threshold misses in the mean over all of them is its risk. So a promise can
be checked without any error of measurement.

For every promise, level and size of the calibration set the table has: the mean risk over draws,
which the mean promise bounds by the level; the share of draws whose risk is above the level, which
the promise with confidence bounds by 1 - confidence; the highest risk; the mean precision.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lacuna.deid.calibration import calibrate, outcome, units_needed
from lacuna.deid.calibration_units import Unit, calibration_units
from lacuna.deid.detector import Detector, Recognizers
from lacuna.deid.patterns import find_patterns
from lacuna.deid.policy import load_policy
from lacuna.io.corpus import read_corpus
from lacuna.models.crf import Crf
from lacuna.models.settings import configure
from lacuna.pipeline.training import train_model
from lacuna.synthetic import Split, generate

LEVELS = (0.01, 0.02, 0.05, 0.1)
SIZES = (100, 300, 1000)
CONFIDENCE = 0.95


def pool(options: argparse.Namespace) -> list[Unit]:
    """Train a model and return what the pipeline makes of every patient."""
    if options.train is None:
        training = list(generate(60, seed=options.seed, split=Split.TRAIN))
        dev = list(generate(900, seed=options.seed + 1, split=Split.TEST))
    else:
        training, dev = (list(read_corpus([path])) for path in (options.train, options.dev))
    model = train_model(training, configure(Crf, options.set))
    detector = Detector(model, Recognizers(lambda document: find_patterns(document.text)))
    units = calibration_units(detector, dev, load_policy(options.policy))
    print(f"{len(dev)} documents, {len(units)} patients\n")
    return [replace(unit, documents=()) for unit in units]


def row(
    units: Sequence[Unit], level: float, size: int, confidence: float | None, draws: int
) -> str:
    """Return a line of the table."""
    rng = np.random.default_rng(0)
    results = []
    known: dict[float, tuple[float, float]] = {}
    for _ in range(draws):
        drawn = [units[i] for i in rng.integers(len(units), size=size).tolist()]
        threshold = calibrate(drawn, level, confidence).threshold
        if threshold not in known:
            known[threshold] = outcome(units, threshold)
        results.append(known[threshold])
    risk, precision = np.array(results).T
    name = "mean" if confidence is None else f"confidence {confidence:.0%}"
    return (
        f"| {name} | {level:.0%} | {size:,} | {risk.mean():.2%} | {(risk > level).mean():.1%}"
        f" | {risk.max():.2%} | {precision.mean():.3f} |"
    )


def main() -> None:
    """Train, draw, calibrate, look."""
    options = arguments()
    units = pool(options)
    print("| promise | level | patients | mean risk | draws above | highest risk | precision |")
    print("|---|---|---|---|---|---|---|")
    for confidence in (None, CONFIDENCE):
        for level in LEVELS:
            for size in SIZES:
                if size >= units_needed(level, confidence):
                    print(row(units, level, size, confidence, options.draws), flush=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--dev", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", default="mask")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    if (options.train is None) != (options.dev is None):
        parser.error("--train and --dev go together")
    return options


if __name__ == "__main__":
    main()
