"""JSON of other tools (doccano, Prodigy, Label Studio, W2NER), converted to our own objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lacuna.io.word_indices import from_word_indices, has_word_indices

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Converted:
    """An object of ours (``None``: rejected by its annotator) and counts of what did not fit."""

    item: Item | None
    skipped: Mapping[str, int] = field(default_factory=dict)


def converter_for(item: Item) -> Callable[[Item], Converted] | None:
    """Return the function that converts `item`, chosen by its keys."""
    if has_word_indices(item):
        return lambda given: Converted(from_word_indices(given))
    for key, convert in CONVERTERS:
        if key in item and not isinstance(item[key], str):
            return convert
    return None


def choose_annotator(item: Item, name: str) -> bool:
    """Remove annotations of other people from an item of Label Studio; return if any is left.

    A person is named by the id, e-mail address or user name in ``"completed_by"``. Items of other
    tools do not say who annotated them; they stay.
    """
    annotations: Any = item.get("annotations")
    if not _are_objects(annotations):
        return True
    item["annotations"] = [one for one in annotations if name in _annotators(one)]
    return bool(item["annotations"])


def _annotators(annotation: Item) -> set[str]:
    person = annotation.get("completed_by")
    names = [person.get(key) for key in PERSON] if isinstance(person, dict) else [person]
    return {str(name) for name in names if isinstance(name, str | int)}


def _from_doccano(item: Item) -> Converted:
    """Convert ``"label"``/``"labels"``: [[s, e, "L"]] or ``"entities"``: [{"start_offset", …}]."""
    entities = item.get("entities") or item.get("labels") or item.get("label") or []
    _need(isinstance(entities, list), "labels must be a list of [start, end, label]")
    if any(isinstance(entity, dict) and "labels" in entity for entity in entities):
        return _from_label_studio_short(item, entities)
    mentions = [_doccano_mention(entity) for entity in entities]
    rest = _without(item, "entities", "labels", "label", "relations")
    return Converted(rest | {"mentions": mentions}, {"relations": _size(item.get("relations", ()))})


def _doccano_mention(entity: Any) -> Item:
    if isinstance(entity, dict):
        start, end = entity.get("start_offset"), entity.get("end_offset")
        return _mention(start, end, entity.get("label"))
    _need(isinstance(entity, list) and len(entity) == 3, "a label must be [start, end, label]")
    return _mention(*entity)


def _from_prodigy(item: Item) -> Converted:
    """Convert ``"spans"``: [{"start", "end", "label"}], ``"tokens"`` as objects, ``"answer"``."""
    if item.get("answer", "accept") != "accept":
        return Converted(None, {"documents not accepted": 1})
    spans = item.get("spans") or []
    _need(_are_objects(spans), "spans must be a list of objects")
    mentions = [_mention(span.get("start"), span.get("end"), span.get("label")) for span in spans]
    converted = _without(item, "spans", "answer", "tokens") | {"mentions": mentions}
    if tokens := item.get("tokens"):
        _need(_are_objects(tokens), "tokens must be a list of objects")
        converted["tokens"] = [(token.get("start"), token.get("end")) for token in tokens]
    return Converted(converted, {"relations": _size(item.get("relations", ()))})


def _from_label_studio(item: Item) -> Converted:
    """Convert ``"data"``: {"text"}, ``"annotations"``: [{"result": [{"value": {…}}]}]."""
    data: Any = item.get("data")
    _need(isinstance(data, dict) and isinstance(data.get("text"), str), "data needs a text")
    annotations = item.get("annotations") or []
    _need(_are_objects(annotations), "annotations must be a list of objects")
    kept = [annotation for annotation in annotations if not annotation.get("was_cancelled")]
    if annotations and not kept:
        return Converted(None, {"documents not accepted": 1})
    results = (kept[0].get("result") or []) if kept else []
    _need(_are_objects(results), "result must be a list of objects")
    values = [result.get("value") for result in results]
    labelled = [value for value in values if isinstance(value, dict) and "labels" in value]
    rest = _without(item, "data", "annotations", "predictions") | _without(data, *OURS)
    named = {key: data[key] for key in ("id", "group") if isinstance(data.get(key), str | int)}
    converted = rest | named | {"text": data["text"], "mentions": _values(labelled, data["text"])}
    skipped = {
        "further annotations of one document": max(len(kept) - 1, 0),
        "results other than labels": len(results) - len(labelled),
    }
    return Converted(converted, skipped)


def _from_label_studio_short(item: Item, values: Sequence[Any]) -> Converted:
    """Convert its JSON_MIN export: ``"label"``: [{"start", "end", "labels": ["L"], "text"}]."""
    _need(_are_objects(values), "labels must be a list of objects")
    _need(isinstance(item.get("text"), str), "text is missing")
    mentions = _values(values, item["text"])
    return Converted(_without(item, "label", "labels") | {"mentions": mentions})


def _values(values: Sequence[Item], text: str) -> list[Item]:
    """Turn Label Studio values into mentions.

    Its offsets are code points in some exports and UTF-16 units in others; if a value quotes its
    text, that decides for the whole document.
    """
    for value in values:
        _need(
            all(type(value.get(key)) is int and value[key] >= 0 for key in ("start", "end"))
            and isinstance(value.get("labels"), list),
            "a value needs start, end and labels",
        )
    offsets: Sequence[int] = range(len(text) + 1)
    if not _quotes_fit(values, text, offsets):
        offsets = _offsets_by_unit(text)
        _need(_quotes_fit(values, text, offsets), "offsets do not fit the quoted text")
    return [
        _mention(_at(offsets, value["start"]), _at(offsets, value["end"]), label)
        for value in values
        for label in value["labels"]
    ]


def _quotes_fit(values: Sequence[Item], text: str, offsets: Sequence[int]) -> bool:
    """Whether every quoted text is found at its offsets, line ends ignored."""
    for value in values:
        start, end = value["start"], value["end"]
        if end >= len(offsets):
            return False
        quoted = value.get("text")
        found = text[offsets[start] : offsets[end]] if start <= end else None
        if isinstance(quoted, str) and _joined(quoted) != _joined(found or ""):
            return False
    return True


def _joined(text: str) -> str:
    return "".join(text.replace("\\n", "\n").split())


def _offsets_by_unit(text: str) -> list[int]:
    """Return the code point offset of every UTF-16 unit, and of the end."""
    offsets = []
    for i, character in enumerate(text):
        offsets += [i] * (2 if character > "\uffff" else 1)
    return [*offsets, len(text)]


def _at(offsets: Sequence[int], place: int) -> int:
    _need(place < len(offsets), "offsets reach beyond the text")
    return offsets[place]


def _mention(start: Any, end: Any, label: Any) -> Item:
    return {"label": label, "spans": [(start, end)]}


def _without(item: Item, *keys: str) -> Item:
    return {key: value for key, value in item.items() if key not in keys}


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(element, dict) for element in value)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


PERSON = ("id", "email", "username")
OURS = ("id", "text", "group", "mentions", "tokens", "sentences", "columns", "reviewed")

#: Key that identifies an export -> its converter; the first that fits is used.
CONVERTERS: tuple[tuple[str, Callable[[Item], Converted]], ...] = (
    ("annotations", _from_label_studio),
    ("spans", _from_prodigy),
    ("_task_hash", _from_prodigy),
    ("entities", _from_doccano),
    ("labels", _from_doccano),
    ("label", _from_doccano),
)
