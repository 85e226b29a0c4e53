"""Settings shared by all models with feature templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Self

from lacuna.errors import ConfigError
from lacuna.features.resources import (
    Resources,
    read_sources,
    uses_lexicon,
    with_lexicon,
    without_folders,
)
from lacuna.features.templates import Template
from lacuna.models.settings import AT_LEAST_ONE, Settings


@dataclass(frozen=True, slots=True)
class FeatureSettings(Settings):
    """Which features a model uses.

    Attributes
    ----------
    features
        Templates of features: a preset (``default``, ``clinical``, ``hypergraph``), or the path of
        a template file.
    columns
        Token columns to use as features, e.g. ``["pos"]``.
    word_lists
        Files of words, with or without counts, to use as features.
    clusters
        Files of word clusters to use as features, as written by ``lacuna cluster`` or
        ``lacuna vectors``.
    lexicon
        Use what the other training documents say of a word and of the phrase it is in.
    min_count
        Features that occur less often in the training text are ignored.
    """

    has_gaps: ClassVar[bool] = False  #: whether mentions may have gaps

    features: str = "default"
    columns: tuple[str, ...] = ()
    word_lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    lexicon: bool = True
    min_count: Annotated[int, AT_LEAST_ONE] = 1

    def read(self) -> tuple[tuple[Template, ...], Resources]:
        """Return the templates, and the word lists and clusters that they name."""
        found, resources = read_sources(self.features, self.columns, self.word_lists, self.clusters)
        if self.lexicon:
            return with_lexicon(found, gaps=self.has_gaps), resources
        if uses_lexicon(found):
            raise ConfigError("a template looks at the training lexicon: set lexicon=true")
        return found, resources

    def without_folders(self) -> Self:
        """Return the settings with file names in place of paths, for a model file."""
        return replace(
            self,
            features=Path(self.features).name,
            word_lists=without_folders(self.word_lists),
            clusters=without_folders(self.clusters),
        )
