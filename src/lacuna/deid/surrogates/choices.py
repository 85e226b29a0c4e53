"""The surrogates chosen so far within one scope (a document or a patient).

A choice is made by HMAC(scope's key, domain ‖ value ‖ attempt). The first attempt whose result is
neither taken, nor the value itself, nor another value of the scope is kept. So no two values share
a surrogate, and a choice depends on other values only if two attempts collide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_lowercase

from lacuna.deid.keys import Key
from lacuna.deid.person_names import NameWord

_ATTEMPTS = 64
_RARE = "quxyz"
_LATIN = ("".join(letter for letter in ascii_lowercase if letter not in _RARE), _RARE)


@dataclass(slots=True)
class Hint:
    """What the text says about one word or value.

    Attributes
    ----------
    article
        "a" or "an" if one stands before it.
    ends_in_s
        Whether an apostrophe alone stands after it.
    given, family
        How often it is a first name and a family name by its position.
    gender
        "m" or "f" if a title or a word like *wife* tells.
    """

    article: str = ""
    ends_in_s: bool = False
    given: int = 0
    family: int = 0
    gender: str = ""


class Memory:
    """Choices of one scope; its repr shows only their number."""

    __slots__ = (
        "_chosen",
        "_first",
        "_letters",
        "_taken",
        "_values",
        "hints",
        "key",
        "parsed",
        "usual",
    )

    def __init__(self, key: Key) -> None:
        self.key = key
        self._taken: set[tuple[str, str]] = set()
        self._values: set[tuple[str, str]] = set()
        self._chosen: dict[tuple[str, str, str], str] = {}
        self._first: dict[tuple[str, str], str] = {}
        self._letters: dict[tuple[str, ...], dict[str, str]] = {}
        self.parsed: dict[tuple[bool, str], list[NameWord]] = {}  #: words of names and places
        self.usual: set[str] = set()  #: plain words of names, each used as the lists expect
        self.hints: dict[str, Hint] = {}  #: what the text says about plain words and values

    def __repr__(self) -> str:
        return f"Memory({len(self._chosen)} choices)"

    def forgetful(self, *fields: str) -> Memory:
        """Return a memory without choices that avoids everything taken here."""
        fresh = Memory(self.key.derive(*fields))
        fresh._taken, fresh._values = self._taken, self._values
        fresh.hints, fresh.usual, fresh.parsed = self.hints, self.usual, self.parsed
        return fresh

    def expect(self, space: str, *values: str) -> None:
        """Exclude values of the text from being surrogates."""
        self._values.update([(space, value) for value in values])

    def choose(
        self, space: str, domain: str, value: str, make: Callable[[int], tuple[str, str] | None]
    ) -> str | None:
        """Return the surrogate of a value, the same each time.

        Parameters
        ----------
        space
            Surrogates are unique within it: all words, all numbers …
        domain
            Equal values in different domains, e.g. labels, have different surrogates.
        value
            Normalised.
        make
            Returns a surrogate and its normalised form for an attempt, or None to give up.

        Returns
        -------
        str or None
            None if all attempts were taken.
        """
        known = self._chosen.get((space, domain, value))
        if known is not None:
            return known
        for attempt in range(_ATTEMPTS):
            made = make(attempt)
            if made is None:
                return None
            text, normal = made
            place = (space, normal)
            if normal != value and place not in self._taken and place not in self._values:
                self._taken.add(place)
                self._chosen[space, domain, value] = text
                self._first.setdefault((space, value), text)
                return text
        return None

    def known(self, space: str, domain: str, value: str) -> str | None:
        """Return what was chosen for a value, or None."""
        return self._chosen.get((space, domain, value))

    def chosen(self, space: str, value: str) -> str | None:
        """Return what was first chosen for a value in any domain, or None."""
        return self._first.get((space, value))

    def is_expected(self, space: str, value: str) -> bool:
        """Whether a value is in the text."""
        return (space, value) in self._values

    def is_free(self, space: str, value: str) -> bool:
        """Whether a value is neither in the text nor a surrogate."""
        return (space, value) not in self._values and (space, value) not in self._taken

    def letter(self, letter: str, alphabet: tuple[str, ...] = _LATIN) -> str:
        """Return another letter for a letter, by secret cycles through an alphabet: none stays.

        The alphabet may be in several parts, each with its own cycle. Letters with which few names
        begin are such a part; otherwise rare names would become common.
        """
        cycles = self._letters.get(alphabet)
        if cycles is None:
            cycles = self._letters[alphabet] = self._cycles(alphabet)
        known = cycles.get(letter)
        if known is None:
            every = sorted(cycles)
            known = every[self.key.number("letter", letter) % len(every)]
        return known

    def _cycles(self, alphabet: tuple[str, ...]) -> dict[str, str]:
        random = int.from_bytes(self.key.digest("letters"), "big")
        cycles: dict[str, str] = {}
        for letters in alphabet:
            left, cycle = list(letters), []
            while left:
                random, choice = divmod(random, len(left))
                cycle.append(left.pop(choice))
            cycles |= zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        return cycles
