"""The server's side of the teacher: starts its process, hears from it, lets models go live.

The process is started when it is first needed, and once more if it has ended. The server never
waits for it: a thread hears what it tells. What it makes becomes part of the project in one
transaction (`models.py`); if the server or the teacher is killed before, nothing has changed.
"""

from __future__ import annotations

import itertools
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from lacuna.errors import LacunaError, ModelFileError
from lacuna.web.model_files import OF_SETTINGS, base_path, live_key, model_file, model_path
from lacuna.web.project import MODELS, Project
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching import models
from lacuna.web.teaching.frames import (
    Asked,
    Ended,
    Made,
    Stop,
    Teach,
    Warm,
    Working,
    receive_told,
    send,
)
from lacuna.web.teaching.gate import Verdict
from lacuna.web.teaching.learnable import to_judge, to_learn
from lacuna.web.teaching.waiting import Uids, suggested_uids

DONE, FAILED, STOPPED = "done", "failed", "stopped"
ENDED = frozenset({DONE, FAILED, STOPPED})
SECONDS_TO_END = 1.0
COMMAND = (sys.executable, "-m", "lacuna.web.teaching.teacher_process")


Live = tuple[int | None, Path | None]


class BusyError(LacunaError):
    """A lesson is going on."""


class NothingToLearnError(LacunaError):
    """Nothing was reviewed yet that could be learnt from."""


class Served(Protocol):
    """What the teacher needs of the server."""

    person: str

    @property
    def project(self) -> Project: ...  # noqa: D102
    @property
    def model(self) -> int: ...  # noqa: D102
    def use(self, suggester: Suggester | None) -> None: ...  # noqa: D102


@dataclass(slots=True)
class Job:
    """A lesson.

    `early` is the key of the model that went live while learning went on, `live` is what suggests
    as far as the lesson knows: its key, and the file of ``project.toml``.
    """

    asked: Teach
    began: float
    state: str = "preparing"
    iteration: int = 0
    iterations: int = 0
    seconds: float = 0.0
    message: str = ""
    early: int | None = None
    live: Live = (None, None)
    is_stopped: bool = False

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return self.state not in ENDED


class Teacher:
    """Teaches one project.

    Parameters
    ----------
    served
        The server.
    tell
        Takes the name of an event for all pages.
    log_error
        Takes words about an error.
    early, iterations
        See :class:`~lacuna.web.teaching.frames.Teach`.
    """

    def __init__(
        self,
        served: Served,
        tell: Callable[[str], None],
        log_error: Callable[[str], None],
        *,
        early: int = 8,
        iterations: int = 0,
    ) -> None:
        self._served, self._tell, self._log_error = served, tell, log_error
        self._early, self._iterations = early, iterations
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self.job: Job | None = None
        self.before: tuple[int, Uids] | None = None  # taught key, and what was suggested before it

    @property
    def process(self) -> int | None:
        """Id of the teacher's process, if it runs."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    # --- asking

    def warm(self) -> None:
        """Start the process and let it open what it will need."""
        with self._lock:
            if self._is_closed or (self.job is not None and self.job.is_running):
                return
            project = self._served.project
            with project.store.database.reading() as connection:
                documents, judged = to_learn(connection), to_judge(connection)
            with suppress(ModelFileError):  # start() says so
                folder, live = str(project.folder.resolve()), _path(project)
                self._ask(Warm(folder, tuple(documents), tuple(judged), live))

    def start(self) -> None:
        """Begin a lesson with all that was reviewed so far.

        Raises
        ------
        BusyError
            If one is going on.
        NothingToLearnError
            If there is nothing to learn from.
        ModelGoneError
            If the model that suggests is gone, or was changed.
        """
        with self._lock:
            if self._is_closed or (self.job is not None and self.job.is_running):
                raise BusyError("a lesson is going on")
            project = self._served.project
            with project.store.database.reading() as connection:
                documents, judged = tuple(to_learn(connection)), tuple(to_judge(connection))
            if not documents:
                raise NothingToLearnError("no document was reviewed that can be learnt from")
            live, folder = _path(project), project.folder.resolve()
            asked = Teach(
                next(self._numbers),
                str(folder),
                documents,
                judged,
                live,
                str(folder / MODELS / f"{models.DRAFT}-{secrets.token_hex(4)}"),
                self._early,
                self._iterations,
            )
            self.job = Job(asked, time.perf_counter(), live=_live(project))
            self._ask(asked)
        self._tell("teaching")

    def stop(self) -> None:
        """End the lesson after this iteration; what it has learnt is judged and may go live."""
        with self._lock:
            if self.job is not None and self.job.is_running:
                self.job.is_stopped = True
                self._ask(Stop(self.job.asked.job))

    def close(self) -> None:
        """End the process; a lesson that goes on leaves nothing."""
        with self._lock:
            self._is_closed = True
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    # --- the process

    def _ask(self, message: Asked) -> None:
        for _ in range(2):  # once more if it ended since
            process = self._running()
            assert process.stdin is not None
            with suppress(OSError):
                send(process.stdin, message)  # type: ignore[arg-type]
                return
            _end(process)
        self._fail("the teacher could not be started")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            models.remove_drafts(self._served.project)  # of a process that was killed
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, which then ends it
            )
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        stream: IO[bytes] | None = process.stdout
        assert stream is not None
        with stream, suppress(ValueError):  # a frame that is none: it does not work any more
            while (told := receive_told(stream)) is not None:  # type: ignore[arg-type]
                self._hear(told)
        _end(process)
        with self._lock:
            if self._process in (process, None):
                self._fail("the teacher's process ended; teach again")

    # --- hearing

    def _hear(self, told: Working | Made | Ended) -> None:
        with self._lock:
            job = self.job
            if job is None or job.asked.job != told.job or self._is_closed:
                return
            job.seconds = time.perf_counter() - job.began
            try:
                if isinstance(told, Working):
                    job.state, job.iteration = told.state, told.iteration
                    job.iterations = told.iterations
                elif isinstance(told, Made):
                    self._made(job, told)
                elif told.error is not None:
                    self._fail(told.error)
                else:
                    job.state = STOPPED if job.is_stopped else DONE
            except Exception as error:  # of ours; it must not end the thread
                self._log_error(f"teaching: {type(error).__name__}")
                self._fail(f"an error in lacuna: {type(error).__name__}")
        self._tell("teaching")

    def _made(self, job: Job, made: Made) -> None:
        """Keep a model, and let it suggest if the gate says so."""
        project = self._served.project
        is_worse = made.compared.verdict is Verdict.WORSE
        goes_live = made.replaces and not is_worse
        if _live(project) != job.live:
            goes_live = False  # somebody chose another model meanwhile
        if not goes_live and not is_worse:
            Path(made.file).unlink(missing_ok=True)
            return
        draft = models.Draft(
            Path(made.file),
            made.sha256,
            made.base_sha256,
            job.asked.documents,
            job.asked.judged_on,
            made.compared,
            made.iterations,
            made.seconds,
        )
        key = models.record(project, draft, who=self._served.person, goes_live=goes_live)
        job.message = made.compared.why
        if goes_live:
            before = None if job.early is None or self.before is None else self.before[1]
            job.early, job.live = key, _live(project)
            self.switch(key, before)

    def switch(self, key: int | None, before: Uids | None = None) -> None:
        """Suggest with the model that is live now; remember what was suggested before."""
        project, served = self._served.project, self._served
        if before is None:
            with project.store.database.reading() as connection:
                before = suggested_uids(connection, served.model)
        served.use(Suggester.open(project))
        self.before = None if key is None else (key, before)
        for event in ("model", "project"):
            self._tell(event)

    def _fail(self, message: str) -> None:
        with self._lock:
            if self.job is not None and self.job.is_running:
                self.job.state, self.job.message = FAILED, message
        self._tell("teaching")

    def go_live(self, key: int | None) -> None:
        """Go back to a model that was taught, or to that of ``project.toml``.

        Raises
        ------
        NoSuchModelError
            If there is no such model.
        ModelFileError
            If its file is gone, or was changed.
        """
        project = self._served.project
        with self._lock:
            if key is None and base_path(project) is not None:
                model_file(project, OF_SETTINGS)  # before anything is changed
            models.set_live(project, key)
            self.switch(key)
        self._tell("teaching")


def _live(project: Project) -> Live:
    return live_key(project.store.database.reader), base_path(project)


def _path(project: Project) -> str | None:
    """Return the file of the model that suggests."""
    live = model_path(project)
    return None if live is None else str(live.resolve())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process: it ends by itself when its input does."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
