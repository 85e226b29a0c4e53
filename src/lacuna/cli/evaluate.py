"""``lacuna evaluate``: how well and how fast a model works on annotated documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import (
    CorpusArgument,
    CorpusOptions,
    EncodingOption,
    FilterOption,
    FormatOption,
    GroupFromOption,
    HeuristicOption,
    JsonOption,
    LabelsOption,
    MapOption,
    ModelTaskOption,
    NoAlignOption,
    reading,
)
from lacuna.cli.results import (
    BetaOption,
    ByOption,
    CategoriesOption,
    IntervalsOption,
    PerDocumentOption,
    SeedOption,
    SvgOption,
    find_categories,
    find_intervals,
    show_scores,
    write_picture,
)
from lacuna.evaluation import json_shape
from lacuna.evaluation.shares import ShareCounter
from lacuna.io.corpus import Keep
from lacuna.io.writing import whole_file
from lacuna.pictures.error_page import error_page
from lacuna.pictures.shares_chart import shares_chart
from lacuna.text.document import Document
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.models.trigram_hmm.pos import PosTagger


def evaluate_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    gold: CorpusArgument,
    by: ByOption = "strict",
    beta: BetaOption = 1.0,
    intervals: IntervalsOption = False,
    per_document: PerDocumentOption = False,
    categories: CategoriesOption = None,
    svg: SvgOption = None,
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
    no_align: NoAlignOption = False,
    heuristic: HeuristicOption = None,
    task: ModelTaskOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score a model on annotated documents.

    Counted as by lacuna score. Tokens per second leave out reading, loading and compiling. Of a
    part-of-speech model the accuracy is shown, of words known from training and of others.
    """
    from lacuna.models.registry import load
    from lacuna.pipeline.evaluating import evaluate

    announce_compiling()
    tagger = load(model, task=task, align=not no_align, heuristic=heuristic)
    options = CorpusOptions(
        source_format, encoding, label_map, labels, keep, group_from, tagger.task
    )
    if tagger.task is Task.POS:
        _evaluate_pos(cast("PosTagger", tagger), gold, options, as_json=as_json)
        return
    wrong: list[tuple[Document, Document]] = []

    shares = ShareCounter()

    def note(document: Document, found: Document) -> None:
        if svg is not None:
            shares.add(document, found)
        if errors is not None and set(document.mentions) != set(found.mentions):
            wrong.append((document, found))

    with reading(gold, options) as documents:
        result, seconds = evaluate(
            tagger,
            documents,
            categories=find_categories(categories, options),
            labels=options.label_set(),
            on_pair=note,
        )
    if errors is not None:
        with whole_file(errors) as stream:
            stream.write(error_page(wrong).encode())
    if svg is not None:
        write_picture(svg, shares_chart(shares.rows()))
    found = find_intervals(result, beta, seed) if intervals else None
    tokens = int(result.tokens.sum())
    speed = tokens / seconds if seconds else 0.0
    if as_json:
        shape = json_shape.as_json(result, beta=beta, per_document=per_document, intervals=found)
        print_json(shape | {"seconds": seconds, "tokens_per_second": speed})
    else:
        show_scores(result, by, beta, found, per_document=per_document)
        say(f"tagged in {seconds:.2f} s, {speed:,.0f} tokens/s")


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
