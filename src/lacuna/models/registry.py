"""All kinds of models that can be trained, at a glance.

Opening model files: the code of a kind of model is imported only when a file holds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lacuna.encoding.flat import TrainingDocument, tag_document
from lacuna.encoding.gapped import gapped_document
from lacuna.encoding.schemes import Heuristic
from lacuna.errors import ConfigError, ModelFileError
from lacuna.io.source import Task
from lacuna.models.aligned import AlignedModel
from lacuna.models.base import Step
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.training import fit_class_hmm
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.li import Li, LiModel
from lacuna.models.crf.two_pass import TwoPassModel
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.models.file import StoredModel, read_model, stored_part
from lacuna.models.hypergraph import HypergraphModel, Shared, Split
from lacuna.models.hypergraph.training import fit_hypergraph
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel
from lacuna.models.ppm_hmm.training import fit_ppm_hmm
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel, fit_trigram_hmm
from lacuna.models.trigram_hmm.pos import PosTagger, fit_pos_tagger
from lacuna.models.with_pos import WithPos
from lacuna.models.with_rules import WithRules
from lacuna.text.document import Document

if TYPE_CHECKING:
    pass


ChainModel = TrigramHmmModel | PpmHmmModel | ClassHmmModel | DpHmmModel
StepModel = ChainModel | HypergraphModel | PosTagger
CategoryTagger = CrfModel | LiModel | TwoPassModel | ChainModel | HypergraphModel | WithPos
NerModel = CategoryTagger | WithRules
Model = NerModel | PosTagger | AlignedModel
Config = Crf | Li | TrigramHmm | PpmHmm | ClassHmm | DpHmm | Shared | Split
Fit = Callable[[Sequence[Any], Any, np.random.Generator], Iterator[Step]]
Encode = Callable[[Document, Any], TrainingDocument]


def flat(document: Document, _: object) -> TrainingDocument:
    """Return a document as models of flat mentions see it."""
    return tag_document(document)


def gapped(document: Document, config: Shared | Split) -> TrainingDocument:
    """Return a document as models of mentions with gaps see it."""
    return gapped_document(document, parts=config.parts)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model to train.

    Attributes
    ----------
    name, summary
        For people.
    config
        The record of its settings.
    fit, fit_pos
        How documents and settings become ever better models, of mentions and of parts of speech;
        ``None``: CRFs have a loop of their own, and not every kind can do both.
    encode
        How `fit` sees a document.
    """

    name: str
    summary: str
    config: type[Config]
    fit: Fit | None = None
    fit_pos: Fit | None = None
    encode: Encode = flat


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("crf", "linear-chain conditional random field: flat mentions", Crf),
        Kind("li", "conditional random field whose tags tell mentions with gaps", Li),
        Kind(
            "trigram-hmm",
            "trigram hidden Markov model: flat mentions, parts of speech; trained in a second",
            TrigramHmm,
            fit_trigram_hmm,
            fit_pos_tagger,
        ),
        Kind(
            "ppm-hmm",
            "hidden Markov model that spells unknown words: any language, marked-up text",
            PpmHmm,
            fit_ppm_hmm,
        ),
        Kind(
            "class-hmm",
            "hidden Markov model with several states per class and features of words",
            ClassHmm,
            fit_class_hmm,
        ),
        Kind(
            "dp-hmm",
            "hidden Markov model that finds out how many hidden sub-tags each tag has",
            DpHmm,
            fit_dp_hmm,
        ),
        Kind(
            "shared",
            "hypergraph: mentions with gaps and overlaps, one graph for each label",
            Shared,
            fit_hypergraph,
            encode=gapped,
        ),
        Kind(
            "split",
            "hypergraph: mentions with gaps and overlaps, one graph for each number of parts",
            Split,
            fit_hypergraph,
            encode=gapped,
        ),
    )
}


def kind_named(name: str) -> Kind:
    """Return a kind of model by its name."""
    if name not in KINDS:
        raise ConfigError(f"unknown model {name!r}; known are {', '.join(KINDS)}")
    return KINDS[name]


def kind_of(config: Config) -> Kind:
    """Return the kind of model that these are settings of."""
    return next(kind for kind in KINDS.values() if type(config) is kind.config)


#: Module and function that make a model of the content of a file, by the kind the file names.
RESTORE: Mapping[str, tuple[str, str]] = {
    "crf": ("lacuna.models.crf.storage", "restore_crf"),
    "li": ("lacuna.models.crf.storage", "restore_li"),
    "two-pass": ("lacuna.models.crf.two_pass", "restore_two_pass"),
    "trigram-hmm": ("lacuna.models.trigram_hmm.storage", "restore_trigram_hmm"),
    "ppm-hmm": ("lacuna.models.ppm_hmm.storage", "restore_ppm_hmm"),
    "class-hmm": ("lacuna.models.class_hmm.storage", "restore_class_hmm"),
    "dp-hmm": ("lacuna.models.dp_hmm.storage", "restore_dp_hmm"),
    "shared": ("lacuna.models.hypergraph.storage", "restore_hypergraph"),
    "split": ("lacuna.models.hypergraph.storage", "restore_hypergraph"),
    "with-pos": ("lacuna.models.with_pos", "restore_with_pos"),
    "with-rules": ("lacuna.models.with_rules", "restore_with_rules"),
    "aligned": ("lacuna.models.aligned.storage", "restore_aligned"),
}


def load(
    path: str | Path,
    *,
    task: Task | None = None,
    align: bool = True,
    heuristic: Heuristic | None = None,
) -> Model:
    """Open a model file.

    Parameters
    ----------
    path
        The file, ``*.lacuna``.
    task
        What the model must be for, where given.
    align
        Whether a model that aligns does so; else it is the tagger alone.
    heuristic
        How mentions with gaps are read off what the model says; as it was trained to where not
        given.
    """
    stored = read_model(Path(path))
    if stored.kind == "aligned" and not align:
        stored = stored_part(stored, "tagger")
    model = restore(stored)
    if task not in (None, model.task):
        raise ConfigError(f"{path} is a model for the task {model.task}, not {task}")
    if heuristic is not None:
        model = with_heuristic(model, heuristic)
    return model


def with_heuristic(model: Any, heuristic: Heuristic) -> Any:
    """Return a model of mentions with gaps, or one around it, that reads them off another way."""
    if hasattr(model, "tagger"):
        return replace(model, tagger=with_heuristic(model.tagger, heuristic))
    if not hasattr(model.config, "heuristic"):
        raise ConfigError(f"a {model.kind} model finds no mentions with gaps: it has no heuristic")
    return replace(model, config=replace(model.config, heuristic=heuristic))


def restore(stored: StoredModel) -> Model:
    """Make the model that a file holds."""
    if stored.kind not in RESTORE:
        raise ModelFileError(stored.source, f"holds a model of the unknown kind {stored.kind!r}")
    module, function = RESTORE[stored.kind]
    model: Model = getattr(import_module(module), function)(stored)
    return model
