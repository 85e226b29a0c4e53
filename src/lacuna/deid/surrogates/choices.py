"""The surrogates chosen so far within one scope (a document or a patient).

A choice is made by HMAC(scope's key, domain ‖ value ‖ attempt). The first attempt whose result is
neither taken, nor the value itself, nor another value of the scope is kept. So no two values share
a surrogate, and a choice depends on other values only if two attempts collide.
"""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase

from lacuna.deid.keys import Key

_ATTEMPTS = 64
_RARE = "quxyz"
_COMMON = "".join(letter for letter in ascii_lowercase if letter not in _RARE)


class Memory:
    """Choices of one scope; its repr shows only their number."""

    __slots__ = ("_chosen", "_first", "_letters", "_taken", "_values", "key")

    def __init__(self, key: Key) -> None:
        self.key = key
        self._taken: set[tuple[str, str]] = set()
        self._values: set[tuple[str, str]] = set()
        self._chosen: dict[tuple[str, str, str], str] = {}
        self._first: dict[tuple[str, str], str] = {}
        self._letters: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Memory({len(self._chosen)} choices)"

    def forgetful(self, *fields: str) -> Memory:
        """Return a memory without choices that avoids everything taken here."""
        fresh = Memory(self.key.derive(*fields))
        fresh._taken, fresh._values = self._taken, self._values
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

    def letter(self, letter: str) -> str:
        """Return another letter for a letter, by two secret cycles through a … z: none stays.

        Letters with which few names begin have their own cycle; otherwise rare names would become
        common.
        """
        if not self._letters:
            random = int.from_bytes(self.key.digest("letters"), "big")
            for letters in (_COMMON, _RARE):
                left, cycle = list(letters), []
                while left:
                    random, choice = divmod(random, len(left))
                    cycle.append(left.pop(choice))
                self._letters |= zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        known = self._letters.get(letter)
        if known is None:
            known = ascii_lowercase[self.key.number("letter", letter) % 26]
        return known
