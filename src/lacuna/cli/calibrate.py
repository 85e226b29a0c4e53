"""``lacuna calibrate``: the threshold for a tolerated miss rate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import CorpusArgument, CorpusOptions, JsonOption, ModelArgument, reading
from lacuna.cli.detector_options import DetectorOptions, PolicyOption
from lacuna.cli.option_records import only
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.deid.promises import Promises

CURVE_SHOWN = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def calibrate_command(
    model: ModelArgument,
    gold: CorpusArgument,
    *,
    max_missed: Annotated[
        list[float],
        typer.Option(
            help="Share of identifier tokens that may be missed; may be repeated. Choose it before"
            " you see the curve."
        ),
    ],
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Also promise each share with this confidence; by default 0.95, if there are"
            " enough patients."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write the model to; by default its own."),
    ] = None,
    policy: PolicyOption = "safe-harbor",
    detector: DetectorOptions,
    corpus: Annotated[
        CorpusOptions, only("format", "encoding", "columns", "group_from", "label_map", "labels")
    ],
    as_json: JsonOption = False,
) -> None:
    """Calibrate the threshold for a tolerated miss rate.

    GOLD must be annotated documents that the model has not been trained on, of the same kind as
    those to be de-identified. Two promises are stored in the model file for each share: on average,
    and with confidence. lacuna deid --max-missed uses the first, with --confidence the second, with
    the same policy and the same options for detection.

    Example: lacuna calibrate names.lacuna unseen.jsonl --max-missed 0.05 -o own.lacuna
    """
    from lacuna.deid.detection_options import with_policy
    from lacuna.deid.policy import load_policy
    from lacuna.deid.promises import with_promises
    from lacuna.models.answers import completed
    from lacuna.models.bundled import bundled_models
    from lacuna.models.file import write_model
    from lacuna.pipeline.detection import make_promises, open_detection

    target = output or model
    if target.resolve() in map(Path.resolve, bundled_models().values()):
        raise ConfigError("a bundled model makes no promise; write your own with -o own.lacuna")
    announce_compiling()
    chosen = load_policy(policy)
    detection = open_detection(with_policy(detector.with_model(model), chosen))
    detection = replace(detection, stored=completed(detection.stored))
    with reading(gold, corpus) as documents:
        promises = make_promises(detection, documents, max_missed, chosen, confidence=confidence)
    write_model(target, with_promises(detection.stored, promises))
    (print_json if as_json else _show)(promises)
    _explain(promises, target)


def _explain(promises: Promises, target: Path) -> None:
    """Say what was promised, what was not, and how to use it."""
    from lacuna.deid.calibration import DEFAULT_CONFIDENCE, least_level, units_needed
    from lacuna.deid.promises import asked_by, in_words

    for one in promises.calibrations:
        if one.is_tight:
            say(
                f"warning: {one.units:,} patients or documents are few for {one.level:g}:"
                " a single miss decides, at the cost of precision"
            )
    signed = {one.level for one in promises.calibrations if one.confidence is not None}
    for one in promises.calibrations:
        if one.level not in signed:
            needed = units_needed(one.level, DEFAULT_CONFIDENCE)
            say(
                f"{one.level:g} is promised on average only: with confidence"
                f" {DEFAULT_CONFIDENCE:g} it needs at least {needed:,} patients, more with every"
                f" miss; {one.units:,} can promise"
                f" {least_level(one.units, DEFAULT_CONFIDENCE):.1%} if nothing is missed"
            )
    for one in promises.calibrations:
        say(f"{asked_by(one)}: {in_words(one.level, one.confidence)}")
    say("a level chosen after looking at this curve is not promised: choose it before")
    say(f"stored in {target}; use it with lacuna deid --model {target} {asked_by(one)}")


def _show(promises: Promises) -> None:
    rows = [
        (
            f"{calibration.level:g}",
            "average" if calibration.confidence is None else f"{calibration.confidence:g}",
            f"{calibration.threshold:.3g}",
            f"{calibration.missed:.4f}",
            f"{calibration.precision:.4f}",
            f"{calibration.units:,}",
        )
        for calibration in promises.calibrations
    ]
    header = ("max missed", "confidence", "threshold", "missed here", "precision here", "units")
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
