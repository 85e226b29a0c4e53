"""Options and output that ``score`` and ``evaluate`` share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lacuna.cli.console import print_table, printable, say
from lacuna.cli.corpora import CorpusOptions
from lacuna.errors import ConfigError
from lacuna.evaluation import bootstrap, result_json, result_tables
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.scores import Scores
from lacuna.io.label_map import BUNDLED, bundled_categories, read_label_map
from lacuna.io.writing import whole_file

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


def write_picture(path: Path, picture: str) -> None:
    """Write an SVG file, whole or not at all."""
    with whole_file(path) as stream:
        stream.write(picture.encode())


def show_scores(result: Scores, options: ScoringOptions, seed: int) -> None:
    """Print a result as tables."""
    by, beta = options.by, options.beta
    check_section(by, result)
    found = _intervals(result, options, seed)
    say(f"{len(result.ids):,} documents, {int(result.tokens.sum()):,} tokens")
    print_table(*result_tables.summary_table(result, beta=beta))
    print_table(*result_tables.label_table(result.section(by), title=f"{by}, by label", beta=beta))
    if options.per_document:
        title, header, rows = result_tables.document_table(result, by=by, beta=beta)
        print_table(title, header, [(printable(name), *cells) for name, *cells in rows])
    print_table(*result_tables.leak_table(leaks(result)))
    if found is not None:
        print_table(*result_tables.interval_table(found))


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
