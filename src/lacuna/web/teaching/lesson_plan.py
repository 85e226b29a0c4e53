"""What is learnt from reviewed documents, how, and from which model learning starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lacuna.errors import ConfigError
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.registry import kind_named
from lacuna.models.settings import Settings
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.web.project import Project
from lacuna.web.project_file import AUTO
from lacuna.web.teaching.learnable import (
    EXAMPLES,
    examples_of,
    flat,
    not_flat,
    too_rare,
    without_labels,
)

CRF, GAPS = "crf", "shared"  #: kinds of models that are chosen
MANY = 0.2  #: share of mentions with gaps or overlaps that is too much to lose

ITERATIONS = 12  #: of adapting a CRF; more gain little, and forget more
MORE_CAUTION = 0.2  #: few notes make a model too sure that other words are nothing


@dataclass(frozen=True, slots=True)
class Plan:
    """What a lesson learns, how, and from which model it starts.

    Attributes
    ----------
    documents
        As they are learnt from, in the order in which they were given.
    config, start
        Settings, and the model that is adapted; ``None`` if a new one is trained.
    examples
        Mentions that are learnt from, by label.
    not_learnt
        Labels with too few examples.
    remark
        A sentence about mentions that are not learnt from; empty if there are none.
    """

    documents: Sequence[Document]
    config: Settings
    start: Tagger | None
    examples: Mapping[str, int]
    not_learnt: tuple[str, ...] = ()
    remark: str = ""


def plan_of(project: Project, base: Tagger | None, documents: Sequence[Document]) -> Plan:
    """Decide how to learn.

    By default a CRF is adapted, and a new one is trained if there is none to adapt. If there are
    mentions with gaps or overlaps, they decide (:func:`_kind`). ``project.toml`` can name another
    kind, which is trained with its defaults.

    Raises :class:`ConfigError` if there is nothing to learn.
    """
    lost = not_flat(documents)
    name = project.settings.learn
    if name == AUTO:
        name = _kind(base, lost, examples_of(documents))
    start, remark = None, ""
    if name == CRF:
        start = base if isinstance(base, CrfModel) else None
        documents, remark = [flat(one) for one in documents], _remark(lost)
    examples = examples_of(documents)
    rare = too_rare(examples, start.labels if start is not None else ())
    learnt = {label: count for label, count in examples.items() if label not in rare}
    if start is None and not learnt:
        raise ConfigError(f"no label has {EXAMPLES} examples yet")
    kept = without_labels(documents, rare)
    return Plan(kept, settings_of(name, start, learnt), start, learnt, tuple(rare), remark)


def _kind(base: Tagger | None, lost: Counter[str], examples: Counter[str]) -> str:
    """Choose between a CRF, which cannot find `lost`, and a model that can.

    A CRF that knows labels of the project is adapted as long as few mentions are lost: a new model
    would know nothing but these documents.
    """
    if not any(count >= EXAMPLES for count in lost.values()):
        return CRF
    is_useful = isinstance(base, CrfModel) and not examples.keys().isdisjoint(base.labels)
    return CRF if is_useful and lost.total() < MANY * examples.total() else GAPS


def _remark(lost: Counter[str]) -> str:
    if not lost:
        return ""
    mentions = counted(lost.total(), "mention")
    return (
        f"Not learnt: {mentions} of {', '.join(sorted(lost))} with gaps or overlaps. A model of the"
        f' kind "{GAPS}" can learn them (learn in project.toml), but begins from nothing.'
    )


def settings_of(
    name: str | None, start: Tagger | None, examples: Mapping[str, int] | None = None
) -> Settings:
    """Return the settings to learn with.

    Changes of a model count in full if it knows the labels of less than half of the examples: a
    share of them would be too little to learn the other labels.
    """
    if isinstance(start, CrfModel):
        counts = examples or {}
        known = sum(count for label, count in counts.items() if label in start.labels)
        is_new = 2 * known < sum(counts.values())
        return replace(
            start.config,
            adapting_share=1.0 if is_new else start.config.adapting_share,
            iterations=ITERATIONS,
            tolerance=0.0,
            adapting_letters=False,  # takes three times as long; replayed notes have such letters
            caution=start.config.caution + MORE_CAUTION,
        )
    if name in (None, "crf"):
        return Crf(features="clinical")
    return kind_named(name).config()
