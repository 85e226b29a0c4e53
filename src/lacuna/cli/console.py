"""Where the command line writes: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    FileSizeColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)

Advance = Callable[[int], None]


def say(message: str) -> None:
    """Tell the user something on stderr."""
    stderr.print(escape(message), soft_wrap=True)


def print_json(value: Any) -> None:
    """Write one JSON value to stdout, indented, floats in full."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table to stdout: first column left, numbers right."""
    stdout.print(f"\n[bold]{escape(title)}[/]")
    table = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, collapse_padding=True)
    for index, name in enumerate(header):
        table.add_column(escape(name), justify="left" if index == 0 else "right", no_wrap=not index)
    for row in rows:
        table.add_row(*map(escape, row))
    stdout.print(table)


@contextmanager
def byte_progress(what: str, total: int | None) -> Iterator[Advance]:
    """Show a bar over bytes on stderr (only on a terminal) and yield how to advance it."""
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
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)


@contextmanager
def item_progress(what: str, total: int | None) -> Iterator[Advance]:
    """Show a bar over items on stderr (only on a terminal) and yield how to advance it."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)
