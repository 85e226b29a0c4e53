"""Whether documents are forms: identifiers are on lines like ``Surname: Roe``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lacuna.text.document import Document

#: A line that begins with up to 40 characters, the first a letter, and a colon; but no address.
_KEY = re.compile(r"\s*[^\W\d_][^:\r\n]{0,39}:(?!//)")


def share_in_forms(documents: Iterable[Document]) -> float:
    """Return which share of the mentions follow a ``Label:`` at the start of their line."""
    mentions = after_key = 0
    for document in documents:
        text, line, seen = document.text, 0, 0
        for mention in document.mentions:  # in reading order
            start = mention.spans[0].start
            found = max(text.rfind("\n", seen, start), text.rfind("\r", seen, start))
            line, seen = (found + 1 if found >= 0 else line), start
            key = _KEY.match(text, line)
            mentions += 1
            after_key += key is not None and key.end() <= start
    return after_key / mentions if mentions else 0.0
