"""All kinds of models that can be trained, at a glance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lacuna.encoding.chain import TaggedDocument
from lacuna.errors import ConfigError
from lacuna.models.aligned import AlignedModel
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm_training import fit_class_hmm
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm_training import fit_dp_hmm
from lacuna.models.pos_tagger import PosTagger, fit_pos_tagger
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel, fit_ppm_hmm
from lacuna.models.steps import Step
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel, fit_trigram_hmm
from lacuna.models.two_pass import TwoPassModel
from lacuna.models.with_pos import WithPos
from lacuna.models.with_rules import WithRules

ChainModel = TrigramHmmModel | PpmHmmModel | ClassHmmModel | DpHmmModel
StepModel = ChainModel | PosTagger
CategoryTagger = CrfModel | TwoPassModel | ChainModel | WithPos
NerModel = CategoryTagger | WithRules
Model = NerModel | PosTagger | AlignedModel
Config = Crf | TrigramHmm | PpmHmm | ClassHmm | DpHmm
Fit = Callable[[Sequence[TaggedDocument], Any, np.random.Generator], Iterator[Step]]


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
        ``None``: the CRF has a loop of its own, and not every kind can do both.
    """

    name: str
    summary: str
    config: type[Config]
    fit: Fit | None = None
    fit_pos: Fit | None = None


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("crf", "linear-chain conditional random field: flat mentions", Crf),
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
