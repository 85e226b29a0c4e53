"""What settings say a model looks at: templates, token columns, word lists and clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lacuna.features.presets import load_templates
from lacuna.features.resources import Resources, with_resources
from lacuna.features.templates import Template, Term


def read_sources(
    features: str,
    columns: Sequence[str],
    lists: Mapping[str, str],
    clusters: Mapping[str, str],
) -> tuple[tuple[Template, ...], Resources]:
    """Return templates and what they name, from a preset or file, and files by name."""
    resources = Resources.read(lists, clusters)
    templates = with_columns(load_templates(features), columns)
    return with_resources(templates, resources), resources


def with_columns(templates: Sequence[Template], columns: Sequence[str]) -> tuple[Template, ...]:
    """Add templates that look at token columns."""
    added = []
    for column in columns:
        near = [Term(f"column.{column}", offset) for offset in (-2, -1, 0, 1, 2)]
        added += [Template((term,)) for term in near]
        added += [Template((near[1], near[2])), Template((near[2], near[3]))]
    return (*templates, *added)
