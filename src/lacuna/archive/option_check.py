"""Options that contradict one another are refused before anything is read or written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lacuna.archive.found_documents import check_owners_files
from lacuna.archive.manifest import private_folder
from lacuna.archive.options import ArchiveOptions
from lacuna.deid.surrogates.pools import known_locale
from lacuna.deid.vault import check_new_vault
from lacuna.errors import ConfigError

DEFAULT_LOCALE = "en"


def check_options(options: ArchiveOptions) -> None:
    """Check everything that can be checked without reading an input.

    Raises
    ------
    ConfigError
        Naming the options.
    """
    check_promise(options)
    check_names(options)
    if options.workers is not None and options.workers < 1:
        raise ConfigError("at least one worker is needed")
    if options.resume and options.vault is not None:
        raise ConfigError("a run with a vault cannot be continued: a vault is written in one go")
    if options.vault is not None and options.columns.dates:
        raise ConfigError("a vault does not hold the dates of columns; leave out --date-columns")
    if options.vault is not None:
        check_new_vault(options.vault, options.passphrase)
    if options.resume and not options.can_be_resumed:
        raise ConfigError(
            "without --key every run has its own random key, so this one cannot be continued:"
            " surrogates and dates would not be consistent"
        )
    check_owners_files(options)
    if options.output is not None:
        _check_places(options, options.output.resolve())


def check_names(options: ArchiveOptions) -> None:
    """Check that encodings and the locale exist, whether or not they will be needed."""
    _ = options.encodings
    if options.locale != DEFAULT_LOCALE:
        known_locale(options.locale)


def check_promise(options: ArchiveOptions) -> None:
    """Check that a strict promise is one."""
    if options.strict_promise and options.max_missed is None:
        raise ConfigError("--strict-promise needs --max-missed, the promise to keep")


def refuse_broken_promise(warnings: Sequence[str]) -> None:
    """Raise if anything speaks against a promise that is to be kept strictly."""
    if warnings:
        raise ConfigError(
            "the promise may not hold for these documents, so nothing was written: "
            + "; ".join(warnings)
        )


def _check_places(options: ArchiveOptions, output: Path) -> None:
    """Refuse inputs, outputs and vaults inside one another."""
    source = options.input.resolve()
    for folder in (output, private_folder(output)):
        inside = options.input.is_dir() and folder.is_relative_to(source)
        if inside or source.is_relative_to(folder):
            raise ConfigError("input and output must not be inside one another")
    if options.vault is not None and options.vault.resolve().is_relative_to(output):
        raise ConfigError("the vault must not be in the output folder")
