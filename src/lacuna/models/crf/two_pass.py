"""Two passes of a CRF: the second uses what the first found elsewhere in the document.

The second pass looks at token columns about the other occurrences of a word (`elsewhere.py`). In
training, the first pass over each document comes from a model that has not seen it (folds by group;
`training.py`); otherwise the second pass would learn that the first is always right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lacuna.encoding.schemes import OUTSIDE
from lacuna.errors import ModelFileError
from lacuna.features.templates import Template, parse_templates
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import expectations
from lacuna.models.base import Card, TagsAnything
from lacuna.models.chain_tagger import BestPaths, batches
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.elsewhere import COLUMNS, FirstPass, with_columns
from lacuna.models.crf.storage import restore_crf
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of
from lacuna.types import FloatArray

#: Additional templates of the second pass.
EVIDENCE_TEMPLATES = """\
column.vote[-1..1]
column.longer[-1..1]
column.cased[-1..1]
column.vote[0] column.longer[0]
column.vote[0] column.cased[0]
column.vote[-1] column.vote[0]
column.vote[0] column.vote[1]
column.vote[0] short[0]
column.soft[-1..1]
column.surest[0]
column.soft[0] column.surest[0]
column.soft[0] short[0]
column.whole[-1..1]
column.within[0]
column.whole[0] column.within[0]
column.whole[0] column.soft[0]
"""
PASSES = ("first", "second")


def evidence_templates() -> tuple[Template, ...]:
    """Return the additional templates of the second pass."""
    return parse_templates(EVIDENCE_TEMPLATES.splitlines(), source="evidence")


@dataclass(frozen=True, slots=True, eq=False)
class TwoPassModel(TagsAnything):
    """A CRF over text, and a CRF over text and what the first CRF found."""

    kind: ClassVar[str] = "two-pass"

    first: CrfModel
    second: CrfModel

    @property
    def config(self) -> Crf:
        """The settings it was trained with."""
        return self.second.config

    @property
    def card(self) -> Card:
        """The model card."""
        return self.second.card

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.second.labels

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.second.find(self.with_evidence(documents), probabilities=probabilities)
        return [
            replace(document, mentions=tagged.mentions)
            for document, tagged in zip(documents, found, strict=True)
        ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention."""
        return self.second.identifier_probabilities(self.with_evidence(documents))

    def with_evidence(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents as the second pass sees them: tokens with more columns."""
        columns = self.looks_at
        return [
            replace(d, tokens=with_columns(d, tokens_of(d), seen, columns))
            for d, seen in zip(documents, first_look(self.first, documents), strict=True)
        ]

    @property
    def looks_at(self) -> frozenset[str]:
        """The columns that the second pass looks at: older models look at fewer."""
        templates = self.second.index.plan.templates
        attributes = {term.attribute for template in templates for term in template.terms}
        return frozenset(name for name in COLUMNS if f"column.{name}" in attributes)

    @property
    def is_private(self) -> bool:
        """Whether it was trained to hold no word of its training text."""
        return self.second.is_private

    @property
    def parameters(self) -> int:
        """Number of weights of both passes."""
        return self.first.parameters + self.second.parameters

    def with_card(self, card: Card) -> TwoPassModel:
        """Return the model with another card; its scores are for both passes together."""
        of_first = replace(card, iterations=self.first.card.iterations, scores=())
        return TwoPassModel(self.first.with_card(of_first), self.second.with_card(card))

    def core(self) -> CrfModel:
        """Return the second pass, which finds the mentions."""
        return self.second

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
        return (*self.first.held_words(), *self.second.held_words())

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: both passes."""
        passes = {f"{name} pass": getattr(self, name).facts(inspection) for name in PASSES}
        first, second = (facts.titled(name) for name, facts in passes.items())
        values = {
            "private": all(facts.values["private"] for facts in passes.values()),
            "strongest": {name: facts.values["strongest"] for name, facts in passes.items()},
        }
        return Facts((*first.tables, *second.tables), values)

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        parts = dict(zip(PASSES, (self.first.store(), self.second.store()), strict=True))
        return StoredModel(
            self.kind,
            {name: dict(part.header) for name, part in parts.items()},
            {
                f"{name}.{array}": values
                for name, part in parts.items()
                for array, values in part.arrays.items()
            },
        )


def restore_two_pass(stored: StoredModel) -> TwoPassModel:
    """Rebuild a two-pass model from a file."""
    return TwoPassModel(*(restore_crf(_part(stored, name)) for name in PASSES))


def _part(stored: StoredModel, name: str) -> StoredModel:
    header: Any = stored.header.get(name)
    if not isinstance(header, dict):
        raise ModelFileError(stored.source, f"its header has no {name} pass")
    prefix = f"{name}."
    arrays = {
        key.removeprefix(prefix): values
        for key, values in stored.arrays.items()
        if key.startswith(prefix)
    }
    return StoredModel(CrfModel.kind, header, arrays, stored.source)


def first_look(model: CrfModel, documents: Sequence[Document]) -> list[FirstPass]:
    """Return what a model says about documents."""
    runs = batches(documents)
    parts = run_chunks(lambda a, b: _look(model, documents[a:b]), runs)
    return [seen for part in parts for seen in part]


def _look(model: CrfModel, documents: Sequence[Document]) -> list[FirstPass]:
    table, chain = model.table(documents), model.chain()
    emission = model.emission(table)
    path = model.path(chain, emission, table)
    found = model.read(BestPaths(table, chain, emission, path), probabilities=False)
    marginals = expectations(chain, emission, table.sentences, threads=1).marginals
    labels = (OUTSIDE, *model.labels)
    number = [labels.index(tag.partition("-")[2] or OUTSIDE) for tag in model.tags]
    share = np.zeros((len(marginals), len(labels)))
    for tag, label in enumerate(number):
        share[:, label] += marginals[:, tag]
    shares = np.split(share, table.documents[1:-1])
    mentions = found.mentions(len(documents))
    return [FirstPass(m, labels, one) for m, one in zip(mentions, shares, strict=True)]
