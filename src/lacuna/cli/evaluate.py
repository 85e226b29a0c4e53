"""``lacuna evaluate``: scores of a model, or of all of ``deid``, on annotated documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import CorpusOptions, JsonOption, ModelOptions, reading
from lacuna.cli.detector_options import DetectorOptions
from lacuna.cli.evaluate_pipeline import PipelineOptions, evaluate_pipeline
from lacuna.cli.option_records import only
from lacuna.cli.results import (
    CategoriesOption,
    ErrorsOption,
    Pictures,
    ScoringOptions,
    SeedOption,
    SvgOption,
    find_categories,
    scores_as_json,
    show_scores,
)
from lacuna.errors import ConfigError
from lacuna.models.bundled import model_path
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.evaluation.scores import Scores
    from lacuna.models.trigram_hmm.pos import PosTagger

MODEL_SUFFIX = ".lacuna"


def evaluate_command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] CORPUS",
            help="A model file, *.lacuna, or the name of a bundled model, optional with --pipeline;"
            " then annotated documents: files, folders or quoted glob patterns; '-' is standard"
            " input.",
        ),
    ],
    *,
    pipeline: PipelineOptions,
    detector: Annotated[
        DetectorOptions,
        only("known", "always", "never", "lists", "no_patterns", "no_second_look"),
    ],
    scoring: ScoringOptions,
    categories: CategoriesOption = None,
    svg: SvgOption = None,
    errors: ErrorsOption = None,
    corpus: Annotated[
        CorpusOptions,
        only("format", "encoding", "columns", "label_map", "labels", "keep", "group_from"),
    ],
    seed: SeedOption = 0,
    opening: ModelOptions,
    as_json: JsonOption = False,
) -> None:
    """Score a model, or with --pipeline all of deid, on annotated documents.

    The sections are those of lacuna score. Tokens per second exclude reading, loading and
    compiling. For a part-of-speech model the accuracy is shown, on words known from training and
    on others.

    With --pipeline, documents are de-identified as lacuna deid would: with the model (by default
    the bundled one), patterns, lists and the second look. What can still be read of the annotated
    identifiers is a leak. The options from --policy to --no-second-look need --pipeline.

    Example: lacuna evaluate --pipeline gold/ --errors leaks.html
    """
    pictures = Pictures(svg, errors)
    announce_compiling()
    if pipeline.pipeline:
        model, gold = _optional_model(paths)
        opened = pipeline.open(model, detector, opening)
        by_category = find_categories(categories, corpus)
        evaluate_pipeline(opened, gold, corpus, scoring, pictures, by_category, seed, as_json)
        return
    pipeline.refuse_without(detector)
    _evaluate_model(paths, corpus, scoring, pictures, categories, seed, opening, as_json)


def _optional_model(paths: list[str]) -> tuple[Path | None, list[str]]:
    """Divide the arguments of ``--pipeline``: a model, if the first is one, and documents."""
    model = model_path(paths[0])
    if model.suffix != MODEL_SUFFIX:
        return None, paths
    if not paths[1:]:
        raise ConfigError("give annotated documents to score on")
    return model, paths[1:]


def _evaluate_model(
    paths: list[str],
    corpus: CorpusOptions,
    scoring: ScoringOptions,
    pictures: Pictures,
    categories: str | None,
    seed: int,
    opening: ModelOptions,
    as_json: bool,
) -> None:
    from lacuna.pipeline.evaluating import evaluate

    model, *gold = paths
    if not gold:
        raise ConfigError(
            "give a model and annotated documents; --pipeline needs no model: it scores what"
            " lacuna deid does by default"
        )
    tagger = opening.load(model_path(model))
    options = replace(corpus, task=tagger.task)
    if tagger.task is Task.POS:
        _evaluate_pos(cast("PosTagger", tagger), gold, options, as_json=as_json)
        return
    with reading(gold, options) as documents:
        result, seconds = evaluate(
            tagger,
            documents,
            categories=find_categories(categories, options),
            labels=options.label_set(),
            on_pair=pictures.note,
        )
    pictures.write()
    speed = int(result.tokens.sum()) / seconds if seconds else 0.0
    if as_json:
        figures = {"seconds": seconds, "tokens_per_second": speed}
        print_json(scores_as_json(result, scoring, seed) | figures)
    else:
        show_scores(result, scoring, seed)
        say(f"tagged in {seconds:.2f} s, {speed:,.0f} tokens/s")
    _hint_at_patterns(result)


def _hint_at_patterns(result: Scores) -> None:
    """Say that patterns find what the model does not."""
    from lacuna.deid.patterns import PATTERN_LABELS

    counts = result.section("strict").labels
    never = [name for name in PATTERN_LABELS if name in counts and counts[name].gold]
    never = sorted(name for name in never if not counts[name].tp)
    if never:
        say(
            f"hint: recall is 0 for {', '.join(never)}: lacuna deid finds such identifiers with"
            " patterns; lacuna evaluate --pipeline scores model and patterns together"
        )


def _evaluate_pos(
    model: PosTagger, gold: list[str], options: CorpusOptions, *, as_json: bool
) -> None:
    from lacuna.pipeline.evaluating import evaluate_pos

    with reading(gold, options) as documents:
        found, seconds = evaluate_pos(model, documents)
    speed = found.tokens / seconds if seconds else 0.0
    if as_json:
        shares = {name: getattr(found, name) for name in ("accuracy", "known", "unknown")}
        figures = {"tokens": found.tokens, "seconds": seconds, "tokens_per_second": speed}
        print_json(shares | figures)
        return
    rows = [
        ("all words", f"{found.tokens:,}", f"{found.accuracy:.4f}"),
        ("known words", f"{found.known_tokens:,}", f"{found.known:.4f}"),
        ("unknown words", f"{found.unknown_tokens:,}", f"{found.unknown:.4f}"),
    ]
    print_table("parts of speech", ("", "tokens", "accuracy"), rows)
    say(f"tagged in {seconds:.2f} s, {speed:,.0f} tokens/s")
