"""What is learnt from reviewed documents, how, and from which model learning starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lacuna.errors import ConfigError
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.registry import kind_named
from lacuna.models.settings import Settings
from lacuna.text.document import Document
from lacuna.web.project import Project
from lacuna.web.project_file import AUTO
from lacuna.web.teaching.learnable import (
    EXAMPLES,
    examples_of,
    gapped_labels,
    too_rare,
    without_labels,
)

ITERATIONS, TOLERANCE = 30, 0.003  #: of adapting a CRF
REPLAY = 20  #: notes that keep it from forgetting
SHARE = 0.75  #: of the changes
MORE_CAUTION = 0.5  #: a model that learnt from few notes is too sure that other words are nothing


@dataclass(frozen=True, slots=True)
class Plan:
    """What a lesson learns, how, and from which model it starts."""

    documents: Sequence[Document]
    config: Settings
    start: Tagger | None
    examples: Mapping[str, int]


def plan_of(project: Project, base: Tagger | None, documents: Sequence[Document]) -> Plan:
    """Decide how to learn.

    By default a CRF is adapted, and a new one is trained if there is none to adapt. If a label has
    enough mentions with gaps or overlaps, a model is trained that can find them. ``project.toml``
    can name another kind, which is trained with its defaults.

    Raises :class:`ConfigError` if there is nothing to learn.
    """
    learn = project.settings.learn
    gapped = gapped_labels(documents)
    if learn != AUTO:
        name: str | None = learn
    else:
        name = "shared" if any(count >= EXAMPLES for count in gapped.values()) else None
    is_adapted = name in (None, "crf") and isinstance(base, CrfModel)
    start = base if is_adapted else None
    examples = examples_of(documents)
    rare = too_rare(examples, start.labels if start is not None else ())
    learnt = {label: count for label, count in examples.items() if label not in rare}
    if start is None and not learnt:
        raise ConfigError(f"no label has {EXAMPLES} examples yet")
    kept = without_labels(documents, rare)
    return Plan(kept, settings_of(name, start), start, learnt)


def settings_of(name: str | None, start: Tagger | None) -> Settings:
    """Return the settings to learn with."""
    if isinstance(start, CrfModel):
        return replace(
            start.config,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
            adapting_letters=False,  # takes three times as long; replayed notes have such letters
            adapting_replay=REPLAY,
            adapting_share=SHARE,
            caution=start.config.caution + MORE_CAUTION,
        )
    if name in (None, "crf"):
        return Crf(features="clinical")
    return kind_named(name).config()
