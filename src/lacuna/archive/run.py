"""De-identifying an archive, from the input to the report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from lacuna.archive.column_check import check_columns
from lacuna.archive.crosswalk import Crosswalk, write_protected
from lacuna.archive.found_documents import open_found
from lacuna.archive.inputs import Inputs, groups_of, list_inputs
from lacuna.archive.known_check import check_known, write_known_hits
from lacuna.archive.ledger import Books, Finished, Ledger
from lacuna.archive.leftovers import clear_void_run, without_input
from lacuna.archive.manifest import (
    Header,
    begin_manifest,
    hashed_settings,
    private_folder,
    remove_partial,
    resume_manifest,
    stored_header,
)
from lacuna.archive.option_check import check_options, refuse_broken_promise
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.output_names import SafeNames, stopping
from lacuna.archive.pool import OwnProcess, Pool, Processes
from lacuna.archive.reporting import report_of
from lacuna.archive.schedule import Work, do_all
from lacuna.archive.survey import order_of_run
from lacuna.deid.dates.order import OrderEvidence
from lacuna.deid.detection_options import with_policy
from lacuna.deid.keys import Key
from lacuna.deid.run_report import Failure, Report, write_report
from lacuna.deid.vault import create_vault
from lacuna.errors import ConfigError
from lacuna.models.file import file_digest
from lacuna.pipeline.detection import Detection, open_detection
from lacuna.version import __version__

SMALL = 1 << 21  #: bytes of input below which starting processes takes longer than the work


def run_archive(
    options: ArchiveOptions,
    *,
    on_start: Callable[[Inputs], None] = lambda _: None,
    on_bytes: Callable[[int], None] = lambda _: None,
    on_failure: Callable[[Failure, str], None] = lambda *_: None,
    on_finished: Callable[[Finished], None] = lambda _: None,
) -> Report:
    """De-identify an archive and return the report.

    Parameters
    ----------
    options
        What to do.
    on_start
        Called with the inputs before anything is written.
    on_bytes
        Called with the number of bytes just finished.
    on_failure
        Called for every document that failed, with the path of its file below the input.
    on_finished
        Called for every output that is complete.

    Raises
    ------
    StoppedError
        If nothing more can be written; finished outputs stay. If there are none, as after any other
        error, nothing stays.
    ConfigError
        If the options contradict one another, or a strict promise does not hold for these
        documents; before anything is written.
    """
    check_options(options)
    if options.strict_promise:
        _refuse_broken_promise(options)
    is_new = options.output is not None and not options.output.exists()
    try:
        report = _run(options, on_start, on_bytes, on_failure, on_finished)
    except BaseException:  # also if it is interrupted
        _clear_void_run(options, is_new=is_new)
        raise
    if _is_void(report):
        _clear_void_run(options, is_new=is_new)
        if options.vault is not None:
            options.vault.unlink(missing_ok=True)
    return report


def _run(
    options: ArchiveOptions,
    on_start: Callable[[Inputs], None],
    on_bytes: Callable[[int], None],
    on_failure: Callable[[Failure, str], None],
    on_finished: Callable[[Finished], None],
) -> Report:
    began = time.perf_counter()
    inputs = list_inputs(options.input, options)
    check_columns(inputs.files, options)
    with ExitStack() as stack:
        pool = _pool(options, inputs)
        stack.callback(pool.close)
        groups = groups_of(inputs.files, options)
        unknown = check_known(inputs.files, groups, options)
        detection = _detection(options)
        key, kept = _key(options)
        run_order = order_of_run(inputs.files, options)
        header = Header(__version__, _settings(options, detection, run_order), kept)
        names = SafeNames(detection.recognizers, key, options.rename)
        pool.begin(_for_workers(options, detection, key, run_order), detection)
        on_start(inputs)
        books = _books(options, header, names, pool, stack)
        ledger = Ledger(books, inputs.files, options.columns, on_bytes, on_failure, on_finished)
        work = Work.of(inputs.files, groups, ledger, names, options.output)
        if work.is_left:
            do_all(work, pool, options)
        seconds = time.perf_counter() - began
        left = _left_over(options, inputs, ledger, names)
        report = report_of(options, detection, inputs, unknown, left, ledger, seconds)
        if not _is_void(report):
            ledger.write_found(options.findings, options.review)
            _write_reports(options, report)
    return report


def _is_void(report: Report) -> bool:
    """Whether all documents failed."""
    return bool(report.tally.failed) and not report.tally.documents


def _clear_void_run(options: ArchiveOptions, *, is_new: bool) -> None:
    """Remove what the run leaves if it made no document safe."""
    if options.output is not None and options.keeps_books:
        with suppress(ConfigError, OSError):  # another run is at work there
            clear_void_run(options.output, folder_too=is_new)


def _write_reports(options: ArchiveOptions, report: Report) -> None:
    if options.output is None or not options.keeps_books:
        return
    with stopping():
        private = private_folder(options.output)
        write_report(options.output, report)
        write_protected(private, report.tally.protected)
        write_known_hits(private, options, report.tally.known_hits)


def _refuse_broken_promise(options: ArchiveOptions) -> None:
    """Look at all documents without writing anything; raise if the promise may not hold."""
    trial = replace(
        options,
        output=None,
        vault=None,
        passphrase="",
        resume=False,
        strict_promise=False,
        findings=None,
        review=None,
    )
    refuse_broken_promise(run_archive(trial).run.warnings)


def _detection(options: ArchiveOptions) -> Detection:
    return open_detection(
        with_policy(options.detection, options.policy),
        threshold=options.threshold,
        max_missed=options.max_missed,
        confidence=options.confidence,
    )


def _key(options: ArchiveOptions) -> tuple[Key, str | None]:
    """Return the key of the run, and what the manifest keeps of it.

    Without a key of the user it is random. It is kept only if nothing but names depends on it.
    """
    if options.key is not None:
        return options.key, None
    key = Key.random()
    if options.policy.needs_key:
        return key, None
    if options.resume and options.output is not None:
        earlier = stored_header(options.output)
        if earlier is not None and earlier.key is None:
            raise ConfigError("the earlier run had a key; give the same key to continue it")
        if earlier is not None and earlier.key is not None:
            key = Key(bytes.fromhex(earlier.key))
    return key, key.secret.hex()


def _settings(
    options: ArchiveOptions, detection: Detection, run_order: OrderEvidence
) -> dict[str, str]:
    files = {
        name: "" if path is None else file_digest(Path(path))
        for name, path in (
            ("--known", options.detection.known),
            ("--always", options.detection.always),
        )
    }
    columns = options.columns
    return hashed_settings(
        files
        | {
            "--model, --lists, --never, --no-patterns, --no-align or --no-second-look": (
                detection.pipeline
            ),
            "order of dates in the inputs": str(run_order.order),
            "--threshold or --max-missed": repr(detection.threshold),
            "--policy": options.policy.digest,
            "--key": "" if options.key is None else options.key.digest("manifest").hex(),
            "--consistency": options.consistency,
            "--locale": options.locale,
            "--format": str(options.format),
            "--encoding": options.encoding,
            "--fallback-encoding": options.fallback_encoding,
            "--on-bad-bytes": options.bad_bytes,
            "--include": repr(options.include),
            "--exclude": repr(options.exclude),
            "--group-from": str(options.group_from),
            "--text-column": columns.text,
            "--id-column": str(columns.id),
            "--group-column": str(columns.group),
            "--keep-columns": repr(columns.keep),
            "--date-columns": repr(columns.dates),
            "--rename": options.rename,
            "--vault": str(options.vault is not None),
        }
    )


def _for_workers(
    options: ArchiveOptions, detection: Detection, key: Key, run_order: OrderEvidence
) -> ArchiveOptions:
    """Return the options with everything filled in that workers must agree on."""
    return replace(
        options,
        detection=detection.options,
        threshold=detection.threshold,
        max_missed=None,
        confidence=None,
        key=key,
        run_order=run_order,
    )


def _books(
    options: ArchiveOptions, header: Header, names: SafeNames, pool: Pool, stack: ExitStack
) -> Books:
    """Open what the run writes besides its outputs; `stack` closes it."""
    if options.output is None:
        return Books(found=stack.enter_context(open_found(options)))
    stack.enter_context(stopping())
    if not options.keeps_books:
        options.output.mkdir()
        return Books(found=stack.enter_context(open_found(options)))
    vault = None
    if options.vault is not None:
        vault = stack.enter_context(create_vault(options.vault, options.passphrase))
    if not options.resume:
        clear_void_run(options.output)
    manifest = (resume_manifest if options.resume else begin_manifest)(options.output, header)
    stack.callback(manifest.close)
    private = private_folder(options.output)
    for folder in (options.output, private):
        stack.callback(remove_partial, folder)
    stack.callback(pool.close)  # before what the workers were writing is removed
    crosswalk = Crosswalk(private, names)
    stack.callback(crosswalk.close)
    return Books(manifest, crosswalk, vault, stack.enter_context(open_found(options)))


def _pool(options: ArchiveOptions, inputs: Inputs) -> Pool:
    wanted = options.workers or (1 if inputs.bytes < SMALL else os.cpu_count() or 1)
    if not any(file.is_table for file in inputs.files):
        wanted = min(wanted, len(inputs.files))
    can_fork = hasattr(os, "fork")  # not on Windows, where threads share the work
    return Processes(wanted) if wanted > 1 and can_fork else OwnProcess()


def _left_over(
    options: ArchiveOptions, inputs: Inputs, ledger: Ledger, names: SafeNames
) -> list[str]:
    """Return outputs of an earlier run whose inputs no longer exist."""
    if options.output is None or not ledger.finished:
        return []
    present = [names.hashed_id(file.id) for file in inputs.files]
    return without_input(options.output, ledger.finished, present)
