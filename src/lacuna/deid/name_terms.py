"""What to look for when a name, a number or an address is known: :class:`~lacuna.deid.terms.Term`.

A name is looked for as a whole and word by word. Titles and particles (*Dr.*, *van*) are not looked
for alone. A word is *clear* if nobody writes it who does not mean the name: it has at least four
letters and is not an everyday word. Shorter words (*Li*) must begin with a capital, and everyday
words (*Will*, *Cook*) count only where they are written like a name; see :mod:`lacuna.deid.terms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lacuna.deid.patterns.cue_words import word_set
from lacuna.deid.terms import Case, Term, fold_words

SHORTEST_PART, SHORTEST_CLEAR = 2, 3
SHORTEST_FAMILY = 4  #: letters of a name that is also looked for in the plural
SHORTEST_NUMBER = 5  #: characters of a number that is looked for
TITLES = word_set("mr mrs ms miss dr drs prof professor sir md phd rn jr sr ii iii iv")
PARTICLES = word_set(
    "de del della di da do dos das la le les los las el al van von der den het ter ten te bin ibn "
    "abu af av und y e of st san santa the and"
)
_EVERYDAY = Path(__file__).parent / "everyday_words.txt"


@cache
def everyday_words() -> frozenset[str]:
    """Return words that are in everybody's notes: a name among them needs more evidence."""
    lines = _EVERYDAY.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def is_clear(word: str) -> bool:
    """Whether a folded word, wherever it is written, means the name it is part of."""
    if word in everyday_words():
        return False
    has_case = word.upper() != word
    return len(word) >= (SHORTEST_CLEAR if has_case else SHORTEST_PART)


def name_parts(name: str) -> Iterator[str]:
    """Yield the folded words of a name that identify somebody."""
    for word in fold_words(name):
        if len(word) >= SHORTEST_PART and word not in TITLES and word not in PARTICLES:
            yield word


def name_terms(name: str, label: str) -> Iterator[Term]:
    """Yield a name and its parts."""
    words = fold_words(name)
    parts = list(name_parts(name))
    if len(words) > 1 and parts:
        yield Term(" ".join(words), label, common=all(p in everyday_words() for p in parts))
    for part in parts:
        if part in everyday_words():
            yield Term(part, label, common=True)
        elif not part.isdigit():
            yield Term(part, label, Case.ANY if is_clear(part) else Case.CAPITAL)
            if len(part) >= SHORTEST_FAMILY and is_clear(family := f"{part}s"):  # the Smiths
                yield Term(family, label)


def number_terms(number: str, label: str) -> Iterator[Term]:
    """Yield a number or an address on the internet: as written and without signs.

    A phone number is also looked for in its groups.
    """
    words = fold_words(number)
    joined = "".join(words)
    if len(joined) >= SHORTEST_NUMBER and (len(words) > 1 or not joined.isalpha()):
        yield Term(" ".join(words), label)
        yield from (Term(form, label) for form in number_forms(number))


def number_forms(number: str) -> Iterator[str]:
    """Yield a number without signs, and a phone number in its groups."""
    digits = "".join(fold_words(number))
    yield digits
    if len(digits) == 10 and digits.isdigit():
        yield f"{digits[:3]} {digits[3:6]} {digits[6:]}"


def phrase_terms(phrase: str, label: str) -> Iterator[Term]:
    """Yield an address, a place or an organisation, which is looked for as a whole.

    At least one of its words must be clear; if another is not, it must begin with a capital or a
    digit.
    """
    words = fold_words(phrase)
    if any(is_clear(word) and not word.isdigit() for word in words):
        every = all(is_clear(word) for word in words)
        yield Term(" ".join(words), label, Case.ANY if every else Case.CAPITAL)
