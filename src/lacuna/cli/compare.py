"""``lacuna compare``: train and score several kinds of models on the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lacuna.cli.console import (
    announce_compiling,
    print_json,
    print_table,
    printable,
    say,
    step_progress,
)
from lacuna.cli.corpora import CorpusOptions, JsonOption, reading
from lacuna.cli.option_records import only
from lacuna.errors import ConfigError
from lacuna.evaluation.result_json import counts_json
from lacuna.io.corpus import STANDARD_INPUT
from lacuna.text.document import Document

if TYPE_CHECKING:
    from lacuna.models.settings import Settings
    from lacuna.pipeline.comparing import Compared
    from lacuna.pipeline.training_records import Progress

HEADER = ("model", "f1", "precision", "recall", "training s", "tokens/s", "MB")


def compare_command(
    train: Annotated[str, typer.Argument(help="Documents to train on: file, folder or glob.")],
    test: Annotated[str, typer.Argument(help="Documents to score on.")],
    models: Annotated[
        str, typer.Option(metavar="A,B", help="Kinds of models to compare, or all.")
    ] = "all",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="MODEL.KEY=VALUE",
            help="A setting of one model; see lacuna train --model MODEL --help-config.",
        ),
    ] = None,
    switches: Annotated[
        bool, typer.Option("--switches", help="Also a row for each switch of a model, turned.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    *,
    options: Annotated[
        CorpusOptions,
        only("format", "encoding", "columns", "label_map", "labels", "keep", "group_from"),
    ],
    as_json: JsonOption = False,
) -> None:
    """Train every kind of model and compare them.

    Prints strict F1, precision, recall, training time, speed and size in one table. Times exclude
    reading, loading and compiling. If a model fails, its row gives the reason, the others go on,
    and the exit code is 1.

    With --switches there are also rows such as "crf lexicon=false".

    Example: lacuna compare train/ test/ --models crf,ppm-hmm --set crf.iterations=60
    """
    from lacuna.pipeline.comparing import chosen_configs
    from lacuna.pipeline.training import check_mentions
    from lacuna.pipeline.training_records import TrainOptions

    if train == test == STANDARD_INPUT:
        raise ConfigError("standard input can be read only once; give a file")
    configs = chosen_configs(models, settings or [], switches=switches)
    announce_compiling()
    training, held_out = _read(train, options), _read(test, options)
    check_mentions(training, TrainOptions())
    rows = _rows(training, held_out, configs, seed)
    ranked = sorted(rows, key=lambda row: -_f1(row))
    if as_json:
        sizes = {"training_documents": len(training), "test_documents": len(held_out)}
        print_json(sizes | {"models": [_json(row) for row in ranked]})
    else:
        _show(ranked)
    if any(row.measured is None for row in rows):
        raise typer.Exit(1)


def _rows(
    training: list[Document], held_out: list[Document], configs: Mapping[str, Settings], seed: int
) -> list[Compared]:
    """Train and score all models, with a progress bar and a line for each."""
    from lacuna.pipeline.comparing import compare

    rows = []
    with step_progress("preparing") as update:

        def show(name: str, progress: Progress) -> None:
            step, steps = progress.iteration, progress.iterations
            update(f"{name}: iteration {step} of up to {steps}", step, steps, "")

        for row in compare(training, held_out, configs, seed=seed, on_progress=show):
            rows.append(row)
            _say(row)
    return rows


def _read(path: str, options: CorpusOptions) -> list[Document]:
    with reading([path], options) as documents:
        found = list(documents)
    if not found:
        raise ConfigError(f"{path}: there are no documents")
    return found


def _f1(row: Compared) -> float:
    return -1.0 if row.measured is None else row.measured.scores.section("strict").micro.f1


def _say(row: Compared) -> None:
    if row.measured is None:
        say(f"{row.model}: failed: {printable(row.error)}")
    else:
        say(f"{row.model}: F1 {_f1(row):.4f}, trained in {row.measured.training_seconds:.1f} s")


def _json(row: Compared) -> dict[str, Any]:
    if row.measured is None:
        return {"model": row.model, "error": row.error}
    return {
        "model": row.model,
        **counts_json(row.measured.scores.section("strict").micro),
        "training_seconds": row.measured.training_seconds,
        "seconds": row.measured.tagging_seconds,
        "tokens_per_second": row.measured.tokens_per_second,
        "bytes": row.measured.size,
    }


def _show(rows: Sequence[Compared]) -> None:
    print_table("models compared", HEADER, [_cells(row) for row in rows])


def _cells(row: Compared) -> tuple[str, ...]:
    if row.measured is None:
        return (f"{row.model}: {printable(row.error)}", *[""] * (len(HEADER) - 1))
    found = row.measured.scores.section("strict").micro
    return (
        row.model,
        *(f"{value:.4f}" for value in (found.f1, found.precision, found.recall)),
        f"{row.measured.training_seconds:.1f}",
        f"{row.measured.tokens_per_second:,.0f}",
        f"{row.measured.size / 1e6:.1f}",
    )
