"""doccano, Prodigy and Label Studio: what their files look like, and whose annotations are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from lacuna.io.source import Skipped
from lacuna.text.document import Document, Mention

NOTE = Document(
    "n1", "🙂 Kai met Lou", (Mention.of("PER", (2, 5)), Mention.of("DOC", (10, 13))), group="p7"
)
PLAIN = Document("n2", "Nobody")


def written(tmp_path: Path, name: str, *documents: Document) -> str:
    path = tmp_path / "notes.json"
    write_corpus(documents, path, format=name)
    assert list(read_corpus([path])) == list(documents)
    return path.read_text()


def test_doccano(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in written(tmp_path, "doccano", NOTE, PLAIN).splitlines()]
    assert lines == [
        {
            "id": "n1",
            "text": NOTE.text,
            "group": "p7",
            "label": [[2, 5, "PER"], [10, 13, "DOC"]],
        },
        {"id": "n2", "text": "Nobody", "label": []},
    ]


def test_prodigy(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in written(tmp_path, "prodigy", NOTE, PLAIN).splitlines()]
    assert lines[0]["spans"] == [
        {"start": 2, "end": 5, "label": "PER"},
        {"start": 10, "end": 13, "label": "DOC"},
    ]
    assert lines[1] == {"id": "n2", "text": "Nobody", "spans": [], "answer": "accept"}


@pytest.mark.parametrize("documents", [(), (PLAIN,), (NOTE, PLAIN)])
def test_label_studio_is_one_array(tmp_path: Path, documents: tuple[Document, ...]) -> None:
    items = json.loads(written(tmp_path, "label-studio", *documents))
    assert [item["data"]["id"] for item in items] == [document.id for document in documents]
    if NOTE in documents:
        value = {"start": 2, "end": 5, "text": "Kai", "labels": ["PER"]}
        first = {"id": "m1", "from_name": "label", "to_name": "text", "type": "labels"}
        assert items[0]["data"] == {"id": "n1", "text": NOTE.text, "group": "p7"}
        assert items[0]["annotations"][0]["result"][0] == {**first, "value": value}


def test_an_id_of_ours_survives_label_studio(tmp_path: Path) -> None:
    """Label Studio numbers its tasks; our id and group are in the data."""
    (item,) = json.loads(written(tmp_path, "label-studio", NOTE))
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": 4711, **item}]))
    (document,) = read_corpus([path])
    assert (document.id, document.group) == ("n1", "p7")
    del item["data"]["id"], item["data"]["group"]
    path.write_text(json.dumps([{"id": 4711, **item}]))
    (document,) = read_corpus([path])
    assert (document.id, document.group) == ("4711", None)


def annotation(label: str, completed_by: Any) -> dict[str, Any]:
    value = {"start": 0, "end": 3, "labels": [label], "text": "Kai"}
    return {"completed_by": completed_by, "result": [{"value": value}]}


TASKS = [
    {
        "id": 1,
        "data": {"text": "Kai left"},
        "annotations": [
            annotation("A", 5),
            annotation("B", {"id": 6, "email": "b@x.org", "username": "bea"}),
        ],
    },
    {"id": 2, "data": {"text": "Kai left"}, "annotations": [annotation("A", 5)]},
]


@pytest.mark.parametrize(
    ("name", "labels"),
    [(None, "AA"), ("5", "AA"), ("6", "B"), ("b@x.org", "B"), ("bea", "B"), ("7", "")],
)
def test_an_annotator_is_chosen(tmp_path: Path, name: str | None, labels: str) -> None:
    skipped: list[Skipped] = []
    for number, content in enumerate(
        [json.dumps(TASKS), "".join(json.dumps(task) + "\n" for task in TASKS)]
    ):
        path = tmp_path / f"export-{number}.json"
        path.write_text(content)
        skipped.clear()
        found = list(read_corpus([path], annotator=name, on_skip=skipped.append))
        assert "".join(m.label for document in found for m in document.mentions) == labels
        counts = {entry.what: entry.count for entry in skipped}
        missing = counts.get("documents without annotations of this annotator", 0)
        assert missing == len(TASKS) - len(found)


def test_other_tools_do_not_say_who_annotated(tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "notes.json", format="doccano")
    assert list(read_corpus([tmp_path / "notes.json"], annotator="5")) == [NOTE]
