"""Private models: no word of the training text, and no feature that only a few patients have.

Features are stored as hashes. In a private model a key is mixed into them (``features/plan.py``),
so that two files cannot be compared hash by hash. The key stands in the file, because nobody could
tag without it: whoever holds the file can still test whether a word he guesses is a feature. What
keeps a rare name out is that features of fewer than :data:`PRIVATE_DOCUMENTS` documents are not
there.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from lacuna.features.plan import KEYS

#: A feature of a private model occurs in at least so many documents (groups where there are some).
PRIVATE_DOCUMENTS = 3


def private_key(texts: Iterable[str], seed: int) -> int:
    """Return a key in [1, KEYS): another one for other texts, or for another seed."""
    digest = blake2b(str(seed).encode(), digest_size=16)
    for text in texts:
        digest.update(blake2b(text.encode("utf-8", "surrogatepass")).digest())
    return 1 + int.from_bytes(digest.digest(), "little") % (KEYS - 1)
