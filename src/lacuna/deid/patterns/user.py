"""Patterns of the user, guaranteed to take linear time: RE2 instead of Python's ``re``.

RE2 walks an automaton over the text and never goes back, whatever the pattern. The price: no
look-around and no references to groups; such a pattern is refused with a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from lacuna.deid.findings import Finding, Origin
from lacuna.errors import ConfigError

MAX_PATTERN = 4096  # characters
MAX_MEMORY = 16 << 20  # bytes of automaton; beyond it RE2 is slower, but still linear


@dataclass(frozen=True, slots=True)
class UserPattern:
    """A pattern that is ready to search; make it with :func:`compile_user_pattern`."""

    name: str
    label: str
    compiled: Any


def compile_user_pattern(name: str, pattern: str, label: str) -> UserPattern:
    r"""Compile a pattern in RE2's syntax: ``\bPX-\d{6}\b``, ``(?i)study\s+id\s+(\d+)``.

    With a group, the first group that took part is the identifier, else the whole match.
    :class:`ConfigError` names the pattern and says what is wrong with it.
    """
    if not label:
        raise ConfigError(f"pattern {name}: a label is missing")
    if len(pattern) > MAX_PATTERN:
        raise ConfigError(f"pattern {name}: longer than {MAX_PATTERN:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else "not a pattern"
        reason = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise ConfigError(f"pattern {name}: {reason}") from None
    if compiled.match("") is not None:
        raise ConfigError(f"pattern {name}: matches the empty text")
    return UserPattern(name, label, compiled)


def find_user_pattern(text: str, pattern: UserPattern) -> Iterator[Finding]:
    """Yield what a user's pattern finds, from left to right; nothing empty."""
    for match in pattern.compiled.finditer(text):
        spans = (match.span(group) for group in range(1, pattern.compiled.groups + 1))
        start, end = next((span for span in spans if span[0] >= 0), match.span())
        if start < end:
            yield Finding(start, end, pattern.label, Origin.PATTERN)
