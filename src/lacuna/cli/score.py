"""``lacuna score``: a prediction against gold, two predictions, or two annotators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import CorpusOptions, JsonOption, reading
from lacuna.cli.option_records import only
from lacuna.cli.results import (
    CategoriesOption,
    ErrorsOption,
    Pictures,
    ScoringOptions,
    SeedOption,
    SvgOption,
    check_section,
    find_categories,
    scores_as_json,
    show_scores,
)
from lacuna.errors import ConfigError
from lacuna.evaluation import result_json, result_tables
from lacuna.evaluation.annotator_agreement import agreement
from lacuna.evaluation.pairing import pair
from lacuna.evaluation.scores import Scores, score
from lacuna.evaluation.significance import compare_systems
from lacuna.io.corpus import STANDARD_INPUT
from lacuna.text.plurals import counted


def score_command(
    gold: Annotated[str, typer.Argument(help="Gold annotations: file, folder, glob or '-'.")],
    predicted: Annotated[str, typer.Argument(help="Predicted annotations of the same texts.")],
    *,
    against: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="A second prediction, to test if the two differ."),
    ] = None,
    annotators: Annotated[
        bool,
        typer.Option("--agreement", help="Show the agreement of two annotators instead of scores."),
    ] = False,
    scoring: ScoringOptions,
    svg: SvgOption = None,
    errors: ErrorsOption = None,
    categories: CategoriesOption = None,
    options: Annotated[
        CorpusOptions, only("format", "encoding", "columns", "label_map", "labels", "group_from")
    ],
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Score a prediction against gold, or compare two annotators.

    Sections: strict (same label, same characters), relaxed (same label, a shared character), token
    (tokens by label), binary (tokens, any label), discontiguous and overlapping (strict, only such
    mentions). The error rate is the number of spurious or wrong mentions per gold mention. A
    section without any mention has no figures. --errors shows where two annotators differ.

    Documents are paired by id, or by position if the ids differ and the texts are equal.

    Example: lacuna score gold/ found.jsonl --by token
    """
    _check_standard_input(gold, predicted, against)
    pictures = Pictures(svg, errors)
    if annotators:
        if against is not None or svg is not None:
            raise ConfigError("--agreement cannot be combined with --against or --svg")
        _show_agreement(gold, predicted, options, pictures, as_json=as_json)
        return
    by_category = find_categories(categories, options)
    result = score_corpora(gold, predicted, options, by_category, pictures)
    check_section(scoring.by, result)
    pictures.write()
    if against is not None:
        other = score_corpora(gold, against, options, by_category)
        _show_comparison(result, other, scoring, seed, as_json=as_json)
    elif as_json:
        print_json(scores_as_json(result, scoring, seed))
    else:
        show_scores(result, scoring, seed)


def score_corpora(
    gold: str,
    predicted: str,
    options: CorpusOptions,
    categories: Mapping[str, str] | None = None,
    pictures: Pictures | None = None,
) -> Scores:
    """Read and score two corpora; also collect what `pictures` need."""
    with reading([gold], options) as left, reading([predicted], options) as right:
        pairs = pair(left, right)
        return score(pairs if pictures is None else pictures.noting(pairs), categories=categories)


def _check_standard_input(gold: str, predicted: str, against: str | None) -> None:
    read = [gold, predicted] if against is None else [gold, predicted, gold, against]
    if read.count(STANDARD_INPUT) > 1:
        raise ConfigError("standard input can be read only once; give a file")


def _show_comparison(
    first: Scores, second: Scores, scoring: ScoringOptions, seed: int, *, as_json: bool
) -> None:
    rng = np.random.default_rng(seed)
    found = compare_systems(first, second, rng=rng, section=scoring.by, beta=scoring.beta)
    if as_json:
        print_json(result_json.comparison_json(found))
    else:
        print_table(*result_tables.comparison_table(found))


def _show_agreement(
    first: str, second: str, options: CorpusOptions, pictures: Pictures, *, as_json: bool
) -> None:
    with reading([first], options) as left, reading([second], options) as right:
        found = agreement(pictures.noting(pair(left, right)))
    pictures.write()
    if as_json:
        print_json(result_json.agreement_json(found))
        return
    say(f"{counted(found.documents, 'document')}, {counted(found.tokens, 'token')}")
    print_table(*result_tables.agreement_table(found))
    print_table(*result_tables.disagreement_table(found))
