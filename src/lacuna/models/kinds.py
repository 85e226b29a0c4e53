"""All kinds of models at a glance: what can be trained, and what a file can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lacuna.encoding.chain import TaggedDocument
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm_storage import restore_class_hmm
from lacuna.models.class_hmm_training import fit_class_hmm
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf_storage import restore_crf
from lacuna.models.pos_tagger import PosTagger, fit_pos_tagger
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel, fit_ppm_hmm
from lacuna.models.ppm_hmm_storage import restore_ppm_hmm
from lacuna.models.steps import Step
from lacuna.models.storage import StoredModel, read_model
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel, fit_trigram_hmm
from lacuna.models.trigram_hmm_storage import restore_trigram_hmm
from lacuna.models.two_pass import TwoPassModel, restore_two_pass
from lacuna.models.with_pos import WithPos

StepModel = TrigramHmmModel | PosTagger | PpmHmmModel | ClassHmmModel
Model = CrfModel | TwoPassModel | StepModel | WithPos
Config = Crf | TrigramHmm | PpmHmm | ClassHmm
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
    )
}

#: How the content of a file becomes a model again, by the kind that the file names.
RESTORE: Mapping[str, Callable[[StoredModel], Model]] = {
    CrfModel.kind: restore_crf,
    TwoPassModel.kind: restore_two_pass,
    TrigramHmmModel.kind: restore_trigram_hmm,
    PpmHmmModel.kind: restore_ppm_hmm,
    ClassHmmModel.kind: restore_class_hmm,
    WithPos.kind: lambda stored: restore_with_pos(stored),
}


def kind_named(name: str) -> Kind:
    """Return a kind of model by its name."""
    if name not in KINDS:
        raise ConfigError(f"unknown model {name!r}; known are {', '.join(KINDS)}")
    return KINDS[name]


def kind_of(config: Config) -> Kind:
    """Return the kind of model that these are settings of."""
    return next(kind for kind in KINDS.values() if type(config) is kind.config)


def load(path: str | Path) -> Model:
    """Open a model file."""
    return _restored(read_model(Path(path)))


def restore_with_pos(stored: StoredModel) -> WithPos:
    """Rebuild a model and its part-of-speech tagger from a file."""
    pos, tagger = (_restored(_part(stored, name)) for name in ("pos", "tagger"))
    if not isinstance(pos, PosTagger) or not isinstance(tagger, CrfModel | TwoPassModel):
        raise ModelFileError(stored.source, "its parts are no tagger and part-of-speech tagger")
    return WithPos(pos, tagger)


def _restored(stored: StoredModel) -> Model:
    if stored.kind not in RESTORE:
        raise ModelFileError(stored.source, f"holds a model of the unknown kind {stored.kind!r}")
    return RESTORE[stored.kind](stored)


def _part(stored: StoredModel, name: str) -> StoredModel:
    """Return the model stored under a name inside another."""
    described = stored.header.get(name)
    part = described if isinstance(described, dict) else {}
    kind, header = part.get("kind"), part.get("header")
    if not isinstance(kind, str) or kind == WithPos.kind or not isinstance(header, dict):
        raise ModelFileError(stored.source, f"its header has no {name}")
    if {"format", "kind"} & header.keys():
        raise ModelFileError(stored.source, f"the header of its {name} is damaged")
    prefix = f"{name}."
    arrays = {
        key.removeprefix(prefix): values
        for key, values in stored.arrays.items()
        if key.startswith(prefix)
    }
    return StoredModel(kind, header, arrays, stored.source)
