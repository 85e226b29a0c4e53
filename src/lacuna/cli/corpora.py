"""How every command names and reads a corpus: shared arguments, options and the progress bar."""

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
from lacuna.io.source import Skipped, Task
from lacuna.text.document import Document

if TYPE_CHECKING:
    from lacuna.models.registry import Model

CORPUS_HELP = "Files, folders or quoted globs; '-' is standard input."

CorpusArgument = Annotated[list[str], typer.Argument(metavar="CORPUS", help=CORPUS_HELP)]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"Format of the input, found out where not given: {', '.join(FORMATS)}.",
    ),
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of text files.")]
MapOption = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        help='TOML file of OLD = "NEW" labels ("" drops) and [categories] label = "CATEGORY".',
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option("--labels", metavar="A,B", help="Keep only mentions with these labels."),
]
FilterOption = Annotated[
    Keep, typer.Option("--filter", help="Keep only documents that have such a mention.")
]
GroupFromOption = Annotated[
    str | None,
    typer.Option(
        "--group-from",
        metavar="REGEX",
        help="Group of a document (a patient), taken from its id: first group or whole match.",
    ),
]
TaskOption = Annotated[
    Task, typer.Option("--task", help="What the last column of conll files holds.")
]
ModelTaskOption = Annotated[
    Task | None,
    typer.Option("--task", help="What the model must be for; where not given, what it is for."),
]
NoAlignOption = Annotated[
    bool,
    typer.Option("--no-align", help="Leave out the alignment that the model was trained with."),
]
HeuristicOption = Annotated[
    Heuristic | None,
    typer.Option(
        "--heuristic",
        help="Which mentions with gaps are read off what a model says: enough of them, or all that"
        " it allows. Where not given, as the model was trained.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How to read the corpora of one command."""

    format: FormatOption = None
    encoding: EncodingOption = "utf-8"
    label_map: MapOption = None
    labels: LabelsOption = None
    keep: FilterOption = Keep.ALL
    group_from: GroupFromOption = None
    task: TaskOption = Task.NER

    def read_map(self) -> LabelMap:
        """Return the label map, empty where none was given."""
        return LabelMap() if self.label_map is None else read_label_map(self.label_map)

    def label_set(self) -> set[str] | None:
        """Return the labels to keep; ``None`` keeps all."""
        return None if self.labels is None else {name.strip() for name in self.labels.split(",")}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How to open a model that is to tag."""

    no_align: NoAlignOption = False
    heuristic: HeuristicOption = None
    task: ModelTaskOption = None

    def load(self, path: Path) -> Model:
        """Read a model file."""
        from lacuna.models.registry import load

        return load(path, task=self.task, align=not self.no_align, heuristic=self.heuristic)


@contextmanager
def reading(paths: list[str], options: CorpusOptions) -> Iterator[Iterator[Document]]:
    """Open a corpus: a progress bar over its bytes, and at the end what was read over."""
    skipped: Counter[str] = Counter()

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
        )
    for what, number in skipped.items():
        say(f"read over: {number:,} {what}")
