"""Training on large categories, with rules for the labels within them: ``--set level=category``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.io.label_map import LabelMap
from lacuna.models.base import Tagger
from lacuna.models.setting_help import SettingHelp
from lacuna.models.with_rules import WithRules
from lacuna.models.with_rules.learning import learn_rules
from lacuna.models.with_rules.rules import Rules
from lacuna.models.with_rules.rules_file import read_rules
from lacuna.text.document import Document

LEVEL = "level"
LEVELS = ("label", "category")
LEVEL_HELP = SettingHelp(
    LEVEL,
    LEVELS[0],
    f"one of {', '.join(LEVELS)}",
    "What the model finds: labels, or large categories whose labels are chosen by rules that you"
    " can edit; see --categories and --rules.",
)


@dataclass(frozen=True, slots=True)
class Categories:
    """Large categories to train on.

    Attributes
    ----------
    category_of
        Label -> large category; a label without an entry is a category of its own.
    rules
        Rules by category, used in place of learnt ones.
    """

    category_of: Mapping[str, str]
    rules: Rules = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(self.category_of.values()):
            raise ConfigError("a category needs a name")
        for category, own in self.rules.items():
            for rule in own:
                if self.category_of.get(rule.label, rule.label) != category:
                    raise ConfigError(
                        f"rules of {category}: {rule.label} is not a label of this category"
                    )

    def raised(self, documents: Iterable[Document]) -> list[Document]:
        """Return the documents with the category of each mention as its label."""
        names = LabelMap(self.category_of)
        return [names.apply(document) for document in documents]

    def with_rules(
        self, model: Tagger, documents: Sequence[Document], *, private: bool
    ) -> WithRules:
        """Return a tagger of categories with rules learnt from annotated documents."""
        learnt = learn_rules(documents, self.category_of, private=private)
        return WithRules(model, self.category_of, {**learnt, **self.rules})


def split_level(assignments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the setting ``level``, which all kinds of models have, and the other settings."""
    level, others = LEVELS[0], []
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if key.strip() != LEVEL or not equals:
            others.append(assignment)
            continue
        level = value.strip().strip("\"'")
        if level not in LEVELS:
            raise ConfigError(f"--set {LEVEL}: expected {' or '.join(LEVELS)}")
    return level, others


def chosen_categories(
    level: str, category_of: Mapping[str, str] | None, rules_file: Path | None
) -> Categories | None:
    """Return the categories to train on, or None for labels."""
    if level == LEVELS[0]:
        return None
    if not category_of:
        raise ConfigError("level=category needs the category of each label: give --categories")
    return Categories(category_of, read_rules(rules_file) if rules_file else {})
