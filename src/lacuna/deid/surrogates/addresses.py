"""Surrogates of e-mail addresses, user names, web and IP addresses.

Names inside an address follow the surrogates of the persons: with "John Smith" → "Peter Keller",
"jsmith4@mgh.org" becomes "pkeller7@example.net". Hosts are reserved ones (RFC 2606, private
networks), so no surrogate belongs to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.name_words import PERSON, SPACE, word_for
from lacuna.deid.surrogates.pools import Pools

_HOSTS = ("example.com", "example.org", "example.net")
_RUNS = re.compile(r"[^\W\d_]+|\d+")
_URL = re.compile(r"([A-Za-z]+://)?(www\.)?([^/?#]*)(.*)", re.DOTALL)
_IP4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}", re.ASCII)


def other_email(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another e-mail address."""
    user, at, host = surface.rpartition("@")
    if not at or not user:
        return None
    handle = _handle(memory, pools, user)
    return _unique(memory, "email", surface, lambda extra: f"{handle}{extra}@{_host(memory, host)}")


def other_username(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another user name."""
    if not _RUNS.search(surface):
        return None
    handle = _handle(memory, pools, surface)
    return _unique(memory, "username", surface, lambda extra: f"{handle}{extra}")


def other_url(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another web address; scheme and www stay, path and query keep their form."""
    match = _URL.fullmatch(surface)
    if match is None or not _RUNS.search(match[3]):
        return None
    scheme, www, host, path = (match[i] or "" for i in range(1, 5))
    name = plain(word_for(memory, pools, "host", plain(host)))
    rest = (other_code(memory, "path", path) or path) if _RUNS.search(path) else path
    return _unique(
        memory,
        "url",
        surface,
        lambda extra: f"{scheme}{www}{name}{extra}.{_host(memory, host)}{rest}",
    )


def other_ip(memory: Memory, surface: str) -> str | None:
    """Return another IP address in a private network."""
    if not _IP4.fullmatch(surface):
        return other_code(memory, "ip", surface, first="fd", hexadecimal=True)

    def make(attempt: int) -> tuple[str, str]:
        a, b, c = memory.key.digest("ip", surface, str(attempt))[:3]
        return (text := f"10.{a}.{b}.{c}"), text

    return memory.choose("ip", "", surface, make)


def _unique(memory: Memory, space: str, surface: str, write: Callable[[str], str]) -> str | None:
    """Return what `write` returns for the smallest extra number that makes it unique."""

    def make(attempt: int) -> tuple[str, str]:
        text = write(str(attempt + 1) if attempt else "")
        return text, text.lower()

    return memory.choose(space, "", surface.lower(), make)


def _handle(memory: Memory, pools: Pools, user: str) -> str:
    def replace(match: re.Match[str]) -> str:
        own = match[0]
        if own.isdigit():
            return other_code(memory, "number", own, grow=True) or "0"
        new = _spelt(memory, pools, plain(own))
        return new.upper() if own.isupper() else new if own.islower() else new.capitalize()

    return _RUNS.sub(replace, user)


def _spelt(memory: Memory, pools: Pools, word: str) -> str:
    """Return a surrogate of letters that may be a name, or a name with an initial."""
    whole = memory.chosen(SPACE, word)
    if whole is not None:
        return plain(whole)
    if len(word) <= 2:
        return "".join(map(memory.letter, word))
    after, before = memory.chosen(SPACE, word[1:]), memory.chosen(SPACE, word[:-1])
    if after is not None:
        return memory.letter(word[0]) + plain(after)
    if before is not None:
        return plain(before) + memory.letter(word[-1])
    return plain(word_for(memory, pools, PERSON if word in pools.groups else "handle", word))


def _host(memory: Memory, host: str) -> str:
    new = _HOSTS[memory.key.number("host", host.lower()) % len(_HOSTS)]
    return new.upper() if host.isupper() else new
