"""A set of templates as arrays: attributes to compute, window offsets, terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.features.resources import NO_RESOURCES, Resources
from lacuna.features.templates import Template
from lacuna.types import IntArray, LongArray

KEYS = 1 << 61  #: number of possible keys; twice a template's number must fit into 63 bits


@dataclass(frozen=True, slots=True, eq=False)
class WordTemplates:
    """The templates that use only the word `offset` tokens away.

    Column j of their table is template ``template[j]``, which combines the word attributes
    ``attribute[first_term[j]]`` to ``attribute[first_term[j + 1]]``.
    """

    offset: int
    first_term: LongArray
    attribute: IntArray
    template: LongArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenTemplates:
    """The templates that combine several words or use attributes of tokens.

    Terms of column j, which is template ``template[j]``, are ``first_term[j]`` to
    ``first_term[j + 1]``; a term is ``attribute`` at ``offset``. Attributes are numbered:
    first `words`, the word attributes used here, then all token attributes.
    """

    words: IntArray
    first_term: LongArray
    attribute: IntArray
    offset: IntArray
    template: LongArray


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Templates sorted by how they are evaluated, and the word lists and clusters they name.

    Template j has the number ``key + j``, the seed of the hashes of its features.
    """

    templates: tuple[Template, ...]
    word_attributes: tuple[str, ...]
    token_attributes: tuple[str, ...]
    resources: Resources
    by_word: tuple[WordTemplates, ...]
    by_token: TokenTemplates
    key: int = 0

    @property
    def offsets(self) -> IntArray:
        """The window: offsets that word templates use."""
        return np.array([group.offset for group in self.by_word], np.int32)


def make_plan(
    templates: Sequence[Template], *, resources: Resources = NO_RESOURCES, key: int = 0
) -> Plan:
    """Sort templates into those evaluated per word type and those evaluated per token.

    Parameters
    ----------
    templates
        The features.
    resources
        The word lists and clusters that templates name.
    key
        Below :data:`KEYS`. Another key gives every feature another hash.

    Raises
    ------
    ConfigError
        If a template names a word list or clusters that `resources` does not have.
    """
    terms = [term for template in templates for term in template.terms]
    words = tuple(sorted({term.attribute for term in terms if term.of_word}))
    places = tuple(sorted({term.attribute for term in terms if not term.of_word}))
    for name in (*words, *places):
        resources.check(name)
    number = {name: i for i, name in enumerate(words)}
    numbered = list(enumerate(templates, start=key))
    single = [(j, template) for j, template in numbered if template.of_word]
    offsets = sorted({offset for _, template in single for offset in template.offsets})
    return Plan(
        tuple(templates),
        words,
        places,
        resources,
        tuple(_word_templates(offset, single, number) for offset in offsets),
        _token_templates([(j, t) for j, t in numbered if not t.of_word], number, places),
        key,
    )


def _word_templates(
    offset: int, single: Sequence[tuple[int, Template]], number: dict[str, int]
) -> WordTemplates:
    here = [(j, template) for j, template in single if offset in template.offsets]
    terms = [term for _, template in here for term in template.terms]
    return WordTemplates(
        offset,
        np.cumsum([0, *(len(template.terms) for _, template in here)]).astype(np.int64),
        np.array([number[term.attribute] for term in terms], np.int32),
        np.array([j for j, _ in here], np.int64),
    )


def _token_templates(
    several: Sequence[tuple[int, Template]], number: dict[str, int], places: Sequence[str]
) -> TokenTemplates:
    terms = [term for _, template in several for term in template.terms]
    sizes = [len(template.terms) for _, template in several]
    words = sorted({term.attribute for term in terms if term.of_word})
    own = {name: i for i, name in enumerate((*words, *places))}
    return TokenTemplates(
        np.array([number[name] for name in words], np.int32),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array([own[term.attribute] for term in terms], np.int32),
        np.array([term.offset for term in terms], np.int32),
        np.array([j for j, _ in several], np.int64),
    )
