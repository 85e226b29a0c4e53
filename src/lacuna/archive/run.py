"""De-identifying an archive, from the input to the report; or one text, without files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from lacuna.archive.column_check import check_columns
from lacuna.archive.crosswalk import Crosswalk, write_protected
from lacuna.archive.found_documents import check_owners_files, open_found
from lacuna.archive.inputs import Inputs, groups_of, list_inputs
from lacuna.archive.known_check import check_known
from lacuna.archive.ledger import Books, Ledger
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
from lacuna.archive.options import ArchiveOptions, BadBytes
from lacuna.archive.output_names import SafeNames, stopping
from lacuna.archive.pool import OwnProcess, Pool, Processes
from lacuna.archive.reporting import report_of
from lacuna.archive.schedule import Work, do_all
from lacuna.archive.survey import order_of_run
from lacuna.deid.before_after import before_after
from lacuna.deid.dates.order import OrderEvidence
from lacuna.deid.detection_options import with_policy
from lacuna.deid.keys import Key
from lacuna.deid.redact import Redactor
from lacuna.deid.run_report import Failure, Report, warnings_of, write_report
from lacuna.deid.tally import Place, tally_of
from lacuna.deid.vault import check_new_vault, create_vault
from lacuna.deid.vocabulary import language_name
from lacuna.errors import ConfigError, RedactionError
from lacuna.models.file import file_digest
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Failed
from lacuna.pipeline.detection import Detection, open_detection
from lacuna.text.document import Document
from lacuna.version import __version__

SMALL = 1 << 21  #: bytes of input below which starting processes takes longer than the work
STDIN = "stdin"  #: id of the one text


def run_archive(
    options: ArchiveOptions,
    *,
    on_start: Callable[[int], None] = lambda _: None,
    on_bytes: Callable[[int], None] = lambda _: None,
    on_failure: Callable[[Failure, str], None] = lambda *_: None,
) -> Report:
    """De-identify an archive and return the report.

    Parameters
    ----------
    options
        What to do.
    on_start
        Called with the number of input bytes.
    on_bytes
        Called with the number of bytes just finished.
    on_failure
        Called for every document that failed, with the path of its file below the input.

    Raises
    ------
    StoppedError
        If nothing more can be written; finished outputs stay.
    ConfigError
        If the options contradict one another, or a strict promise does not hold for these
        documents; before anything is written.
    """
    began = time.perf_counter()
    _check(options)
    if options.strict_promise:
        _refuse_broken_promise(options)
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
        on_start(inputs.bytes)
        books = _books(options, header, names, pool, stack)
        ledger = Ledger(books, inputs.files, options.columns, on_bytes, on_failure)
        work = Work.of(inputs.files, groups, ledger, names, options.output)
        if work.is_left:
            do_all(work, pool, options)
        seconds = time.perf_counter() - began
        skipped = {**inputs.skipped, **unknown, **_left_over(options, inputs, ledger, names)}
        report = report_of(options, detection, inputs, skipped, ledger, seconds)
        ledger.write_found(options.findings, options.review)
    if options.output is not None:
        write_report(options.output, report)
        write_protected(private_folder(options.output), report.tally.protected)
    return report


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
    _refuse(run_archive(trial).run.warnings)


def _refuse(warnings: list[str]) -> None:
    if warnings:
        raise ConfigError(
            "the promise may not hold for these documents, so nothing was written: "
            + "; ".join(warnings)
        )


def deidentify_text(
    options: ArchiveOptions, content: bytes, *, on_warning: Callable[[str], None] = lambda _: None
) -> bytes:
    """Return one text de-identified, as UTF-8; no files are read or written.

    Raises
    ------
    RedactionError
        If it cannot be de-identified; nothing of it is returned.
    """
    _check_promise(options)
    check_owners_files(options)
    if options.vault is not None or options.resume:
        raise ConfigError("a text from the standard input has neither vault nor --resume")
    errors = "replace" if options.bad_bytes is BadBytes.REPLACE else "strict"
    try:
        text = content.decode(options.encoding, errors)
    except (UnicodeError, LookupError):
        raise RedactionError(f"the text is not valid {options.encoding}") from None
    check_known((), (), options)
    key = options.key or Key.random()
    redactor = Redactor(options.policy, key, consistency=options.consistency, locale=options.locale)
    detection = _detection(options)
    work = DetectAndRedact.of(
        detection.detector, redactor, second_look=options.detection.second_look
    )
    (outcome,) = work.deidentify([Document(STDIN, text)])
    if isinstance(outcome, Failed):
        raise RedactionError(f"the text {outcome.reason}")
    place, vocabulary = Place(STDIN), detection.detector.vocabulary
    tally = tally_of(place, outcome.detected, outcome.redacted, vocabulary)
    warnings = warnings_of(tally, detection.calibration, language_name(detection.stored))
    if options.strict_promise:
        _refuse(warnings)
    for warning in warnings:
        on_warning(warning)
    with open_found(options) as found:
        if found is not None:
            shown = (outcome.detected, outcome.redacted, options.policy, detection.threshold)
            found.add_one(before_after(place, *shown))
            found.write(options.findings, options.review)
    return outcome.redacted.document.text.encode()


def _check_promise(options: ArchiveOptions) -> None:
    if options.strict_promise and options.max_missed is None:
        raise ConfigError("--strict-promise needs --max-missed, the promise to keep")


def _check(options: ArchiveOptions) -> None:
    _check_promise(options)
    if options.workers is not None and options.workers < 1:
        raise ConfigError("at least one worker is needed")
    if options.resume and options.vault is not None:
        raise ConfigError("a run with a vault cannot be continued: a vault is written in one go")
    if options.vault is not None and options.columns.dates:
        raise ConfigError("a vault does not hold the dates of columns; leave out --date-columns")
    if options.vault is not None:
        check_new_vault(options.vault, options.passphrase)
    if options.resume and options.key is None and options.policy.needs_key:
        raise ConfigError(
            "without --key every run has its own random key, so this one cannot be continued:"
            " surrogates and dates would not be consistent"
        )
    check_owners_files(options)
    if options.output is not None:
        _check_places(options, options.output.resolve())


def _check_places(options: ArchiveOptions, output: Path) -> None:
    """Refuse inputs, outputs and vaults inside one another."""
    source = options.input.resolve()
    for folder in (output, private_folder(output)):
        inside = options.input.is_dir() and folder.is_relative_to(source)
        if inside or source.is_relative_to(folder):
            raise ConfigError("input and output must not be inside one another")
    if options.vault is not None and options.vault.resolve().is_relative_to(output):
        raise ConfigError("the vault must not be in the output folder")


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
            "model and detection": detection.pipeline,
            "order of dates in the inputs": str(run_order.order),
            "threshold": repr(detection.threshold),
            "policy": options.policy.digest,
            "key": "" if options.key is None else options.key.digest("manifest").hex(),
            "consistency": options.consistency,
            "locale": options.locale,
            "--format": str(options.format),
            "--encoding": options.encoding,
            "--on-bad-bytes": options.bad_bytes,
            "--include": repr(options.include),
            "--exclude": repr(options.exclude),
            "--group-from": str(options.group_from),
            "columns": repr((columns.text, columns.id, columns.group, columns.keep, columns.dates)),
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
) -> dict[str, int]:
    """Count outputs of an earlier run whose inputs no longer exist."""
    if options.output is None or not ledger.finished:
        return {}
    present = [names.hashed_id(file.id) for file in inputs.files]
    count = without_input(options.output, ledger.finished, present)
    return {"outputs whose inputs no longer exist": count} if count else {}
