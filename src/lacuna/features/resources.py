"""What a model looks at, from its settings: templates, token columns, word lists and clusters.

Word lists and clusters are stored in the model file as arrays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.features.lexicon import (
    AnyArray,
    Clusters,
    WordForms,
    WordList,
    read_clusters,
    read_word_list,
)
from lacuna.features.presets import load_templates
from lacuna.features.templates import Template, Term, parse_templates
from lacuna.features.training_lexicon import TrainingLexicon
from lacuna.types import HashArray

#: Templates that use the training lexicon, in models that have one.
LEXICON_TEMPLATES = """\
lex[-1..1]
phrase[-1..1]
"""
#: Further ones, in models of mentions with gaps.
GAP_TEMPLATES = """\
joined[-1..1]
"""
LEX, PHRASE, JOINED = "lex", "phrase", "joined"  #: attributes that need a training lexicon
LEXICAL = frozenset((LEX, PHRASE, JOINED))
_NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Resources:
    """The word lists and clusters that templates may name."""

    lists: Mapping[str, WordList] = field(default_factory=dict)
    clusters: Mapping[str, Clusters] = field(default_factory=dict)
    lexicon: TrainingLexicon | None = None

    def __post_init__(self) -> None:
        for name in (*self.lists, *self.clusters):
            if not _NAME.fullmatch(name):
                raise ConfigError(f"{name!r} cannot name a word list: use letters, digits, - and _")

    @classmethod
    def read(cls, lists: Mapping[str, str], clusters: Mapping[str, str]) -> Resources:
        """Read files by name."""
        return cls(
            {name: read_word_list(Path(path)) for name, path in sorted(lists.items())},
            {name: read_clusters(Path(path)) for name, path in sorted(clusters.items())},
        )

    def check(self, attribute: str) -> None:
        """Raise if an attribute needs a word list, clusters or a lexicon that are missing."""
        if attribute in LEXICAL and self.lexicon is None:
            raise ConfigError(f"{attribute}: there is no training lexicon")
        kind, _, rest = attribute.partition(".")
        known = {"list": self.lists, "cluster": self.clusters}.get(kind)
        if known is not None and rest.partition(".")[0] not in known:
            named = ", ".join(sorted(known)) or "none"
            raise ConfigError(f"{attribute}: there is no such {kind}; known: {named}")

    def values(self, forms: WordForms, attribute: str) -> HashArray:
        """Return the values of ``list.NAME`` or ``cluster.NAME.N`` for each word, 0 for none."""
        kind, name, *size = attribute.split(".")
        if kind == "list":
            return self.lists[name].values(forms)
        return self.clusters[name].values(forms, int(size[0]))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all arrays to store, named ``list.NAME.hashes``, ``cluster.NAME.paths``, …."""
        parts = [(f"list.{name}", part.to_arrays()) for name, part in self.lists.items()]
        parts += [(f"cluster.{name}", part.to_arrays()) for name, part in self.clusters.items()]
        if self.lexicon is not None:
            parts.append(("lexicon", self.lexicon.to_arrays()))
        return {f"{prefix}.{key}": array for prefix, part in parts for key, array in part.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Resources:
        """Undo :meth:`to_arrays`; arrays with other names are ignored.

        Raises
        ------
        ValueError
            If arrays are missing, of the wrong kind or do not fit together.
        """
        parts: dict[tuple[str, str], dict[str, AnyArray]] = {}
        lexicon = {
            key.removeprefix("lexicon."): array
            for key, array in arrays.items()
            if key.startswith("lexicon.")
        }
        for key, array in arrays.items():
            match key.split("."):
                case ["list" | "cluster" as kind, name, part]:
                    parts.setdefault((kind, name), {})[part] = array
        return cls(
            {name: WordList.from_arrays(p) for (kind, name), p in parts.items() if kind == "list"},
            {name: Clusters.from_arrays(p) for (kind, name), p in parts.items() if kind != "list"},
            TrainingLexicon.from_arrays(lexicon) if lexicon else None,
        )


NO_RESOURCES = Resources()


def with_resources(
    templates: Sequence[Template], resources: Resources, offsets: Sequence[int] = (-1, 0, 1)
) -> tuple[Template, ...]:
    """Add templates for the word lists and clusters that no template names."""
    named = {
        tuple(term.attribute.split(".")[:2]) for template in templates for term in template.terms
    }
    attributes = [f"list.{name}" for name in resources.lists if ("list", name) not in named]
    attributes += [
        f"cluster.{name}.{size}"
        for name, clusters in resources.clusters.items()
        if ("cluster", name) not in named
        for size in clusters.sizes
    ]
    added = [Template((Term(name, offset),)) for name in attributes for offset in offsets]
    return (*templates, *added)


def with_lexicon(templates: Sequence[Template], *, gaps: bool = False) -> tuple[Template, ...]:
    """Add the templates of the training lexicon, unless some template uses it.

    With `gaps` also those for mentions with a gap.
    """
    if uses_lexicon(templates):
        return tuple(templates)
    lines = LEXICON_TEMPLATES + (GAP_TEMPLATES if gaps else "")
    return (*templates, *parse_templates(lines.splitlines(), source="lexicon"))


def uses_lexicon(templates: Sequence[Template]) -> bool:
    """Whether some template looks at the training lexicon."""
    return any(term.attribute in LEXICAL for template in templates for term in template.terms)


def without_folders(paths: Mapping[str, str]) -> dict[str, str]:
    """Drop the folders of files: a model file must not tell where somebody keeps them."""
    return {name: Path(path).name for name, path in paths.items()}


def read_sources(
    features: str,
    columns: Sequence[str],
    lists: Mapping[str, str],
    clusters: Mapping[str, str],
) -> tuple[tuple[Template, ...], Resources]:
    """Return the templates of a preset or file, and the word lists and clusters they name."""
    resources = Resources.read(lists, clusters)
    templates = with_columns(load_templates(features), columns)
    return with_resources(templates, resources), resources


def with_columns(templates: Sequence[Template], columns: Sequence[str]) -> tuple[Template, ...]:
    """Add templates for token columns."""
    added = []
    for column in columns:
        near = [Term(f"column.{column}", offset) for offset in (-2, -1, 0, 1, 2)]
        added += [Template((term,)) for term in near]
        added += [Template((near[1], near[2])), Template((near[2], near[3]))]
    return (*templates, *added)
