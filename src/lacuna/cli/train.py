"""``lacuna train``: train a model on annotated documents."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from lacuna.cli.console import announce_compiling, print_json, say, stdout
from lacuna.cli.corpora import CorpusOptions, HeuristicOption, JsonOption, TaskOption, reading
from lacuna.cli.option_records import only
from lacuna.cli.results import CategoriesOption, find_categories
from lacuna.cli.training import Job, stopped_by_interrupt
from lacuna.errors import ConfigError
from lacuna.io.corpus import Keep
from lacuna.models.bundled import model_path
from lacuna.models.registry import DEFAULT, Kind, kind_named, kind_of, trainable
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.types import Task

if TYPE_CHECKING:
    from lacuna.models.base import Tagger
    from lacuna.models.settings import Settings
    from lacuna.pipeline.categories import Categories
    from lacuna.pipeline.training_records import Trained, Unreviewed
    from lacuna.pipeline.tuning import Tried

MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which kind of model to train, and for which task."""

    model: Annotated[
        str | None,
        typer.Option(
            help=f"Kind of model: {', '.join(trainable())}. By default {DEFAULT[Task.NER]} for"
            f" mentions and {DEFAULT[Task.POS]} for parts of speech."
        ),
    ] = None
    task: TaskOption = Task.NER

    def kind(self) -> Kind:
        """Return the kind of model."""
        return kind_named(self.model or DEFAULT[self.task])


@dataclass(frozen=True, slots=True)
class Training:
    """How to train."""

    dev: Annotated[
        list[str] | None,
        typer.Option(
            help="Held-out documents: training stops when the score on them no longer improves."
        ),
    ] = None
    raw: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RAW",
            help="Documents without annotations to learn from too; annotations in them are"
            " ignored. For class-hmm, dp-hmm and trigram-hmm.",
        ),
    ] = None
    start: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="MODEL",
            parser=model_path,
            help="A model to adapt to these documents. Its caution stays unless it is set.",
        ),
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Without --dev: score by cross-validation with this number of folds, which keep"
            " groups together, then train on all documents for as many iterations as was best.",
        ),
    ] = None
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Train with l2 = 0.03, 0.1, 0.3 and 1 and keep the best on --dev or --folds.",
        ),
    ] = False
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Keep no word of the documents in the model, and no feature of fewer than three"
            " documents (groups). Whoever has the file can still test guessed words.",
        ),
    ] = False
    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Label words that occur several times in a group (a patient) together. Trains"
            " five more models.",
        ),
    ] = False
    categories: CategoriesOption = None
    rules: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With level=category: a TOML file of rules, as written by inspect --rules, in"
            " place of learnt ones.",
        ),
    ] = None
    pos: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="A part-of-speech model: its tags become the token column pos, a feature in"
            " training and tagging.",
        ),
    ] = None
    licence: Annotated[
        str, typer.Option(metavar="TEXT", help="Terms of use, for the model card.")
    ] = ""
    seed: Annotated[
        int,
        typer.Option(min=0, help="Random seed of folds, random starts and the key of --private."),
    ] = 0
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting; see --help-config."),
    ] = None
    heuristic: HeuristicOption = None

    def check(self, kind: Kind, task: Task) -> None:
        """Refuse options that contradict one another."""
        if self.raw:
            kind.check_raw()
        if self.folds is not None and (self.dev or self.start is not None):
            raise ConfigError("--folds cannot be combined with --dev or --from")
        if self.folds is not None and task is Task.POS:
            raise ConfigError("--folds cannot be combined with --task pos")
        if self.tune and not self.dev and self.folds is None:
            raise ConfigError("--tune needs held-out documents: give --dev or --folds")
        if self.tune and not kind.penalty:
            raise ConfigError(f"--tune chooses a penalty; a {kind.name} model has none")

    def configured(
        self, kind: Kind, corpus: CorpusOptions, old: Tagger | None
    ) -> tuple[Settings, Categories | None]:
        """Return the settings of the model, and the large categories to train on.

        An adapted model keeps the caution of the `old` one unless it is set.
        """
        from lacuna.models.settings import configure
        from lacuna.pipeline.categories import chosen_categories, split_level

        level, others = split_level(self.settings or [])
        if level != "category" and (self.categories is not None or self.rules is not None):
            raise ConfigError("--categories and --rules need --set level=category")
        large = chosen_categories(level, find_categories(self.categories, corpus), self.rules)
        decoding = [] if self.heuristic is None else [f"heuristic={self.heuristic}"]
        caution = getattr(old.config, "caution", 0.0) if old is not None and kind.adapt else 0.0
        kept = [f"caution={caution!r}"] if caution else []
        return configure(kind.config, [*kept, *others, *decoding]), large


def train_command(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Annotated files, folders or quoted globs."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The model file, *.lacuna.")
    ] = None,
    *,
    choice: ModelChoice,
    training: Training,
    help_config: Annotated[
        bool, typer.Option("--help-config", help="Explain the settings of the model and exit.")
    ] = False,
    reading_options: Annotated[
        CorpusOptions,
        only("format", "encoding", "columns", "label_map", "labels", "keep", "group_from"),
    ],
    as_json: JsonOption = False,
) -> None:
    """Train a model on annotated documents.

    Of documents that were reviewed in part ("reviewed" in jsonl), only that part counts, also in
    scores on --dev and --folds. Ctrl-C ends training and keeps the best model so far.

    Example: lacuna train notes/ -o names.lacuna --dev more-notes/
    """
    from lacuna.models.answers import with_answers
    from lacuna.models.file import write_model

    kind = choice.kind()
    if help_config:
        _show_settings(kind)
        return
    if not corpus or output is None:
        raise ConfigError("give a corpus to train on and -o for the model file")
    training.check(kind, choice.task)
    options = replace(reading_options, task=choice.task)
    with stopped_by_interrupt() as stop:
        trained, tries = _train(corpus, kind, training, options, stop)
    digest = write_model(output, with_answers(trained.model.store()))
    _report(trained, tries, output, digest, as_json=as_json)


def _train(
    corpus: list[str], kind: Kind, training: Training, options: CorpusOptions, stop: Event
) -> tuple[Trained, Sequence[Tried[object]]]:
    """Read the documents and train the model, with its part-of-speech tagger if there is one."""
    from lacuna.models.base import Card
    from lacuna.models.registry import load
    from lacuna.pipeline.part_of_speech import joined, load_pos_tagger, with_pos_column
    from lacuna.pipeline.training_records import TrainOptions

    announce_compiling()
    old = None if training.start is None else load(training.start)
    config, large = training.configured(kind, options, old)
    documents = _read(corpus, options)
    dev = _read(training.dev, options) if training.dev else None
    raw = _read(training.raw, options, tagged=False) if training.raw else []
    pos_tagger = None if training.pos is None else load_pos_tagger(training.pos)
    if pos_tagger is not None:
        config = with_pos_column(config)
        documents = pos_tagger.find(documents)
        dev = None if dev is None else pos_tagger.find(dev)
    how = TrainOptions(
        seed=training.seed,
        start=old,
        private=training.private,
        task=options.task,
        dev=dev,
        align=training.align,
        categories=large,
        raw=raw,
        card=Card(data=_names([*corpus, *(training.raw or ())]), licence=training.licence),
        stop=stop,
    )
    trained, tries = Job(documents, config, training.folds, training.tune, how).run()
    if trained.interrupted and not trained.iterations:
        raise KeyboardInterrupt  # nothing was learnt
    if trained.interrupted:
        say("interrupted: keeping the best model so far" + " without alignment" * training.align)
    if pos_tagger is not None:
        trained = replace(trained, model=joined(pos_tagger, trained.model))
    return trained, tries


def _show_settings(kind: Kind) -> None:
    """Print every setting with its default, the values that it allows, and what it means."""
    from lacuna.models.setting_help import describe_settings
    from lacuna.pipeline.categories import LEVEL_HELP

    stdout.print(f"Settings of {kind.name}: lacuna train --model {kind.name} --set NAME=VALUE\n")
    for setting in (*describe_settings(kind.config), LEVEL_HELP):
        name, default = escape(setting.name), escape(setting.default)
        stdout.print(f"[bold]{name}[/] = {default}  [dim]({escape(setting.allowed)})[/]")
        stdout.print(Padding(escape(setting.meaning), (0, 0, 1, 4), expand=False))


def _read(paths: list[str], options: CorpusOptions, *, tagged: bool = True) -> list[Document]:
    if not tagged:  # all documents, whatever is annotated there
        options = replace(options, keep=Keep.ALL, labels=None, label_map=None)
    with reading(paths, options, tagged=tagged) as documents:
        return list(documents)


def _names(paths: list[str]) -> tuple[str, ...]:
    """Return the names of files without their folders, up to ``MOST_NAMES``."""
    names = [Path(path).name or path for path in paths[:MOST_NAMES]]
    more = len(paths) - len(names)
    return (*names, f"and {more} more") if more else tuple(names)


def _in_words(left: Unreviewed, kind: Kind) -> str:
    """Say what was not learnt from, because nobody has reviewed it."""
    why = "of which nothing was" if kind.partly != "nothing" else "not reviewed as a whole"
    more = f", {counted(left.mentions, 'mention')} there ignored" if left.mentions else ""
    count = ", and counts elsewhere only what is wholly known" if kind.partly == "count" else ""
    return (
        f"not reviewed: {counted(left.tokens, 'token')}{more}; a {kind.name} model does not learn"
        f" from {counted(left.sentences, 'sentence')} {why}{count}"
    )


def _report(
    trained: Trained, tries: Sequence[Tried[object]], output: Path, digest: str, *, as_json: bool
) -> None:
    from lacuna.features.blocks import BLOCK

    judged = "F1" if trained.model.task is Task.NER else "accuracy"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for what, count in trained.left_out.items():
        ignored = counted(count, "mention")
        say(f"ignored, because the model cannot represent them: {ignored} {what}")
    if trained.unreviewed is not None:
        say(_in_words(trained.unreviewed, kind_of(trained.model.core().config)))
    if trained.blocks:
        say(
            "few documents: to learn what others say of a word, training cut them into"
            f" {trained.blocks:,} blocks of about {BLOCK} sentences"
        )
    if trained.chosen:
        say(trained.chosen)
    if as_json:
        print_json(
            {
                "model": str(output),
                "sha256": digest,
                "seconds": trained.seconds,
                "tokens": trained.tokens,
                "raw_tokens": trained.raw_tokens,
                "sentences": trained.sentences,
                "iterations": trained.iterations,
                "parameters": trained.parameters,
                "objective": trained.objective,
                f"dev_{judged.lower()}": trained.dev_f1,
                "config": trained.model.config,
                "chosen": trained.chosen,
                "tried": [{"config": tried.config, "f1": tried.f1} for tried in tries],
                "left_out": trained.left_out,
                "unreviewed": trained.unreviewed,
                "blocks": trained.blocks,
                "interrupted": trained.interrupted,
                "peak_memory_mb": round(peak, 1),
            }
        )
        return
    dev = "" if trained.dev_f1 is None else f", dev {judged} {trained.dev_f1:.4f}"
    raw = f", {trained.raw_tokens:,} of raw text" if trained.raw_tokens else ""
    say(
        f"{counted(trained.tokens, 'token')}{raw}, {counted(trained.parameters, 'weight')},"
        f" {counted(trained.iterations, 'iteration')}, {trained.seconds:.1f} s{dev} → {output}"
    )
