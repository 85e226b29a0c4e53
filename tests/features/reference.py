"""Plain-Python versions of all attributes and features: what the kernels are judged by.

A value is anything that can be compared; None is "the token does not have this attribute".
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lacuna.features.layout import MONTHS
from lacuna.features.templates import Template, Term
from lacuna.features.token_table import TokenTable, token_table
from lacuna.text import characters
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of

LINE_BREAK = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")
DAY, YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:19|20)[0-9]{2}"
NUMERIC_DATE = re.compile(
    f"{DAY} ([-./]) {DAY} \\1 (?:[0-9]{{2}}|{YEAR})|{YEAR} ([-./]) {DAY} \\2 {DAY}"
)
LETTERS = {
    characters.LOWER: "x",
    characters.UPPER: "X",
    characters.LETTER: "a",
    characters.DIGIT: "d",
    characters.HIRAGANA: "hiragana",
    characters.KATAKANA: "katakana",
    characters.FLAG: "flag",
    characters.IDEOGRAPH: "ideograph",
}
Value = Hashable | None


class Place(NamedTuple):
    """A token: its text, what is before it in the document, its columns and meta data."""

    word: str
    gap: str | None  # None: the document begins with it
    start: int
    document: Document
    columns: dict[str, str]


def table_of(documents: Sequence[Document]) -> TokenTable:
    return token_table(documents, [tokens_of(document) for document in documents])


def places_of(document: Document) -> list[Place]:
    tokens: Tokens = tokens_of(document)
    found: list[Place] = []
    end = None
    for i, (first, last) in enumerate(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)):
        gap = None if end is None else document.text[end:first]
        columns = {name: values[i] for name, values in tokens.columns.items()}
        found.append(Place(document.text[first:last], gap, first, document, columns))
        end = last
    return found


def class_of(character: str) -> int:
    return int(characters.class_table()[ord(character)])


def lower(word: str) -> str:
    def one(c: str) -> str:
        cased = unicodedata.category(c) in ("Lu", "Lt") and len(c.lower()) == 1
        return c.lower() if cased else c

    return "".join(map(one, word))


def shape(word: str) -> tuple[str, ...]:
    letters = [c for c in word if class_of(c) != characters.MARK]
    return tuple(LETTERS.get(class_of(c), "sign " + c) for c in letters)


def short(word: str) -> tuple[str, ...]:
    parts = shape(word)
    return parts[:1] + tuple(b for a, b in pairwise(parts) if a != b)


def kind(word: str) -> frozenset[str]:
    found = {"alone"} if len(word) == 1 else set()
    for i, c in enumerate(word):
        sort = LETTERS.get(class_of(c), "sign")
        if sort == "X":
            found.add("later capital" if i else "first capital")
        elif class_of(c) != characters.MARK:
            found.add(sort if sort in {"d", "sign"} else "letter")
    return frozenset(found)


def stem(word: str) -> str:
    low = lower(word)
    for ending, size, but in (("ing", 6, "-"), ("es", 5, "-"), ("ed", 5, "-"), ("s", 4, "ss")):
        if low.endswith(ending) and len(low) >= size and not low.endswith(but):
            return low[: -len(ending)]
    return low


def word_value(name: str, word: str) -> Value:
    if sized := re.fullmatch(r"(prefix|suffix)(\d)", name):
        size = int(sized[2])
        part = word[:size] if sized[1] == "prefix" else word[-size:]
        return part if len(word) >= size else None
    plain: dict[str, Callable[[str], Value]] = {
        "word": str,
        "lower": lower,
        "shape": shape,
        "short": short,
        "kind": kind,
        "length": lambda text: min(len(text), 10),
        "stem": stem,
    }
    return plain[name](word)


def space(place: Place) -> str:
    if place.gap is None:
        return "document"
    breaks = len(LINE_BREAK.findall(place.gap))
    if breaks:
        return "blank line" if breaks > 1 else "line break"
    if "\t" in place.gap:
        return "tab"
    return ("nothing", "space", "spaces")[min(len(place.gap), 2)]


def split(places: Sequence[Place], borders: set[str]) -> list[list[Place]]:
    """Cut the tokens of a document before each one that has one of `borders` before it."""
    cuts = [i for i, place in enumerate(places) if space(place) in borders]
    return [list(places[a:b]) for a, b in pairwise([*cuts, len(places)])]


def lines_of(places: Sequence[Place]) -> list[list[Place]]:
    return split(places, {"document", "line break", "blank line"})


def is_word(place: Place) -> bool:
    return class_of(place.word[0]) in LETTERS


def begins_high(place: Place) -> bool:
    return is_word(place) and class_of(place.word[0]) not in (characters.LOWER, characters.DIGIT)


def is_colon(before: Place | None, place: Place, after: Place | None) -> bool:
    if place.word[-1] not in ":：":
        return False
    left = (before.word if before is not None and place.gap == "" else "") + place.word[:-1]
    right = after.word if after is not None and after.gap == "" else ""
    digits = [c and class_of(c) == characters.DIGIT for c in (left[-1:], right[:1])]
    return not all(digits)


def headings(places: Sequence[Place]) -> list[tuple[Value, Value]]:
    """Header and section of each token of a document."""
    around = zip([None, *places], places, [*places[1:], None], strict=False)
    colons = {place.start for a, place, b in around if is_colon(a, place, b)}
    found: list[tuple[Value, Value]] = []
    section: Value = None
    for line in lines_of(places):
        header: Value = None
        fields = split([line[0]._replace(gap=None), *line[1:]], {"document", "spaces", "tab"})
        for f, part in enumerate(fields):
            at = next((i for i, place in enumerate(part) if place.start in colons), None)
            if at is None:
                found += [(header, section)] * len(part)
                continue
            found += [(header, section)] * (at + 1)
            named = [p.word[:-1] if i == at else p.word for i, p in enumerate(part[: at + 1])]
            words = [lower(w) for w, p in zip(named, part, strict=False) if is_word(p)]
            if 1 <= len(words) <= 8:
                header = tuple(words)
                section = header if f == 0 and begins_high(part[0]) else section
            found += [(header, section)] * (len(part) - at - 1)
        body = line[:-1] if class_of(line[-1].word[0]) == characters.STOP else line
        plain = all(is_word(p) and p.start not in colons for p in body)
        if len(fields) == 1 and plain and begins_high(line[0]) and len(body) <= 8:
            section = tuple(lower(place.word) for place in body)
    return found


def rows(places: Sequence[Place]) -> list[Value]:
    lines = lines_of(places)
    above = [None, *(lower(line[0].word) for line in lines)]
    return [value for value, line in zip(above, lines, strict=False) for _ in line]


def leads(places: Sequence[Place]) -> list[Value]:
    found: list[Value] = []
    for line in lines_of(places):
        lead: Value = None
        for place in line:
            is_letter = characters.LOWER <= class_of(place.word[0]) <= characters.LETTER
            found.append(None if is_letter else lead)
            lead = lower(place.word) if is_letter else lead
    return found


def runs(places: Sequence[Place]) -> list[Value]:
    found: list[Value] = []
    for run in split(places, {"document", "space", "spaces", "tab", "line break", "blank line"}):
        words = [i for i, place in enumerate(run) if is_word(place)]
        inside = range(words[0], words[-1] + 1) if len(words) > 1 else range(0)
        whole = short("".join(run[i].word for i in inside))
        found += [whole if i in inside else None for i in range(len(run))]
    return found


def earlier(places: Sequence[Place]) -> list[Value]:
    found: list[Value] = []
    known: dict[str, Value] = {}
    for place, (header, _) in zip(places, headings(places), strict=True):
        asked = is_word(place) and class_of(place.word[0]) != characters.LOWER
        found.append(known.get(place.word) if asked else None)
        if header is not None:
            known.setdefault(place.word, header)
    return found


def date_parts(places: Sequence[Place]) -> list[Value]:
    found: list[Value] = []
    for place in places:
        digits = re.fullmatch("[0-9]{1,4}", place.word) is not None
        if place.word in {f(name) for name in MONTHS.split() for f in (str, str.title, str.upper)}:
            found.append("month")
        elif digits and 1900 <= int(place.word) <= 2099:
            found.append("year")
        else:
            is_day = digits and len(place.word) < 3 and 1 <= int(place.word) <= 31
            found.append("day" if is_day else None)
    for first in range(len(places) - 4):
        five = places[first : first + 5]
        joined = all(place.gap == "" for place in five[1:])
        if joined and NUMERIC_DATE.fullmatch(" ".join(place.word for place in five)):
            found[first : first + 5] = ["numeric"] * 5
    return found


def tenth(place: Place) -> int:
    return 10 * place.start // len(place.document.text)


def token_values(name: str, document: Document) -> list[Value]:
    """Values of a token attribute for all tokens of a document."""
    places = places_of(document)
    own, _, rest = name.partition(".")
    begins = {"document", "line break", "blank line"}
    if own == "header":
        return [header for header, _ in headings(places)]
    if own == "section":
        return [section for _, section in headings(places)]
    by_document = {"row": rows, "lead": leads, "run": runs, "earlier": earlier, "date": date_parts}
    if own in by_document:
        return by_document[own](places)
    if own == "column":
        return [place.columns.get(rest) or None for place in places]
    if own == "meta":
        value = document.meta.get(rest)
        text = (
            value if isinstance(value, str) or value is None else json.dumps(value, sort_keys=True)
        )
        return [text or None] * len(places)
    if own == "space":
        return [space(place) for place in places]
    return [(tenth(place), space(place) in begins) for place in places]


def term_values(term: Term, document: Document) -> list[Value]:
    """Values of a term for all tokens of a document; outside the sentence "before", "behind"."""
    tokens = tokens_of(document)
    if term.of_word:
        own = [word_value(term.attribute, word) for word in tokens.words(document.text)]
    else:
        own = token_values(term.attribute, document)
    values: list[Value] = []
    for first, last in pairwise(tokens.sentences.tolist()):
        for t in range(first, last):
            place = t + term.offset
            outside = ("before",) if place < first else ("behind",)
            values.append(own[place] if first <= place < last else outside)
    return values


def features(template: Template, documents: Iterable[Document]) -> list[Value]:
    """Return the feature that each token has under a template: all values, or None."""
    found: list[Value] = []
    for document in documents:
        columns = [term_values(term, document) for term in template.terms]
        found += [None if None in values else values for values in zip(*columns, strict=True)]
    return found


def assert_same(values: Sequence[Value], hashes: Sequence[int] | np.ndarray) -> None:
    """Equal values have equal hashes, different ones different hashes, and None alone has 0."""
    numbers = np.asarray(hashes, np.uint64).tolist()
    assert len(values) == len(numbers)
    assert [value is None for value in values] == [number == 0 for number in numbers]
    pairs = set(zip(values, numbers, strict=True))
    assert len({value for value, _ in pairs}) == len(pairs), "a value has two hashes"
    assert len({number for _, number in pairs}) == len(pairs), "two values share a hash"
