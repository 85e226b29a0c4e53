"""A run over an archive, from the input to the report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lacuna import __version__
from lacuna.archive import manifest as books
from lacuna.archive.inputs import Inputs, groups_of, list_inputs
from lacuna.archive.ledger import Ledger
from lacuna.archive.messages import Setup
from lacuna.archive.names import SafeNames
from lacuna.archive.options import BadBytes, Rename
from lacuna.archive.pool import OwnProcess, Pool, Processes
from lacuna.archive.schedule import Work, do_all
from lacuna.archive.tables import Columns, TableOptions
from lacuna.deid.actions import Shift, Surrogate, Tag
from lacuna.deid.keys import Key
from lacuna.deid.options import DetectionOptions, with_policy
from lacuna.deid.policy import Policy
from lacuna.deid.report import Failure, Report, Run, write_report
from lacuna.deid.scope import Consistency
from lacuna.deid.vault import VaultWriter, create_vault
from lacuna.errors import ConfigError
from lacuna.io.corpus import group_pattern
from lacuna.models.file import file_digest
from lacuna.pipeline.detection import Detection, open_detection

SMALL = 1 << 21  #: bytes of input for which starting processes takes longer than the work


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions:
    """All that can be asked of a run; ``docs/deid.md`` says what each is for."""

    input: Path
    output: Path | None  #: ``None``: nothing is written
    detection: DetectionOptions
    policy: Policy
    threshold: float | None = None
    max_missed: float | None = None
    key: Key | None = None
    consistency: Consistency = Consistency.PATIENT
    locale: str = "en"
    format: str | None = None
    encoding: str = "utf-8"
    bad_bytes: BadBytes = BadBytes.FAIL
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    group_from: str | None = None
    columns: Columns = field(default_factory=Columns)
    rename: Rename = Rename.AUTO
    workers: int | None = None
    resume: bool = False
    vault: Path | None = None
    passphrase: str = field(default="", repr=False)


def needs_key(policy: Policy) -> bool:
    """Whether what a policy writes depends on a secret key."""
    actions = (*policy.actions.values(), *policy.labels.values())
    return any(isinstance(action, Surrogate | Shift) for action in actions)


def _remembers(policy: Policy, consistency: Consistency) -> bool:
    """Whether what is written for a document depends on earlier ones of its group."""
    actions = (policy.default, *policy.actions.values(), *policy.labels.values())
    depends = any(isinstance(action, Surrogate | Tag) for action in actions)
    return consistency is Consistency.PATIENT and depends


def run_archive(
    options: ArchiveOptions,
    *,
    on_start: Callable[[int], None] = lambda _: None,
    on_bytes: Callable[[int], None] = lambda _: None,
    on_failure: Callable[[Failure], None] = lambda _: None,
) -> Report:
    """Make an archive safe and return the report.

    Parameters
    ----------
    options
        What to do.
    on_start
        Called with the number of bytes there are.
    on_bytes
        Called with the number of bytes just done.
    on_failure
        Called for every document that failed.

    Raises
    ------
    StoppedError
        When nothing more could be written; what is finished stays.
    ConfigError
        When the options do not fit together, before anything is written.
    """
    began = time.perf_counter()
    _check(options)
    inputs = list_inputs(
        options.input,
        format=options.format,
        include=options.include,
        exclude=options.exclude,
        encoding=options.encoding,
    )
    with ExitStack() as stack:
        pool = _pool(options, inputs)
        stack.callback(pool.close)
        groups = groups_of(inputs.files, group_pattern(options.group_from))
        detection = open_detection(
            with_policy(options.detection, options.policy),
            threshold=options.threshold,
            max_missed=options.max_missed,
        )
        key, salt = _key(options)
        header = books.Header(__version__, _settings(options, detection), salt)
        names = SafeNames(detection.recognizers, key, options.rename)
        pool.begin(_setup(options, detection, key), detection)
        on_start(inputs.bytes)
        manifest = _manifest(options, header)
        if manifest is not None:
            stack.callback(manifest.close)
        if options.output is not None:  # what workers were writing when they were ended
            stack.callback(books.remove_partial, options.output)
            stack.callback(pool.close)
        vault = stack.enter_context(_vault(options))
        ledger = Ledger(manifest, vault, len(inputs.files), on_bytes, on_failure)
        work = Work.of(inputs.files, groups, ledger, names, options.output)
        if work.is_left:
            remembers = _remembers(options.policy, options.consistency)
            do_all(work, pool, _table_options(options), options.output, remembers=remembers)
        seconds = time.perf_counter() - began
        report = _report(options, detection, inputs, ledger, header, seconds)
    if options.output is not None:
        write_report(options.output, report)
    return report


def _check(options: ArchiveOptions) -> None:
    if options.workers is not None and options.workers < 1:
        raise ConfigError("at least one worker is needed")
    if options.vault is not None and not options.passphrase:
        raise ConfigError("a vault needs a passphrase")
    if options.resume and options.vault is not None:
        raise ConfigError("a vault is written in one go, so such a run cannot be continued")
    if options.resume and options.key is None and needs_key(options.policy):
        raise ConfigError(
            "without --key every run has a key of its own, so this one cannot be continued:"
            " surrogates and dates would not fit together"
        )
    if options.output is not None and options.input.is_dir():
        output, folder = options.output.resolve(), options.input.resolve()
        if output.is_relative_to(folder) or folder.is_relative_to(output):
            raise ConfigError("input and output must not lie inside one another")


def _key(options: ArchiveOptions) -> tuple[Key, str | None]:
    """Return the key of the run, and what of it is written to the manifest.

    Where the policy needs no secret, a random key hashes names, and stands in the manifest.
    """
    if options.key is not None:
        return options.key, None
    if needs_key(options.policy):
        return Key.random(), None
    salt = Key.random().digest("salt").hex()
    if options.resume and options.output is not None:
        earlier = books.stored_header(options.output)
        if earlier is not None and earlier.salt is None:
            raise ConfigError("the earlier run had a key; give the same one to continue it")
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
    return books.hashed_settings(
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
            "columns": repr((columns.text, columns.id, columns.group, columns.keep)),
            "rename": options.rename,
        }
    )


def _setup(options: ArchiveOptions, detection: Detection, key: Key) -> Setup:
    return Setup(
        detection=detection.options,
        threshold=detection.threshold,
        policy=options.policy,
        key=key.secret,
        consistency=options.consistency,
        locale=options.locale,
        encoding=options.encoding,
        bad_bytes=options.bad_bytes,
        rename=options.rename,
        output=None if options.output is None else str(options.output),
        vault=options.vault is not None,
    )


def _manifest(options: ArchiveOptions, header: books.Header) -> books.Manifest | None:
    if options.output is None:
        return None
    return (books.resume if options.resume else books.begin)(options.output, header)


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
    can_divide = hasattr(os, "fork")  # not on Windows, where threads share the work
    return Processes(wanted) if wanted > 1 and can_divide else OwnProcess()


def _table_options(options: ArchiveOptions) -> TableOptions:
    return TableOptions(
        options.columns, options.encoding, options.bad_bytes, group_pattern(options.group_from)
    )


def _report(
    options: ArchiveOptions,
    detection: Detection,
    inputs: Inputs,
    ledger: Ledger,
    header: books.Header,
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
        left_aside=dict(inputs.left_aside),
        seconds=seconds,
    )
    return Report(run, ledger.tally, ledger.failures)
