"""Does the promise hold? Calibrate on one half of a dev set, measure on the other half.

    python benchmarks/calibration.py TRAIN DEV [--rounds 20] [--set key=value …]

A CRF is trained on TRAIN and used together with patterns, as in ``lacuna deid``. For every level,
DEV is split into random halves `rounds` times: the threshold comes from one half, the share missed
and the precision from the other. With ``--folds N`` the documents of TRAIN, each tagged by a model
that has not seen its group, are used for calibration as well: many more units for the same promise.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lacuna.deid.calibration import Unit, calibrate, calibration_units, outcome
from lacuna.deid.detector import Detector, Recognizers
from lacuna.deid.patterns import find_patterns
from lacuna.io.corpus import read_corpus
from lacuna.learning.folds import jackknife
from lacuna.models.crf import Crf
from lacuna.models.settings import configure
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document

LEVELS = (0.01, 0.02, 0.05)


def units_of(training: Sequence[Document], gold: Sequence[Document], config: Crf) -> list[Unit]:
    """Return what a model of `training` and patterns make of `gold`."""
    detector = Detector(
        train_model(training, config), Recognizers(lambda document: find_patterns(document.text))
    )
    return calibration_units(detector, gold)


def halves(units: Sequence[Unit], rng: random.Random) -> tuple[list[Unit], list[Unit]]:
    """Cut units into two random halves."""
    shuffled = rng.sample(units, len(units))
    return shuffled[: len(units) // 2], shuffled[len(units) // 2 :]


def row(name: str, level: float, results: Sequence[tuple[int, float, float, float]]) -> str:
    """Return a line of the table: means over rounds, and the standard error of what is missed."""
    values = np.array(results)
    units, threshold, missed, precision = values.mean(axis=0)
    error = values[:, 2].std(ddof=1) / len(values) ** 0.5
    return (
        f"| {name} | {level:.0%} | {units:.0f} | {threshold:.3f}"
        f" | {missed:.2%} ± {error:.2%} | {precision:.3f} |"
    )


def main() -> None:
    """Train, cut, calibrate, look."""
    options = arguments()
    config = configure(Crf, options.set)
    training, dev = (list(read_corpus([path])) for path in (options.train, options.dev))
    units = units_of(training, dev, config)
    print("| calibrated on | promised | units | threshold | missed | precision |")
    print("|---|---|---|---|---|---|")
    for level in LEVELS:
        rng, results = random.Random(0), []
        for _ in range(options.rounds):
            known, new = halves(units, rng)
            found = calibrate(known, level)
            results.append((len(known), found.threshold, *outcome(new, found.threshold)))
        print(row("half of dev", level, results), flush=True)
    if not options.folds:
        return
    held_out = [
        unit
        for rest, part in jackknife(training, options.folds, rng=np.random.default_rng(0))
        for unit in units_of([training[i] for i in rest], [training[i] for i in part], config)
    ]
    for level in LEVELS:
        rng, results = random.Random(0), []
        for _ in range(options.rounds):
            known, new = halves(units, rng)
            found = calibrate([*held_out, *known], level)
            results.append(
                (len(held_out) + len(known), found.threshold, *outcome(new, found.threshold))
            )
        print(row("train by folds + half of dev", level, results), flush=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
