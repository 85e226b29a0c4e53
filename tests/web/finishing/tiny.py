"""A project with short notes and a tiny model, in which people have decided everything."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lacuna.models.answers import save
from lacuna.models.crf import Crf
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.operations import Accept, Asked, SetState, State
from lacuna.web.parts import GATE, SEAL, Part, fold_of
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named, read_settings

LABELS = ("DOCTOR", "CITY")
_NAMES = ("Sato", "Okafor", "Brichese", "Lindqvist", "Moreau", "Haddad", "Kowalski", "Ferreira")
_CITIES = ("Bern", "Lisbon", "Kyoto", "Malmö", "Turin", "Accra", "Riga", "Tunis")
_LINES = (
    "Seen by Dr. {name} in {city}. No fever.",
    "Dr. {name} called from {city}; aspirin daily.",
    "Home to {city} with letter of Dr. {name}.",
)
MODEL = "base.lacuna"


def note(id_: str, group: str | None = None, seed: int | None = None) -> Document:
    """Return a note with a doctor and a city, the same for the same id or seed."""
    rng = random.Random(f"{id_}" if seed is None else seed)
    name, city = rng.choice(_NAMES), rng.choice(_CITIES)
    text = rng.choice(_LINES).format(name=name, city=city) + f" Visit {id_}."
    spans = {"DOCTOR": (text.index(name), name), "CITY": (text.index(city), city)}
    mentions = [
        {"label": label, "spans": [[start, start + len(word)]]}
        for label, (start, word) in spans.items()
    ]
    return Document.from_dict({"id": id_, "text": text, "group": group, "mentions": mentions})


def save_base(path: Path, notes: Iterable[Document] | None = None) -> None:
    """Train a tiny model on notes that are not in the project."""
    documents = notes or [note(f"elsewhere-{n}") for n in range(6)]
    save(train_model(documents, Crf(iterations=8)), path)


def groups_in(project: Project, part: Part) -> Iterator[str]:
    """Yield names of patients who are in a part."""
    fold = {Part.GATE: GATE, Part.SEAL: SEAL, Part.LEARN: 1}[part]
    key = project.key
    for number in range(1_000_000):
        if fold_of(key, ("group", f"p{number}")) == fold:
            yield f"p{number}"


def tiny_project(folder: Path, *, base: Path | None = None) -> Project:
    """Make a project without notes; with a model if a file is given."""
    settings = Settings("Ward 7", labels=labels_named(LABELS), model="none")
    project = create_project(folder, settings)
    project.store.database._writer.execute("PRAGMA synchronous = OFF")
    if base is None:
        return project
    (folder / MODEL).write_bytes(base.read_bytes())
    return with_model(project, MODEL)


def with_model(project: Project, model: str) -> Project:
    """Let another model be the one of ``project.toml``."""
    path = project.folder / "project.toml"
    lines = path.read_text().splitlines(keepends=True)
    changed = [f'model = "{model}"\n' if line.startswith("model") else line for line in lines]
    path.write_text("".join(changed))
    return replace(project, settings=read_settings(path))


def add_notes(
    project: Project, part: Part, patients: int, *, notes: int = 1, skip: int = 0, tag: str = ""
) -> list[int]:
    """Import notes of patients of a part; return their keys."""
    names = groups_in(project, part)
    for _ in range(skip):
        next(names)
    groups = [next(names) for _ in range(patients)]
    documents = [
        note(f"{tag}{group}-{number}", group) for group in groups for number in range(notes)
    ]
    import_documents(project.store, documents)
    ids = {document.id for document in documents}
    rows = project.store.database.reader.execute("SELECT key, id FROM document ORDER BY key")
    return [key for key, id_ in rows if id_ in ids]


def decide(
    project: Project, keys: Iterable[int], state: State = State.DONE, who: str = "ana"
) -> None:
    """Say that documents are done."""
    for key in keys:
        row = project.store.row(key)
        assert row is not None
        request = f"r{key}-{row.version}"
        project.store.apply_edit(key, [SetState(state)], request=request, base=row.version, who=who)


def decide_a_line(project: Project, keys: Iterable[int]) -> None:
    """Accept the first mention of documents that stay open."""
    for key in keys:
        row = project.store.row(key)
        assert row is not None
        steps: list[Asked] = [SetState(State.OPEN), Accept("g1")]
        request = f"line{key}-{row.version}"
        project.store.apply_edit(key, steps, request=request, base=row.version, who="ana")


def keys_of(project: Project, part: Part) -> list[int]:
    """Return the documents of a part."""
    rows = project.store.database.reader.execute("SELECT key FROM document ORDER BY key").fetchall()
    found = (project.store.row(key) for (key,) in rows)
    return [row.key for row in found if row is not None and row.part is part]
