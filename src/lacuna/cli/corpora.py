"""Corpora and models of a command: arguments and options, and reading with a progress bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import byte_progress, say
from lacuna.encoding.schemes import Heuristic
from lacuna.io.corpus import Keep, corpus_bytes, read_corpus
from lacuna.io.formats import FORMATS
from lacuna.io.label_map import LabelMap, read_label_map
from lacuna.io.output import Written
from lacuna.io.source import Skipped
from lacuna.models.bundled import BUNDLED, model_path
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.models.base import Tagger

CORPUS_HELP = "Files, folders or quoted glob patterns; '-' is standard input."

MODEL_HELP = "A model file, *.lacuna, or the name of a bundled model (see lacuna models)."

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", parser=model_path, help=MODEL_HELP)]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        parser=model_path,
        help=f"A model file or the name of a bundled model, by default {BUNDLED}.",
    ),
]
CorpusArgument = Annotated[list[str], typer.Argument(metavar="CORPUS", help=CORPUS_HELP)]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"Format of the input, auto-detected by default: {', '.join(FORMATS)}.",
    ),
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of text files.")]
MapOption = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        help='TOML file that renames labels, OLD = "NEW" ("" drops them), and may have a table'
        ' [categories] of LABEL = "CATEGORY".',
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option("--labels", metavar="A,B", help="Keep only mentions with these labels."),
]
FilterOption = Annotated[
    Keep, typer.Option("--filter", help="Keep only documents with such a mention.")
]
GroupFromOption = Annotated[
    str | None,
    typer.Option(
        "--group-from",
        metavar="REGEX",
        help="Take the group of a document (its patient) from its id: the first capture group of"
        " REGEX, or the whole match.",
    ),
]
TaskOption = Annotated[
    Task, typer.Option("--task", help="What the last column of conll files contains.")
]
AnnotatorOption = Annotated[
    str | None,
    typer.Option(
        "--annotator",
        metavar="NAME",
        help="Whose annotations to read from exports of Label Studio: id, e-mail address or user"
        " name; by default the first of each document.",
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=COLUMN",
        help="A column of conll files: word, tag or a name of your own, =, and its number (1 is the"
        " first, -1 the last) or its name in the header. Give it once for each column, as in"
        " --column word=2 --column tag=3 --column tag=4; tags of several columns are nested"
        " mentions. Other columns are not read.",
    ),
]
ModelTaskOption = Annotated[
    Task | None,
    typer.Option("--task", help="Task that the model must be for; by default any."),
]
NoAlignOption = Annotated[
    bool,
    typer.Option("--no-align", help="Do not use the alignment that the model was trained with."),
]
HeuristicOption = Annotated[
    Heuristic | None,
    typer.Option(
        "--heuristic",
        help="How to decode mentions with gaps: just enough mentions to explain what the model"
        " predicts, or all that it allows. The default is the model's own setting.",
    ),
]
OutputFormatOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help=f"Output format, by default that of the output's name: {', '.join(FORMATS)}.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How to read the corpora of a command."""

    format: FormatOption = None
    encoding: EncodingOption = "utf-8"
    label_map: MapOption = None
    labels: LabelsOption = None
    keep: FilterOption = Keep.ALL
    group_from: GroupFromOption = None
    task: TaskOption = Task.NER
    annotator: AnnotatorOption = None
    columns: ColumnOption = None

    def read_map(self) -> LabelMap:
        """Return the label map; an empty one by default."""
        return LabelMap() if self.label_map is None else read_label_map(self.label_map)

    def label_set(self) -> set[str] | None:
        """Return the labels to keep; ``None`` for all."""
        return None if self.labels is None else {name.strip() for name in self.labels.split(",")}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How to load a model for tagging."""

    no_align: NoAlignOption = False
    heuristic: HeuristicOption = None
    task: ModelTaskOption = None

    def load(self, path: Path) -> Tagger:
        """Read a model file."""
        from lacuna.models.registry import load

        return load(path, task=self.task, align=not self.no_align, heuristic=self.heuristic)


@contextmanager
def reading(
    paths: list[str],
    options: CorpusOptions,
    *,
    tagged: bool = True,
    piece_characters: int | None = None,
) -> Iterator[Iterator[Document]]:
    """Open a corpus with a progress bar; at the end, report what was skipped and assumed.

    If it need not be `tagged`, conll files may consist of words only.
    """
    skipped: Counter[str] = Counter()
    assumed: dict[str, None] = {}

    def count(what: Skipped) -> None:
        skipped[what.what] += what.count

    with byte_progress("reading", corpus_bytes(paths, format=options.format)) as advance:
        yield read_corpus(
            paths,
            format=options.format,
            encoding=options.encoding,
            task=options.task,
            group_from=options.group_from,
            label_map=options.read_map(),
            labels=options.label_set(),
            keep=options.keep,
            on_bytes=advance,
            on_skip=count,
            annotator=options.annotator,
            on_assume=lambda what: assumed.setdefault(what.what),
            columns=options.columns or (),
            tagged=tagged,
            piece_characters=piece_characters,
        )
    for what in assumed:
        say(f"assumed: {what}")
    for what, number in skipped.items():
        say(f"skipped: {number:,} {what}")


def say_written(written: Written, output: str, *, documents: str = "document") -> None:
    """Report how much was written."""
    written_documents = counted(written.documents, documents)
    say(f"{written_documents}, {counted(written.mentions, 'mention')} → {output}")


def say_left_out(written: Written, to: str) -> None:
    """Report what a format could not express."""
    for what, count in written.left_out.items():
        say(f"left out, {to} cannot hold it: {what} ({count:,})")
