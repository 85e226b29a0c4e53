"""``lacuna evaluate``: how well and how fast a model works on annotated documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lacuna.cli.compiling import announce_compiling
from lacuna.cli.console import print_json, say
from lacuna.cli.corpora import (
    CorpusArgument,
    CorpusOptions,
    EncodingOption,
    FilterOption,
    FormatOption,
    GroupFromOption,
    JsonOption,
    LabelsOption,
    MapOption,
    reading,
)
from lacuna.cli.results import (
    BetaOption,
    ByOption,
    CategoriesOption,
    IntervalsOption,
    PerDocumentOption,
    SeedOption,
    find_categories,
    find_intervals,
    show_scores,
)
from lacuna.evaluation import json_shape
from lacuna.evaluation.error_page import error_page
from lacuna.io.corpus import Keep
from lacuna.io.writing import whole_file
from lacuna.text.document import Document


def evaluate_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    gold: CorpusArgument,
    by: ByOption = "strict",
    beta: BetaOption = 1.0,
    intervals: IntervalsOption = False,
    per_document: PerDocumentOption = False,
    categories: CategoriesOption = None,
    errors: Annotated[
        Path | None,
        typer.Option(help="Also write what was missed or invented, in context, as an HTML page."),
    ] = None,
    source_format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    label_map: MapOption = None,
    labels: LabelsOption = None,
    keep: FilterOption = Keep.ALL,
    group_from: GroupFromOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Score a model on annotated documents.

    Counted as by lacuna score. Tokens per second leave out reading, loading and compiling.
    """
    from lacuna.models.kinds import load
    from lacuna.pipeline.evaluating import evaluate

    announce_compiling()
    options = CorpusOptions(source_format, encoding, label_map, labels, keep, group_from)
    tagger = load(model)
    wrong: list[tuple[Document, Document]] = []

    def note(document: Document, found: Document) -> None:
        if errors is not None and set(document.mentions) != set(found.mentions):
            wrong.append((document, found))

    with reading(gold, options) as documents:
        result, seconds = evaluate(
            tagger,
            documents,
            categories=find_categories(categories, options),
            on_pair=note,
        )
    if errors is not None:
        with whole_file(errors) as stream:
            stream.write(error_page(wrong).encode())
    found = find_intervals(result, beta, seed) if intervals else None
    tokens = int(result.tokens.sum())
    speed = tokens / seconds if seconds else 0.0
    if as_json:
        shape = json_shape.as_json(result, beta=beta, per_document=per_document, intervals=found)
        print_json(shape | {"seconds": seconds, "tokens_per_second": speed})
    else:
        show_scores(result, by, beta, found)
        say(f"tagged in {seconds:.2f} s, {speed:,.0f} tokens/s")
