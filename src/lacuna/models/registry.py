"""All kinds of models, one row each.

A row gives the name of a kind, what it can do and where its code is. The code is imported only
when needed: opening a CRF does not load the other kinds. To add a kind, write a folder like
``models/trigram_hmm/`` and add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from lacuna.encoding.schemes import Heuristic
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.bundled import model_path
from lacuna.models.file import StoredModel, parse_model, read_model, stored_part
from lacuna.models.settings import Settings
from lacuna.models.stored_tags import check_stored_labels
from lacuna.types import Task

if TYPE_CHECKING:  # help texts use the rows and must not load compiled code
    from lacuna.encoding.flat import TrainingDocument
    from lacuna.models.base import FitOptions, Step, Tagger
    from lacuna.text.document import Document

    Fit = Callable[[Sequence[Any], Any, FitOptions], Iterator[Step]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model. Code is named as ``module:name``.

    Attributes
    ----------
    name
        As in ``--model`` and in model files.
    summary
        One line of description.
    restore
        Rebuilds a model from the content of a file and the models inside it, given by keyword.
    settings, fit
        The class of its settings and the generator of training steps; empty for models that wrap
        other models.
    fit_pos
        Like `fit`, for parts of speech.
    encode
        Converts a document to the form that `fit` expects.
    choose
        Returns the settings with what the documents choose; empty if they choose nothing.
    adapt
        Returns the settings to adapt a trained model with; empty if it cannot be adapted. Kinds
        that can be adapted can also be private.
    finish
        Adds what is learnt on top of the chosen model.
    parts
        Names of the models inside its file.
    layer
        A model contains only models of lower layers.
    overlapping
        Whether its mentions may overlap and have gaps.
    looks_at_columns
        Whether it can use token columns, such as parts of speech, as features.
    penalty
        The setting that ``--tune`` chooses.
    switches
        Settings other than the default that are worth a comparison, as ``key=value``.
    patience
        How many scores on dev in a row may be no better before training stops.
    folds_choose_iterations
        Whether ``--folds`` chooses the number of iterations.
    partly
        What it learns from sentences that were reviewed in part: it sums over the tags that nobody
        has reviewed (``sum``), counts what is wholly known (``count``), or nothing (``nothing``).
    learns_from_raw
        Whether it also learns from documents without annotations.
    """

    name: str
    summary: str
    restore: str
    settings: str = ""
    fit: str = ""
    fit_pos: str = ""
    encode: str = "lacuna.encoding.flat:flat_document"
    choose: str = ""
    adapt: str = ""
    finish: str = ""
    parts: tuple[str, ...] = ()
    layer: int = 0
    overlapping: bool = False
    looks_at_columns: bool = False
    penalty: str = ""
    switches: tuple[str, ...] = ()
    patience: int = 15
    folds_choose_iterations: bool = False
    partly: Literal["sum", "count", "nothing"] = "sum"
    learns_from_raw: bool = False

    @property
    def config(self) -> type[Settings]:
        """The class of its settings."""
        return cast(type[Settings], code_at(self.settings))

    def fitting(self, task: Task) -> Fit:
        """Return the generator of training steps for a task."""
        place = self.fit if task is Task.NER else self.fit_pos
        if not place:
            raise ConfigError(f"a {self.name} model cannot be trained for the task {task}")
        return cast("Fit", code_at(place))

    def check_raw(self) -> None:
        """Raise ConfigError if it cannot learn from documents without annotations."""
        if self.learns_from_raw:
            return
        able = ", ".join(kind.name for kind in KINDS.values() if kind.learns_from_raw)
        why = (
            "its estimates need annotations"
            if self.name == "ppm-hmm"
            else "it models labels given the words, so that words alone tell it nothing"
        )
        raise ConfigError(
            f"a {self.name} model cannot learn from raw text: {why} (models that can: {able};"
            " features of any other from raw text: lacuna vectors)"
        )

    def encoded(self, document: Document, config: Settings) -> TrainingDocument:
        """Return a document in the form that training expects."""
        return cast("TrainingDocument", code_at(self.encode)(document, config))


#: All kinds by name.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="crf",
            summary="linear-chain conditional random field: flat mentions",
            settings="lacuna.models.crf:Crf",
            fit="lacuna.models.crf.training:fit_crf",
            restore="lacuna.models.crf.storage:restore_crf",
            encode="lacuna.models.crf.training:encode",
            choose="lacuna.models.crf.choosing:chosen_settings",
            adapt="lacuna.models.crf.adapting:adapted_settings",
            looks_at_columns=True,
            penalty="l2",
            switches=("lexicon=false", "two_pass=true"),
            patience=3,  # one score every five iterations
            folds_choose_iterations=True,
        ),
        Kind(
            name="li",
            summary="conditional random field with LI tags: mentions with gaps",
            settings="lacuna.models.crf.li:Li",
            fit="lacuna.models.crf.training:fit_crf",
            restore="lacuna.models.crf.storage:restore_li",
            overlapping=True,
            encode="lacuna.models.crf.training:encode",
            choose="lacuna.models.crf.choosing:chosen_settings",
            adapt="lacuna.models.crf.adapting:adapted_settings",
            looks_at_columns=True,
            penalty="l2",
            switches=("lexicon=false",),
            patience=3,  # one score every five iterations
            folds_choose_iterations=True,
        ),
        Kind(
            name="trigram-hmm",
            summary="trigram hidden Markov model: flat mentions, parts of speech, very fast",
            settings="lacuna.models.trigram_hmm:TrigramHmm",
            fit="lacuna.models.trigram_hmm.training:fit_trigram_hmm",
            fit_pos="lacuna.models.trigram_hmm.pos:fit_pos_tagger",
            restore="lacuna.models.trigram_hmm.storage:restore_trigram_hmm",
            partly="count",
            learns_from_raw=True,
        ),
        Kind(
            name="ppm-hmm",
            summary="hidden Markov model that spells unknown words: any language, marked-up text",
            settings="lacuna.models.ppm_hmm:PpmHmm",
            fit="lacuna.models.ppm_hmm.training:fit_ppm_hmm",
            restore="lacuna.models.ppm_hmm.storage:restore_ppm_hmm",
            partly="count",
        ),
        Kind(
            name="class-hmm",
            summary="hidden Markov model with several states per class and features of words",
            settings="lacuna.models.class_hmm:ClassHmm",
            fit="lacuna.models.class_hmm.training:fit_class_hmm",
            restore="lacuna.models.class_hmm.storage:restore_class_hmm",
            learns_from_raw=True,
            switches=("state_classes=distribution",),
        ),
        Kind(
            name="dp-hmm",
            summary="hidden Markov model that learns how many hidden sub-tags each tag has",
            settings="lacuna.models.dp_hmm:DpHmm",
            fit="lacuna.models.dp_hmm.training:fit_dp_hmm",
            finish="lacuna.models.dp_hmm.rerank_training:with_reranking",
            restore="lacuna.models.dp_hmm.storage:restore_dp_hmm",
            learns_from_raw=True,
        ),
        Kind(
            name="shared",
            summary="hypergraph: mentions with gaps and overlaps, a graph per label",
            settings="lacuna.models.hypergraph:Shared",
            fit="lacuna.models.hypergraph.training:fit_hypergraph",
            restore="lacuna.models.hypergraph.storage:restore_hypergraph",
            encode="lacuna.models.hypergraph.training:gapped",
            overlapping=True,
            partly="nothing",
            looks_at_columns=True,
            penalty="l2",
            switches=("lexicon=false",),
        ),
        Kind(
            name="split",
            summary="hypergraph: mentions with gaps and overlaps, a graph per number of parts",
            settings="lacuna.models.hypergraph:Split",
            fit="lacuna.models.hypergraph.training:fit_hypergraph",
            restore="lacuna.models.hypergraph.storage:restore_hypergraph",
            encode="lacuna.models.hypergraph.training:gapped",
            overlapping=True,
            partly="nothing",
            looks_at_columns=True,
            penalty="l2",
            switches=("lexicon=false",),
        ),
        Kind(
            name="two-pass",
            summary="two CRFs: the second looks at what the first found elsewhere in the document",
            restore="lacuna.models.crf.two_pass:restore_two_pass",
            looks_at_columns=True,
        ),
        Kind(
            name="with-pos",
            summary="a model that uses parts of speech, and the tagger that finds them",
            restore="lacuna.models.wrapped:restore_with_pos",
            parts=("pos", "tagger"),
            layer=1,
        ),
        Kind(
            name="with-rules",
            summary="a model of large categories, and rules that choose the labels within them",
            restore="lacuna.models.with_rules:restore_with_rules",
            parts=("tagger",),
            layer=2,
        ),
        Kind(
            name="aligned",
            summary="a model that labels repeated words of a patient together",
            restore="lacuna.models.aligned.storage:restore_aligned",
            parts=("tagger",),
            layer=3,
        ),
    )
}

#: The kind that is trained by default.
DEFAULT: Mapping[Task, str] = {Task.NER: "crf", Task.POS: "trigram-hmm"}


def code_at(place: str) -> Any:
    """Import and return ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def trainable() -> Mapping[str, Kind]:
    """Return the kinds that ``--model`` can name."""
    return {name: kind for name, kind in KINDS.items() if kind.settings}


def kind_named(name: str) -> Kind:
    """Return the trainable kind of model with this name."""
    known = trainable()
    if name not in known:
        raise ConfigError(f"unknown model {name!r}; known are {', '.join(known)}")
    return known[name]


def kind_of(config: Settings) -> Kind:
    """Return the kind of model that these settings belong to."""
    place = f"{type(config).__module__}:{type(config).__qualname__}"
    for kind in KINDS.values():
        if kind.settings == place:
            return kind
    raise ConfigError(f"{type(config).__name__} is not a record of settings of a known model")


def load(
    path: str | Path,
    *,
    task: Task | None = None,
    align: bool = True,
    heuristic: Heuristic | None = None,
) -> Tagger:
    """Open a model file.

    Parameters
    ----------
    path
        The file, ``*.lacuna``, or the name of a bundled model, such as ``"en-clinical"``.
    task
        The task that the model must have; any task by default.
    align
        Whether to align, if the model can; otherwise the tagger inside it is returned.
    heuristic
        How mentions with gaps are decoded; by default as in the settings of the model.
    """
    stored = read_model(model_path(path))
    if stored.kind == "aligned" and not align:
        stored = stored_part(stored, "tagger")
    model = restore(stored)
    if task not in (None, model.task):
        raise ConfigError(f"{path} is a model for the task {model.task}, not {task}")
    if heuristic is not None:
        model = with_heuristic(model, heuristic)
    return model


def model_of_bytes(content: bytes) -> Tagger:
    """Rebuild a model from the bytes of its file, checked like a file: how models are unpickled."""
    return restore(parse_model(content, source="pickled model"))


def with_heuristic(model: Any, heuristic: Heuristic) -> Any:
    """Return a model of mentions with gaps, or one that wraps it, with another heuristic."""
    if hasattr(model, "tagger"):
        return replace(model, tagger=with_heuristic(model.tagger, heuristic))
    if not hasattr(model.config, "heuristic"):
        raise ConfigError(f"a {model.kind} model finds no mentions with gaps and has no heuristic")
    return replace(model, config=replace(model.config, heuristic=heuristic))


def restore(stored: StoredModel) -> Tagger:
    """Rebuild the model in a file, the models inside it first."""
    if stored.kind not in KINDS:
        raise ModelFileError(stored.source, f"holds a model of the unknown kind {stored.kind!r}")
    kind = KINDS[stored.kind]
    parts = {name: restore(stored_part(stored, name)) for name in kind.parts}
    for name, part in parts.items():
        _check_part(stored, kind, name, part)
    model = cast("Tagger", code_at(kind.restore)(stored, **parts))
    check_stored_labels(stored, model.labels)
    return model


def _check_part(stored: StoredModel, kind: Kind, name: str, part: Tagger) -> None:
    """Refuse a model that cannot be inside one of this kind."""
    inner = KINDS[part.kind]
    task = Task.POS if name == "pos" else Task.NER
    sees_columns = inner.looks_at_columns or name == "pos" or kind.name != "with-pos"
    if part.task is not task or inner.layer >= kind.layer or not sees_columns:
        raise ModelFileError(stored.source, f"a {part.kind} model cannot be its {name}")
