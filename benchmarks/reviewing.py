"""A simulated reviewer: how much a model misses, against how many notes were reviewed.

    python benchmarks/reviewing.py asq ../shared/data/deid/asq-dev.jsonl
    python benchmarks/reviewing.py meddocan ../shared/data/meddocan/train --model none
    python benchmarks/reviewing.py generated          # notes of the generator's other half
    python benchmarks/reviewing.py styles ../shared/data/corpus/w*.txt    # marks as in adapting.py

Notes without their mentions are imported into a new project; a made-up person gives the answers of
the corpus to the notes that the queue hands out, and teaches after every so many. The answers go to
the store with the operations that the page would send. The same is done without needs: then the
queue hands out notes as they were imported, in random order, with the same held-out notes at the
same turns. A third of the patients is never imported: on their notes the missed share is measured.
The gate works as always.

Each seed is another choice of patients, another order and another secret of the project. Prints a
table of means, writes JSON (``--json``) and a picture (``--svg``) with the range of the seeds.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from lacuna.io.corpus import read_corpus
from lacuna.pictures.learning_curve import Point, learning_curves
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.model_files import model_path
from lacuna.web.operations import Add, Asked, SetState, State
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named
from lacuna.web.queue import next_in_queue
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching import models
from lacuna.web.teaching.frames import Made, Teach, Told
from lacuna.web.teaching.gate import Verdict, compare
from lacuna.web.teaching.learnable import to_judge, to_learn
from lacuna.web.teaching.lessons import Classroom, scores_of

WHO = "simulated"


class Row(NamedTuple):
    """A model: what was reviewed before, and its scores on the notes that were not imported."""

    reviewed: int
    words: int
    missed: float
    f1: float
    verdict: str


def corpus_of(name: str, paths: Sequence[Path], most: int) -> list[Document]:
    """Read all notes of a corpus; `most` are generated."""
    if name == "generated":
        return list(generate(most, seed=77, split=Split.TEST))
    return list(read_corpus(paths))


def only(note: Document, labels: Sequence[str]) -> Document:
    """Return a note as people annotate it who are interested in some labels alone."""
    return replace(note, mentions=tuple(one for one in note.mentions if one.label in labels))


def divided(
    notes: Sequence[Document], seed: int, most: int
) -> tuple[list[Document], list[Document]]:
    """Return notes to review, and others to measure on; no patient has notes in both."""
    random_order = random.Random(seed)
    units = sorted({note.unit for note in notes})
    random_order.shuffle(units)
    measured = set(units[: len(units) // 3])
    rest = [note for note in notes if note.unit not in measured]
    others = [note for note in notes if note.unit in measured]
    random_order.shuffle(rest)
    random_order.shuffle(others)
    return rest[:most], others[:most]


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


def handed_out(project: Project) -> Iterator[int]:
    """Yield keys of notes to review; without needs, in the order of import."""
    while (found := next_in_queue(project.store)) is not None:
        yield found[0].key


def teach(project: Project, room: Classroom) -> str:
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
    seed: int,
    given: argparse.Namespace,
) -> list[Row]:
    """Review notes in one order; return a row for each model."""
    labels = sorted({one.label for note in (*notes, *unseen) for one in note.mentions})
    settings = Settings("Simulated", labels=labels_named(labels), model=given.model)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder) / "p", settings)
        with project.store.database.writing() as connection:  # the same held-out patients
            connection.execute("UPDATE project SET secret = ?", (seed.to_bytes(32, "big"),))
        import_documents(project.store, [replace(note, mentions=()) for note in notes])
        gold = {note.id: note for note in notes}
        room, count, words = Classroom(), 0, 0

        def measured(verdict: str) -> None:
            suggester = Suggester.open(project)
            scores = scores_of(suggester, unseen)
            now = compare(scores, scores).now
            assert now.missed is not None
            assert now.f1 is not None
            rows.append(Row(count, words, now.missed, now.f1, verdict))
            print(f"  {'need' if by_need else 'random'}, seed {seed}: {rows[-1]}", flush=True)
            if suggester is not None and by_need:
                suggester.fill(project.store)

        measured("start")
        for key in handed_out(project):
            row = project.store.row(key)
            assert row is not None
            review(project, key, gold[row.id])
            count, words = count + 1, words + len(gold[row.id].text.split())
            if count % given.every == 0:
                measured(teach(project, room))
            if count >= given.most:
                break
        project.close()
    return rows


Curves = list[list[Row]]  #: one for each seed


def points(curves: Curves) -> list[Point]:
    """Return means over the seeds, with their ranges; nothing is said of having no model."""
    found = []
    for rows in zip(*curves, strict=True):
        shares = [row.missed for row in rows]
        if min(shares) < 1:
            found.append(Point(rows[0].reviewed, fmean(shares), min(shares), max(shares)))
    return found


def area(rows: Sequence[Row]) -> float:
    """Return the mean missed share from the first lesson to the last, by the trapezoidal rule."""
    taught = rows[1:]
    steps = [(b.reviewed - a.reviewed) * (a.missed + b.missed) / 2 for a, b in pairwise(taught)]
    return sum(steps) / (taught[-1].reviewed - taught[0].reviewed)


def table(by_need: Curves, at_random: Curves) -> Iterator[str]:
    """Yield the lines of a table of means over the seeds."""
    yield "| reviewed | missed by need | at random | difference | F1 by need | at random | words |"
    yield "|---|---|---|---|---|---|---|"
    for some, others in zip(zip(*by_need, strict=True), zip(*at_random, strict=True), strict=True):
        differences = [a.missed - b.missed for a, b in zip(some, others, strict=True)]
        words = sum(row.words for row in some), sum(row.words for row in others)
        yield (
            f"| {some[0].reviewed} | {fmean(row.missed for row in some):.2%}"
            f" | {fmean(row.missed for row in others):.2%} | {in_points(differences)}"
            f" | {fmean(row.f1 for row in some):.3f} | {fmean(row.f1 for row in others):.3f}"
            f" | {f'× {words[0] / words[1]:.2f}' if words[1] else ''} |"
        )
    areas = [area(rows) for rows in by_need], [area(rows) for rows in at_random]
    differences = [a - b for a, b in zip(*areas, strict=True)]
    yield (
        f"| mean | {fmean(areas[0]):.2%} | {fmean(areas[1]):.2%} | {in_points(differences)} | | | |"
    )


def in_points(differences: Sequence[float]) -> str:
    """Return the mean and its standard error over the seeds, in percentage points."""
    error = stdev(differences) / sqrt(len(differences)) if len(differences) > 1 else float("nan")
    return f"{100 * fmean(differences):+.2f} ± {100 * error:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Review a corpus in both orders, once for each seed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="of the corpus; generated needs no path")
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--labels", nargs="+", help="only mentions with these labels count")
    parser.add_argument("--seeds", type=int, default=1, help="how often all is repeated")
    parser.add_argument("--every", type=int, default=20, help="notes between two lessons")
    parser.add_argument("--most", type=int, default=100, help="notes that are reviewed")
    parser.add_argument("--pool", type=int, default=400, help="notes that wait at first")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path, help="a file for the picture")
    given = parser.parse_args(arguments)
    corpus = corpus_of(given.name, given.paths, 2 * given.pool)
    if given.labels:
        corpus = [only(note, given.labels) for note in corpus]
    found: dict[str, Curves] = {"by need": [], "at random": []}
    for seed in range(given.seeds):
        notes, unseen = divided(corpus, seed, given.pool)
        print(f"{given.name}: {len(notes)} notes wait, {len(unseen)} to measure on")
        for order, curves in found.items():
            by_need = order == "by need"
            curves.append(curve(notes, unseen, by_need=by_need, seed=seed, given=given))
    print("\n".join(table(found["by need"], found["at random"])))
    if given.json is not None:
        rows = {order: [[row._asdict() for row in one] for one in found[order]] for order in found}
        given.json.write_text(json.dumps({"corpus": given.name, **rows}, indent=1) + "\n")
    if given.svg is not None:
        series = {f"notes {order}": points(curves) for order, curves in found.items()}
        title = f"Identifier tokens missed: {given.name}, mean of {given.seeds} runs"
        given.svg.write_text(learning_curves(series, title=title, below="notes reviewed"), "utf-8")


if __name__ == "__main__":
    main()
