"""The ``lacuna`` command: its subcommands, its exit codes, its errors without tracebacks.

Exit codes: 0 done, 1 finished but something failed, 2 bad input or usage, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.markup import escape

from lacuna import __version__
from lacuna.cli.ambiguity import ambiguity_command
from lacuna.cli.calibrate import calibrate_command
from lacuna.cli.cluster import cluster_command
from lacuna.cli.compare import compare_command
from lacuna.cli.console import stderr, stdout
from lacuna.cli.convert import convert_command
from lacuna.cli.deid import deid_command
from lacuna.cli.demo import demo_command
from lacuna.cli.evaluate import evaluate_command
from lacuna.cli.generate import generate_command
from lacuna.cli.inspect import inspect_command
from lacuna.cli.restore import restore_command
from lacuna.cli.score import score_command
from lacuna.cli.stats import stats_command
from lacuna.cli.tag import tag_command
from lacuna.cli.train import train_command
from lacuna.errors import LacunaError

app = typer.Typer(
    name="lacuna",
    help=(
        "Find entities in text (flat, nested, overlapping, with gaps) and take identities out"
        " of it. Nothing leaves this machine."
    ),
    epilog="Start with: lacuna demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("demo")(demo_command)
app.command("train")(train_command)
app.command("tag")(tag_command)
app.command("evaluate")(evaluate_command)
app.command("compare")(compare_command)
app.command("inspect")(inspect_command)
app.command("convert")(convert_command)
app.command("score")(score_command)
app.command("stats")(stats_command)
app.command("ambiguity")(ambiguity_command)
app.command("cluster")(cluster_command)
app.command("generate")(generate_command)
app.command("deid")(deid_command)
app.command("calibrate")(calibrate_command)
app.command("restore")(restore_command)


def _show_version(asked: bool) -> None:
    if asked:
        stdout.print(f"lacuna {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    try:
        app()
    except LacunaError as error:
        _leave(str(error), 2)
    except OSError as error:
        _leave(f"{error.filename or 'system'}: {error.strerror or type(error).__name__}", 2)
    except Exception as error:
        if os.environ.get("LACUNA_DEBUG"):
            raise
        _leave(f"internal error: {_where(error)} (LACUNA_DEBUG=1 shows more)", 1)
    sys.exit(0)


def _leave(message: str, code: int) -> NoReturn:
    stderr.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)
    sys.exit(code)


def _where(error: Exception) -> str:
    """Say what broke and where, without the message: it could quote a document."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    return f"{type(error).__name__}{place}"
