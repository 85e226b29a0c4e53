"""A simulated reviewer: how much a model misses, against how many notes were reviewed.

    python benchmarks/reviewing.py asq ../shared/data/deid/asq-dev.jsonl
    python benchmarks/reviewing.py meddocan ../shared/data/meddocan/train --model none
    python benchmarks/reviewing.py generated          # notes of the generator's other half

Notes without their mentions are imported into a new project; a made-up person gives the answers of
the corpus to the notes that the queue hands out, and teaches after every so many. The answers go to
the store with the operations that the page would send. The same is done with notes in random order.
A third of the patients is never imported: on their notes the missed share is measured. The gate
works as always. Prints a table, writes JSON (``--json``) and a picture (``--svg``).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lacuna.io.corpus import read_corpus
from lacuna.pictures.learning_curve import Point, learning_curve
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.model_files import model_path
from lacuna.web.operations import Add, Asked, SetState, State
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named
from lacuna.web.queue import next_in_queue
from lacuna.web.store import WAITING
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching import models
from lacuna.web.teaching.frames import Made, Teach, Told
from lacuna.web.teaching.gate import Verdict, compare
from lacuna.web.teaching.learnable import to_judge, to_learn
from lacuna.web.teaching.lessons import Classroom, scores_of

WHO = "simulated"


def corpus_of(name: str, path: Path | None, most: int) -> tuple[list[Document], list[Document]]:
    """Return notes to review, and others to measure on; no patient has notes in both."""
    if name == "generated":
        notes = list(generate(most, seed=77, split=Split.TEST))
    else:
        assert path is not None
        notes = list(read_corpus([path]))
    units = sorted({note.unit for note in notes})
    random.Random(5).shuffle(units)
    measured = set(units[: len(units) // 3])
    order = random.Random(6)
    rest = [note for note in notes if note.unit not in measured]
    order.shuffle(rest)
    return rest[:most], [note for note in notes if note.unit in measured][:most]


def review(project: Project, key: int, gold: Document) -> None:
    """Give the answers to one note."""
    row = project.store.row(key)
    assert row is not None
    operations: list[Asked] = [
        Add(f"a{n}", one.label, tuple((span.start, span.end) for span in one.spans))
        for n, one in enumerate(gold.mentions)
    ]
    operations.append(SetState(State.DONE))
    project.store.apply_edit(key, operations, request=f"r{key}", base=row.version, who=WHO)


def handed_out(project: Project, *, by_need: bool) -> Iterator[int]:
    """Yield keys of notes to review, in the order of the queue or at random."""
    if by_need:
        while (found := next_in_queue(project.store)) is not None:
            yield found[0].key
        return
    rows = project.store.documents(limit=1_000_000)
    keys = [row.key for row in rows if row.state in WAITING]
    random.Random(7).shuffle(keys)
    yield from keys


def teach(project: Project, room: Classroom, iterations: int) -> str:
    """Teach once, and let the model suggest if it may; return what the gate said."""
    with project.store.database.reading() as connection:
        documents, judged = tuple(to_learn(connection)), tuple(to_judge(connection))
    live = model_path(project)
    made: list[Made] = []

    def hear(told: Told) -> None:
        if isinstance(told, Made):
            made.append(told)

    draft = str(project.folder / "models" / models.DRAFT)
    asked = Teach(
        1,
        str(project.folder),
        documents,
        judged,
        None if live is None else str(live),
        draft,
        early=10_000,
        iterations=iterations,
    )
    room.teach(asked, hear, threading.Event())
    (one,) = made
    kept = models.Draft(
        Path(one.file),
        one.sha256,
        one.base_sha256,
        documents,
        judged,
        one.compared,
        one.iterations,
        one.seconds,
    )
    goes_live = one.compared.verdict is not Verdict.WORSE
    models.record(project, kept, who=WHO, goes_live=goes_live)
    return str(one.compared.verdict)


def curve(
    notes: Sequence[Document],
    unseen: Sequence[Document],
    *,
    by_need: bool,
    given: argparse.Namespace,
) -> list[dict[str, object]]:
    """Review all notes in one order; return a row for each model."""
    labels = sorted({one.label for note in (*notes, *unseen) for one in note.mentions})
    settings = Settings("Simulated", labels=labels_named(labels), model=given.model)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder) / "p", settings)
        with project.store.database.writing() as connection:  # the same patients each time
            connection.execute("UPDATE project SET secret = ?", (bytes(32),))
        import_documents(project.store, [replace(note, mentions=()) for note in notes])
        gold = {note.id: note for note in notes}
        room, count = Classroom(), 0

        def measured(verdict: str) -> None:
            suggester = Suggester.open(project)
            scores = scores_of(suggester, unseen)
            now = compare(scores, scores).now
            rows.append(
                {
                    "reviewed": count,
                    "missed": now.missed,
                    "low": now.missed_low,
                    "high": now.missed_high,
                    "f1": now.f1,
                    "verdict": verdict,
                }
            )
            print(f"  {'need' if by_need else 'random'}: {json.dumps(rows[-1])}", flush=True)
            if suggester is not None and by_need:
                suggester.fill(project.store)

        measured("start")
        for key in handed_out(project, by_need=by_need):
            row = project.store.row(key)
            assert row is not None
            review(project, key, gold[row.id])
            count += 1
            if count % given.every == 0:
                measured(teach(project, room, given.iterations))
            if count >= given.most:
                break
        project.close()
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Review a corpus twice."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", help="of the corpus; generated needs no path")
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--every", type=int, default=20, help="notes between two lessons")
    parser.add_argument("--most", type=int, default=100, help="notes that are reviewed")
    parser.add_argument("--pool", type=int, default=400, help="notes that wait at first")
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path, help="a folder for two pictures")
    given = parser.parse_args(arguments)
    notes, unseen = corpus_of(given.name, given.path, given.pool)
    print(f"{given.name}: {len(notes)} notes wait, {len(unseen)} to measure on")
    found = {
        order: curve(notes, unseen, by_need=order == "need", given=given)
        for order in ("need", "random")
    }
    print("reviewed  missed by need  missed at random  F1 by need  F1 at random")
    for one, other in zip(found["need"], found["random"], strict=True):
        print(
            f"{one['reviewed']:8}  {one['missed']:14.2%}  {other['missed']:16.2%}"
            f"  {one['f1']:10.3f}  {other['f1']:12.3f}"
        )
    if given.json is not None:
        given.json.write_text(json.dumps({"corpus": given.name, **found}, indent=1) + "\n")
    if given.svg is not None:
        for order, rows in found.items():
            points = [Point(r["reviewed"], r["missed"], r["low"], r["high"]) for r in rows]  # type: ignore[arg-type]
            title = f"{given.name}, notes in order of {order}: identifier tokens missed"
            name = f"{given.name}-{order}.svg"
            (given.svg / name).write_text(learning_curve(points, title=title), "utf-8")


if __name__ == "__main__":
    main()
