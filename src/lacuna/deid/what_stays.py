"""What a policy leaves visible of something that was found.

"Found" is not "hidden". A kept label leaves everything; generalising leaves the year of a date, an
age below 90; shifting a date may leave its month and year. :class:`WhatStays` asks the redactor
what it would write for a label and a text, so that calibration counts what can still be read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from lacuna.deid.actions import Generalise, Keep, Shift, Surrogate
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.policy import Policy
from lacuna.deid.redact import Redactor
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize

RECENT = 1 << 14  #: texts whose replacements are cached


class Stays(NamedTuple):
    """What can still be read.

    words
        Tokens of the text that may stand in its replacement.
    is_moved
        Whether it is a date moved by a secret number of days; `words` are all of its tokens.
    """

    words: frozenset[str] = frozenset()
    is_moved: bool = False

    @property
    def unchanged(self) -> frozenset[str]:
        """Tokens that stay as they are and mean the same."""
        return frozenset() if self.is_moved else self.words


NOTHING = Stays()


class WhatStays:
    """Tells what a policy leaves visible."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._redactor = Redactor(policy, Key.random())
        self.of = lru_cache(RECENT)(self._of)

    def hides(self, label: str) -> bool:
        """Whether nothing of a label stays, whatever its text."""
        return not (self.moves(label) or isinstance(self._policy.action(label), Keep | Generalise))

    def keeps(self, label: str) -> bool:
        """Whether everything of a label stays."""
        return isinstance(self._policy.action(label), Keep)

    def moves(self, label: str) -> bool:
        """Whether a label is a date that is shifted."""
        action = self._policy.action(label)
        is_date = self._policy.kind(label) is IdentifierKind.DATE
        return isinstance(action, Shift) or (isinstance(action, Surrogate) and is_date)

    def _of(self, label: str, text: str) -> Stays:
        if self.hides(label) or not text.strip():
            return NOTHING
        if self.keeps(label):
            return Stays(words_of(text))
        found = [Finding(0, len(text), label, Origin.MODEL)]
        redacted = self._redactor.redact(Document("", text), found)
        if redacted.fallbacks:  # the action was not possible, so the default hides everything
            return NOTHING
        if self.moves(label):
            return Stays(words_of(text), is_moved=True)
        return Stays(words_of(redacted.document.text))


def words_of(text: str) -> frozenset[str]:
    """Return the tokens of a text."""
    tokens = tokenize(text)
    borders = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
    return frozenset(text[start:end] for start, end in borders)
