"""Options and output that ``score`` and ``evaluate`` share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lacuna.cli.console import print_table, printable, say
from lacuna.cli.corpora import CorpusOptions
from lacuna.errors import ConfigError
from lacuna.evaluation import bootstrap, result_json, result_tables
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.mention_errors import ErrorCollector, OutcomeCounter
from lacuna.evaluation.scores import Pair, Scores
from lacuna.io.label_map import BUNDLED, bundled_categories, read_label_map
from lacuna.io.writing import whole_file
from lacuna.pictures.error_page import error_page
from lacuna.pictures.outcome_chart import outcome_chart
from lacuna.text.document import Document
from lacuna.text.plurals import counted

CategoriesOption = Annotated[
    str | None,
    typer.Option(
        "--categories",
        metavar="NAME|FILE",
        help=f"Categories of labels: {', '.join(BUNDLED)} or a TOML file of"
        ' LABEL = "CATEGORY", with or without a table [categories].',
    ),
]
SvgOption = Annotated[
    Path | None,
    typer.Option(
        "--svg",
        metavar="FILE",
        help="Also draw how many mentions of each label are right, wrong, missed or spurious.",
    ),
]
ErrorsOption = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        metavar="FILE",
        help="Also write an HTML page of all errors in context. It quotes the documents.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Random seed of resampling.")]


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Which scores to show."""

    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="SECTION", help="Section to show by label, e.g. strict or token."
        ),
    ] = "strict"
    beta: Annotated[float, typer.Option("--beta", min=0.01, help="Also show F-beta.")] = 1.0
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Also show 95 % bootstrap intervals over groups.")
    ] = False
    per_document: Annotated[
        bool,
        typer.Option("--per-document", help="Also show a row for every document, and their mean."),
    ] = False
    leaks: Annotated[
        bool,
        typer.Option(
            "--leaks", help="Also show by label what no prediction covers, e.g. for identifiers."
        ),
    ] = False


def find_categories(source: str | None, options: CorpusOptions) -> Mapping[str, str] | None:
    """Return label → category, from --categories (a name or a file) or else from --map."""
    if source is None:
        return options.read_map().categories or None
    if source in BUNDLED:
        return bundled_categories(source)
    table = read_label_map(Path(source))
    return table.categories or table.names


def check_section(name: str, result: Scores) -> None:
    """Raise an error if the result has no section of this name."""
    if name not in result.tables:
        raise ConfigError(f"unknown section {name!r}; choose from {', '.join(result.tables)}")


@dataclass(frozen=True, slots=True)
class Pictures:
    """The files of ``--svg`` and ``--errors``, collected while documents are scored."""

    svg: Path | None
    errors: Path | None
    outcomes: OutcomeCounter = field(default_factory=OutcomeCounter)
    wrong: ErrorCollector = field(default_factory=ErrorCollector)

    def note(self, gold: Document, found: Document) -> None:
        """Add a document, given what was found in it."""
        if self.svg is not None:
            self.outcomes.add(gold, found)
        if self.errors is not None:
            self.wrong.add(gold, found)

    def noting(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Add (gold, predicted) documents and pass them on."""
        for pair in pairs:
            self.note(*pair)
            yield pair

    def write(self) -> None:
        """Write the files, each whole or not at all."""
        if self.errors is not None:
            write_errors(self.errors, error_page(self.wrong))
        if self.svg is not None:
            write_picture(self.svg, outcome_chart(self.outcomes.rows()))


def write_picture(path: Path, picture: str) -> None:
    """Write an SVG file, whole or not at all."""
    with whole_file(path) as stream:
        stream.write(picture.encode())


def write_errors(path: Path, page: str) -> None:
    """Write a page of errors, which quotes the documents: only its owner can read it."""
    with whole_file(path) as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(page.encode("utf-8", "replace"))


def show_scores(result: Scores, options: ScoringOptions, seed: int) -> None:
    """Print a result as tables."""
    by, beta = options.by, options.beta
    check_section(by, result)
    say(size_in_words(result))
    print_table(*result_tables.summary_table(result, beta=beta))
    print_table(*result_tables.label_table(result.section(by), title=f"{by}, by label", beta=beta))
    if options.leaks:
        print_table(*result_tables.leak_table(leaks(result)))
    else:
        say(f"{result_tables.leaks_in_words(leaks(result))}; --leaks shows them by label")
    show_details(result, options, seed)


def show_details(result: Scores, options: ScoringOptions, seed: int) -> None:
    """Print the rows of documents and the intervals, if they were asked for."""
    if options.per_document:
        title, header, rows = result_tables.document_table(result, by=options.by, beta=options.beta)
        print_table(title, header, [(printable(name), *cells) for name, *cells in rows])
    found = _intervals(result, options, seed)
    if found is not None:
        print_table(*result_tables.interval_table(found))


def size_in_words(result: Scores) -> str:
    """Return the numbers of documents and tokens."""
    tokens = int(result.tokens.sum())
    return f"{counted(len(result.ids), 'document')}, {counted(tokens, 'token')}"


def scores_as_json(result: Scores, options: ScoringOptions, seed: int) -> dict[str, Any]:
    """Return a result for JSON output."""
    return result_json.scores_json(
        result,
        beta=options.beta,
        per_document=options.per_document,
        intervals=_intervals(result, options, seed),
    )


def _intervals(
    result: Scores, options: ScoringOptions, seed: int
) -> dict[str, bootstrap.SectionIntervals] | None:
    if not options.intervals:
        return None
    return bootstrap.intervals(result, rng=np.random.default_rng(seed), beta=options.beta)
