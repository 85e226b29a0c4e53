"""jsonl: one JSON object per line; the format that can hold everything.

::

    {"id": "n1", "text": "…", "group": "p7", "meta": {…},
     "mentions": [{"label": "ADR", "spans": [[0, 4], [9, 12]], "probability": 0.93}],
     "tokens": [[0, 4], …], "sentences": [[0, 7], …], "columns": {"pos": ["NN", …]},
     "reviewed": [[0, 120], [200, 260]]}

Only ``text`` is required. ``reviewed`` are the spans that a person has looked at; without it, all
of the text was. Mentions outside are kept, but training and scoring ignore them. Unknown keys go to
``meta``. Exports of doccano, Prodigy and Label Studio, and the JSON of W2NER and TOE, are read too
(:mod:`lacuna.io.foreign`), also as one JSON array, which is read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from lacuna.io import foreign
from lacuna.io.source import Source
from lacuna.text.document import Document
from lacuna.text.json_records import MENTION_KEYS


class Plain(msgspec.Struct, rename={"task_hash": "_task_hash"}):
    """The text, id and group of a line; the other keys identify exports of other tools."""

    text: str
    id: str | int | None = None
    group: str | int | None = None
    annotations: msgspec.Raw | None = None
    spans: msgspec.Raw | None = None
    task_hash: msgspec.Raw | None = None
    entities: msgspec.Raw | None = None
    labels: msgspec.Raw | None = None
    label: msgspec.Raw | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether only :func:`parse` can tell what the line says."""
        _text, _id, _group, *given = msgspec.structs.astuple(self)
        return any(value is not None for value in given)


MALFORMED = (ValueError, msgspec.MsgspecError)
_decode = msgspec.json.Decoder().decode
_decode_plain = msgspec.json.Decoder(Plain).decode
_encode = msgspec.json.Encoder().encode


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a file, one line at a time."""
    skipped: Counter[str] = Counter()
    lines = source.records()
    for number, line in lines:
        if not line or line.isspace():
            continue
        if number == 1 and line.lstrip().startswith("["):
            rest = (following for _, following in lines)
            yield from _read_array(source, "\n".join([line, *rest]), skipped)
            break
        try:
            item, id_ = _json(line), f"{source.id}-{number}"
            document = _document(item, id_, skipped, source.options.annotator)
        except MALFORMED as error:
            raise source.error(str(error), line=number) from None
        if document is not None:
            yield document
    for what, count in skipped.items():
        source.skipped(what, count)


def parse(line: str, automatic_id: str, names: Mapping[str, str] | None = None) -> Document | None:
    """Return the document of one line; ``None`` if an annotator rejected it.

    `names` are the keys that stand for ``text``, ``id`` and ``group``. Raises :class:`ValueError`,
    with a message that quotes nothing.
    """
    try:
        item = _json(line)
        if names and isinstance(item, dict):
            ours = {*names.values()}
            item = {names.get(k, k): v for k, v in item.items() if k in names or k not in ours}
        return _document(item, automatic_id, Counter())
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def parse_plain(line: bytes) -> Plain | None:
    """Return the text of a UTF-8 line without parsing anything else, which is much faster.

    ``None`` if that fails; :func:`parse` then finds the reason.
    """
    try:
        plain = _decode_plain(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return None if plain.is_foreign else plain


def _read_array(source: Source, content: str, skipped: Counter[str]) -> Iterator[Document]:
    try:
        items = _json(content)
    except MALFORMED as error:
        raise source.error(str(error)) from None
    for number, item in enumerate(items, start=1):
        try:
            id_ = f"{source.id}-{number}"
            document = _document(item, id_, skipped, source.options.annotator)
        except MALFORMED as error:
            raise source.error(f"item {number}: {error}") from None
        if document is not None:
            yield document


def _json(content: str) -> Any:
    """Decode; error messages quote nothing: those of msgspec name types and positions only."""
    try:
        return _decode(content)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    except UnicodeError:
        raise ValueError("JSON with half of a surrogate pair") from None


def _document(
    item: Any, automatic_id: str, skipped: Counter[str], annotator: str | None = None
) -> Document | None:
    """Build a document from a decoded line; ``None`` if the annotator rejected it."""
    if not isinstance(item, dict):
        raise ValueError("expected a JSON object")
    if "mentions" not in item and (convert := foreign.converter_for(item)):
        if annotator is not None and not foreign.choose_annotator(item, annotator):
            skipped["documents without annotations of this annotator"] += 1
            return None
        converted = convert(item)
        skipped.update(converted.skipped)
        if converted.item is None:
            return None
        item = converted.item
    document = Document.from_dict(item, default_id=automatic_id)
    unknown = sum(not mention.keys() <= MENTION_KEYS for mention in item.get("mentions", ()))
    skipped["mentions with unknown keys"] += unknown
    return document


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as one line."""
    return {".jsonl": _encode(document.to_dict()) + b"\n"}
