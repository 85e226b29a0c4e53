"""The project that a server has open, with everything that routes need."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from fastapi import Request

from lacuna.errors import LacunaError
from lacuna.web.deid_runs import DeidRuns
from lacuna.web.model_facts import InspectedModels
from lacuna.web.project import Project
from lacuna.web.project_file import NAME, read_settings
from lacuna.web.server.background import Deidentifiers, Filler
from lacuna.web.server.events import Hub
from lacuna.web.server.finish_jobs import FinishJobs
from lacuna.web.server.import_jobs import Imports
from lacuna.web.server.request_limits import Slots
from lacuna.web.server.security import Address, Log
from lacuna.web.server.sessions import Sessions
from lacuna.web.store import Store
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching.teacher import Teacher


class Served:
    """A project, who reviews it, and where files may be read and written.

    Parameters
    ----------
    project
        To review; the caller closes it.
    person
        Name in the log of edits.
    root
        Folder below which documents may be imported and exported.
    address, sessions, log
        See :mod:`lacuna.web.server.security`.
    demo
        Whether the documents are made up.
    """

    def __init__(
        self,
        project: Project,
        *,
        person: str,
        root: Path,
        address: Address,
        sessions: Sessions | None = None,
        log: Log | None = None,
        demo: bool = False,
    ) -> None:
        self.person, self.root, self.demo = person, root.resolve(), demo
        self.address, self.sessions, self.log = address, sessions or Sessions(), log or Log()
        self.events = Hub(project.store.database)
        self.suggester: Suggester | None = None
        self.filler = Filler(project.store, self.events, self.log.error)
        self.imports = Imports(project.store, self.events, self.fill, self.log.error)
        self.deid_runs = DeidRuns(lambda: self.events.tell("deid"), self.log.error)
        self.inspected = InspectedModels()
        self.finishing = FinishJobs(self.events, self.log.error)
        self.deidentifiers, self.slots = Deidentifiers(), Slots()
        self.teacher = Teacher(self, self.events.tell, self.log.error)
        self._project = project
        self._stamp = _stamp(project)
        self._lock = threading.Lock()

    @property
    def store(self) -> Store:
        """Documents and edits."""
        return self._project.store

    @property
    def project(self) -> Project:
        """The project; its settings are read again if the file was changed."""
        with self._lock:
            stamp = _stamp(self._project)
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    settings = read_settings(self._project.folder / NAME)
                except LacunaError as error:
                    self.log.error(str(error))
                else:
                    self._project = replace(self._project, settings=settings)
            return self._project

    def set_project(self, project: Project) -> None:
        """Take a project whose settings were just written."""
        with self._lock:
            self._project, self._stamp = project, _stamp(project)

    def use(self, suggester: Suggester | None) -> None:
        """Take the suggestions of another model, and let it read documents."""
        self.suggester = suggester
        self.fill()

    def fill(self) -> None:
        """Let the model read documents that it has not read yet."""
        self.filler.fill(self.suggester)

    @property
    def model(self) -> int:
        """Key of the model that suggests; 0 if there is none."""
        return 0 if self.suggester is None else self.suggester.model

    def close(self) -> None:
        """End all streams and jobs."""
        self.events.close()
        self.teacher.close()
        self.imports.close()
        self.deid_runs.close()
        self.finishing.close()
        self.filler.close()


def _stamp(project: Project) -> tuple[int, int]:
    """Return what changes when somebody edits ``project.toml``."""
    try:
        stat = (project.folder / NAME).stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def served_by(request: Request) -> Served:
    """Return what the application of a request serves."""
    served: Served = request.app.state.served
    return served
