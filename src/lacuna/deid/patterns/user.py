"""Patterns of the user, guaranteed to take linear time: RE2 instead of Python's ``re``.

RE2 runs an automaton over the text and never backtracks, whatever the pattern. The price: a pattern
with look-around or backreferences is refused with a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import re2

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import plain_copies
from lacuna.deid.policy import UserPattern
from lacuna.errors import ConfigError

MAX_PATTERN = 4096  # characters
MAX_MEMORY = 16 << 20  # bytes of automaton; beyond it RE2 is slower, but still linear


def compile_user_pattern(name: str, pattern: UserPattern) -> Callable[[str], Iterator[Finding]]:
    r"""Return a function that yields what a pattern finds in a text, from left to right.

    The syntax is RE2's: ``\bPX-\d{6}\b``, ``(?i)study\s+id\s+(\d+)``. If the pattern has groups,
    the first group that matched is the identifier, otherwise the whole match. Empty matches are
    skipped. A text with unusual dashes, spaces, digits or invisible characters is searched as it is
    and as a plain copy (:mod:`lacuna.deid.folding`).

    Raises
    ------
    ConfigError
        Naming the pattern and what is wrong with it.
    """
    compiled = _compiled(name, pattern)
    groups = range(1, compiled.groups + 1)

    def spans(text: str) -> Iterator[tuple[int, int]]:
        for match in compiled.finditer(text):
            matched = (match.span(group) for group in groups)
            start, end = next((span for span in matched if span[0] >= 0), match.span())
            if start < end:
                yield start, end

    def find(text: str) -> Iterator[Finding]:
        found = dict.fromkeys(spans(text))
        for copy in plain_copies(text):
            found |= dict.fromkeys(copy.original(*span) for span in spans(copy.text))
        for start, end in sorted(found):
            yield Finding(start, end, pattern.label, Origin.PATTERN)

    return find


def _compiled(name: str, pattern: UserPattern) -> Any:
    if not pattern.label:
        raise ConfigError(f"pattern {name}: a label is missing")
    if len(pattern.pattern) > MAX_PATTERN:
        raise ConfigError(f"pattern {name}: longer than {MAX_PATTERN:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    try:
        compiled = re2.compile(pattern.pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else "not a pattern"
        reason = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise ConfigError(f"pattern {name}: {reason}") from None
    if compiled.match("") is not None:
        raise ConfigError(f"pattern {name}: matches the empty text")
    return compiled
