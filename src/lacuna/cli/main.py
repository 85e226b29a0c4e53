"""The ``lacuna`` command: subcommands, exit codes, error messages without tracebacks.

Exit codes: 0 success, 1 finished but something failed, 2 bad input or usage, 130 interrupted.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape

from lacuna.cli.console import be_quiet, complain, errors, printable, say, stdout
from lacuna.cli.option_records import flat, with_option
from lacuna.errors import LacunaError, interruptible
from lacuna.version import __version__

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
RARELY = 100_000  #: new objects between two garbage collections
#: Each command is in the module of its name, which is imported only if it is needed.
COMMANDS = (
    "demo",
    "train",
    "tag",
    "evaluate",
    "compare",
    "inspect",
    "models",
    "convert",
    "score",
    "stats",
    "ambiguity",
    "cluster",
    "vectors",
    "generate",
    "deid",
    "audit",
    "calibrate",
    "restore",
    "project",
    "serve",
)

#: Commands that write piece by piece; the others write everything at the end, or nothing.
WRITE_PIECEMEAL = frozenset({"demo", "deid", "import", "serve"})
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
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        module = import_module(f"lacuna.cli.{name}")
        if hasattr(module, "SUBCOMMANDS"):
            app.add_typer(_group(module), name=name)
        else:
            app.command(name)(_prepared(name, getattr(module, f"{name}_command")))
    return app


def _group(module: ModuleType) -> typer.Typer:
    """Return the subcommands of a module as one command."""
    group = typer.Typer(help=module.GROUP_HELP, no_args_is_help=True, rich_markup_mode=None)
    for name, command in module.SUBCOMMANDS.items():
        group.command(name)(_prepared(name, command))
    return group


QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=be_quiet, help="Print nothing but results and errors."),
]


def _prepared(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Return a command as typer wants it, with what all commands have: --quiet, Ctrl-C."""
    return with_option(_with_interruption(name, flat(command)), "quiet", QuietOption, default=False)


def _with_interruption(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that reports Ctrl-C and exits with 130."""

    @wraps(command)
    def run(**options: Any) -> None:
        try:
            with interruptible():
                command(**options)
        except KeyboardInterrupt:
            complain("interrupted" + "; nothing was written" * (name not in WRITE_PIECEMEAL))
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
    be_quiet(False)
    warnings.showwarning = _show_warning
    try:
        command_line(_asked() or COMMANDS)()
    except LacunaError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:  # before the command has begun
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except OSError as error:
        code = 1 if error.errno in DISK_FULL else 2
        _fail(f"{error.filename or 'system'}: {error.strerror or type(error).__name__}", code)
    except Exception as error:
        if os.environ.get("LACUNA_DEBUG"):
            raise
        _fail(f"internal error: {_where(error)} (set LACUNA_DEBUG=1 for the traceback)", 1)
    sys.exit(0)


def _asked() -> list[str]:
    """Return the command that is run, or completed by a shell; none if that is not clear."""
    words = sys.argv[1:2]
    if "_LACUNA_COMPLETE" in os.environ:  # bash, or zsh and fish
        line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        words = line.split()[1:2]
    return [name for name in words if name in COMMANDS]


def _collect_rarely() -> None:
    """Collect garbage rarely, and not at exit: it took a third of the time of a short command."""
    gc.set_threshold(RARELY)
    atexit.register(gc.freeze)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


def _fail(message: str, code: int) -> NoReturn:
    shown = "\n".join(map(printable, message.split("\n")))
    errors.print(f"[bold red]error:[/] {escape(shown)}", highlight=False, soft_wrap=True)
    sys.exit(code)


def _where(error: Exception) -> str:
    """Return the type and place of an error, without its message: it could quote a document."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    return f"{type(error).__name__}{place}"
