"""``lacuna calibrate``: the threshold for a tolerated miss rate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import CorpusArgument, CorpusOptions, JsonOption, reading
from lacuna.cli.deid import promise_in_words
from lacuna.cli.detector_options import DetectorOptions, PolicyOption
from lacuna.cli.option_records import only

if TYPE_CHECKING:
    from lacuna.deid.calibration import Promises

CURVE_SHOWN = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def calibrate_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    gold: CorpusArgument,
    *,
    max_missed: Annotated[
        list[float],
        typer.Option(
            help="Share of identifier tokens that may be missed on average; may be repeated."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write the model to; by default its own."),
    ] = None,
    policy: PolicyOption = "safe-harbor",
    detector: DetectorOptions,
    corpus: Annotated[
        CorpusOptions, only("format", "encoding", "group_from", "label_map", "labels")
    ],
    as_json: JsonOption = False,
) -> None:
    """Calibrate the threshold for a tolerated miss rate.

    CORPUS must be annotated documents that the model has not been trained on. The threshold and
    the curve are stored in the model file; lacuna deid --max-missed uses them, with the same
    options for detection.

    Example: lacuna calibrate names.lacuna unseen.jsonl --max-missed 0.01 --max-missed 0.05
    """
    from lacuna.deid.calibration import with_promises
    from lacuna.deid.detection_options import with_policy
    from lacuna.deid.policy import load_policy
    from lacuna.models.answers import completed
    from lacuna.models.file import write_model
    from lacuna.pipeline.detection import make_promises, open_detection

    announce_compiling()
    options = with_policy(detector.with_model(model), load_policy(policy))
    detection = open_detection(options)
    detection = replace(detection, stored=completed(detection.stored))
    with reading(gold, corpus) as documents:
        promises = make_promises(detection, documents, max_missed)
    target = output or model
    write_model(target, with_promises(detection.stored, promises))
    if as_json:
        print_json(promises)
    else:
        _show(promises)
    _warn(promises)
    say(promise_in_words(max(c.level for c in promises.calibrations)))
    say(f"stored in {target}; use it with lacuna deid --model {target} --max-missed …")


def _warn(promises: Promises) -> None:
    for calibration in promises.calibrations:
        if calibration.is_tight:
            say(
                f"warning: {calibration.units:,} patients or documents are few for"
                f" {calibration.level:g}: a single miss decides, at the cost of precision"
            )


def _show(promises: Promises) -> None:
    rows = [
        (
            f"{calibration.level:g}",
            f"{calibration.threshold:.3g}",
            f"{calibration.missed:.4f}",
            f"{calibration.precision:.4f}",
            f"{calibration.units:,}",
        )
        for calibration in promises.calibrations
    ]
    header = ("max missed", "threshold", "missed here", "precision here", "units")
    print_table("calibration", header, rows)
    points = [
        min(promises.curve, key=lambda point: abs(point.threshold - threshold))
        for threshold in CURVE_SHOWN
    ]
    print_table(
        "other thresholds",
        ("threshold", "missed", "precision"),
        [(f"{p.threshold:.4f}", f"{p.missed:.4f}", f"{p.precision:.4f}") for p in points],
    )
