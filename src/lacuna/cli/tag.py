"""``lacuna tag``: find mentions with a trained model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from rich.markup import escape

from lacuna.cli.console import announce_compiling, printable, say, stdout
from lacuna.cli.corpora import (
    CORPUS_HELP,
    CorpusOptions,
    ModelArgument,
    ModelOptions,
    OutputFormatOption,
    reading,
    say_left_out,
    say_written,
)
from lacuna.cli.highlight import colours, highlighted, with_tags
from lacuna.cli.option_records import only
from lacuna.errors import ConfigError
from lacuna.io.formats import format_of_name
from lacuna.io.limits import Loss
from lacuna.io.output import write_corpus
from lacuna.text.plurals import counted
from lacuna.types import Task


def tag_command(
    model: ModelArgument,
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT", help=CORPUS_HELP)],
    *,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="File or new folder; by default shown on screen."),
    ] = None,
    to: OutputFormatOption = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each mention.")
    ] = False,
    corpus: Annotated[CorpusOptions, only("format", "encoding", "columns", "group_from")],
    opening: ModelOptions,
) -> None:
    """Find mentions with a trained model.

    Without -o and --to, documents are shown with their mentions marked; mentions that have gaps or
    overlap are numbered and listed below the text. A part-of-speech model fills the token column
    pos, shown as word/TAG. A model trained with --align looks at all documents of a group (a
    patient) together; they should be adjacent in the input.

    Example: lacuna tag names.lacuna notes/ -o found.jsonl
    """
    announce_compiling()
    tagger = opening.load(model)
    options = replace(corpus, task=tagger.task)
    if probabilities and options.task is Task.POS:
        raise ConfigError("--probabilities is for mentions; this model finds parts of speech")
    format_ = to or format_of_name(output or "-") or "jsonl"
    with reading(inputs, options, tagged=False) as documents:
        tagged = tagger.tag(documents, probabilities=probabilities)
        if output is None and to is None:
            palette = colours(tagger.labels)
            for document in tagged:
                stdout.rule(escape(printable(document.id)), align="left", style="dim")
                pos = options.task is Task.POS
                stdout.print(with_tags(document) if pos else highlighted(document, palette))
            return
        written = write_corpus(tagged, output or "-", format=format_, loss=Loss.EXTRAS)
    if options.task is Task.POS:
        say(f"{counted(written.documents, 'document')} → {output or '-'}")
    else:
        say_written(written, output or "-")
    say_left_out(written, format_)
