"""Scores on the screen: what ``score`` and ``evaluate`` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from lacuna.cli.console import print_table, say
from lacuna.cli.corpora import CorpusOptions
from lacuna.errors import ConfigError
from lacuna.evaluation import bootstrap, report
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.scores import Scores
from lacuna.io.label_map import read_label_map

ByOption = Annotated[
    str, typer.Option("--by", metavar="SECTION", help="Way of counting for the table by label.")
]
BetaOption = Annotated[float, typer.Option("--beta", min=0.01, help="Also show F-beta.")]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals", help="95 % bootstrap intervals over groups.")
]
PerDocumentOption = Annotated[
    bool, typer.Option("--per-document", help="With --json: a row for every document.")
]
CategoriesOption = Annotated[
    Path | None,
    typer.Option(
        "--categories",
        metavar="FILE",
        help="TOML map label → large category, under [categories] or not.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="For resampling.")]


def find_categories(path: Path | None, options: CorpusOptions) -> Mapping[str, str] | None:
    """Return label → category from --categories (a map with or without the table) or --map."""
    if path is None:
        return options.read_map().categories or None
    table = read_label_map(path)
    return table.categories or table.names


def find_intervals(result: Scores, beta: float, seed: int) -> dict[str, bootstrap.SectionIntervals]:
    """Return bootstrap intervals of every figure."""
    return bootstrap.intervals(result, rng=np.random.default_rng(seed), beta=beta)


def check_section(name: str, result: Scores) -> None:
    """Refuse a way of counting that the result does not have."""
    if name not in result.tables:
        raise ConfigError(f"unknown section {name!r}; known are {', '.join(result.tables)}")


def show_scores(
    result: Scores, by: str, beta: float, found: dict[str, bootstrap.SectionIntervals] | None
) -> None:
    """Print a result as tables."""
    check_section(by, result)
    say(f"{len(result.ids):,} documents, {int(result.tokens.sum()):,} tokens")
    print_table(*report.summary_table(result, beta=beta))
    print_table(*report.label_table(result.section(by), title=f"{by}, by label", beta=beta))
    print_table(*report.leak_table(leaks(result)))
    if found is not None:
        print_table(*report.interval_table(found))
