"""Small projects to teach: short notes, a tiny CRF as their model, finished by a made-up person."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from lacuna.deid.keys import Key
from lacuna.models.answers import save
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.operations import SetState, State
from lacuna.web.parts import Part, fold_of, part_of
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named

LABELS = ("DOCTOR", "CITY", "WARD")
DOCTORS = ("Ana Sato", "Li Wei", "Jo Berg", "Kim Nowak", "Eva Ruiz", "Max Otte", "Ida Holm")
CITIES = ("Bern", "Basel", "Lugano", "Thun", "Chur", "Sion", "Olten", "Zug")


def note(number: int, *, style: str = "plain") -> Document:
    """Return a note of a patient of its own."""
    draw = random.Random(number)
    doctor, city = draw.choice(DOCTORS), draw.choice(CITIES)
    lead, between = {"plain": ("Seen by Dr. ", " in "), "odd": ("rounds w/ ", " from ")}[style]
    if style == "odd":
        doctor, city = doctor.lower(), city.lower()
    text = f"{lead}{doctor}{between}{city}.\nNo fever today, walks well.\n"
    start = len(lead)
    place = start + len(doctor) + len(between)
    mentions = [
        {"label": "DOCTOR", "spans": [[start, start + len(doctor)]]},
        {"label": "CITY", "spans": [[place, place + len(city)]]},
    ]
    item = {"id": f"{style}{number}", "group": f"p{number}", "text": text, "mentions": mentions}
    return Document.from_dict(item)


@cache
def tiny_model() -> Tagger:
    """Return a CRF that knows the plain style only."""
    return train_model([note(n) for n in range(12)], Crf(iterations=12))


def project_with(folder: Path, notes: Sequence[Document], *, model: bool = True) -> Project:
    """Make a project of notes with the tiny model, or without any."""
    name = "none"
    if model:
        name = str(folder.parent / "tiny.lacuna")
        save(tiny_model(), name)
    project = create_project(folder, Settings("Ward 7", labels=labels_named(LABELS), model=name))
    import_documents(project.store, notes)
    return project


def of_part(project: Project, part: Part, count: int, *, style: str = "odd") -> list[Document]:
    """Return notes whose patients are in a part of this project."""
    key: Key = project.key
    found: list[Document] = []
    numbers = iter(range(1000, 100_000))
    while len(found) < count:
        one = note(next(numbers), style=style)
        if part_of(fold_of(key, one.unit)) is part:
            found.append(one)
    return found


def fill(project: Project, *, learn: int, gate: int, waiting: int = 0, style: str = "odd") -> None:
    """Import notes of each part; those to learn from and of the gate are finished."""
    given = of_part(project, Part.LEARN, learn, style=style)
    given += of_part(project, Part.GATE, gate, style=style)
    import_documents(project.store, given)
    finish(project)
    more = of_part(project, Part.LEARN, learn + waiting, style=style)[learn:]
    import_documents(project.store, more)


def finish(project: Project) -> None:
    """Say of all documents that they are done."""
    store = project.store
    for row in store.documents(limit=100_000):
        store.apply_edit(
            row.key,
            [SetState(State.DONE)],
            request=f"done{row.key}",
            base=row.version,
            who="ana",
        )


def wait_for(is_true: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "took too long"
        time.sleep(0.02)


def keys(project: Project) -> Iterator[int]:
    """Return the keys of all documents."""
    return (row.key for row in project.store.documents(limit=100_000))
