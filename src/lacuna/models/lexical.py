"""Giving a model its training lexicon: counts to store, and attributes of the training tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from lacuna.encoding.flat import TrainingDocument
from lacuna.features.blocks import block_units, blocks, sentences_per_block
from lacuna.features.lexicon_counts import count_lexicon, sentence_units
from lacuna.features.resources import JOINED, Resources, uses_lexicon
from lacuna.features.templates import Template
from lacuna.features.token_table import TokenTable
from lacuna.models.settings import Settings

FEWEST_UNITS = 2  #: with fewer there are no others whose counts could be used


class Lexical(NamedTuple):
    """The templates and resources to train with, and the tokens with their attributes."""

    table: TokenTable
    templates: tuple[Template, ...]
    resources: Resources


def with_training_lexicon(
    table: TokenTable,
    documents: Sequence[TrainingDocument],
    templates: Sequence[Template],
    resources: Resources,
    *,
    copies: Sequence[TrainingDocument] = (),
    least: int = 1,
    key: int = 0,
) -> Lexical:
    """Count the lexicon of documents, if a template uses it.

    Parameters
    ----------
    table
        The tokens of `documents`, then those of `copies`, then others.
    documents
        What is counted.
    templates, resources
        What the model looks at. Counts of the old lexicon in `resources` are added.
    copies
        Documents that are not counted, in the units of those that are.
    least
        Words and phrases of fewer units do not count.
    key
        The key of a private model.
    """
    if not uses_lexicon(templates):
        return Lexical(table, tuple(templates), resources)
    old = resources.lexicon
    size = block_size(documents, least=least, adapts=old is not None)
    if size:
        units = block_units(table.documents, table.sentences, size)
    else:
        units = sentence_units(table, [item.document for item in (*documents, *copies)])
    if old is None and units.max(initial=-1) + 1 < FEWEST_UNITS:
        return Lexical(table, tuple(t for t in templates if not uses_lexicon([t])), resources)
    gaps = any(term.attribute == JOINED for template in templates for term in template.terms)
    lexicon, values = count_lexicon(
        documents, table, units, least=least, key=key, old=old, reach=int(size > 0), gaps=gaps
    )
    table = table._replace(given=values)
    return Lexical(table, tuple(templates), replace(resources, lexicon=lexicon))


def block_size(
    documents: Sequence[TrainingDocument], *, least: int = 1, adapts: bool = False
) -> int:
    """Return how many sentences count as one document; 0 if documents are not cut.

    They are not if features must be in several documents, as in private models, which blocks of one
    document are not, or if a model is adapted, which knows other documents.
    """
    return 0 if least > 1 or adapts else sentences_per_block(documents)


def blocks_used(config: Settings, documents: Sequence[TrainingDocument], *, adapts: bool) -> int:
    """Return into how many blocks training cut the corpus; 0 if it did not."""
    needed = getattr(config, "lexicon", False) or getattr(config, "two_pass", False)
    least = getattr(config, "min_documents", 1)
    size = block_size(documents, least=least, adapts=adapts) if needed else 0
    return blocks(documents, size) if size else 0
