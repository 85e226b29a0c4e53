"""The ``lacuna`` command: subcommands, exit codes, error messages without tracebacks.

Exit codes: 0 success, 1 finished but something failed, 2 bad input or usage, 130 interrupted.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape

from lacuna.cli.console import say, stderr, stdout
from lacuna.cli.option_records import flat
from lacuna.errors import LacunaError, interruptible
from lacuna.version import __version__

RARELY = 100_000  #: new objects between two garbage collections
#: Each command is in the module of its name, which is imported only if it is needed.
COMMANDS = (
    "demo",
    "train",
    "tag",
    "evaluate",
    "compare",
    "inspect",
    "convert",
    "score",
    "stats",
    "ambiguity",
    "cluster",
    "generate",
    "deid",
    "calibrate",
    "restore",
)

#: Commands that write piece by piece; the others write everything at the end, or nothing.
WRITE_PIECEMEAL = frozenset({"demo", "deid"})
INTERRUPTED = 130


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with these commands, by default all."""
    app = typer.Typer(
        name="lacuna",
        help=(
            "Find entities in text (flat, nested, overlapping, with gaps) and de-identify text."
            " Everything runs on this machine; nothing is sent anywhere."
        ),
        epilog="Start with: lacuna demo",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        module = import_module(f"lacuna.cli.{name}")
        app.command(name)(_with_interruption(name, flat(getattr(module, f"{name}_command"))))
    return app


def _with_interruption(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that reports Ctrl-C and exits with 130."""

    @wraps(command)
    def run(**options: Any) -> None:
        try:
            with interruptible():
                command(**options)
        except KeyboardInterrupt:
            say("interrupted" + "; nothing was written" * (name not in WRITE_PIECEMEAL))
            raise typer.Exit(INTERRUPTED) from None

    return run


def _show_version(asked: bool) -> None:
    if asked:
        stdout.print(f"lacuna {__version__}", highlight=False)
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    _collect_rarely()
    warnings.showwarning = _show_warning
    try:
        asked = [name for name in sys.argv[1:2] if name in COMMANDS]
        command_line(asked or COMMANDS)()
    except KeyboardInterrupt:  # before the command began
        sys.exit(INTERRUPTED)
    except LacunaError as error:
        _fail(str(error), 2)
    except OSError as error:
        _fail(f"{error.filename or 'system'}: {error.strerror or type(error).__name__}", 2)
    except Exception as error:
        if os.environ.get("LACUNA_DEBUG"):
            raise
        _fail(f"internal error: {_where(error)} (set LACUNA_DEBUG=1 for the traceback)", 1)
    sys.exit(0)


def _collect_rarely() -> None:
    """Collect garbage rarely, and not at exit: it took a third of the time of a short command."""
    gc.set_threshold(RARELY)
    atexit.register(gc.freeze)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


def _fail(message: str, code: int) -> NoReturn:
    stderr.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)
    sys.exit(code)


def _where(error: Exception) -> str:
    """Return the type and place of an error, without its message: it could quote a document."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    return f"{type(error).__name__}{place}"
