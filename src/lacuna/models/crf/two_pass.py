"""Two passes of a CRF: the second uses what the first found elsewhere in the document.

The second pass looks at attributes about the other occurrences of a word (`elsewhere.py`). In
training, the first pass over each document comes from a model that has not seen it (`held_out.py`);
otherwise the second pass would learn that the first is always right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lacuna.encoding.flat import chunks_of_path
from lacuna.encoding.schemes import OUTSIDE
from lacuna.errors import ModelFileError
from lacuna.features.blocks import block_borders
from lacuna.features.templates import Template, parse_templates
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain, expectations
from lacuna.models.base import Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.elsewhere import COLUMNS, FirstPass, evidence
from lacuna.models.crf.storage import restore_crf
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.text.document import Document
from lacuna.types import RealArray

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
class TwoPassModel(ChainTagger):
    """A CRF over text, and a CRF over text and what the first CRF found.

    Attributes
    ----------
    first, second
        The passes.
    block
        Sentences of a block, if longer documents are cut into blocks, as the training corpus was;
        else 0.
    """

    kind: ClassVar[str] = "two-pass"

    first: CrfModel
    second: CrfModel
    block: int = 0

    @property
    def config(self) -> Crf:
        """The settings it was trained with."""
        return self.second.config

    @property
    def tags(self) -> tuple[str, ...]:  # type: ignore[override]
        """All tags."""
        return self.second.tags

    @property
    def card(self) -> Card:
        """The model card."""
        return self.second.card

    def chain(self) -> Chain:
        """Return the moves of the second pass."""
        return self.second.chain()

    def emission(self, table: TokenTable) -> RealArray:
        """Return scores[t, k] of tag k in the second pass."""
        return self.second.emission(table)

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens with what the first pass found elsewhere."""
        table = self.first.table(documents)
        borders = block_borders(table.documents, table.sentences, self.block)
        told = evidence(table, first_look(self.first, table), borders, self.looks_at)
        return table._replace(given=told)

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
        return replace(
            self, first=self.first.with_card(of_first), second=self.second.with_card(card)
        )

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
            {"block": self.block, **{name: dict(part.header) for name, part in parts.items()}},
            {
                f"{name}.{array}": values
                for name, part in parts.items()
                for array, values in part.arrays.items()
            },
        )


def restore_two_pass(stored: StoredModel) -> TwoPassModel:
    """Rebuild a two-pass model from a file."""
    block = stored.header.get("block", 0)  # older files have none
    if not isinstance(block, int) or block < 0:
        raise ModelFileError(stored.source, "the size of its blocks is damaged")
    first, second = (restore_crf(_part(stored, name)) for name in PASSES)
    return TwoPassModel(first, second, block)


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


def first_look(model: CrfModel, table: TokenTable) -> FirstPass:
    """Return what a model says about tokens."""
    chain, emission = model.chain(), model.emission(table)
    path = model.path(chain, emission, table)
    marginals = expectations(chain, emission, table.sentences, threads=1).marginals
    labels = (OUTSIDE, *model.labels)
    number = np.array([labels.index(tag.partition("-")[2] or OUTSIDE) for tag in model.tags])
    share = marginals @ (number[:, None] == np.arange(len(labels)))
    found = chunks_of_path(path, model.tags, table.sentences)
    return FirstPass(labels, share, found.start, found.end, number[found.tag])
