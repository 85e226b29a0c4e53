"""``lacuna generate``: annotated clinical notes about fictional patients."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from lacuna.cli.console import Advance, item_progress, print_json
from lacuna.cli.corpora import JsonOption, OutputFormatOption, say_left_out, say_written
from lacuna.errors import FormatLimitError
from lacuna.io.formats import format_of_name
from lacuna.io.limits import Loss
from lacuna.io.output import Written, write_corpus
from lacuna.text.document import Document


class SplitName(StrEnum):
    """Which templates and values to draw from."""

    TRAIN = "train"
    TEST = "test"
    ALL = "all"


def generate_command(
    output: Annotated[
        str, typer.Option("-o", "--output", help="File or new folder; '-' is standard output.")
    ] = "-",
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Number of notes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same notes.")] = 0,
    split: Annotated[
        SplitName,
        typer.Option(help="Sentences to draw from; train and test share none."),
    ] = SplitName.TRAIN,
    to: OutputFormatOption = None,
    language: Annotated[str, typer.Option(help="Language of the notes.")] = "en",
    kinds: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Only these kinds of notes, e.g. jotting."),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="No typos, broken lines or other noise.")
    ] = False,
    findings: Annotated[
        bool, typer.Option("--findings", help="Also annotate clinical findings, some with gaps.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Generate annotated clinical notes about fictional patients.

    Every person, place and number is made up. Labels are those of i2b2 2014. A patient has several
    notes; the group of a note is its patient.

    Example: lacuna generate -n 500 --seed 1 -o notes.jsonl
    """
    from lacuna.synthetic import CLEAN, Noise, Split, generate

    notes = generate(
        count,
        seed=seed,
        language=language,
        split=Split(split),
        noise=CLEAN if clean else Noise(),
        findings=findings,
        kinds=[] if kinds is None else [kind.strip() for kind in kinds.split(",")],
    )
    format_ = to or format_of_name(output) or "jsonl"
    try:
        with item_progress("generating", count) as advance:
            written = write_notes(notes, output, format_, advance)
    except FormatLimitError as error:
        error.args = (f"{error}; write jsonl, then use lacuna convert",)
        raise
    if as_json and output != "-":
        print_json(written)
        return
    say_written(written, output, documents="note")
    say_left_out(written, format_)


def write_notes(notes: Iterator[Document], output: str, to: str, advance: Advance) -> Written:
    """Write the notes and advance a progress bar."""

    def counted() -> Iterator[Document]:
        for note in notes:
            advance(1)
            yield note

    return write_corpus(counted(), output, format=to, loss=Loss.EXTRAS)
