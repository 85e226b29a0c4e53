"""Surrogates of numbers and codes: "MRN 44-A71" becomes "QKD 92-F08".

Digits become digits, letters become letters of the same case, everything else stays. A leading zero
stays zero, and no other digit becomes a leading zero. Checksums are not kept, on purpose: a
surrogate must not be somebody's valid card.
"""

from __future__ import annotations

import unicodedata
from string import ascii_lowercase, digits

from lacuna.deid.keys import Key
from lacuna.deid.surrogates.choices import Memory

HEXADECIMAL = "0123456789abcdef"
_BEFORE_GROWING = 20  # attempts
_PER_DIGEST = 48  # characters that 256 random bits are enough for


def normal_code(surface: str) -> str:
    """Return the letters and digits of a code, in lower case."""
    code = "".join(filter(str.isalnum, surface))
    return code.lower() if code.isascii() else "".join(map(_lower, code))


def other_code(
    memory: Memory,
    space: str,
    surface: str,
    *,
    first: str = "",
    hexadecimal: bool = False,
    grow: bool = False,
) -> str | None:
    """Return another code of the same form, or None if nothing can be changed or none is left.

    Parameters
    ----------
    memory
        Of the scope.
    space
        Codes are unique within it.
    surface
        As in the text; codes that differ only in signs have equal surrogates.
    first
        What the new code begins with.
    hexadecimal
        Whether letters are digits, as in an IP address.
    grow
        Whether it may become longer if no other code of its length is left.
    """
    value = normal_code(surface)
    if not value:
        return None

    def make(attempt: int) -> tuple[str, str]:
        wanted = value + "1" * (attempt // _BEFORE_GROWING) if grow else value
        new = _characters(memory.key, space, wanted, attempt, hexadecimal)
        new = first + new[len(first) :]
        return new, new

    new = memory.choose(space, "", value, make)
    return None if new is None else _written_like(surface, new)


def _characters(key: Key, space: str, value: str, attempt: int, hexadecimal: bool) -> str:
    made: list[str] = []
    random = key.digest("code", space, value, str(attempt))
    pool = int.from_bytes(random, "big")
    for i, character in enumerate(value):
        if i and i % _PER_DIGEST == 0:  # long: continue with a digest of the first digest
            pool = int.from_bytes(Key(random).digest(str(i)), "big")
        if hexadecimal:
            choices = HEXADECIMAL
        elif character.isalpha():
            choices = ascii_lowercase
        elif i > 0:
            choices = digits
        else:
            choices = "0" if character == "0" else "123456789"
        pool, choice = divmod(pool, len(choices))
        made.append(choices[choice])
    return "".join(made)


def _written_like(surface: str, new: str) -> str:
    """Return the new characters with the case and the signs of the surface."""
    characters = iter(new)
    pieces = []
    for c in surface:
        if c.isalnum():
            other = next(characters)
            pieces.append(other.upper() if c.isupper() else other)
        elif c.isascii() or unicodedata.category(c)[0] != "M":
            pieces.append(c)
    return "".join([*pieces, *characters])


def _lower(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character
