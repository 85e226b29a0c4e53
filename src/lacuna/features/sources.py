"""What settings say a model looks at: templates, token columns, word lists and clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lacuna.features.lexicon import read_clusters, read_word_list
from lacuna.features.presets import load_templates
from lacuna.features.resources import Resources
from lacuna.features.templates import Template, Term

PATH_SIZES = (4, 6, 10, 20)  #: bits of cluster paths to look at


def read_sources(
    features: str,
    columns: Sequence[str],
    lists: Mapping[str, str],
    clusters: Mapping[str, str],
) -> tuple[tuple[Template, ...], Resources]:
    """Return templates and what they name, from a preset or file, and files by name."""
    resources = Resources(
        {name: read_word_list(Path(path)) for name, path in sorted(lists.items())},
        {name: read_clusters(Path(path)) for name, path in sorted(clusters.items())},
    )
    templates = with_columns(load_templates(features), columns)
    return with_resources(templates, resources), resources


def file_names(paths: Mapping[str, str]) -> dict[str, str]:
    """Forget the folders: a model file should not tell where somebody keeps his files."""
    return {name: Path(path).name for name, path in paths.items()}


def with_columns(templates: Sequence[Template], columns: Sequence[str]) -> tuple[Template, ...]:
    """Add templates that look at token columns."""
    added = []
    for column in columns:
        near = [Term(f"column.{column}", offset) for offset in (-2, -1, 0, 1, 2)]
        added += [Template((term,)) for term in near]
        added += [Template((near[1], near[2])), Template((near[2], near[3]))]
    return (*templates, *added)


def with_resources(templates: Sequence[Template], resources: Resources) -> tuple[Template, ...]:
    """Add templates that look at the word lists and clusters that no template names."""
    named = {
        tuple(term.attribute.split(".")[:2]) for template in templates for term in template.terms
    }
    attributes = [f"list.{name}" for name in resources.lists if ("list", name) not in named]
    attributes += [
        f"cluster.{name}.{size}"
        for name in resources.clusters
        if ("cluster", name) not in named
        for size in PATH_SIZES
    ]
    added = [Template((Term(name, offset),)) for name in attributes for offset in (-1, 0, 1)]
    return (*templates, *added)
