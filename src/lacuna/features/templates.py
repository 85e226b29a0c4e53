"""Feature templates as data: what a model looks at around each token.

A template is a line of text::

    suffix3[0]               the last three characters of this word
    lower[-1]                the word before, in lower case
    lower[-1] lower[0]       both together, as one feature
    section[0] shape[0]      this word's shape under this section's name

A term is an attribute and the offset of the token it is taken from. Attributes are either of one
word (:data:`WORD_ATTRIBUTES`, evaluated once per word type) or of a token at its position
(:data:`TOKEN_ATTRIBUTES`). A template file has one template per line; ``#`` begins a comment.
``attribute[-2..2]`` is short for five templates, ``prefix1-4[0]`` for four; a line of several
such families means all their combinations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product

from lacuna.errors import ConfigError

#: Attributes of a word, whatever its context.
WORD_ATTRIBUTES = {
    "word": "the word itself",
    "lower": "the word in lower case",
    "prefixN": "its first N characters, N from 1 to 9",
    "suffixN": "its last N characters, N from 1 to 9",
    "shape": "letters and digits as their classes, signs as they are: `Xxxxx`, `dd-dd`",
    "short": "its shape with runs collapsed: `Xx`, `d-d`",
    "kind": "which it has: capital first, capital later, letters, digits, signs, one character",
    "length": "number of characters, up to 10",
    "stem": "the word in lower case without -s, -es, -ed or -ing",
    "list.NAME": "frequency band (0 to 6) of the word in the word list NAME",
    "cluster.NAME.N": "first N bits (1 to 64) of the word's path, or its cluster at granularity N",
    "lex": "the most frequent label of the word in other training documents, in bands; or new",
}

#: Attributes of a token at its position.
TOKEN_ATTRIBUTES = {
    "space": "what is before it: nothing, a space, several, a tab, a line break, a blank line",
    "run": "short shape of the text between two spaces, if that is several words: `d-d-d`",
    "letters": "if its line is in capitals, or few words of the document begin with one: which",
    "date": "what it may be in a date: day, name of a month, year, or part of a numeric date",
    "header": "the words before the colon, on the same line",
    "section": "the last header above: `Header:` at the start of a line, or a line that is a title",
    "row": "the first token of the line above, in lower case",
    "lead": "if it is a number or a sign: the last word before it on its line, in lower case",
    "earlier": "the first header that the same word had earlier in the document",
    "place": "the tenth of the document it is in, and whether it begins its line",
    "phrase": "its place in a mention of other training documents, with length and label",
    "joined": "its place in two pieces of text that are such a mention without the words between",
    "column.NAME": "its value in the column NAME of the corpus",
    "meta.NAME": "the document's meta data under NAME",
}

WIDEST_OFFSET = 50

_TERM = re.compile(r"(?P<name>[^\s\[\]]+)\[(?P<first>-?\d{1,9})(?:\.\.(?P<last>-?\d{1,9}))?\]")
_SIZES = re.compile(r"(prefix|suffix|cluster\.[\w-]+\.)(\d{1,2})-(\d{1,2})")
_FAMILIES = {
    "prefixN": re.compile(r"prefix[1-9]"),
    "suffixN": re.compile(r"suffix[1-9]"),
    "list.NAME": re.compile(r"list\.[\w-]+"),
    "cluster.NAME.N": re.compile(r"cluster\.[\w-]+\.([1-9]|[1-5]\d|6[0-4])"),
    "column.NAME": re.compile(r"column\.[^\s\[\]#]+"),
    "meta.NAME": re.compile(r"meta\.[^\s\[\]#]+"),
}


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """An attribute of the token `offset` tokens to the right."""

    attribute: str
    offset: int

    def __post_init__(self) -> None:
        name = base_name(self.attribute)
        if name not in WORD_ATTRIBUTES and name not in TOKEN_ATTRIBUTES:
            raise ConfigError(f"unknown attribute {self.attribute!r}; {_hint(self.attribute)}")
        if abs(self.offset) > WIDEST_OFFSET:
            raise ConfigError(f"offsets reach from -{WIDEST_OFFSET} to {WIDEST_OFFSET}")

    def __str__(self) -> str:
        return f"{self.attribute}[{self.offset}]"

    @property
    def of_word(self) -> bool:
        """Whether the attribute depends on the word alone."""
        return base_name(self.attribute) in WORD_ATTRIBUTES


@dataclass(frozen=True, slots=True, order=True)
class Template:
    """One feature per token: the values of all terms together."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    @property
    def of_word(self) -> bool:
        """Whether it uses one word only, so that it can be evaluated per word type."""
        return all(term.of_word for term in self.terms) and len(self.offsets) == 1

    @property
    def offsets(self) -> set[int]:
        """Offsets of its terms."""
        return {term.offset for term in self.terms}


def base_name(attribute: str) -> str:
    """Name of an attribute as listed: ``prefix3`` is ``prefixN``."""
    names = (name for name, pattern in _FAMILIES.items() if pattern.fullmatch(attribute))
    return next(names, "" if attribute in _FAMILIES else attribute)


def parse_templates(lines: Iterable[str], *, source: str = "templates") -> tuple[Template, ...]:
    """Read templates, one or a family per line, duplicates removed, in order.

    Raises
    ------
    ConfigError
        Naming `source`, the line and the nearest attribute.
    """
    found: dict[Template, None] = {}
    for number, line in enumerate(lines, start=1):
        content = line.partition("#")[0].split()
        if not content:
            continue
        try:
            families = [tuple(_family(text)) for text in content]
        except ConfigError as error:
            raise ConfigError(f"{source}:{number}: {error}") from None
        found |= dict.fromkeys(map(Template, product(*families)))
    return tuple(found)


def _family(text: str) -> Iterator[Term]:
    """Yield the terms of a family such as ``prefix1-4[-1..1]``."""
    match = _TERM.fullmatch(text)
    if match is None:
        raise ConfigError(f"{text!r} is not a term like lower[-1]")
    first = int(match["first"])
    last = first if match["last"] is None else int(match["last"])
    attributes = _sizes(match["name"])
    if last < first or not attributes:
        raise ConfigError(f"{text!r} is empty: ranges go from low to high")
    for attribute in attributes:
        Term(attribute, first), Term(attribute, last)  # check both ends before a long range
        for offset in range(first, last + 1):
            yield Term(attribute, offset)


def _sizes(name: str) -> list[str]:
    match = _SIZES.fullmatch(name)
    if match is None:
        return [name]
    kind, first, last = match.groups()
    return [f"{kind}{size}" for size in range(int(first), int(last) + 1)]


def _hint(attribute: str) -> str:
    known = {re.split(r"[.N]", name)[0]: name for name in (*WORD_ATTRIBUTES, *TOKEN_ATTRIBUTES)}
    near = get_close_matches(re.split(r"[.\d]", attribute)[0], known, n=1)
    return f"did you mean {known[near[0]]}?" if near else f"known are {', '.join(known.values())}"
