"""``lacuna audit``: a random sample of the outputs of a run, read by a person, in its report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lacuna.cli.console import print_json, say
from lacuna.cli.corpora import JsonOption
from lacuna.errors import ConfigError
from lacuna.io.corpus import STANDARD_INPUT
from lacuna.text.plurals import counted

SafeArgument = Annotated[
    Path, typer.Argument(metavar="SAFE", help="Output folder of lacuna deid, with its report.")
]


def draw_command(
    safe: SafeArgument,
    *,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, help="Number of documents to draw.")
    ] = 50,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Page to write; by default SAFE.audit.html."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Random seed; by default a random one.")
    ] = None,
    text_column: Annotated[str, typer.Option(help="Table column with the text.")] = "text",
) -> None:
    """Draw documents at random and write a page to read them.

    The page works without a server and saves the answers as a file. Beside it, a CSV file lists the
    documents, for those who prefer to fill that in. Neither holds an original text, but both are
    written outside SAFE, which is passed on. Every draw is recorded in the report.

    Example: lacuna audit draw safe/ -n 50
    """
    from lacuna.archive.audit import draw
    from lacuna.archive.audit_answers import empty_answers
    from lacuna.deid.audits import draw_in_words
    from lacuna.pictures.audit_page import audit_page

    page = _new_page(safe) if output is None else output
    answers = page.with_suffix(".csv")
    _check_places(safe, page, answers)
    audit, sample = draw(safe, count, seed=seed, text_column=text_column)
    if audit.sample < count:
        say(f"all {counted(audit.documents, 'document')} were drawn; there are no more")
    command = f"lacuna audit enter {safe} answers-{audit.draw}.json"
    _write(page, audit_page(audit.draw, audit.documents, sample, command).encode())
    _write(answers, empty_answers(audit.draw, [document.name for document in sample]))
    say(draw_in_words(audit))
    say(f"read them in {page}, or fill in {answers}; then: lacuna audit enter {safe} ANSWERS")


def enter_command(
    safe: SafeArgument,
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="File saved by the page, or the CSV file filled in; '-' reads one number per"
            " document from the keyboard or standard input, in the order of the page.",
        ),
    ],
    *,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Confidence of the upper bound.")
    ] = 0.95,
    correct: Annotated[
        bool, typer.Option("--correct", help="Replace answers that were entered before.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Add the answers to the report: how many documents can have a leak.

    Every document of the sample needs an answer, 0 if no leak was seen.

    Example: lacuna audit enter safe/ answers.json
    """
    from lacuna.archive.audit import enter
    from lacuna.archive.audit_answers import read_answers
    from lacuna.deid.audits import result_in_words
    from lacuna.deid.run_report import HTML

    if answers == STANDARD_INPUT:
        audit = enter(safe, _typed(), confidence=confidence, correct=correct)
    else:
        given = read_answers(Path(answers))
        audit = enter(safe, given.leaks, draw=given.draw, confidence=confidence, correct=correct)
    if as_json:
        print_json(audit)
    else:
        sys.stdout.write(f"{result_in_words(audit)}\n")
    say(f"report: {safe / HTML}")


GROUP_HELP = "Have a person read a random sample of the outputs, and add the result to the report."
SUBCOMMANDS = {"draw": draw_command, "enter": enter_command}


def _typed() -> list[int]:
    """Read one number of leaks per line, until the end of the input."""
    from lacuna.archive.audit_answers import number_of_leaks

    if sys.stdin.isatty():
        say("leaks of each document in the order of the page, one per line; end with Ctrl-D")
    return [number_of_leaks(line, f"line {i}") for i, line in enumerate(sys.stdin, start=1)]


def _new_page(safe: Path) -> Path:
    """Return the first free name beside the output folder."""
    whole = safe.resolve()
    page, number = whole.parent / f"{whole.name}.audit.html", 1
    while page.exists() or page.with_suffix(".csv").exists():
        number += 1
        page = whole.parent / f"{whole.name}.audit-{number}.html"
    return page


def _check_places(safe: Path, *paths: Path) -> None:
    for path in paths:
        if path.resolve().is_relative_to(safe.resolve()):
            raise ConfigError(f"{path}: must not be in the output folder, which is passed on")
        if path.exists():
            raise ConfigError(f"{path}: exists already; name another file with -o")
        if not path.parent.is_dir():
            raise ConfigError(f"{path.parent}: there is no such folder")


def _write(path: Path, content: bytes) -> None:
    from lacuna.io.writing import whole_file

    with whole_file(path) as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(content)
