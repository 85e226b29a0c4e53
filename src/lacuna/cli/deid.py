"""``lacuna deid``: de-identify files."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.archive.options import BadBytes, Rename
from lacuna.cli.console import (
    announce_compiling,
    growing_progress,
    new_passphrase,
    print_json,
    print_table,
    printable,
    say,
)
from lacuna.cli.corpora import EncodingOption, GroupFromOption, JsonOption
from lacuna.cli.detector_options import DetectorOptions, PolicyOption
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError, StoppedError

if TYPE_CHECKING:
    from lacuna.archive.options import ArchiveOptions, Columns
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.deid.keys import Key
    from lacuna.deid.run_report import Failure, Report

SHOWN_FAILURES = 20


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
        str, typer.Option(help="Locale of surrogates and numeric dates: en, de, es …")
    ] = "en"
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Minimum probability of a finding; 0.5 by default."),
    ] = None
    max_missed: Annotated[
        float | None,
        typer.Option(help="Use the threshold calibrated for this miss rate, e.g. 0.01."),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option(help="With --max-missed: the promise of this confidence, e.g. 0.95."),
    ] = None
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
    encoding: EncodingOption = "utf-8"
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only, write nothing.")] = False


def deid_command(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File or folder; '-' reads one text from stdin.")
    ],
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder to write to, new or empty.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Model file; by default the bundled model.")
    ] = None,
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

    Example: lacuna deid notes/ -o safe/ --policy research --key study.key
    """
    if output is None and not run.dry_run and source != "-":
        raise ConfigError("give an output folder, -o FOLDER, or use --dry-run")
    target = None if run.dry_run else output
    detection = detector.with_model(model)
    options = _archive_options(Path(source), target, detection, replacement, inputs, run)
    announce_compiling()
    if source == "-" and not run.dry_run and output is None:
        _pass_through(options)
    else:
        _run(options, as_json=as_json, show_paths=run.show_paths)


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

    policy = load_policy(replacement.policy)
    if replacement.key is not None and output is not None and _is_below(replacement.key, output):
        raise ConfigError("the key must not be in the output folder, which is passed on")
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
        locale=replacement.locale,
        format=inputs.format,
        encoding=inputs.encoding,
        bad_bytes=inputs.on_bad_bytes,
        include=tuple(inputs.include or ()),
        exclude=tuple(inputs.exclude or ()),
        group_from=inputs.group_from,
        columns=inputs.columns(),
        rename=run.rename,
        workers=run.workers,
        resume=run.resume,
        vault=run.vault,
        findings=run.findings,
        review=run.review,
        passphrase="" if run.vault is None else new_passphrase(),
    )


def _run(options: ArchiveOptions, *, as_json: bool, show_paths: bool) -> None:
    from lacuna.archive.run import run_archive

    failed = 0

    def show(failure: Failure, path: str) -> None:
        nonlocal failed
        failed += 1
        if failed <= SHOWN_FAILURES:
            say(f"failed: {failure.named(printable(path)) if show_paths else failure}")

    with growing_progress("de-identifying") as (start, advance):
        try:
            report = run_archive(options, on_start=start, on_bytes=advance, on_failure=show)
        except StoppedError as error:
            continues = "" if options.vault is not None else ", --resume continues"
            say(f"stopped: {error}; finished documents are kept{continues}")
            _name_private(options)
            raise typer.Exit(1) from None
    if failed > SHOWN_FAILURES:
        say(f"failed: {failed - SHOWN_FAILURES:,} more, see report.json")
    if failed and not show_paths:
        say("--show-paths names the files that failed")
    if as_json:
        print_json(report.as_json() | _owners_files(options))
    else:
        _show(report, options)
    _name_private(options)
    for what, path in _owners_files(options).items():
        name = what.removesuffix("_file")
        say(f"{name}: {path} shows the originals; keep it with them, never pass it on")
    raise typer.Exit(1 if report.tally.failed else 0)


def _name_private(options: ArchiveOptions) -> None:
    """Say where the crosswalk is."""
    from lacuna.archive.manifest import private_folder

    if options.output is not None:
        say(
            f"private: {private_folder(options.output)} says which output belongs to which patient;"
            " keep it with the originals, never pass it on"
        )


def _owners_files(options: ArchiveOptions) -> dict[str, str]:
    """Return the files for the owner that were asked for."""
    asked = (("findings_file", options.findings), ("review_file", options.review))
    return {what: str(path) for what, path in asked if path is not None}


def _show(report: Report, options: ArchiveOptions) -> None:
    from lacuna.deid.promises import in_words
    from lacuna.deid.run_report import estimate_in_words, remarks_on_dates

    tally, run = report.tally, report.run
    rows = sorted(tally.labels.items(), key=lambda entry: -entry[1])
    print_table("replaced", ("label", "count"), [(name, f"{count:,}") for name, count in rows])
    say(
        f"{tally.documents:,} documents, {tally.tokens:,} tokens, {run.seconds:.1f} s"
        f" ({report.tokens_per_second:,.0f} tokens/s)"
    )
    say(estimate_in_words(tally, run.calibrated))
    if run.promised is not None:
        say(f"promise: {in_words(run.promised, run.confidence)}")
    for warning in run.warnings:
        say(f"warning: {warning}")
    for remark in remarks_on_dates(tally):
        say(remark)
    for what, count in run.left_aside.items():
        say(f"ignored: {count:,} {what}")
    if tally.failed:
        say(f"failed and not written: {tally.failed:,}")
    if options.output is not None:
        say(f"report: {options.output / 'report.html'}")


def _pass_through(options: ArchiveOptions) -> None:
    from lacuna.archive.run import deidentify_text

    safe = deidentify_text(
        options, sys.stdin.buffer.read(), on_warning=lambda warning: say(f"warning: {warning}")
    )
    sys.stdout.buffer.write(safe)
    sys.stdout.buffer.flush()


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
