"""The picture of a model: how its tags follow one another, or the sub-tags around a label."""

from __future__ import annotations

from lacuna.models.base import Tagger
from lacuna.models.facts import Inspection
from lacuna.pictures.subtag_graph import subtag_graph
from lacuna.pictures.transition_graph import HasChain, chain_graph


def has_subtags(tagger: Tagger) -> bool:
    """Return whether a model has sub-tags to draw."""
    return hasattr(tagger.core(), "subtags")


def model_picture(kind: str, tagger: Tagger, inspection: Inspection) -> str | None:
    """Draw the sub-tags around the label of the inspection; without one, the transitions.

    ``None`` if the model has none.
    """
    core, label = tagger.core(), inspection.label
    if label is None:
        if not isinstance(core, HasChain):
            return None
        title = f"{kind}: which tag follows which"
        return chain_graph(core.chain(), core.state_names, title=title)
    if not has_subtags(tagger) or label not in tagger.labels:
        return None
    found = core.subtags(inspection)  # type: ignore[attr-defined]
    return subtag_graph(found, label, title=f"{kind}: sub-tags around {label}")
