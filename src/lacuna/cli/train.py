"""``lacuna train``: learn from annotated documents."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say
from lacuna.cli.corpora import (
    CorpusOptions,
    EncodingOption,
    FilterOption,
    FormatOption,
    GroupFromOption,
    HeuristicOption,
    JsonOption,
    LabelsOption,
    MapOption,
    TaskOption,
    reading,
)
from lacuna.cli.results import CategoriesOption, find_categories
from lacuna.cli.training import Job
from lacuna.errors import ConfigError
from lacuna.io.corpus import Keep
from lacuna.text.document import Document
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.pipeline.training import Trained
    from lacuna.pipeline.tuning import Tried

MOST_NAMES = 20


def train_command(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Annotated files, folders or quoted globs."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The model file, *.lacuna.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Kind of model: crf, li, shared, split, trigram-hmm, ppm-hmm, class-hmm or dp-hmm."
            " Where not given, crf for mentions and trigram-hmm for parts of speech."
        ),
    ] = None,
    task: TaskOption = Task.NER,
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
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Train with l2 = 0.03, 0.1, 0.3 and 1 and keep what is best on --dev or --folds.",
        ),
    ] = False,
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Keep no word of the documents in the model, and no feature of fewer than three"
            " documents (groups). Who has the file can still test a word he guesses.",
        ),
    ] = False,
    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Label words that stand several times in a group (a patient) together. Trains five"
            " more models, to learn how.",
        ),
    ] = False,
    categories: CategoriesOption = None,
    rules: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With level=category: a TOML file of rules for labels, from inspect --rules, in"
            " place of learnt ones.",
        ),
    ] = None,
    pos: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="A part-of-speech model: its tags become the token column pos, which the model"
            " looks at, in training and ever after.",
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(metavar="TEXT", help="Terms of use, for the model card.")
    ] = "",
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Deals groups into folds, makes the key of --private and random beginnings.",
        ),
    ] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting; see --help-config."),
    ] = None,
    heuristic: HeuristicOption = None,
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
    from lacuna.models.base import Card
    from lacuna.models.file import write_model
    from lacuna.models.registry import DEFAULT, kind_named, load
    from lacuna.models.settings import configure, describe_config
    from lacuna.pipeline.categories import LEVEL, LEVELS, chosen_categories, split_level
    from lacuna.pipeline.part_of_speech import joined, load_pos_tagger, with_pos_column
    from lacuna.pipeline.training import TrainOptions

    kind = kind_named(model or DEFAULT[task])
    if help_config:
        settings_table = describe_config(kind.config)
        settings_table.append((LEVEL, '"label"', " | ".join(LEVELS)))
        print_table(f"settings of {kind.name}", ("setting", "default", "choices"), settings_table)
        return
    if not corpus or output is None:
        raise ConfigError("give a corpus to train on and -o for the model file")
    if folds is not None and (dev or start is not None):
        raise ConfigError("--folds goes neither with --dev nor with --from")
    if folds is not None and task is Task.POS:
        raise ConfigError("--folds does not go with --task pos")
    if tune and not dev and folds is None:
        raise ConfigError("--tune needs documents to judge by: give --dev or --folds")
    if tune and not kind.penalty:
        raise ConfigError(f"--tune chooses a penalty; a {kind.name} model has none")
    level, others = split_level(settings or [])
    if level != "category" and (categories is not None or rules is not None):
        raise ConfigError("--categories and --rules need --set level=category")
    reading_off = [] if heuristic is None else [f"heuristic={heuristic}"]
    options = CorpusOptions(source_format, encoding, label_map, labels, keep, group_from, task)
    large = chosen_categories(level, find_categories(categories, options), rules)
    announce_compiling()
    config = configure(kind.config, [*others, *reading_off])
    old = None if start is None else load(start)
    training = _read(corpus, options)
    held_out = _read(dev, options) if dev else None
    pos_tagger = None if pos is None else load_pos_tagger(pos)
    if pos_tagger is not None:
        config = with_pos_column(config)
        training = pos_tagger.find(training)
        held_out = None if held_out is None else pos_tagger.find(held_out)
    card = Card(data=_names(corpus), licence=licence)
    train_options = TrainOptions(seed, old, private, task, held_out, align, large, card)
    trained, tries = Job(training, config, folds, tune, train_options).run()
    if align and trained.interrupted:
        say("interrupted before alignment was learnt: the model does not align")
    finished = trained.model if pos_tagger is None else joined(pos_tagger, trained.model)
    digest = write_model(output, finished.store())
    _report(trained, tries, output, digest, as_json=as_json)


def _read(paths: list[str], options: CorpusOptions) -> list[Document]:
    with reading(paths, options) as documents:
        return list(documents)


def _names(paths: list[str]) -> tuple[str, ...]:
    """Return the names of files, without their folders, and of only so many."""
    names = [Path(path).name or path for path in paths[:MOST_NAMES]]
    more = len(paths) - len(names)
    return (*names, f"and {more} more") if more else tuple(names)


def _report(
    trained: Trained, tries: Sequence[Tried[object]], output: Path, digest: str, *, as_json: bool
) -> None:
    judged = "F1" if trained.model.task is Task.NER else "accuracy"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for what, count in trained.left_out.items():
        say(f"left out, the model cannot express it: {count:,} mentions {what}")
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
                f"dev_{judged.lower()}": trained.dev_f1,
                "config": trained.model.config,
                "tried": [{"config": tried.config, "f1": tried.f1} for tried in tries],
                "left_out": trained.left_out,
                "peak_memory_mb": round(peak, 1),
            }
        )
        return
    dev = "" if trained.dev_f1 is None else f", dev {judged} {trained.dev_f1:.4f}"
    say(
        f"{trained.tokens:,} tokens, {trained.parameters:,} weights, {trained.iterations}"
        f" iterations, {trained.seconds:.1f} s{dev} → {output}"
    )
