"""Reading SHARED and SPLIT models from files; weights are stored as those of a CRF."""

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
from lacuna.models.file import StoredModel, require, require_numbers
from lacuna.models.hypergraph import (
    HypergraphModel,
    Shared,
    SharedModel,
    Split,
    SplitModel,
    graph_columns,
    graphs_of,
)
from lacuna.models.scoring import stored_weights
from lacuna.models.settings import stored_settings

KINDS: Mapping[str, tuple[type[Shared | Split], type[HypergraphModel]]] = {
    SharedModel.kind: (Shared, SharedModel),
    SplitModel.kind: (Split, SplitModel),
}


def restore_hypergraph(stored: StoredModel) -> HypergraphModel:
    """Rebuild a model from a file; checks everything that compiled code relies on."""
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
    width = sum(own.width for own in graph_columns(graphs))
    keys = require(stored, "keys", np.uint64, (-1,))
    try:
        index = FeatureIndex(plan, KnownKeys.of(keys))
    except ValueError as error:
        raise ModelFileError(stored.source, f"its features are damaged: {error}") from None
    bias = require_numbers(stored, "bias", np.float32, (width,))
    return kind(config, labels, graphs, index, stored_weights(stored, len(keys), width), bias, card)
