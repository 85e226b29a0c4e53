"""A document as JSON values: the types that :meth:`lacuna.Document.from_dict` checks.

In a file of its own, because importing msgspec takes time that ``import lacuna`` should not need.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Pair = tuple[int, int]


class MentionRecord(msgspec.Struct):
    """A mention."""

    label: str
    spans: list[Pair]
    probability: float | None = None


class DocumentRecord(msgspec.Struct):
    """A document."""

    text: str
    id: str | int | None = None
    group: str | int | None = None
    meta: dict[str, Any] = {}
    mentions: list[MentionRecord] = []
    tokens: list[Pair] | None = None
    sentences: list[Pair] | None = None
    columns: dict[str, list[str]] = {}
    reviewed: list[Pair] | None = None


KEYS = frozenset(DocumentRecord.__struct_fields__)
#: The last two are written by ``deid --findings`` and not read.
MENTION_KEYS = frozenset({*MentionRecord.__struct_fields__, "source", "replacement"})


def document_record(item: Mapping[str, Any]) -> DocumentRecord:
    """Return checked JSON values; unknown keys go to `meta`.

    Raises :class:`ValueError`, with a message that names types and places and quotes nothing.
    """
    try:
        record = msgspec.convert({key: item[key] for key in KEYS & item.keys()}, DocumentRecord)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    others = {key: value for key, value in item.items() if key not in KEYS}
    if others.keys() & record.meta.keys():
        raise ValueError("a key occurs both in meta and outside it")
    record.meta = record.meta | others
    return record
