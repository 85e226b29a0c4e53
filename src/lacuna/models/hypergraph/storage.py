"""SHARED and SPLIT as arrays and back; weights as in a CRF (`crf_storage.py`)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from lacuna.encoding.hypergraph import Slice
from lacuna.errors import LacunaError, ModelFileError
from lacuna.features.extract import FeatureIndex
from lacuna.features.index import KnownKeys
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import parse_templates
from lacuna.models.base import Card
from lacuna.models.file import StoredModel, require
from lacuna.models.hypergraph import (
    HypergraphModel,
    Shared,
    SharedModel,
    Split,
    SplitModel,
    fields_of,
    graphs_of,
)
from lacuna.models.scoring import stored_weights
from lacuna.models.settings import stored_settings

KINDS: Mapping[str, tuple[type[Shared | Split], type[HypergraphModel]]] = {
    SharedModel.kind: (Shared, SharedModel),
    SplitModel.kind: (Split, SplitModel),
}


def store_hypergraph(model: HypergraphModel) -> StoredModel:
    """Return everything the model is, for a file."""
    plan = model.index.plan
    return StoredModel(
        model.kind,
        {
            "config": msgspec.to_builtins(model.config),
            "labels": list(model.labels),
            "graphs": [[label, graph.parts] for label, graph in model.graphs],
            "templates": [str(template) for template in plan.templates],
            "card": msgspec.to_builtins(model.card),
        },
        {
            **plan.resources.to_arrays(),
            "keys": model.index.keys.hashes,
            "borders": model.weights.borders,
            "weight_tags": model.weights.tags,
            "weights": model.weights.values,
            "bias": model.bias,
        },
    )


def restore_hypergraph(stored: StoredModel) -> HypergraphModel:
    """Rebuild a model from a file; everything compiled code relies on is checked here."""
    settings, kind = KINDS[stored.kind]
    try:
        config = stored_settings(settings, stored.header.get("config"))
        labels = tuple(msgspec.convert(stored.header.get("labels"), list[str]))
        named = msgspec.convert(stored.header.get("graphs"), list[tuple[str, int]])
        lines = msgspec.convert(stored.header.get("templates"), list[str])
        card = msgspec.convert(stored.header.get("card", {}), Card)
        resources = Resources.from_arrays(stored.arrays)
        plan = make_plan(parse_templates(lines), resources=resources)
    except (msgspec.ValidationError, ValueError, RecursionError, LacunaError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    known: dict[tuple[str, int], tuple[str, Slice]] = {
        (label, graph.parts): (label, graph)
        for label in labels
        if label
        for graph in graphs_of(config)
    }
    if len(set(named)) != len(named) or not set(named) <= known.keys():
        raise ModelFileError(stored.source, "its graphs are damaged")
    graphs = tuple(known[name] for name in named)
    width = sum(own.width for own in fields_of(graphs))
    keys = require(stored, "keys", np.uint64, (-1,))
    try:
        index = FeatureIndex(plan, KnownKeys.of(keys))
    except ValueError:
        raise ModelFileError(stored.source, "a feature occurs twice in it") from None
    bias = require(stored, "bias", np.float32, (width,))
    return kind(config, labels, graphs, index, stored_weights(stored, len(keys), width), bias, card)
