"""From settings to what training starts with: word lists, templates, the key of a private model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from lacuna.encoding.flat import Example, label_counts
from lacuna.errors import ConfigError
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources, read_sources, without_folders
from lacuna.features.templates import Template
from lacuna.models.crf import Crf, CrfModel, CrfSettings
from lacuna.models.crf.adapting import PRIVATE_DOCUMENTS, private_key
from lacuna.models.crf.li import Li
from lacuna.models.crf.training import TrainingSet, prepare
from lacuna.models.crf.two_pass import TwoPassModel
from lacuna.models.registry import Model
from lacuna.text.document import Document

AnyCrf = TypeVar("AnyCrf", bound=CrfSettings)

MANY_TAGS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What one training starts with.

    Attributes
    ----------
    config
        Settings as they will stand in the model.
    templates
        What to look at.
    resources
        The word lists and clusters among them.
    key
        Of a private model, else 0.
    start
        The model to adapt.
    """

    config: Crf | Li
    templates: tuple[Template, ...]
    resources: Resources
    key: int = 0
    start: CrfModel | None = None


def set_up(
    documents: Sequence[Document],
    config: Crf | Li,
    *,
    start: Model | None = None,
    private: bool = False,
    seed: int = 0,
) -> Setup:
    """Read what the settings name; a model to adapt keeps its templates, word lists and key."""
    if start is not None:
        return _adapt(start, config, private=private)
    templates, resources = read_sources(
        config.features, config.columns, config.word_lists, config.clusters
    )
    key = private_key((document.text for document in documents), seed) if private else 0
    config = _without_folders(config)
    config = _private(config) if private else config
    return Setup(config, templates, resources, key)


def _adapt(start: Model, config: Crf | Li, *, private: bool) -> Setup:
    if isinstance(start, TwoPassModel) or (isinstance(config, Crf) and config.two_pass):
        raise ConfigError("a model of two passes cannot be adapted; train it anew")
    if not isinstance(start, CrfModel) or not isinstance(config, Crf):
        raise ConfigError("only a CRF can be adapted, one of flat mentions; train it anew")
    plan, old = start.index.plan, start.config
    if config.word_lists or config.clusters:
        raise ConfigError("a model to adapt keeps its own word lists and clusters")
    if private and not plan.key:
        raise ConfigError("only a private model can be adapted to a private model; train it anew")
    config = replace(
        config,
        scheme=old.scheme,
        sequence=old.sequence,
        features=old.features,
        columns=old.columns,
        word_lists=old.word_lists,
        clusters=old.clusters,
    )
    config = _private(config) if plan.key else config
    return Setup(config, plan.templates, plan.resources, plan.key, start)


def _private(config: AnyCrf) -> AnyCrf:
    return replace(config, min_documents=max(config.min_documents, PRIVATE_DOCUMENTS))


def _without_folders(config: AnyCrf) -> AnyCrf:
    return replace(
        config,
        features=Path(config.features).name,
        word_lists=without_folders(config.word_lists),
        clusters=without_folders(config.clusters),
    )


def prepare_crf(
    examples: Sequence[Example], setup: Setup, more: Sequence[Template] = ()
) -> TrainingSet:
    """Turn examples into a training set, looking at `more` besides what is set up."""
    config, start = setup.config, setup.start
    labels = sorted({*label_counts(examples), *(start.labels if start else ())})
    tags = config.tag_set(labels)
    many = 2 * len(labels) + 1 > MANY_TAGS
    support = ("frequent" if many else "all") if config.support == "auto" else config.support
    return prepare(
        examples,
        make_plan([*setup.templates, *more], resources=setup.resources, key=setup.key),
        tags=tags,
        moves=config.moves(tags),
        min_count=config.min_count,
        min_documents=config.min_documents,
        support=support,
        l2=config.l2,
    )
