"""``lacuna calibrate``: how much to redact so that little is missed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import (
    CorpusArgument,
    CorpusOptions,
    EncodingOption,
    FormatOption,
    GroupFromOption,
    JsonOption,
    LabelsOption,
    MapOption,
    NoAlignOption,
    reading,
)
from lacuna.cli.deid import promise_in_words
from lacuna.cli.detection import (
    AlwaysOption,
    KnownOption,
    ListsOption,
    NeverOption,
    NoPatternsOption,
    PolicyOption,
    detection_options,
)

if TYPE_CHECKING:
    from lacuna.deid.promises import Promises

CURVE_SHOWN = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def calibrate_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    gold: CorpusArgument,
    max_missed: Annotated[
        list[float],
        typer.Option(help="Share that may be missed on average; may be given several times."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Where the model goes; into its own file if not given."
        ),
    ] = None,
    policy: PolicyOption = "safe-harbor",
    known: KnownOption = None,
    always: AlwaysOption = None,
    never: NeverOption = None,
    lists: ListsOption = None,
    no_patterns: NoPatternsOption = False,
    no_align: NoAlignOption = False,
    source_format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    group_from: GroupFromOption = None,
    label_map: MapOption = None,
    labels: LabelsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the threshold that keeps a promise about what is missed.

    GOLD are annotated documents that the model has not seen. The threshold and the curve are
    stored in the model; lacuna deid --max-missed uses them, with the same options for detection.

    Example: lacuna calibrate names.lacuna unseen.jsonl --max-missed 0.01 --max-missed 0.05
    """
    from lacuna.deid.detection_options import with_policy
    from lacuna.deid.policy import load_policy
    from lacuna.deid.promises import with_promises
    from lacuna.models.file import write_model
    from lacuna.pipeline.detection import make_promises, open_detection

    announce_compiling()
    options = detection_options(
        model,
        no_align=no_align,
        no_patterns=no_patterns,
        known=known,
        always=always,
        never=never,
        lists=lists,
    )
    detection = open_detection(with_policy(options, load_policy(policy)))
    corpus = CorpusOptions(source_format, encoding, label_map, labels, group_from=group_from)
    with reading(gold, corpus) as documents:
        promises = make_promises(detection, documents, max_missed)
    target = output or model
    write_model(target, with_promises(detection.stored, promises))
    if as_json:
        print_json(promises)
    else:
        _show(promises)
    for calibration in promises.calibrations:
        if calibration.is_tight:
            say(
                f"warning: {calibration.units:,} patients or documents are few for"
                f" {calibration.level:g}: a single miss decides, and precision pays for it"
            )
    say(promise_in_words(max(c.level for c in promises.calibrations)))
    say(f"stored in {target}; use it with lacuna deid --model {target} --max-missed …")


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
    header = ("at most missed", "threshold", "missed here", "precision here", "units")
    print_table("calibrated", header, rows)
    points = [
        min(promises.curve, key=lambda point: abs(point.threshold - threshold))
        for threshold in CURVE_SHOWN
    ]
    print_table(
        "what thresholds do",
        ("threshold", "missed", "precision"),
        [(f"{p.threshold:.4f}", f"{p.missed:.4f}", f"{p.precision:.4f}") for p in points],
    )
