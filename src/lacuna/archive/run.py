"""De-identifying an archive, from the input to the report; or one text, without files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from lacuna.archive.column_check import check_columns
from lacuna.archive.inputs import Inputs, groups_of, list_inputs
from lacuna.archive.ledger import Ledger
from lacuna.archive.manifest import (
    Header,
    Manifest,
    begin_manifest,
    hashed_settings,
    remove_partial,
    resume_manifest,
    stored_header,
)
from lacuna.archive.options import ArchiveOptions, BadBytes
from lacuna.archive.output_names import SafeNames
from lacuna.archive.pool import OwnProcess, Pool, Processes
from lacuna.archive.schedule import Work, do_all
from lacuna.deid.detection_options import with_policy
from lacuna.deid.keys import Key
from lacuna.deid.redact import Redactor
from lacuna.deid.run_report import Failure, Report, Run, write_report
from lacuna.deid.vault import VaultWriter, create_vault
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
    on_failure: Callable[[Failure], None] = lambda _: None,
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
        Called for every document that failed.

    Raises
    ------
    StoppedError
        If nothing more can be written; finished outputs stay.
    ConfigError
        If the options contradict one another, before anything is written.
    """
    began = time.perf_counter()
    _check(options)
    inputs = list_inputs(options.input, options)
    check_columns(inputs.files, options)
    with ExitStack() as stack:
        pool = _pool(options, inputs)
        stack.callback(pool.close)
        groups = groups_of(inputs.files, options)
        detection = _detection(options)
        key, salt = _key(options)
        header = Header(__version__, _settings(options, detection), salt)
        names = SafeNames(detection.recognizers, key, options.rename)
        pool.begin(_for_workers(options, detection, key), detection)
        on_start(inputs.bytes)
        manifest = _manifest(options, header)
        if manifest is not None:
            stack.callback(manifest.close)
        if options.output is not None:  # removes what workers were writing when they were stopped
            stack.callback(remove_partial, options.output)
            stack.callback(pool.close)
        vault = stack.enter_context(_vault(options))
        ledger = Ledger(manifest, vault, len(inputs.files), on_bytes, on_failure)
        work = Work.of(inputs.files, groups, ledger, names, options.output)
        if work.is_left:
            do_all(work, pool, options)
        seconds = time.perf_counter() - began
        report = _report(options, detection, inputs, ledger, header, seconds)
    if options.output is not None:
        write_report(options.output, report)
    return report


def deidentify_text(options: ArchiveOptions, content: bytes) -> bytes:
    """Return one text de-identified, as UTF-8; no files are read or written.

    Raises
    ------
    RedactionError
        If it cannot be de-identified; nothing of it is returned.
    """
    if options.vault is not None or options.resume:
        raise ConfigError("a text from the standard input has neither vault nor --resume")
    errors = "replace" if options.bad_bytes is BadBytes.REPLACE else "strict"
    try:
        text = content.decode(options.encoding, errors)
    except (UnicodeError, LookupError):
        raise RedactionError(f"the text is not valid {options.encoding}") from None
    key = options.key or Key.random()
    redactor = Redactor(options.policy, key, consistency=options.consistency, locale=options.locale)
    work = DetectAndRedact(_detection(options).detector, redactor)
    (outcome,) = work.deidentify([Document(STDIN, text)])
    if isinstance(outcome, Failed):
        raise RedactionError(f"the text {outcome.reason}")
    return outcome.redacted.document.text.encode()


def _check(options: ArchiveOptions) -> None:
    if options.workers is not None and options.workers < 1:
        raise ConfigError("at least one worker is needed")
    if options.vault is not None and not options.passphrase:
        raise ConfigError("a vault needs a passphrase")
    if options.resume and options.vault is not None:
        raise ConfigError("a run with a vault cannot be continued: a vault is written in one go")
    if options.resume and options.key is None and options.policy.needs_key:
        raise ConfigError(
            "without --key every run has its own random key, so this one cannot be continued:"
            " surrogates and dates would not be consistent"
        )
    if options.output is not None and options.input.is_dir():
        output, folder = options.output.resolve(), options.input.resolve()
        if output.is_relative_to(folder) or folder.is_relative_to(output):
            raise ConfigError("input and output must not be inside one another")


def _detection(options: ArchiveOptions) -> Detection:
    return open_detection(
        with_policy(options.detection, options.policy),
        threshold=options.threshold,
        max_missed=options.max_missed,
    )


def _key(options: ArchiveOptions) -> tuple[Key, str | None]:
    """Return the key of the run, and the salt that is written to the manifest, if any.

    If the policy needs no secret, names are hashed with a random key, which is the salt.
    """
    if options.key is not None:
        return options.key, None
    if options.policy.needs_key:
        return Key.random(), None
    salt = Key.random().digest("salt").hex()
    if options.resume and options.output is not None:
        earlier = stored_header(options.output)
        if earlier is not None and earlier.salt is None:
            raise ConfigError("the earlier run had a key; give the same key to continue it")
        salt = salt if earlier is None or earlier.salt is None else earlier.salt
    return Key(bytes.fromhex(salt)), salt


def _settings(options: ArchiveOptions, detection: Detection) -> dict[str, str]:
    files = {
        name: "" if path is None else file_digest(Path(path))
        for name, path in (
            ("known", options.detection.known),
            ("always", options.detection.always),
        )
    }
    columns = options.columns
    return hashed_settings(
        files
        | {
            "model and detection": detection.pipeline,
            "threshold": repr(detection.threshold),
            "policy": options.policy.digest,
            "key": "" if options.key is None else options.key.digest("manifest").hex(),
            "consistency": options.consistency,
            "locale": options.locale,
            "format": f"{options.format} {options.encoding} {options.bad_bytes}",
            "files": f"{options.include} {options.exclude}",
            "groups": str(options.group_from),
            "columns": repr((columns.text, columns.id, columns.group, columns.keep, columns.dates)),
            "rename": options.rename,
        }
    )


def _for_workers(options: ArchiveOptions, detection: Detection, key: Key) -> ArchiveOptions:
    """Return the options with everything filled in that workers must agree on."""
    return replace(
        options,
        detection=detection.options,
        threshold=detection.threshold,
        max_missed=None,
        key=key,
    )


def _manifest(options: ArchiveOptions, header: Header) -> Manifest | None:
    if options.output is None:
        return None
    return (resume_manifest if options.resume else begin_manifest)(options.output, header)


@contextmanager
def _vault(options: ArchiveOptions) -> Iterator[VaultWriter | None]:
    if options.vault is None or options.output is None:
        yield None
        return
    with create_vault(options.vault, options.passphrase) as writer:
        yield writer


def _pool(options: ArchiveOptions, inputs: Inputs) -> Pool:
    wanted = options.workers or (1 if inputs.bytes < SMALL else os.cpu_count() or 1)
    if not any(file.is_table for file in inputs.files):
        wanted = min(wanted, len(inputs.files))
    can_fork = hasattr(os, "fork")  # not on Windows, where threads share the work
    return Processes(wanted) if wanted > 1 and can_fork else OwnProcess()


def _report(
    options: ArchiveOptions,
    detection: Detection,
    inputs: Inputs,
    ledger: Ledger,
    header: Header,
    seconds: float,
) -> Report:
    run = Run(
        lacuna=__version__,
        model=Path(options.detection.model).name,
        pipeline=detection.pipeline,
        policy=Path(options.policy.name).name,
        policy_sha256=options.policy.digest,
        settings=header.settings,
        threshold=detection.threshold,
        promised=None if detection.calibration is None else detection.calibration.level,
        consistency=options.consistency,
        locale=options.locale,
        files=len(inputs.files),
        taken_over=ledger.taken_over,
        left_aside=dict(inputs.skipped),
        seconds=seconds,
    )
    return Report(run, ledger.tally, ledger.failures)
