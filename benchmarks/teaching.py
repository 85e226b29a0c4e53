"""Teaching in a project: how long until a new model suggests, and whether it does harm elsewhere.

    python benchmarks/teaching.py                 # 200 generated notes, five times
    python benchmarks/teaching.py --runs 20       # is it worse on notes that the gate never sees?

The first starts the teacher's process, lets it open the project (as the page does when somebody
looks at it), and measures from the click until the first model suggests: time on the clock, and
processor time of the teacher and this process. The second teaches in this process, with other notes
each time, and compares the model that would be live at the end (or the first, ``--early``) with the
one before on a third set: missed identifier tokens and strict F1, plainly and by the rule of the
gate.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lacuna.deid.detection_options import BUNDLED_MODEL
from lacuna.models.registry import load
from lacuna.synthetic import generate
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.parts import Part, fold_of, part_of
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching.frames import Made, Teach, Told
from lacuna.web.teaching.gate import Verdict, compare
from lacuna.web.teaching.learnable import to_judge, to_learn
from lacuna.web.teaching.lessons import Classroom, reader, scores_of
from lacuna.web.teaching.teacher import Teacher

TICKS = os.sysconf("SC_CLK_TCK")


def project_of(folder: Path, *, learn: int, gate: int, seed: int) -> Project:
    """Make a project of generated notes that are all finished."""
    settings = Settings("Generated", labels=labels_named(DEFAULT_LABELS))
    project = create_project(folder, settings)
    with project.store.database.writing() as connection:  # else other notes are learnt each time
        connection.execute("UPDATE project SET secret = ?", (seed.to_bytes(32, "big"),))
    wanted = {Part.LEARN: learn, Part.GATE: gate, Part.SEAL: 0}
    chosen: list[Document] = []
    for number, note in enumerate(generate(3 * (learn + 5 * gate), seed=seed)):
        one = replace(note, id=f"{seed}-{number}", group=f"patient {seed}-{number}")
        part = part_of(fold_of(project.key, one.unit))
        if wanted[part]:
            wanted[part] -= 1
            chosen.append(one)
    import_documents(project.store, chosen)
    with project.store.database.writing() as connection:
        connection.execute("UPDATE document SET state = 'done'")
    return project


# --- time


class Served:
    """As much of a server as a teacher needs."""

    def __init__(self, project: Project) -> None:
        self.person, self.project = "ana", project
        self.suggester = Suggester.open(project)
        self.live = threading.Event()

    @property
    def model(self) -> int:
        """Key of the model that suggests."""
        return 0 if self.suggester is None else self.suggester.model

    def use(self, suggester: Suggester | None) -> None:
        """Suggest with a new model."""
        self.suggester = suggester
        self.live.set()


def processor_time(pid: int) -> float:
    """Return the seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def time_to_live(learn: int, gate: int, seed: int) -> dict[str, float]:
    """Measure one click."""
    with (
        tempfile.TemporaryDirectory() as folder,
        project_of(Path(folder) / "p", learn=learn, gate=gate, seed=seed) as project,
    ):
        served = Served(project)
        teacher = Teacher(served, lambda _: None, print)
        teacher.warm()
        pid = teacher.process
        assert pid is not None
        _wait_until_idle(pid)
        began = time.perf_counter(), time.process_time() + processor_time(pid)
        teacher.start()
        assert served.live.wait(600)
        spent = time.process_time() + processor_time(pid) - began[1]
        job = teacher.job
        clock = time.perf_counter() - began[0]
        made = job.message if job is not None else ""
        teacher.close()
        print(f"  clock {clock:.2f} s, processor {spent:.2f} s; {made}", flush=True)
        return {"clock": clock, "processor": spent}


def _wait_until_idle(pid: int) -> None:
    """Wait until a process has done nothing for a while."""
    before = -1.0
    while (now := processor_time(pid)) != before:
        before = now
        time.sleep(1.0)


# --- harm


def one_run(learn: int, gate: int, third: int, seed: int, *, early: bool) -> dict[str, object]:
    """Teach once; return what became of a third set."""
    with (
        tempfile.TemporaryDirectory() as folder,
        project_of(Path(folder) / "p", learn=learn, gate=gate, seed=seed) as project,
    ):
        with project.store.database.reading() as connection:
            documents, judged = tuple(to_learn(connection)), tuple(to_judge(connection))
        draft = str(Path(folder) / "draft")
        asked = Teach(
            1,
            str(project.folder),
            documents,
            judged,
            str(BUNDLED_MODEL),
            draft,
            iterations=8 if early else 0,
        )
        made: list[Made] = []

        def hear(told: Told) -> None:
            if isinstance(told, Made):
                made.append(told)

        Classroom().teach(asked, hear, threading.Event())
        passed = [one for one in made if one.compared.verdict is not Verdict.WORSE and one.replaces]
        base = load(BUNDLED_MODEL)
        after = load(passed[-1].file) if passed else base
        unseen = [
            replace(note, group=f"third {n}")
            for n, note in enumerate(generate(third, seed=1_000_000 + seed))
        ]
        was, now = (scores_of(reader(project, model), unseen) for model in (base, after))
        compared = compare(was, now)
    b, n = compared.before, compared.now
    assert None not in (b.missed, n.missed, b.f1, n.f1)
    row: dict[str, object] = {
        "seed": seed,
        "went_live": bool(passed),
        "missed": (b.missed, n.missed),
        "f1": (b.f1, n.f1),
        "clearly_worse": compared.verdict is Verdict.WORSE,
        "plainly_worse_missed": n.missed > b.missed,  # type: ignore[operator]
        "plainly_worse_f1": n.f1 < b.f1,  # type: ignore[operator]
    }
    print(" ", json.dumps(row), flush=True)
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--gate", type=int, default=25)
    parser.add_argument("--third", type=int, default=100)
    parser.add_argument("--times", type=int, default=5, help="clicks that are measured")
    parser.add_argument("--runs", type=int, default=0, help="of the comparison on a third set")
    parser.add_argument("--first", type=int, default=101, help="seed of the first run")
    parser.add_argument(
        "--early", action="store_true", help="stop after eight iterations, as the first model"
    )
    given = parser.parse_args(arguments)
    if given.runs:
        rows = [
            one_run(given.notes, given.gate, given.third, seed, early=given.early)
            for seed in range(given.first, given.first + given.runs)
        ]
        for name in ("went_live", "clearly_worse", "plainly_worse_missed", "plainly_worse_f1"):
            print(f"{name}: {sum(bool(row[name]) for row in rows)} of {len(rows)}")
        return
    taken = [time_to_live(given.notes, given.gate, seed) for seed in range(1, given.times + 1)]
    for name in ("clock", "processor"):
        print(f"{name}: median {statistics.median(one[name] for one in taken):.2f} s")


if __name__ == "__main__":
    main()
