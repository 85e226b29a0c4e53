"""Output of the command line: results on stdout, messages and progress on stderr.

With ``--quiet`` only errors are written to stderr.
Passphrases come from the environment, or are typed in without echo.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    FileSizeColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table

from lacuna.deid.keys import PASSPHRASE_VARIABLE
from lacuna.errors import ConfigError

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)
errors = Console(stderr=True, highlight=False)  #: never quiet

GAP = 2  #: spaces between the columns of a table
WRAPPED = 12  #: words of text that are longer may be broken

Advance = Callable[[int], None]
Update = Callable[[str, int, int, str], None]


def say(message: str) -> None:
    """Write a message to stderr."""
    stderr.print(escape(message), soft_wrap=True)


def complain(message: str) -> None:
    """Write to stderr what went wrong, even if the command is to be quiet."""
    errors.print(escape(message), soft_wrap=True)


def be_quiet(quiet: bool) -> None:
    """Suppress messages and progress bars, or show them again."""
    stderr.quiet = quiet


def announce_compiling() -> None:
    """Prepare for compiled code, with a message if it has to be compiled first."""
    from lacuna.kernels import before_compiling, load_without_blas

    load_without_blas()
    before_compiling(lambda: say("compiling for this machine, only once; this can take a minute …"))


def printable(text: str) -> str:
    """Return `text` without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def print_json(value: Any) -> None:
    """Write a JSON value to stdout, indented, with floats in full precision."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    text_columns: Collection[int] = (),
    console: Console = stdout,
) -> None:
    """Write a table to stdout or another console: first column left-aligned, numbers right-aligned.

    Headers are wrapped between words, long names if there is no room, numbers never. The cells of
    `text_columns` are text: left-aligned, and wrapped if there is no room. A table that is too
    wide for the terminal is shown row by row instead, one line for each value.
    """
    cells = list(rows)
    console.print(f"\n[bold]{escape(title)}[/]")
    if not cells:
        console.print("none")
        return
    if least_width(header, cells, text_columns) > console.width:
        _print_row_by_row(header, cells, console)
        return
    table = Table(
        box=SIMPLE_HEAD, header_style="dim", pad_edge=False, collapse_padding=True, show_edge=False
    )
    table.add_column(escape(header[0]), overflow="fold")
    for index, name in enumerate(header[1:], start=1):
        if index in text_columns:
            table.add_column(escape(name), overflow="fold")
            continue
        words = (*name.split(), *(row[index] for row in cells))
        table.add_column(escape(name), justify="right", width=max(map(len, words)))
    for row in cells:
        table.add_row(*map(escape, row))
    console.print(table)


def least_width(
    header: Sequence[str], rows: Sequence[Sequence[str]], text_columns: Collection[int]
) -> int:
    """Return how wide a table must be: its numbers, and words of text up to ``WRAPPED``."""
    widths = []
    for index, name in enumerate(header):
        is_text = index == 0 or index in text_columns
        cells = [word for row in rows for word in (row[index].split() if is_text else [row[index]])]
        width = max((len(word) for word in (*name.split(), *cells)), default=0)
        widths.append(min(width, WRAPPED) if is_text else width)
    return sum(widths) + GAP * (len(widths) - 1)


def _print_row_by_row(
    header: Sequence[str], rows: Sequence[Sequence[str]], console: Console
) -> None:
    for first, *others in rows:
        console.print(escape(first))
        values = Table.grid(padding=(0, GAP, 0, 0))
        values.add_column(style="dim", overflow="fold")
        values.add_column(overflow="fold")
        for name, value in zip(header[1:], others, strict=True):
            values.add_row(f"  {escape(name)}", escape(value))
        console.print(values)


def byte_progress(what: str, total: int | None) -> AbstractContextManager[Advance]:
    """Show a progress bar of bytes on stderr (only on a terminal); yield a function to advance."""
    return _progress(what, total, FileSizeColumn(), TransferSpeedColumn())


def item_progress(what: str, total: int | None) -> AbstractContextManager[Advance]:
    """Show a progress bar of items on stderr (only on a terminal); yield a function to advance."""
    return _progress(what, total, TextColumn("{task.completed:,.0f}"))


@contextmanager
def growing_progress(what: str) -> Iterator[tuple[Callable[[int], None], Advance]]:
    """Show a progress bar of bytes; yield functions to set the total and to advance."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        FileSizeColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)
        yield (
            lambda total: progress.update(task, total=total),
            lambda count: progress.advance(task, count),
        )


@contextmanager
def step_progress(what: str) -> Iterator[Update]:
    """Show a progress bar of steps on stderr (only on a terminal).

    Yields a function that takes what is being done, the step, the number of steps and a remark.
    """
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[remark]}"),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None, remark="")

        def update(what: str, step: int, steps: int, remark: str) -> None:
            progress.update(task, description=what, completed=step, total=steps, remark=remark)

        yield update


@contextmanager
def _progress(what: str, total: int | None, *amounts: ProgressColumn) -> Iterator[Advance]:
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *amounts,
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)


def passphrase() -> str:
    """Return the passphrase of an existing vault."""
    return os.environ.get(PASSPHRASE_VARIABLE) or _typed("Passphrase of the vault: ")


def new_passphrase() -> str:
    """Return the passphrase of a new vault; it has to be typed twice."""
    if given := os.environ.get(PASSPHRASE_VARIABLE):
        return given
    typed = _typed("Passphrase for the new vault: ")
    if not typed or typed != _typed("Repeat the passphrase: "):
        raise ConfigError("the passphrases differ or are empty")
    return typed


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise ConfigError(
            f"a vault needs a passphrase: set {PASSPHRASE_VARIABLE}, or run in a terminal"
            " to type it"
        )
    return getpass.getpass(prompt, stream=sys.stderr)
