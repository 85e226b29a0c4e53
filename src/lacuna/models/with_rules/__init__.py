"""A tagger of large categories, and rules that choose the label within each category.

The tagger finds a mention with its category c. Its label is that of the first rule of c whose
conditions all hold,

    label = label_j,   j = min { j : every condition of rule j of c holds },

and c itself if there is none. Conditions ask for words in or near the mention or for the class of
its characters. Rules are learnt from annotated documents or written by hand; the model file stores
them as plain text, and ``lacuna inspect`` shows them. (After the first system of Chen, Cullen and
Godwin 2015, with learnt rules.)

What to read next: `learning.py` (training: a decision tree per category) → `rules.py` (conditions,
applying rules) → `rules_file.py` (TOML and model files).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec

from lacuna.errors import ModelFileError
from lacuna.models.base import Tagger
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel
from lacuna.models.with_rules.rules import (
    Rules,
    label_by_rules,
    mention_facts,
    rule_row,
    rule_words,
)
from lacuna.models.with_rules.rules_file import rules_as_values, rules_from_values
from lacuna.models.wrapped import Wrapped
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of


@dataclass(frozen=True, slots=True, eq=False)
class WithRules(Wrapped):
    """`tagger` finds mentions of large categories, `rules` choose their labels.

    The probability of a mention is that of its category. `categories` maps labels to categories,
    as in training.
    """

    kind: ClassVar[str] = "with-rules"

    categories: Mapping[str, str]
    rules: Rules

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        labels: set[str] = set()
        for category in self.tagger.labels:
            own = self.rules.get(category, ())
            labels.update(rule.label for rule in own)
            if all(rule.when for rule in own):
                labels.add(category)  # if no rule holds
        return tuple(sorted(labels))

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.tagger.find(documents, probabilities=probabilities)
        return [self._labelled(document) for document in found]

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
        return (*self.tagger.held_words(), *rule_words(self.rules))

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also the rules of each category."""
        header = ("when", "label", "right of")
        tables = [
            Table(
                f"{category}: the first rule that holds gives the label",
                header,
                [rule_row(rule) for rule in own],
            )
            for category, own in sorted(self.rules.items())
        ]
        return self.tagger.facts(inspection) + Facts(tuple(tables))

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        stored = super(WithRules, self).store()
        own = {"categories": dict(self.categories), "rules": rules_as_values(self.rules)}
        return replace(stored, header={**stored.header, **own})

    def _labelled(self, document: Document) -> Document:
        if not document.mentions:
            return document
        facts = mention_facts(document, tokens_of(document))
        mentions = tuple(
            replace(mention, label=label_by_rules(mention.label, own, self.rules))
            for mention, own in zip(document.mentions, facts, strict=True)
        )
        return replace(document, mentions=mentions)


def restore_with_rules(stored: StoredModel, tagger: Tagger) -> WithRules:
    """Rebuild a tagger of large categories and its rules from a file."""
    try:
        categories = msgspec.convert(stored.header.get("categories"), dict[str, str])
        rules = rules_from_values(stored.header.get("rules"))
    except (msgspec.ValidationError, ValueError):
        raise ModelFileError(stored.source, "its rules or categories are damaged") from None
    return WithRules(tagger, categories, rules)


def rules_of(model: Tagger) -> Rules:
    """Return the rules of a model or of one inside it; empty if it finds labels directly."""
    if isinstance(model, WithRules):
        return model.rules
    return rules_of(model.tagger) if isinstance(model, Wrapped) else {}
