"""``lacuna deid``: de-identify files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from lacuna.archive.options import BadBytes, Rename
from lacuna.cli.console import (
    announce_compiling,
    complain,
    growing_progress,
    new_passphrase,
    print_json,
    say,
)
from lacuna.cli.corpora import GroupFromOption, JsonOption, ModelOption
from lacuna.cli.deid_screen import (
    Screen,
    owners_files,
    show_replaced,
    show_warnings,
    totals_in_words,
)
from lacuna.cli.detector_options import (
    ConfidenceOption,
    DetectorOptions,
    MaxMissedOption,
    PolicyOption,
    ThresholdOption,
)
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError, StoppedError
from lacuna.io.decoding import AUTO, FALLBACK, Encodings

if TYPE_CHECKING:
    from lacuna.archive.inputs import Inputs
    from lacuna.archive.options import ArchiveOptions, Columns
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.deid.keys import Key

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class ReplacementOptions:
    """What is replaced, and by what."""

    policy: PolicyOption = "safe-harbor"
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Key file, created if missing: same key, same surrogates."),
    ] = None
    consistency: Annotated[
        Consistency, typer.Option(help="Scope in which the same name gets the same replacement.")
    ] = Consistency.PATIENT
    locale: Annotated[
        str | None,
        typer.Option(
            help="Locale of surrogates and numeric dates: en, de, es …; by default the language of"
            " the model."
        ),
    ] = None
    threshold: ThresholdOption = None
    max_missed: MaxMissedOption = None
    confidence: ConfidenceOption = None
    strict_promise: Annotated[
        bool,
        typer.Option(
            "--strict-promise",
            help="Write nothing if the documents are unlike those of the calibration.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Which files are read, and how."""

    format: Annotated[
        str | None,
        typer.Option("--format", help="Format of all files; by default determined by their names."),
    ] = None
    encoding: Annotated[
        str,
        typer.Option(help="Encoding of all files; by default detected for each: UTF-8, UTF-16 …"),
    ] = AUTO
    fallback_encoding: Annotated[
        str,
        typer.Option(help="Encoding of files that are not UTF-8 or UTF-16; 'none': they fail."),
    ] = FALLBACK
    on_bad_bytes: Annotated[
        BadBytes, typer.Option(help="What to do with documents that are invalid in the encoding.")
    ] = BadBytes.FAIL
    include: Annotated[
        list[str] | None, typer.Option(help="Only files that match this glob; may be repeated.")
    ] = None
    exclude: Annotated[
        list[str] | None, typer.Option(help="Skip files that match this glob; may be repeated.")
    ] = None
    group_from: GroupFromOption = None
    text_column: Annotated[str, typer.Option(help="Table column with the text.")] = "text"
    id_column: Annotated[str | None, typer.Option(help="Table column with ids.")] = None
    group_column: Annotated[str | None, typer.Option(help="Table column with patients.")] = None
    keep_columns: Annotated[
        str | None, typer.Option(metavar="A,B|all", help="Table columns to copy unchanged.")
    ] = None
    date_columns: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Table columns to copy with their dates shifted."),
    ] = None

    def columns(self) -> Columns:
        """Return the columns of tables."""
        from lacuna.archive.options import Columns

        keep, dates = (
            tuple(name.strip() for name in (names or "").split(",") if name.strip())
            for names in (self.keep_columns, self.date_columns)
        )
        return Columns(self.text_column, self.id_column, self.group_column, keep, dates)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run, and what else to write."""

    rename: Annotated[
        Rename,
        typer.Option(help="Names and ids in the output; auto keeps only plain words and counters."),
    ] = Rename.AUTO
    vault: Annotated[
        Path | None, typer.Option(help="Encrypted file to write, for lacuna restore.")
    ] = None
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of processes; by default one per core.")
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False
    findings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl", help="Also write what was found; contains the originals."
        ),
    ] = None
    review: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Also write a page of texts before and after."),
    ] = None
    show_paths: Annotated[
        bool, typer.Option("--show-paths", help="Name files that fail by their paths.")
    ] = False
    allow_unmatched: Annotated[
        bool,
        typer.Option(
            "--allow-unmatched", help="--known may list patients that have no document here."
        ),
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only, write nothing.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a line for each finished file.")
    ] = False


def deid_command(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File or folder; '-' reads one text from stdin.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Folder to write to, new or empty. For one file: a new file, or '-' for stdout.",
        ),
    ] = None,
    model: ModelOption = None,
    replacement: ReplacementOptions,
    detector: DetectorOptions,
    inputs: InputOptions,
    run: RunOptions,
    as_json: JsonOption = False,
) -> None:
    """De-identify texts.

    Writes de-identified texts and a report (report.html, report.json) to a folder, and a crosswalk
    of names to a second folder, FOLDER.private, which must never be passed on. Documents that fail
    are counted and not written; the exit code is then 1. See docs/deid.md.

    One file can also be written as one file, -o safe.txt, or to standard output, -o -. Then there
    is no report and no second folder.

    Example: lacuna deid notes/ -o safe/ --policy research --key study.key
    """
    from lacuna.archive.one_file import is_one_file

    if output is None and not run.dry_run and source != STANDARD_INPUT:
        raise ConfigError("give an output folder, -o FOLDER, or use --dry-run")
    target = None if run.dry_run else output
    Encodings(inputs.encoding, inputs.fallback_encoding)  # before a key is made
    detection = detector.with_model(model)
    options = _archive_options(Path(source), target, detection, replacement, inputs, run)
    announce_compiling()
    if source == STANDARD_INPUT:
        _deidentify_input(options, is_dry_run=run.dry_run, as_json=as_json)
    else:
        is_file = target is not None and is_one_file(target)
        options = replace(options, keeps_books=not is_file)
        screen = Screen(options, verbose=run.verbose, show_paths=run.show_paths)
        _run(options, screen, as_json=as_json)


def _archive_options(
    source: Path,
    output: Path | None,
    detection: DetectionOptions,
    replacement: ReplacementOptions,
    inputs: InputOptions,
    run: RunOptions,
) -> ArchiveOptions:
    from lacuna.archive.options import ArchiveOptions
    from lacuna.deid.policy import load_policy
    from lacuna.pipeline.detection import locale_of

    policy = load_policy(replacement.policy)
    if replacement.key is not None and output is not None and _is_below(replacement.key, output):
        raise ConfigError("the key must not be in the output folder, which is passed on")
    _keep_apart((replacement.key, Path(replacement.policy)), (run.findings, run.review))
    key = _key(replacement.key, resume=run.resume)
    if key is None and policy.needs_key and not run.dry_run:
        say("no --key: surrogates and date shifts use a random key that is not kept")
    return ArchiveOptions(
        input=source,
        output=output,
        detection=detection,
        policy=policy,
        threshold=replacement.threshold,
        max_missed=replacement.max_missed,
        confidence=replacement.confidence,
        strict_promise=replacement.strict_promise,
        key=key,
        consistency=replacement.consistency,
        locale=replacement.locale or locale_of(detection.model),
        format=inputs.format,
        encoding=inputs.encoding,
        fallback_encoding=inputs.fallback_encoding,
        bad_bytes=inputs.on_bad_bytes,
        include=tuple(inputs.include or ()),
        exclude=tuple(inputs.exclude or ()),
        group_from=inputs.group_from,
        columns=inputs.columns(),
        rename=run.rename,
        workers=run.workers,
        resume=run.resume,
        allow_unmatched=run.allow_unmatched,
        vault=run.vault,
        findings=run.findings,
        review=run.review,
        passphrase="" if run.vault is None else new_passphrase(),
    )


def _run(options: ArchiveOptions, screen: Screen, *, as_json: bool) -> NoReturn:
    from lacuna.archive.one_file import STANDARD_OUTPUT, deidentify_file
    from lacuna.archive.run import run_archive

    if as_json and options.output == STANDARD_OUTPUT:
        raise ConfigError("--json prints the report to standard output; write to a file: -o FILE")
    deidentify = run_archive if options.keeps_books else deidentify_file
    with growing_progress("de-identifying") as (set_total, advance):

        def start(inputs: Inputs) -> None:
            screen.start(inputs)
            set_total(inputs.bytes)

        try:
            report = deidentify(
                options,
                on_start=start,
                on_bytes=advance,
                on_failure=screen.fail,
                on_finished=screen.finished,
            )
        except StoppedError as error:
            screen.stopped(str(error))
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            screen.interrupted()
            raise typer.Exit(130) from None
    if as_json:
        print_json(report.as_json() | owners_files(options))
        screen.failures(report)
    else:
        screen.end(report)
    screen.name_folders(report)
    raise typer.Exit(1 if report.tally.failed else 0)


def _deidentify_input(options: ArchiveOptions, *, is_dry_run: bool, as_json: bool) -> None:
    """De-identify the standard input, which is one text, in memory."""
    from lacuna.archive.one_file import STANDARD_OUTPUT, check_new_file, write_text
    from lacuna.archive.one_text import deidentify_text
    from lacuna.deid.remarks import remarks_on

    output = options.output or STANDARD_OUTPUT
    if as_json:
        raise ConfigError(
            "--json needs a file or folder as input: a text from standard input has no report"
        )
    if output.is_dir():
        raise ConfigError(f"-o {output}: the standard input is one text; give a file, -o FILE")
    if not is_dry_run:
        check_new_file(output)
    safe = deidentify_text(options, sys.stdin.buffer.read())
    try:
        if not is_dry_run:
            write_text(safe.content, output)
    except StoppedError as error:
        complain(f"stopped: {error}; nothing was written")
        raise typer.Exit(1) from None
    if output != STANDARD_OUTPUT or is_dry_run:
        show_replaced(safe.tally)
    say(totals_in_words(safe.tally))
    show_warnings(safe.warnings)
    for remark in remarks_on(safe.tally):
        say(remark)


def _keep_apart(needed: Iterable[Path | None], written: Iterable[Path | None]) -> None:
    """Refuse to write what is looked at over the key or the policy."""
    kept = {path.resolve() for path in needed if path is not None}
    if any(path is not None and path.resolve() in kept for path in written):
        raise ConfigError("--findings and --review must not replace the key or the policy")


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _key(path: Path | None, *, resume: bool) -> Key | None:
    from lacuna.deid.keys import create_key, read_key

    if path is None:
        return None
    if path.exists() or resume:
        return read_key(path)
    say(f"new key: {path}; keep it secret and safe: only this key gives the same surrogates again")
    return create_key(path)
