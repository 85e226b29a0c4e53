"""The report of a run, from its options and its ledger.

Settings are shown as values where they tell nobody anything about a patient: no paths, no regular
expressions, no lists, and of the key only whether there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lacuna.archive.inputs import Inputs
from lacuna.archive.known_check import count_known
from lacuna.archive.ledger import Ledger
from lacuna.archive.options import ArchiveOptions
from lacuna.deid.run_report import Report, Run, warnings_of
from lacuna.deid.vocabulary import language_name
from lacuna.models.file import file_digest
from lacuna.pipeline.detection import Detection
from lacuna.text.plurals import counted
from lacuna.version import __version__

NAMED = 20  #: outputs that a warning names


def report_of(
    options: ArchiveOptions,
    detection: Detection,
    inputs: Inputs,
    unknown: Mapping[str, int],
    left: Sequence[str],
    ledger: Ledger,
    seconds: float,
) -> Report:
    """Return the report of a run that is finished.

    `unknown` counts known values without a document, `left` are outputs without an input.
    """
    promise = detection.calibration
    warnings = warnings_of(ledger.tally, promise, language_name(detection.stored))
    run = Run(
        lacuna=__version__,
        model=Path(options.detection.model).name,
        model_sha256=file_digest(Path(options.detection.model)),
        policy=Path(options.policy.name).name,
        policy_sha256=options.policy.digest,
        threshold=detection.threshold,
        promised=None if promise is None else promise.level,
        confidence=None if promise is None else promise.confidence,
        calibrated=None
        if promise is None or promise.baseline is None
        else (promise.baseline.left, promise.missed),
        warnings=[*warnings, *([_left_in_words(left)] if left else [])],
        consistency=options.consistency,
        locale=options.locale,
        settings=settings_of(options),
        files=len(inputs.files),
        taken_over=ledger.taken_over,
        left_aside={**inputs.skipped, **unknown},
        seconds=seconds,
        has_groups=ledger.has_groups,
        known_values=count_known(options),
    )
    return Report(run, ledger.tally, ledger.failures)


def _left_in_words(left: Sequence[str]) -> str:
    one = len(left) == 1
    more = f" and {len(left) - NAMED:,} more" if len(left) > NAMED else ""
    return (
        f"the {'input' if one else 'inputs'} of {counted(len(left), 'output')} no longer"
        f" {'exists' if one else 'exist'}: {', '.join(left[:NAMED])}{more}; remove"
        f" {'it' if one else 'them'} if {'it is' if one else 'they are'} not to be passed on"
    )


def settings_of(options: ArchiveOptions) -> dict[str, str | bool]:
    """Return the settings that may be passed on; those that were not used are left out."""
    detection, columns = options.detection, options.columns
    lists = [
        *(name for name in ("known", "always", "never") if getattr(detection, name) is not None),
        *sorted({label for label, _ in detection.lists}),
    ]
    settings: dict[str, str | bool] = {
        "patterns": detection.patterns,
        "second_look": detection.second_look,
        "align": detection.align,
        "lists": ", ".join(lists),
        "key": "random" if options.key is None else "given",
        "vault": options.vault is not None,
        "rename": options.rename,
        "groups": _groups(options),
        "format": options.format or "",
        "encoding": options.encoding,
        "fallback_encoding": options.fallback_encoding,
        "on_bad_bytes": options.bad_bytes,
        "keep_columns": ", ".join(columns.keep),
        "date_columns": ", ".join(columns.dates),
    }
    return {name: value for name, value in settings.items() if value != ""}


def _groups(options: ArchiveOptions) -> str:
    if options.group_from is not None:
        return "from paths and ids"
    return "from a column" if options.columns.group is not None else ""
