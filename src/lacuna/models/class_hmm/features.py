"""Features of a word in a class HMM: the word itself, and what it shares with others.

A feature set has yes-or-no properties (:data:`PROPERTIES`) and templates that look at the word
itself (`features/templates.py`). A word not seen in training has the feature UNSEEN in place of
its own, and keeps the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.errors import ConfigError
from lacuna.features.extract import keys_of_words, type_values
from lacuna.features.index import KnownKeys
from lacuna.features.plan import Plan, make_plan
from lacuna.features.presets import load_templates
from lacuna.features.resources import NO_RESOURCES, Resources, with_resources
from lacuna.features.templates import Template, Term, parse_templates
from lacuna.features.token_table import TokenTable, words_at
from lacuna.text.word_types import hash_words
from lacuna.types import HashArray, IntArray

UNSEEN = 0  #: row of the feature of words that were not seen in training


def _whole(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda word: compiled.fullmatch(word) is not None


#: Name → whether a word has the property. The last thirteen are from Zhou and Su (2002).
PROPERTIES: Mapping[str, Callable[[str], bool]] = {
    "capitals": str.isupper,
    "capital first": lambda word: word[:1].isupper(),
    "shape XX": str.isupper,
    "shape Xx": lambda word: word[:1].isupper() and not word.isupper(),
    "shape xx": str.islower,
    "OneDigitNum": _whole(r"\d"),
    "TwoDigitNum": _whole(r"\d\d"),
    "FourDigitNum": _whole(r"\d{4}"),
    "YearDecade": _whole(r"(?:\d\d)?\d\ds"),
    "ContainsDigitAndDash": _whole(r"(?=.*\d).*-.*"),
    "ContainsDigitAndOneSlash": _whole(r"(?=.*\d)[^/]*/[^/]*"),
    "ContainsDigitAndComma": _whole(r"(?=.*\d).*,.*"),
    "ContainsDigitAndPeriod": _whole(r"(?=.*\d).*\..*"),
    "AllCaps": lambda word: word.isalpha() and word.isupper(),
    "CapPeriod": _whole(r"[A-Z]\."),
    "CapOtherPeriod": _whole(r"[A-Z][a-z]+\."),
    "CapPeriods": _whole(r"(?:[A-Z]\.){2,}"),
    "InitialCap": lambda word: word[:1].isupper() and word[1:].islower(),
}

_MUC = tuple(PROPERTIES)[5:]

#: Name of a feature set → its properties and templates.
FEATURE_SETS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "basic": ((), ()),
    "capitalisation": (("capitals", "capital first"), ()),
    "shape": (("shape XX", "shape Xx", "shape xx"), ()),
    "muc": (_MUC, ()),
    "affixes": ((), ("lower[0]", "short[0]", "suffix1-4[0]")),
}


@dataclass(frozen=True, slots=True, eq=False)
class WordFeatures:
    """Properties and templates that give the features of a word."""

    properties: tuple[str, ...]
    plan: Plan

    def keys(self, table: TokenTable, tokens: IntArray) -> HashArray:
        """Return keys[i, j]: the word itself (j = 0) and its features, 0 for none."""
        own = table.hashes[tokens][:, None] | np.uint64(1)
        parts = [own, self._property_keys(table, tokens)]
        values = type_values(table, tokens, self.plan)
        parts += [keys_of_words(values, g) for g in self.plan.by_word]
        return np.concatenate(parts, axis=1)

    def _property_keys(self, table: TokenTable, tokens: IntArray) -> HashArray:
        keys = np.zeros((len(tokens), len(self.properties)), np.uint64)
        if self.properties:
            of_property = hash_words([f"property {name}" for name in self.properties])
            tests = [PROPERTIES[name] for name in self.properties]
            words = words_at(table, tokens)
            has = np.array([[test(word) for test in tests] for word in words], np.bool_)
            keys[:] = np.where(has.reshape(keys.shape), of_property | np.uint64(1), 0)
        return keys


def word_features(source: str, resources: Resources = NO_RESOURCES) -> WordFeatures:
    """Return a named feature set, or that of a template file, with word lists and clusters.

    Raises
    ------
    ConfigError
        When there is no such set or file, or a template looks beyond the word itself.
    """
    properties: tuple[str, ...] = ()
    if source in FEATURE_SETS:
        properties, lines = FEATURE_SETS[source]
        templates = parse_templates(lines)
    else:
        try:
            templates = load_templates(source)
        except ConfigError as error:
            raise ConfigError(f"{error}; feature sets: {', '.join(FEATURE_SETS)}") from None
    templates = with_resources(templates, resources, offsets=(0,))
    return WordFeatures(properties, make_plan(_single(templates, source), resources=resources))


def features_of(
    properties: Sequence[str], lines: Sequence[str], resources: Resources = NO_RESOURCES
) -> WordFeatures:
    """Return features by names of properties and lines of templates, as in a model file."""
    unknown = [name for name in properties if name not in PROPERTIES]
    if unknown or len(set(properties)) < len(properties):
        raise ConfigError("unknown or repeated properties of words")
    templates = _single(parse_templates(lines), "templates")
    return WordFeatures(tuple(properties), make_plan(templates, resources=resources))


def _single(templates: Sequence[Template], source: str) -> list[Template]:
    """Return the templates without that of the word itself, which is always a feature."""
    for template in templates:
        if not template.of_word or template.offsets != {0}:
            raise ConfigError(f"{source}: {template}: a class HMM looks only at the word itself")
    return [template for template in templates if template.terms != (Term("word", 0),)]


@dataclass(frozen=True, slots=True, eq=False)
class WordFeatureSpace:
    """The features a model knows: row 0 is UNSEEN, row r + 1 has the key ``known.hashes[r]``."""

    features: WordFeatures
    known: KnownKeys

    def __len__(self) -> int:
        return len(self.known) + 1

    def rows(self, table: TokenTable, tokens: IntArray) -> IntArray:
        """Return rows[i, j] of words, -1 for none; column 0 is the word itself, or UNSEEN."""
        rows = self.known.lookup(self.features.keys(table, tokens)) + np.int32(1)
        rows[:, 1:][rows[:, 1:] == 0] = -1
        return rows
