"""``lacuna evaluate``: scores and speed of a model on annotated documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import CorpusArgument, CorpusOptions, JsonOption, ModelOptions, reading
from lacuna.cli.option_records import only
from lacuna.cli.results import (
    CategoriesOption,
    ScoringOptions,
    SeedOption,
    SvgOption,
    find_categories,
    scores_as_json,
    show_scores,
    write_picture,
)
from lacuna.evaluation.mention_errors import OutcomeCounter
from lacuna.io.writing import whole_file
from lacuna.pictures.error_page import error_page
from lacuna.pictures.outcome_chart import outcome_chart
from lacuna.text.document import Document
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.models.trigram_hmm.pos import PosTagger


def evaluate_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    gold: CorpusArgument,
    *,
    scoring: ScoringOptions,
    categories: CategoriesOption = None,
    svg: SvgOption = None,
    errors: Annotated[
        Path | None, typer.Option(help="Also write an HTML page of all errors in context.")
    ] = None,
    corpus: Annotated[
        CorpusOptions, only("format", "encoding", "label_map", "labels", "keep", "group_from")
    ],
    seed: SeedOption = 0,
    opening: ModelOptions,
    as_json: JsonOption = False,
) -> None:
    """Score a model on annotated documents.

    The sections are those of lacuna score. Tokens per second exclude reading, loading and
    compiling. For a part-of-speech model the accuracy is shown, on words known from training and
    on others.

    Example: lacuna evaluate names.lacuna test/ --intervals
    """
    from lacuna.pipeline.evaluating import evaluate

    announce_compiling()
    tagger = opening.load(model)
    options = replace(corpus, task=tagger.task)
    if tagger.task is Task.POS:
        _evaluate_pos(cast("PosTagger", tagger), gold, options, as_json=as_json)
        return
    pictures = _Pictures(svg, errors)
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


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The files of ``--svg`` and ``--errors``, collected while documents are tagged."""

    svg: Path | None
    errors: Path | None
    outcomes: OutcomeCounter = field(default_factory=OutcomeCounter)
    wrong: list[tuple[Document, Document]] = field(default_factory=list)

    def note(self, gold: Document, found: Document) -> None:
        """Add a document, given what was found in it."""
        if self.svg is not None:
            self.outcomes.add(gold, found)
        if self.errors is not None and set(gold.mentions) != set(found.mentions):
            self.wrong.append((gold, found))

    def write(self) -> None:
        """Write the files."""
        if self.errors is not None:
            with whole_file(self.errors) as stream:
                stream.write(error_page(self.wrong).encode())
        if self.svg is not None:
            write_picture(self.svg, outcome_chart(self.outcomes.rows()))


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
