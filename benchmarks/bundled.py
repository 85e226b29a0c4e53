"""How much the bundled model finds in generated notes.

::

    python benchmarks/bundled.py -n 300 --seed 123
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import lacuna
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, Recognizers
from lacuna.deid.patterns import find_patterns
from lacuna.models.file import bundled_model
from lacuna.synthetic import Split, generate


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-n", "--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=123)
    parser.add_argument("--threshold", type=float, default=DEFAULT_THRESHOLD)
    options = parser.parse_args()
    notes = list(generate(options.notes, seed=options.seed, split=Split.TEST))
    alone = Detector(lacuna.load(bundled_model()))
    with_patterns = replace(
        alone, recognizers=Recognizers(lambda document: find_patterns(document.text))
    )
    for name, detector in (("model alone", alone), ("model and patterns", with_patterns)):
        units = calibration_units(detector, notes)
        identifiers = np.concatenate([unit.identifiers for unit in units])
        others = np.concatenate([unit.others for unit in units])
        found = np.count_nonzero(identifiers >= options.threshold)
        wrong = np.count_nonzero(others >= options.threshold)
        recall, precision = found / len(identifiers), found / (found + wrong)
        print(f"{name:20} recall {recall:.4f}  precision {precision:.4f}")


if __name__ == "__main__":
    main()
