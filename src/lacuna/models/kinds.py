"""All kinds of models at a glance: what can be trained, and what a file can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf_storage import restore_crf
from lacuna.models.storage import StoredModel, read_model
from lacuna.models.two_pass import TwoPassModel, restore_two_pass

Model = CrfModel | TwoPassModel
Config = Crf


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model to train."""

    name: str
    summary: str
    config: type[Config]


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (Kind("crf", "linear-chain conditional random field: flat mentions", Crf),)
}

#: How the content of a file becomes a model again, by the kind that the file names.
RESTORE: Mapping[str, Callable[[StoredModel], Model]] = {
    CrfModel.kind: restore_crf,
    TwoPassModel.kind: restore_two_pass,
}


def kind_named(name: str) -> Kind:
    """Return a kind of model by its name."""
    if name not in KINDS:
        raise ConfigError(f"unknown model {name!r}; known are {', '.join(KINDS)}")
    return KINDS[name]


def load(path: str | Path) -> Model:
    """Open a model file."""
    stored = read_model(Path(path))
    if stored.kind not in RESTORE:
        raise ModelFileError(path, f"holds a model of the unknown kind {stored.kind!r}")
    return RESTORE[stored.kind](stored)
