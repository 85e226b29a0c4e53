"""A project to try the review page with: notes about people who do not exist.

The bundled model gets two things wrong in the first note, which the queue hands out first: it
misses a name (:data:`MISSED`) and takes a company for a doctor (:data:`WRONG`). These errors are
real; the tests check that the model still makes them.

The second note belongs to the same patient and has a finding with a gap ("pain in … leg"). The
others are generated, without mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count as count_from
from pathlib import Path

from lacuna.deid.keys import Key
from lacuna.synthetic import CLEAN, FINDING, generate
from lacuna.text.document import Document
from lacuna.web.importing import Imported, import_documents
from lacuna.web.parts import Part, fold_of, part_of
from lacuna.web.project import Project, create_project, open_project, owner_only
from lacuna.web.project_file import DEFAULT_LABELS, NAME, Settings, labels_named, written

HINT = "1 Select the missed name · 2 Press 1 · 3 Press Enter"
MISSED = "Summerfield"  #: a name in the first note that the model misses
WRONG = "Harlow"  #: a company in the first note that the model takes for a doctor
GENERATED, SEED = 20, 5
POLICY = "policy.toml"
#: Findings are no identifiers; no model finds them, people mark them.
POLICY_TEXT = 'base = "safe-harbor"\n\n[labels]\nFINDING = "keep"\n'
#: Those of the bundled model, and findings, which have the key 0.
LABELS = (
    *DEFAULT_LABELS[:9],
    FINDING,
    *(label for label in DEFAULT_LABELS[9:] if label != "LOCATION-OTHER"),
)

FIRST = f"""\
Nursing note, 03/14/2024

Mrs. Maria Okafor is back from her CT scan. Dr. Feldman was told.
Keys: {MISSED} is to bring them. Transport by {WRONG}.
"""
SECOND = f"""\
Progress note, 03/16/2024

Mrs. Okafor slept well. She still has pain in left arm and leg, and a little
numbness in the right hand and foot. No fever, no chest pain. Walked to the
window with help at 10:30 and was tired afterwards.
Her neighbour, Mrs. {MISSED}, visited and took her keys home.
Plan: physiotherapy every day, MRI on 03/18/2024, then home if all is well.

Dr. Samuel Feldman
"""


def create_demo(folder: Path) -> Project:
    """Make a project with these notes in a new or empty folder."""
    settings = Settings("Made-up notes", labels=labels_named(LABELS))
    create_project(folder, settings).close()
    with owner_only():
        (folder / POLICY).write_text(POLICY_TEXT, "utf-8")
        (folder / NAME).write_text(written(replace(settings, policy=POLICY)), "utf-8")
    project = open_project(folder)
    add_demo_notes(project)
    return project


def add_demo_notes(project: Project) -> Imported:
    """Add the notes to a project; those that are there already are skipped."""
    return import_documents(project.store, demo_notes(project.key))


def demo_notes(key: Key) -> Iterator[Document]:
    """Yield the notes for the project with this key, whose first patient is not held out."""
    patients = (Document("", "", group=f"demo-{number}") for number in count_from(1))
    group = next(
        patient.group for patient in patients if part_of(fold_of(key, patient.unit)) is Part.LEARN
    )
    for number, text in enumerate((FIRST, SECOND), start=1):
        yield Document(f"{group}-n{number:02}", text, group=group)
    for note in generate(GENERATED, seed=SEED, noise=CLEAN):
        yield replace(note, mentions=())
