"""Rules that give a mention of a large category its label; people can read and edit them.

The first rule of a category whose conditions all hold gives the label. A condition asks for a word
near the mention, or for the class of the mention's own characters. If no rule holds, the category
is the label. `learning.py` learns rules, `rules_file.py` reads and writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from lacuna.text.align import mention_tokens
from lacuna.text.document import Document, Mention, Tokens

Place = Literal["class", "inside", "before", "after"]
PLACES: tuple[Place, ...] = get_args(Place)
NEAR = 3  #: tokens before and after a mention that conditions look at

#: Classes of mentions by their characters without blanks; the first that matches.
_CLASSES = (
    ("number", re.compile(r"\d+")),
    ("date", re.compile(r"\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?")),
    ("phone", re.compile(r"[+(]*\d[-+/.()\d]{5,}\d")),
    ("address", re.compile(r".*(@|://|www\.).*", re.IGNORECASE | re.DOTALL)),
    ("mixed", re.compile(r".*\d.*", re.DOTALL)),
)
CLASSES = (*(name for name, _ in _CLASSES), "capitals", "capitalised", "words", "signs")


class Fact(NamedTuple):
    """Something that is true of a mention: a word near it, in lower case, or its class."""

    place: Place
    word: str


class Condition(NamedTuple):
    """Holds if one of the words is at the place; for the place ``class``, if one is the class."""

    place: Place
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A label for the mentions for which all conditions hold.

    Attributes
    ----------
    label
        The label.
    when
        The conditions; a rule without any always holds.
    mentions, right
        Training mentions for which this rule was the first to hold, and how many of them have the
        label; for people only.
    """

    label: str
    when: tuple[Condition, ...] = ()
    mentions: int = 0
    right: int = 0


Rules = Mapping[str, tuple[Rule, ...]]  #: by category


def mention_class(surface: str) -> str:
    """Return the class of a mention's characters."""
    packed = "".join(surface.split())
    for name, pattern in _CLASSES:
        if pattern.fullmatch(packed):
            return name
    letters = "".join(filter(str.isalpha, packed))
    if not letters:
        return "signs"
    if letters.isupper():
        return "capitals"
    return "capitalised" if letters[0].isupper() else "words"


def mention_facts(document: Document, tokens: Tokens) -> Iterator[frozenset[Fact]]:
    """Yield the facts of each mention of a document."""
    words = [word.lower() for word in tokens.words(document.text)]
    for mention in document.mentions:
        yield frozenset(_facts(mention, document.text, tokens, words))


def _facts(mention: Mention, text: str, tokens: Tokens, words: Sequence[str]) -> Iterator[Fact]:
    yield Fact("class", mention_class(mention.surface(text)))
    own = mention_tokens(mention, tokens)
    if not own:
        return
    yield from (Fact("inside", words[t]) for t in own)
    yield from (Fact("before", word) for word in words[max(own[0] - NEAR, 0) : own[0]])
    yield from (Fact("after", word) for word in words[own[-1] + 1 : own[-1] + 1 + NEAR])


def label_by_rules(category: str, facts: frozenset[Fact], rules: Rules) -> str:
    """Return the label of a mention of a category with these facts."""
    for rule in rules.get(category, ()):
        if all(_holds(condition, facts) for condition in rule.when):
            return rule.label
    return category


def _holds(condition: Condition, facts: frozenset[Fact]) -> bool:
    return any(Fact(condition.place, word) in facts for word in condition.words)


def rule_words(rules: Rules) -> list[str]:
    """Return the words that rules ask for."""
    conditions = [part for own in rules.values() for rule in own for part in rule.when]
    words = [word for part in conditions if part.place != "class" for word in part.words]
    return list(dict.fromkeys(words))


def rule_row(rule: Rule) -> tuple[str, str, str]:
    """Return a rule in words: its conditions, its label and how often it was right."""
    when = " and ".join(f"{part.place} {' or '.join(part.words)}" for part in rule.when)
    counts = f"{rule.right:,} of {rule.mentions:,}" if rule.mentions else ""
    return when or "otherwise", rule.label, counts
