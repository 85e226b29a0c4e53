"""Files for doccano, Prodigy and Label Studio; :mod:`lacuna.io.foreign` reads what they export.

::

    doccano       {"id": "n1", "text": "…", "group": "p7", "label": [[0, 4, "PER"]]}
    prodigy       {"id": "n1", "text": "…", "group": "p7", "answer": "accept",
                   "spans": [{"start": 0, "end": 4, "label": "PER"}]}
    label-studio  [{"data": {"id": "n1", "text": "…", "group": "p7"},
                    "annotations": [{"result": [{"value": {"start": 0, …}, …}]}]}]

Offsets are code points. Label Studio's labels are in the results of a control ``label`` of the text
``text``, the names in its templates; each quotes its text, which decides how offsets are counted.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lacuna.text.document import Document, Mention

_encode = msgspec.json.Encoder().encode
LABEL_STUDIO_HEAD, LABEL_STUDIO_SEPARATOR, LABEL_STUDIO_TAIL = b"[\n", b",\n", b"\n]\n"


def encode_doccano(document: Document) -> dict[str, bytes]:
    """Return the document as one line."""
    labels = [[mention.start, mention.end, mention.label] for mention in document.mentions]
    return {".jsonl": _encode({**_named(document), "label": labels}) + b"\n"}


def encode_prodigy(document: Document) -> dict[str, bytes]:
    """Return the document as one line."""
    spans = [
        {"start": mention.start, "end": mention.end, "label": mention.label}
        for mention in document.mentions
    ]
    line = {**_named(document), "spans": spans, "answer": "accept"}
    return {".jsonl": _encode(line) + b"\n"}


def encode_label_studio(document: Document) -> dict[str, bytes]:
    """Return the document as one item of an array."""
    results = [
        _label_studio_result(document, mention, number)
        for number, mention in enumerate(document.mentions, start=1)
    ]
    item = {"data": _named(document), "annotations": [{"result": results}]}
    return {".json": _encode(item)}


def _label_studio_result(document: Document, mention: Mention, number: int) -> dict[str, Any]:
    quoted = document.text[mention.start : mention.end]
    return {
        "id": f"m{number}",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {
            "start": mention.start,
            "end": mention.end,
            "text": quoted,
            "labels": [mention.label],
        },
    }


def _named(document: Document) -> dict[str, Any]:
    item = {"id": document.id, "text": document.text}
    return item if document.group is None else {**item, "group": document.group}
