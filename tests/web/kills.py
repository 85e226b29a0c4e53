"""Killing a process that edits, around its commits, as often as asked.

``python -m tests.web.kills 30`` is the long form (``make stress``). The process prints the request
of each edit that is answered. It kills itself at one of three moments: inside the transaction,
after the commit and before the answer, or whenever the parent does it. The requests that
were not answered are sent again, as a client would.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from lacuna.web import edit_log
from lacuna.web.edit_log import Edit
from lacuna.web.edit_steps import Conflict
from lacuna.web.importing import import_documents
from lacuna.web.operations import Add
from lacuna.web.project import open_project
from lacuna.web.store import Store
from tests.web.conftest import new_project
from tests.web.strategies import note

EDITS = 40  #: of one process
MOMENTS = ("in transaction", "after commit", "any")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def request_of(process: int, number: int) -> str:
    return f"p{process}-{number}"


def send(store: Store, process: int, number: int) -> None:
    """Send an edit; the same each time."""
    document = 1 + number % 3
    spans = ((number % 30, number % 30 + 1 + process % 5),)
    operation = Add(f"m{process}-{number}", f"L{process}-{number}", spans)
    row = store.row(document)
    assert row is not None
    request = request_of(process, number)
    answer = store.apply_edit(document, [operation], request=request, base=row.version, who="ana")
    assert not isinstance(answer, Conflict)


def work(folder: Path, process: int, moment: str, last: int) -> None:
    """Edit until the edit `last`, then die at the moment."""
    append = edit_log.append

    def append_and_die(connection: object, edit: Edit) -> Edit:
        stored = append(connection, edit)  # type: ignore[arg-type]
        if edit.request == request_of(process, last):
            die()
        return stored

    if moment == "in transaction":
        vars(edit_log)["append"] = append_and_die
    with open_project(folder) as project:
        for number in range(EDITS):
            send(project.store, process, number)
            if moment == "after commit" and number == last:
                die()
            sys.stdout.write(f"{request_of(process, number)}\n")
            sys.stdout.flush()
        signal.pause()  # the parent kills it


def kill_and_check(folder: Path, times: int, seed: int) -> Counter[str]:
    """Kill processes so often, check what is there each time; return how often at which moment."""
    rng, killed = random.Random(seed), Counter[str]()
    expected: list[str] = []
    with new_project(folder) as project:
        import_documents(project.store, [note(f"n{number}") for number in range(3)])
    for process in range(times):
        moment = MOMENTS[process % len(MOMENTS)]
        answered = run_and_kill(folder, process, moment, rng)
        killed[moment] += 1
        with open_project(folder) as project:
            present = [one.request for one in project.store.history(limit=10**6)]
            assert present[: len(expected)] == expected
            added = present[len(expected) :]
            requests = [request_of(process, number) for number in range(EDITS)]
            assert added == requests[: len(added)]  # in order, none twice
            assert answered == requests[: len(answered)]
            assert len(added) - len(answered) in (0, 1)
            if moment == "after commit":
                assert len(added) == len(answered) + 1
            if moment == "in transaction":
                assert len(added) == len(answered)
            for number in range(len(answered), EDITS):  # what a client does that got no answer
                send(project.store, process, number)
            expected += requests
            check_whole(project.store, expected)
    return killed


def run_and_kill(folder: Path, process: int, moment: str, rng: random.Random) -> list[str]:
    """Start a process and wait until it is dead; return the requests that it answered."""
    last = rng.randrange(EDITS)
    command = [sys.executable, "-m", "tests.web.kills", "work", str(folder)]
    child = subprocess.Popen(
        [*command, str(process), moment, str(last)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    answered = []
    if moment == "any":
        for line in child.stdout:
            answered.append(line.strip())
            if len(answered) > last // 2:
                break
        time.sleep(rng.uniform(0, 0.03))
        child.kill()
    answered += child.stdout.read().split()
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    return answered


def check_whole(store: Store, expected: list[str]) -> None:
    """Every edit is there once, and each document has its mentions and no others."""
    history = store.history(limit=10**6)
    assert [one.request for one in history] == expected
    for key in (1, 2, 3):
        document = store.document(key)
        assert document is not None
        own = [one for one in history if one.document == key]
        assert [one.version for one in own] == list(range(1, document.row.version + 1))
        assert len(document.review.mentions) == 2 + len(own)
    assert store.database.reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
    else:
        rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
        with tempfile.TemporaryDirectory() as temporary:
            counts = kill_and_check(Path(temporary) / "project", rounds, seed=1)
        sys.stdout.write(
            f"killed {rounds} times; every answered edit was there, none twice: {dict(counts)}\n"
        )
