"""``lacuna deid``: take identities out of files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.archive.options import BadBytes, Rename
from lacuna.cli.console import announce_compiling, growing_progress, print_json, print_table, say
from lacuna.cli.corpora import EncodingOption, GroupFromOption, JsonOption, NoAlignOption
from lacuna.cli.detection import (
    AlwaysOption,
    KnownOption,
    ListsOption,
    NeverOption,
    NoPatternsOption,
    PolicyOption,
    detection_options,
)
from lacuna.cli.passphrases import new_passphrase
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError, StoppedError

if TYPE_CHECKING:
    from lacuna.archive.options import ArchiveOptions
    from lacuna.deid.keys import Key
    from lacuna.deid.run_report import Failure, Report

SHOWN_FAILURES = 20


def deid_command(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file or folder; '-' is a text on stdin.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="New or empty folder to write to.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Model file; the bundled one if not given.")
    ] = None,
    policy: PolicyOption = "safe-harbor",
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Key file, made if missing: same key, same surrogates."),
    ] = None,
    consistency: Annotated[
        Consistency, typer.Option(help="Within what the same name becomes the same.")
    ] = Consistency.PATIENT,
    locale: Annotated[str, typer.Option(help="Of surrogates and numeric dates: en, de, es …")] = (
        "en"
    ),
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="How sure the model must be; 0.5.")
    ] = None,
    max_missed: Annotated[
        float | None, typer.Option(help="A share the model was calibrated for, e.g. 0.01.")
    ] = None,
    known: KnownOption = None,
    always: AlwaysOption = None,
    never: NeverOption = None,
    lists: ListsOption = None,
    no_patterns: NoPatternsOption = False,
    no_align: NoAlignOption = False,
    source_format: Annotated[
        str | None, typer.Option("--format", help="Format of all files, if names do not tell.")
    ] = None,
    encoding: EncodingOption = "utf-8",
    on_bad_bytes: Annotated[
        BadBytes, typer.Option(help="Documents that are not valid in the encoding.")
    ] = BadBytes.FAIL,
    include: Annotated[
        list[str] | None, typer.Option(help="Only files that match this glob.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No files that match this.")] = None,
    group_from: GroupFromOption = None,
    text_column: Annotated[str, typer.Option(help="Column of tables with the text.")] = "text",
    id_column: Annotated[str | None, typer.Option(help="Column with ids.")] = None,
    group_column: Annotated[str | None, typer.Option(help="Column with patients.")] = None,
    keep_columns: Annotated[
        str | None, typer.Option(metavar="A,B|all", help="Columns to keep as they are.")
    ] = None,
    rename: Annotated[
        Rename, typer.Option(help="Names of outputs; auto hashes those that hold a name.")
    ] = Rename.AUTO,
    vault: Annotated[
        Path | None, typer.Option(help="Encrypted file to restore from, see lacuna restore.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one per core.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an earlier run.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only, write nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take identities out of texts.

    Writes safe texts, a manifest and a report (report.html, report.json) to a folder. Documents
    that fail are counted and not written; the exit code is then 1. See docs/deid.md.

    Example: lacuna deid notes/ -o safe/ --policy research --key study.key
    """
    from lacuna.archive.options import ArchiveOptions, Columns
    from lacuna.deid.policy import load_policy

    if output is None and not dry_run and source != "-":
        raise ConfigError("say where the safe texts go: -o FOLDER (or --dry-run)")
    chosen = load_policy(policy)
    opened = _key(key, resume=resume)
    if opened is None and chosen.needs_key and not dry_run:
        say("no --key: surrogates and dates are made with a key that is thrown away afterwards")
    options = ArchiveOptions(
        input=Path(source),
        output=None if dry_run else output,
        detection=detection_options(
            model,
            no_align=no_align,
            no_patterns=no_patterns,
            known=known,
            always=always,
            never=never,
            lists=lists,
        ),
        policy=chosen,
        threshold=threshold,
        max_missed=max_missed,
        key=opened,
        consistency=consistency,
        locale=locale,
        format=source_format,
        encoding=encoding,
        bad_bytes=on_bad_bytes,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        group_from=group_from,
        columns=Columns(text_column, id_column, group_column, _names(keep_columns)),
        rename=rename,
        workers=workers,
        resume=resume,
        vault=vault,
        passphrase="" if vault is None else new_passphrase(),
    )
    announce_compiling()
    if source == "-" and not dry_run and output is None:
        _pass_through(options)
    else:
        _run(options, as_json=as_json)


def _run(options: ArchiveOptions, *, as_json: bool) -> None:
    from lacuna.archive.run import run_archive

    failed = 0

    def show(failure: Failure) -> None:
        nonlocal failed
        failed += 1
        if failed <= SHOWN_FAILURES:
            say(f"failed: {failure}")

    with growing_progress("de-identifying") as (start, advance):
        try:
            report = run_archive(options, on_start=start, on_bytes=advance, on_failure=show)
        except StoppedError as error:
            say(f"stopped: {error}; what is finished stays, --resume continues")
            raise typer.Exit(1) from None
    if failed > SHOWN_FAILURES:
        say(f"failed: {failed - SHOWN_FAILURES:,} more, see report.json")
    if as_json:
        print_json(report.as_json())
    else:
        _show(report, options)
    raise typer.Exit(1 if report.tally.failed else 0)


def _show(report: Report, options: ArchiveOptions) -> None:
    tally, run = report.tally, report.run
    rows = sorted(tally.labels.items(), key=lambda entry: -entry[1])
    print_table("replaced", ("label", "times"), [(name, f"{count:,}") for name, count in rows])
    say(
        f"{tally.documents:,} documents, {tally.tokens:,} tokens, {run.seconds:.1f} s"
        f" ({report.tokens_per_second:,.0f} tokens/s);"
        f" about {tally.expected_missed:.1f} identifier tokens may be left"
    )
    if run.promised is not None:
        say(promise_in_words(run.promised))
    for what, count in run.left_aside.items():
        say(f"left aside: {count:,} {what}")
    if tally.failed:
        say(f"failed and not written: {tally.failed:,}")
    if options.output is not None:
        say(f"report: {options.output / 'report.html'}")


def promise_in_words(level: float) -> str:
    """Say what a calibrated level means."""
    return (
        f"promise: at most {level:.2%} of a patient's identifier tokens are missed on average, over"
        " draws of patients (documents, where there are none) like those calibrated on; it is no"
        " bound for each archive, and what the policy keeps is not counted"
    )


def _pass_through(options: ArchiveOptions) -> None:
    from lacuna.archive.run import deidentify_text

    safe = deidentify_text(options, sys.stdin.buffer.read())
    sys.stdout.buffer.write(safe)
    sys.stdout.buffer.flush()


def _key(path: Path | None, *, resume: bool) -> Key | None:
    from lacuna.deid.keys import create_key, read_key

    if path is None:
        return None
    if path.exists() or resume:
        return read_key(path)
    say(f"new key: {path}; keep it secret, and keep it: without it nothing fits this run")
    return create_key(path)


def _names(columns: str | None) -> tuple[str, ...]:
    return () if columns is None else tuple(name.strip() for name in columns.split(","))
