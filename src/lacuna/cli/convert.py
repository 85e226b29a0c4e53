"""``lacuna convert``: a corpus from one format to another, completely or not at all."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lacuna.cli.console import print_json
from lacuna.cli.corpora import (
    CORPUS_HELP,
    CorpusOptions,
    JsonOption,
    OutputFormatOption,
    reading,
    say_left_out,
    say_written,
)
from lacuna.errors import ConfigError, FormatLimitError
from lacuna.io.formats import FORMATS, format_of_name
from lacuna.io.limits import Loss, loss_needed
from lacuna.io.output import Written, write_corpus


class AllowedLoss(StrEnum):
    """What may be lost; the names of :class:`Loss` on the command line."""

    NOTHING = "nothing"
    EXTRAS = "extras"
    MENTIONS = "mentions"


LossOption = Annotated[
    AllowedLoss,
    typer.Option(
        help="What may be left out if the format cannot hold it: nothing; extras (tokens,"
        " groups, metadata, probabilities, white space in conll); or mentions too (the longest"
        " are kept). What is left out is counted."
    ),
]


def convert(
    paths: list[str],
    output: str,
    *,
    to: str,
    options: CorpusOptions,
    loss: Loss = Loss.EXTRAS,
) -> Written:
    """Read a corpus and write it in the format `to`."""
    with reading(paths, options) as documents:
        return write_corpus(documents, output, format=to, loss=loss)


def convert_command(
    inputs: Annotated[list[str], typer.Argument(metavar="IN", help=CORPUS_HELP)],
    output: Annotated[
        str,
        typer.Argument(metavar="OUT", help="A file, a new folder, or '-' for standard output."),
    ],
    *,
    to: OutputFormatOption = None,
    loss: LossOption = AllowedLoss.EXTRAS,
    options: CorpusOptions,
    as_json: JsonOption = False,
) -> None:
    """Convert a corpus from one format to another.

    The input format is auto-detected. Offsets and line endings are preserved. What the new format
    cannot hold is refused or counted, never lost silently. If anything fails, nothing is
    written.

    Example: lacuna convert notes/ notes.jsonl
    """
    format_ = to or named_format(output)
    try:
        written = convert(inputs, output, to=format_, options=options, loss=Loss[loss.name])
    except FormatLimitError as error:
        raise with_advice(error) from error
    if as_json and output != "-":
        print_json(written)
        return
    say_written(written, output)
    say_left_out(written, format_)


def named_format(output: str | Path) -> str:
    """Return the format that the name of the output says."""
    if found := format_of_name(output):
        return found
    raise ConfigError(
        f"{output}: the name does not say which format; give --to with one of {', '.join(FORMATS)}"
    )


def with_advice(error: FormatLimitError) -> FormatLimitError:
    """Add the --loss that would help to an error, if there is one."""
    needed = loss_needed(error.what, FORMATS[error.format].limits)
    if needed is not None:
        error.args = (f"{error}; --loss {needed.name.lower()} leaves out what does not fit",)
    return error
