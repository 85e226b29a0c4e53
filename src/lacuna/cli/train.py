"""``lacuna train``: learn from annotated documents."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, say, stderr
from lacuna.cli.corpora import (
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
from lacuna.errors import ConfigError
from lacuna.io.corpus import Keep

if TYPE_CHECKING:
    from lacuna.pipeline.training import Progress, Trained


def train_command(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Annotated files, folders or quoted globs."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The model file, *.lacuna.")
    ] = None,
    model: Annotated[str, typer.Option(help="Kind of model.")] = "crf",
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Documents to judge by: training stops when it no longer helps there."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--from", metavar="MODEL", help="A model to adapt to these documents."),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Without --dev: score by so many folds, whole groups left out, and train on all"
            " for as long as served best there.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="How groups are dealt into folds.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting; see --help-config."),
    ] = None,
    help_config: Annotated[
        bool, typer.Option("--help-config", help="List the settings of the model and leave.")
    ] = False,
    source_format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    label_map: MapOption = None,
    labels: LabelsOption = None,
    keep: FilterOption = Keep.ALL,
    group_from: GroupFromOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train a model on annotated documents.

    Ctrl-C ends training and keeps the best model so far.

    Example: lacuna train notes/ -o names.lacuna --dev more-notes/
    """
    from lacuna.models.kinds import kind_named, load
    from lacuna.models.storage import write_model
    from lacuna.pipeline.cross_validation import cross_validate
    from lacuna.pipeline.settings import configure, describe_config
    from lacuna.pipeline.training import train

    kind = kind_named(model)
    if help_config:
        print_table(f"settings of {model}", ("setting", "default"), describe_config(kind.config))
        return
    if not corpus or output is None:
        raise ConfigError("give a corpus to train on and -o for the model file")
    config = configure(kind.config, settings or [])
    options = CorpusOptions(source_format, encoding, label_map, labels, keep, group_from)
    with reading(corpus, options) as documents:
        training = list(documents)
    held_out = None
    if dev:
        with reading(dev, options) as documents:
            held_out = list(documents)
    if folds is not None and (held_out is not None or start is not None):
        raise ConfigError("--folds goes neither with --dev nor with --from")
    old = None if start is None else load(start)
    scores = None
    with stderr.status("training …") as status:

        def show(progress: Progress) -> None:
            status.update(_line(progress))

        if folds is not None:
            rng = np.random.default_rng(seed)
            scores, config = cross_validate(training, config, folds, rng=rng, on_progress=show)
        trained = train(training, config, dev=held_out, start=old, on_progress=show)
    digest = write_model(output, trained.model.store())
    if scores is not None:
        trained = replace(trained, dev_f1=scores.section("strict").micro.f1)
    _report(trained, output, digest, as_json=as_json)


def _line(progress: Progress) -> str:
    dev = "" if progress.dev_f1 is None else f", dev F1 {progress.dev_f1:.4f}"
    return (
        f"iteration {progress.iteration} of at most {progress.iterations},"
        f" objective {progress.objective:,.1f}{dev}, {progress.seconds:.1f} s"
    )


def _report(trained: Trained, output: Path, digest: str, *, as_json: bool) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for what, count in trained.left_out.items():
        say(f"left out, one tag per token cannot express it: {count:,} mentions {what}")
    if as_json:
        print_json(
            {
                "model": str(output),
                "sha256": digest,
                "seconds": trained.seconds,
                "tokens": trained.tokens,
                "sentences": trained.sentences,
                "iterations": trained.iterations,
                "parameters": trained.parameters,
                "objective": trained.objective,
                "dev_f1": trained.dev_f1,
                "left_out": trained.left_out,
                "peak_memory_mb": round(peak, 1),
            }
        )
        return
    dev = "" if trained.dev_f1 is None else f", dev F1 {trained.dev_f1:.4f}"
    say(
        f"{trained.tokens:,} tokens, {trained.parameters:,} weights, {trained.iterations}"
        f" iterations, {trained.seconds:.1f} s{dev} → {output}"
    )
