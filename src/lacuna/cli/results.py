"""Scores on the screen: what ``score`` and ``evaluate`` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from lacuna.cli.console import print_table, printable, say
from lacuna.cli.corpora import CorpusOptions
from lacuna.errors import ConfigError
from lacuna.evaluation import bootstrap, report
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.scores import Scores
from lacuna.io.label_map import BUNDLED, bundled_categories, read_label_map
from lacuna.io.writing import whole_file

ByOption = Annotated[
    str, typer.Option("--by", metavar="SECTION", help="Way of counting for the table by label.")
]
BetaOption = Annotated[float, typer.Option("--beta", min=0.01, help="Also show F-beta.")]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals", help="95 % bootstrap intervals over groups.")
]
PerDocumentOption = Annotated[
    bool, typer.Option("--per-document", help="Also a row for every document, and their mean.")
]
CategoriesOption = Annotated[
    str | None,
    typer.Option(
        "--categories",
        metavar="NAME|FILE",
        help=f"Large category of each label: {' or '.join(BUNDLED)}, or a TOML file of"
        ' label = "CATEGORY", under [categories] or not.',
    ),
]
SvgOption = Annotated[
    Path | None,
    typer.Option(
        "--svg",
        metavar="FILE",
        help="Also draw what share of each label was found, wrong, missed and invented.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="For resampling.")]


def find_categories(source: str | None, options: CorpusOptions) -> Mapping[str, str] | None:
    """Return label → category from --categories (a map with or without the table) or --map."""
    if source is None:
        return options.read_map().categories or None
    if source in BUNDLED:
        return bundled_categories(source)
    table = read_label_map(Path(source))
    return table.categories or table.names


def find_intervals(result: Scores, beta: float, seed: int) -> dict[str, bootstrap.SectionIntervals]:
    """Return bootstrap intervals of every figure."""
    return bootstrap.intervals(result, rng=np.random.default_rng(seed), beta=beta)


def check_section(name: str, result: Scores) -> None:
    """Refuse a way of counting that the result does not have."""
    if name not in result.tables:
        raise ConfigError(f"unknown section {name!r}; known are {', '.join(result.tables)}")


def write_picture(path: Path, picture: str) -> None:
    """Write an SVG file, whole or not at all."""
    with whole_file(path) as stream:
        stream.write(picture.encode())


def show_scores(
    result: Scores,
    by: str,
    beta: float,
    found: dict[str, bootstrap.SectionIntervals] | None,
    *,
    per_document: bool,
) -> None:
    """Print a result as tables."""
    check_section(by, result)
    say(f"{len(result.ids):,} documents, {int(result.tokens.sum()):,} tokens")
    print_table(*report.summary_table(result, beta=beta))
    print_table(*report.label_table(result.section(by), title=f"{by}, by label", beta=beta))
    if per_document:
        title, header, rows = report.document_table(result, by=by, beta=beta)
        print_table(title, header, [(printable(name), *cells) for name, *cells in rows])
    print_table(*report.leak_table(leaks(result)))
    if found is not None:
        print_table(*report.interval_table(found))
