"""Training several kinds of models on one corpus and scoring them on another."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lacuna.errors import ConfigError, LacunaError, interruptible
from lacuna.evaluation.scores import Scores
from lacuna.models.base import Tagger
from lacuna.models.file import write_model
from lacuna.models.registry import kind_named, trainable
from lacuna.models.settings import Settings, configure
from lacuna.pipeline.evaluating import evaluate
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.document import Document, Mention

EVERY = "all"


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of one kind of model.

    Attributes
    ----------
    scores
        On the test corpus.
    training_seconds, tagging_seconds
        Without reading, loading and compiling.
    size
        Size of the model file in bytes.
    """

    scores: Scores
    training_seconds: float
    tagging_seconds: float
    size: int

    @property
    def tokens_per_second(self) -> float:
        """Tagging speed."""
        tokens = int(self.scores.tokens.sum())
        return tokens / self.tagging_seconds if self.tagging_seconds else 0.0


@dataclass(frozen=True, slots=True)
class Compared:
    """One row of a comparison: a kind of model, and its results or an error."""

    model: str
    measured: Measured | None
    error: str = ""


def chosen_configs(
    models: str = EVERY, assignments: Sequence[str] = (), *, switches: bool = False
) -> dict[str, Settings]:
    """Return the settings of the models to compare, by name.

    Parameters
    ----------
    models
        Names of kinds, separated by commas, or ``all``.
    assignments
        Settings as ``MODEL.key=value``.
    switches
        Whether to add models with one switch turned, named ``MODEL key=value``.
    """
    named = [name.strip() for name in models.split(",")]
    names = list(trainable()) if named == [EVERY] else list(dict.fromkeys(named))
    kinds = {name: kind_named(name) for name in names}
    given: dict[str, list[str]] = {name: [] for name in names}
    for assignment in assignments:
        model, dot, rest = assignment.partition(".")
        if not dot or model not in given:
            raise ConfigError(
                f"--set {assignment.partition('=')[0]}: expected MODEL.key=value,"
                f" with MODEL one of {', '.join(names)}"
            )
        given[model].append(rest)
    configs = {}
    for name, kind in kinds.items():
        configs[name] = configure(kind.config, given[name])
        for switch in kind.switches if switches else ():
            turned = configure(kind.config, [*given[name], switch])
            if turned != configs[name]:
                configs[f"{name} {switch}"] = turned
    return configs


def compare(
    training: Sequence[Document],
    test: Sequence[Document],
    configs: Mapping[str, Settings],
    *,
    seed: int = 0,
    on_progress: Callable[[str, Progress], None] = lambda _name, _progress: None,
) -> Iterator[Compared]:
    """Train and score models one after the other; if one fails, the others go on.

    Parameters
    ----------
    training, test
        Documents with mentions.
    configs
        Settings by name.
    seed
        Random seed.
    on_progress
        Called with the name of a model and the progress of its training.
    """
    for name, config in configs.items():
        yield _compared(name, training, test, config, seed, partial(on_progress, name))


def _compared(
    name: str,
    training: Sequence[Document],
    test: Sequence[Document],
    config: Settings,
    seed: int,
    on_progress: Callable[[Progress], None],
) -> Compared:
    try:
        with interruptible():
            return Compared(name, _measure(training, test, config, seed, on_progress))
    except LacunaError as error:
        return Compared(name, None, str(error))
    except Exception as error:  # the message could quote a document
        return Compared(name, None, f"internal error: {type(error).__name__}")


def _measure(
    training: Sequence[Document],
    test: Sequence[Document],
    config: Settings,
    seed: int,
    on_progress: Callable[[Progress], None],
) -> Measured:
    _warm_up(training, config)
    began = time.perf_counter()
    trained = train(training, config, TrainOptions(seed, on_progress=on_progress))
    seconds = time.perf_counter() - began
    if trained.interrupted:
        raise KeyboardInterrupt
    scores, tagging = evaluate(trained.model, test)
    return Measured(scores, seconds, tagging, _file_size(trained.model))


def _warm_up(training: Sequence[Document], config: Settings) -> None:
    """Train on a few words, so that the kernels are compiled or loaded."""
    labels = sorted({mention.label for document in training for mention in document.mentions})
    mentions = tuple(Mention.of(label, (2, 5)) for label in labels[:1])
    try:
        train([Document("warm-up", "A few words.\n\nAnd 2 more.", mentions)], config)
    except LacunaError:
        return  # wrong settings are reported by the actual training


def _file_size(model: Tagger) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lacuna"
        write_model(path, model.store())
        return path.stat().st_size
