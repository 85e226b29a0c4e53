"""jsonl: one JSON object per line; the format that can hold everything.

::

    {"id": "n1", "text": "…", "group": "p7", "meta": {…},
     "mentions": [{"label": "ADR", "spans": [[0, 4], [9, 12]], "probability": 0.93}],
     "tokens": [[0, 4], …], "sentences": [[0, 7], …], "columns": {"pos": ["NN", …]}}

Only ``text`` is required. Unknown keys go to ``meta``. Exports of doccano, Prodigy and Label
Studio are read too (:mod:`lacuna.io.foreign`), also as one JSON array, which is read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from lacuna.io import foreign
from lacuna.io.source import Source
from lacuna.text.document import Document, Mention, Span, Tokens

Pair = tuple[int, int]


class MentionRecord(msgspec.Struct, omit_defaults=True):
    """A mention in the file."""

    label: str
    spans: list[Pair]
    probability: float | None = None


class Record(msgspec.Struct, omit_defaults=True):
    """A document in the file."""

    text: str
    id: str | int | None = None
    group: str | int | None = None
    meta: dict[str, Any] = {}
    mentions: list[MentionRecord] = []
    tokens: list[Pair] | None = None
    sentences: list[Pair] | None = None
    columns: dict[str, list[str]] = {}


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


KEYS = frozenset(Record.__struct_fields__)
MALFORMED = (ValueError, msgspec.MsgspecError)
MENTION_KEYS = frozenset(MentionRecord.__struct_fields__)
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
            document = _document(_json(line), f"{source.id}-{number}", skipped)
        except MALFORMED as error:
            raise source.error(str(error), line=number) from None
        if document is not None:
            yield document
    for what, count in skipped.items():
        source.skipped(what, count)


def parse(line: str, automatic_id: str) -> Document | None:
    """Return the document of one line; ``None`` if an annotator rejected it.

    Raises :class:`ValueError`, with a message that quotes nothing.
    """
    try:
        return _document(_json(line), automatic_id, Counter())
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
            document = _document(item, f"{source.id}-{number}", skipped)
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


def _document(item: Any, automatic_id: str, skipped: Counter[str]) -> Document | None:
    """Build a document from a decoded line; ``None`` if the annotator rejected it."""
    if not isinstance(item, dict):
        raise ValueError("expected a JSON object")
    if "mentions" not in item and (convert := foreign.converter_for(item)):
        converted = convert(item)
        skipped.update(converted.skipped)
        if converted.item is None:
            return None
        item = converted.item
    record = msgspec.convert({key: item[key] for key in KEYS & item.keys()}, Record)
    unknown = sum(not mention.keys() <= MENTION_KEYS for mention in item.get("mentions", ()))
    skipped["mentions with unknown keys"] += unknown
    others = {key: value for key, value in item.items() if key not in KEYS}
    if others.keys() & record.meta.keys():
        raise ValueError("a key occurs both in meta and outside it")
    return Document(
        automatic_id if record.id is None else str(record.id),
        record.text,
        tuple(_mention(mention) for mention in record.mentions),
        None if record.group is None else str(record.group),
        record.meta | others,
        _tokens(record),
    )


def _mention(record: MentionRecord) -> Mention:
    return Mention(record.label, tuple(Span(s, e) for s, e in record.spans), record.probability)


def _tokens(record: Record) -> Tokens | None:
    if record.tokens is None:
        if record.sentences is not None or record.columns:
            raise ValueError("sentences and columns need tokens")
        return None
    if record.tokens and max(map(max, record.tokens)) > len(record.text):
        raise ValueError("tokens reach beyond the text")
    size = len(record.tokens)
    sentences = record.sentences
    if sentences is None:
        sentences = [(0, size)] if size else []
    if any(left[1] != right[0] for left, right in pairwise(sentences)):
        raise ValueError("each sentence must begin where the previous one ends")
    borders = [sentences[0][0], *(end for _, end in sentences)] if sentences else [0]
    if not all(0 <= border <= size for border in borders):
        raise ValueError("sentences reach beyond the tokens")
    return Tokens(
        [start for start, _ in record.tokens],  # type: ignore[arg-type]  # Tokens makes arrays
        [end for _, end in record.tokens],  # type: ignore[arg-type]
        borders,  # type: ignore[arg-type]
        {name: tuple(values) for name, values in record.columns.items()},
    )


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as one line."""
    line: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.group is not None:
        line["group"] = document.group
    if document.meta:
        line["meta"] = dict(document.meta)
    line["mentions"] = [_mention_item(mention) for mention in document.mentions]
    if document.tokens is not None:
        line |= _token_items(document.tokens)
    return {".jsonl": _encode(line) + b"\n"}


def _mention_item(mention: Mention) -> Mapping[str, Any]:
    item: dict[str, Any] = {
        "label": mention.label,
        "spans": [(span.start, span.end) for span in mention.spans],
    }
    if mention.probability is not None:
        item["probability"] = mention.probability
    return item


def _token_items(tokens: Tokens) -> dict[str, Any]:
    items: dict[str, Any] = {
        "tokens": list(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)),
        "sentences": list(pairwise(tokens.sentences.tolist())),
    }
    return items | ({"columns": dict(tokens.columns)} if tokens.columns else {})
