"""One file in, one file out, or the standard output: no folder, no report, no crosswalk.

The output is written in a temporary folder and gets its name when it is complete. If the document
fails, or no row of a table can be de-identified, nothing is written.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from lacuna.archive.file_kinds import OTHER_KINDS
from lacuna.archive.found_documents import check_owners_files
from lacuna.archive.inputs import Inputs, list_inputs
from lacuna.archive.ledger import Finished
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.output_names import SUFFIXES, stopping
from lacuna.archive.run import run_archive
from lacuna.deid.run_report import Failure, Report
from lacuna.errors import ConfigError, StoppedError
from lacuna.io.writing import whole_file

STANDARD_OUTPUT = Path("-")
#: Suffixes that mean the same kind of output.
_ALIKE = ({".txt", ".text"}, {".jsonl", ".ndjson", ".json"})


def is_one_file(output: Path) -> bool:
    """Whether an output is a file or the standard output, and not a folder."""
    if output == STANDARD_OUTPUT:
        return True
    suffix = output.suffix.lower()
    return (suffix in SUFFIXES or suffix in OTHER_KINDS) and not output.is_dir()


def deidentify_file(
    options: ArchiveOptions,
    *,
    on_start: Callable[[Inputs], None] = lambda _: None,
    on_bytes: Callable[[int], None] = lambda _: None,
    on_failure: Callable[[Failure, str], None] = lambda *_: None,
    on_finished: Callable[[Finished], None] = lambda _: None,
) -> Report:
    """De-identify the one input file into the one output file and return the report.

    Parameters
    ----------
    options
        What to do; `output` is the file, or :data:`STANDARD_OUTPUT`.
    on_start, on_bytes, on_failure, on_finished
        See :func:`~lacuna.archive.run.run_archive`.

    Raises
    ------
    ConfigError
        If the input is not one file, or its output is a file of another kind.
    """
    assert options.output is not None
    check_one_file(options, options.output)
    with _temporary_folder(options.output) as folder:
        report = run_archive(
            replace(options, output=folder / "safe", keeps_books=False),
            on_start=on_start,
            on_bytes=on_bytes,
            on_failure=on_failure,
            on_finished=on_finished,
        )
        if report.tally.documents or not report.tally.failed:
            (written,) = [path for path in (folder / "safe").rglob("*") if path.is_file()]
            _pass_on(written, options.output)
    return report


def check_one_file(options: ArchiveOptions, output: Path) -> None:
    """Check that one file can be written for the input.

    Raises
    ------
    ConfigError
        Saying what can be done instead.
    """
    if options.input.is_dir():
        raise ConfigError(
            f"-o {output}: the input is a folder, so the output must be one, too: e.g. -o safe"
        )
    if options.resume or options.vault is not None:
        option = "--resume" if options.resume else "--vault"
        raise ConfigError(f"-o {output}: {option} needs an output folder, e.g. -o safe")
    (file,) = list_inputs(options.input, options).files
    suffix = Path(file.output).suffix.lower()
    alike = next((suffixes for suffixes in _ALIKE if suffix in suffixes), {suffix})
    if output != STANDARD_OUTPUT and output.suffix.lower() not in alike:
        raise ConfigError(f"-o {output}: the output of this input is a {suffix} file, or a folder")
    check_new_file(output)
    check_owners_files(options)


def check_new_file(output: Path) -> None:
    """Refuse to overwrite a file: it could be an original."""
    if output == STANDARD_OUTPUT:
        return
    if output.exists() or output.is_symlink():
        raise ConfigError(f"-o {output}: exists already; remove it, or choose another name")
    if not output.absolute().parent.is_dir():
        raise ConfigError(f"-o {output}: its folder does not exist")


@contextmanager
def _temporary_folder(output: Path) -> Iterator[Path]:
    """Yield a folder that only its owner can read, where the output can be renamed from."""
    is_stream = output == STANDARD_OUTPUT
    beside = None if is_stream else output.absolute().parent
    with stopping():
        folder = Path(tempfile.mkdtemp(".part", ".lacuna.", beside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pass_on(written: Path, output: Path) -> None:
    if output == STANDARD_OUTPUT:
        with written.open("rb") as stream, _to_standard_output() as out:
            shutil.copyfileobj(stream, out)
        return
    with stopping():
        written.rename(output)


def write_text(content: bytes, output: Path) -> None:
    """Write the one text completely, or nothing of it."""
    if output == STANDARD_OUTPUT:
        with _to_standard_output() as out:
            out.write(content)
        return
    with stopping(), whole_file(output) as stream:
        stream.write(content)


@contextmanager
def _to_standard_output() -> Iterator[BinaryIO]:
    """Yield the standard output; what cannot be written is not tried again at exit."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader wants no more
            raise
        raise StoppedError(f"cannot write to the standard output: {error.strerror}") from None
