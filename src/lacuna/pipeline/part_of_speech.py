"""Parts of speech as a token column for another model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.models.aligned import AlignedModel
from lacuna.models.crf import CrfModel, CrfSettings
from lacuna.models.crf.li import LiModel
from lacuna.models.crf.two_pass import TwoPassModel
from lacuna.models.hypergraph import Hypergraph, HypergraphModel
from lacuna.models.registry import Config, Model, kind_of, load
from lacuna.models.trigram_hmm.pos import POS, PosTagger
from lacuna.models.with_pos import WithPos
from lacuna.models.with_rules import WithRules


def load_pos_tagger(path: Path) -> PosTagger:
    """Open a model file that must hold a part-of-speech model."""
    model = load(path)
    if not isinstance(model, PosTagger):
        raise ConfigError(f"{path} is no part-of-speech model; train one with --task pos")
    return model


def with_pos_column(config: Config) -> Config:
    """Return settings that look at the token column ``pos``."""
    if not isinstance(config, CrfSettings | Hypergraph):
        raise ConfigError(f"a {kind_of(config).name} model does not look at token columns")
    return replace(config, columns=tuple(dict.fromkeys((*config.columns, POS))))


def joined(pos: PosTagger, model: Model) -> WithPos | WithRules | AlignedModel:
    """Return a model together with the part-of-speech tagger it was trained with."""
    if isinstance(model, AlignedModel):
        return replace(model, tagger=_below_alignment(pos, model.tagger))
    return _below_alignment(pos, model)


def _below_alignment(pos: PosTagger, model: Model) -> WithPos | WithRules:
    if isinstance(model, WithRules):
        return replace(model, tagger=_with_pos(pos, model.tagger))
    return _with_pos(pos, model)


def _with_pos(pos: PosTagger, model: Model) -> WithPos:
    if not isinstance(model, CrfModel | LiModel | TwoPassModel | HypergraphModel):
        raise ConfigError("only crf, li, shared and split models can look at parts of speech")
    return WithPos(pos, model)
