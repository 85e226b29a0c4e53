"""Parts of speech as a token column for another model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from lacuna.errors import ConfigError
from lacuna.models.base import Tagger
from lacuna.models.registry import KINDS, kind_of, load, trainable
from lacuna.models.settings import Settings
from lacuna.models.trigram_hmm.pos import POS, PosTagger
from lacuna.models.wrapped import WithPos, Wrapped


def load_pos_tagger(path: Path) -> PosTagger:
    """Open the file of a part-of-speech model."""
    model = load(path)
    if not isinstance(model, PosTagger):
        raise ConfigError(f"{path} is not a part-of-speech model; train one with --task pos")
    return model


def with_pos_column(config: Settings) -> Settings:
    """Return settings that use the token column ``pos``."""
    if not kind_of(config).looks_at_columns:
        raise ConfigError(f"a {kind_of(config).name} model cannot use token columns")
    columns = tuple(dict.fromkeys((*getattr(config, "columns", ()), POS)))
    change: dict[str, Any] = {"columns": columns}
    return replace(config, **change)


def joined(pos: PosTagger, model: Tagger) -> Tagger:
    """Return a model together with the part-of-speech tagger it was trained with."""
    if isinstance(model, Wrapped):
        return model.around(lambda tagger: joined(pos, tagger))
    if not KINDS[model.kind].looks_at_columns:
        able = [name for name, kind in trainable().items() if kind.looks_at_columns]
        raise ConfigError(f"only {', '.join(able)} models can use parts of speech")
    return WithPos(model, pos)
