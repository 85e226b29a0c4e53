"""Teaching in a project: how long until a new model suggests, and whether it does harm elsewhere.

    python benchmarks/teaching.py                 # 200 generated notes, five times
    python benchmarks/teaching.py --runs 20       # is it worse on notes that the gate never sees?

The first starts the teacher's process, lets it open the project (as the page does when somebody
looks at it), and measures from the click until the first model suggests: time on the clock, and
processor time of the teacher and this process; ``--busy 2`` keeps so many other processes busy
meanwhile. The second teaches in this process, with other notes each time, and compares the model
that goes live first, and the one that is live at the end, with the one before on a third set:
missed identifier tokens and strict F1, plainly and by the rule of the gate.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
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
from lacuna.web.teaching.gate import Compared, Verdict, compare
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


def one_run(learn: int, gate: int, third: int, seed: int) -> dict[str, Compared]:
    """Teach once; return the models that were live, compared with the one before on a third set."""
    with (
        tempfile.TemporaryDirectory() as folder,
        project_of(Path(folder) / "p", learn=learn, gate=gate, seed=seed) as project,
    ):
        with project.store.database.reading() as connection:
            documents, judged = tuple(to_learn(connection)), tuple(to_judge(connection))
        draft, live = str(Path(folder) / "draft"), str(BUNDLED_MODEL)
        made: list[Made] = []

        def hear(told: Told) -> None:
            if isinstance(told, Made) and told.replaces:
                made.append(told)

        asked = Teach(1, str(project.folder), documents, judged, live, draft)
        Classroom().teach(asked, hear, threading.Event())
        unseen = [
            replace(note, group=f"third {n}")
            for n, note in enumerate(generate(third, seed=1_000_000 + seed))
        ]
        files = [Path(live)] + [Path(one.file) for one in made]
        was, *found = (scores_of(reader(project, load(file)), unseen) for file in files)
        compared = [compare(was, now) for now in found]
    models = {"first": compared[0], "last": compared[-1]} if compared else {}
    for name, one in models.items():
        figures = f"missed {one.before.missed:.2%} → {one.now.missed:.2%}, "
        figures += f"F1 {one.before.f1:.4f} → {one.now.f1:.4f}"
        print(f"  {seed} {name:5} {figures} {one.verdict}", flush=True)
    return models


def worse(compared: Compared) -> dict[str, bool]:
    """Return in what a model is worse than the one before."""
    before, now = compared.before, compared.now
    assert before.missed is not None
    assert now.missed is not None
    assert before.f1 is not None
    assert now.f1 is not None
    return {
        "clearly worse": compared.verdict is Verdict.WORSE,
        "misses more": now.missed > before.missed,
        "has a lower F1": now.f1 < before.f1,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--gate", type=int, default=25)
    parser.add_argument("--third", type=int, default=200)
    parser.add_argument("--times", type=int, default=5, help="clicks that are measured")
    parser.add_argument("--runs", type=int, default=0, help="of the comparison on a third set")
    parser.add_argument("--first", type=int, default=101, help="seed of the first run")
    parser.add_argument("--busy", type=int, default=0, help="other processes that keep cores busy")
    given = parser.parse_args(arguments)
    if given.runs:
        seeds = range(given.first, given.first + given.runs)
        rows = [one_run(given.notes, given.gate, given.third, seed) for seed in seeds]
        print(f"a new model went live in {sum(map(bool, rows))} of {len(rows)} runs")
        for name in ("first", "last"):
            found = [worse(row[name]) for row in rows if row]
            for what in found[0]:
                print(f"the {name} model {what}: {sum(one[what] for one in found)}")
        return
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.busy)
    ]
    try:
        taken = [time_to_live(given.notes, given.gate, n) for n in range(1, given.times + 1)]
    finally:
        for other in others:
            other.kill()
    for name in ("clock", "processor"):
        print(f"{name}: median {statistics.median(one[name] for one in taken):.2f} s")


if __name__ == "__main__":
    main()
