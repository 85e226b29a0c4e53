"""All kinds of models that can be trained, at a glance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lacuna.encoding.chain import tag_document
from lacuna.encoding.examples import TrainingDocument
from lacuna.encoding.gapped import gapped_document
from lacuna.errors import ConfigError
from lacuna.models.aligned import AlignedModel
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm_training import fit_class_hmm
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm_training import fit_dp_hmm
from lacuna.models.hypergraph import HypergraphModel, Shared, Split
from lacuna.models.hypergraph_training import fit_hypergraph
from lacuna.models.li import Li, LiModel
from lacuna.models.pos_tagger import PosTagger, fit_pos_tagger
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel, fit_ppm_hmm
from lacuna.models.steps import Step
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel, fit_trigram_hmm
from lacuna.models.two_pass import TwoPassModel
from lacuna.models.with_pos import WithPos
from lacuna.models.with_rules import WithRules
from lacuna.text.document import Document

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
