"""Finish: the model of a project, scored and calibrated once on patients that nobody has seen.

::

    learn     reviewed documents that are not sealed, from the model of project.toml
    score     sealed patients: wholly reviewed, drawn by the queue, never looked at
    write     models/finished-0008.lacuna with card and promise, reports/finished-0008.html

Everything is written at the end, in one transaction with the record that the seal was opened. Until
then nobody has seen a score, so an interrupted Finish leaves the seal closed.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import msgspec

from lacuna.deid.calibration import units_needed
from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.deid.promises import Promises, with_promises
from lacuna.errors import StoppedError
from lacuna.models.answers import with_answers
from lacuna.models.base import Card, CardScore, Tagger
from lacuna.models.file import StoredModel, file_digest, write_model
from lacuna.models.registry import load
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.web.finishing.discipline import check_seal
from lacuna.web.finishing.finish_plan import OPENED, FinishPlan, plan
from lacuna.web.finishing.finish_training import Learning, cross_validated, scored_on
from lacuna.web.finishing.measuring import figures_of, promised
from lacuna.web.finishing.protocol import protocol_of
from lacuna.web.finishing.records import (
    FinishAsked,
    Finished,
    Outcome,
    RefusedError,
    Report,
    Step,
)
from lacuna.web.finishing.sealed import Versions, sealed_patients
from lacuna.web.project import MODELS, Project, owner_only
from lacuna.web.store import utc_now
from lacuna.web.teaching.learnable import document_at
from lacuna.web.teaching.lesson_plan import plan_of

REPORTS = "reports"  #: folder of a project for finished pages
_json = msgspec.json.Encoder()


def finish(
    project: Project,
    asked: FinishAsked,
    *,
    who: str,
    on_step: Report = lambda _: None,
    stop: Event | None = None,
) -> Finished:
    """Train, score and write the model of a project.

    Raises
    ------
    RefusedError
        If it is not possible.
    StoppedError
        If `stop` was set; then nothing was written.
    """
    return _Work(project, asked, who, on_step, stop or Event()).run()


@dataclass(frozen=True, slots=True)
class _Work:
    project: Project
    asked: FinishAsked
    who: str
    on_step: Report
    stop: Event

    def run(self) -> Finished:
        began = time.perf_counter()
        self.on_step(Step("preparing"))
        todo = plan(self.project, self.asked)
        documents, sealed = self._documents(todo.learn), self._documents(todo.scored)
        base = None if todo.base is None else load(todo.base)
        how = plan_of(self.project, base, documents)
        in_part = sum(one.reviewed is not None for one in documents)
        card = self._card(len(documents), in_part)
        learning = Learning(how, card, self.on_step, self.stop)
        trained = learning.train(how.documents)
        self._go_on()
        self.on_step(Step("judging", seconds=time.perf_counter() - began))
        model, outcome = self._judged(todo, learning, documents, sealed, trained.model)
        stored = with_answers(model.store())
        if not self.asked.everything:
            stored, outcome = self._calibrated(todo, sealed, stored, outcome)
        self._go_on()
        outcome = msgspec.structs.replace(
            outcome, in_part=in_part, not_learnt=how.not_learnt, remark=how.remark
        )
        base_sha256 = None
        if how.start is not None and todo.base is not None:
            base_sha256 = file_digest(todo.base)
        purpose = "everything" if self.asked.everything else "finish"
        seconds = time.perf_counter() - began
        made = Finished(
            0,
            utc_now(),
            self.who,
            purpose,
            "",
            "",
            base_sha256,
            todo.learn,
            todo.scored,
            outcome,
            trained.iterations,
            seconds,
        )
        finished = self._written(todo, stored, made)
        self.on_step(Step("done", seconds=time.perf_counter() - began))
        return finished

    def _go_on(self) -> None:
        if self.stop.is_set():
            raise StoppedError("stopped; nothing was written, and the seal stays closed")

    def _documents(self, which: Versions) -> list[Document]:
        """Return documents with what people had decided when it was planned."""
        with self.project.store.database.snapshot() as connection:
            return [document_at(connection, *version) for version in which]

    def _card(self, documents: int, in_part: int) -> Card:
        parts = f", {in_part:,} of them in part," if in_part else ""
        name = self.project.settings.name
        return Card(
            data=(f"{counted(documents, 'reviewed document')}{parts} of the project {name}",)
        )

    # --- scores

    def _judged(
        self,
        todo: FinishPlan,
        learning: Learning,
        documents: Sequence[Document],
        sealed: Sequence[Document],
        model: Tagger,
    ) -> tuple[Tagger, Outcome]:
        """Return the model with its scores on its card."""
        if self.asked.everything:
            scores = cross_validated(learning, documents, self._is_sealed())
            how = "cross-validated"
        else:
            scores, how = scored_on(model, sealed), "sealed"
        figures = None if scores is None else figures_of(scores, how)
        outcome = Outcome(
            self.asked.level,
            self.asked.confidence,
            figures,
            void=todo.is_void,
            left_out=todo.left_out,
            unfinished=todo.unfinished,
        )
        if figures is None:
            return model, outcome
        documents_ = counted(figures.documents, "document")
        measured = f"{documents_} of {counted(figures.patients, 'patient')}"
        where = {
            "sealed": f"on {measured} that no model had seen",
            "cross-validated": f"by folds of patients, on {measured}; nothing is promised",
        }[how]
        if todo.is_void:
            where = f"on {measured}, looked at before: every promise is void"
        card = model.card
        score = CardScore(f"strict, {where}", figures.f1.value)
        return model.with_card(replace(card, scores=(*card.scores, score))), outcome

    def _is_sealed(self) -> frozenset[tuple[str, str]]:
        with self.project.store.database.reading() as connection:
            return frozenset(one.unit for one in sealed_patients(connection))

    def _calibrated(
        self, todo: FinishPlan, sealed: Sequence[Document], stored: StoredModel, outcome: Outcome
    ) -> tuple[StoredModel, Outcome]:
        """Return the model with its promise, unless it is void."""
        policy = self.project.policy()
        draft = self.project.folder / MODELS / f".finish-{os.getpid()}.lacuna"
        try:
            with owner_only():
                draft.parent.mkdir(exist_ok=True)
                write_model(draft, stored)
            detection = open_detection(with_policy(DetectionOptions(model=str(draft)), policy))
            promises, facts, reason = promised(
                detection,
                sealed,
                policy,
                self.asked.level,
                self.asked.confidence,
            )
        finally:
            draft.unlink(missing_ok=True)
        if todo.is_void:
            promises, facts = None, None
            reason = "the seal was opened before, so every promise is void"
        more = _more_needed(self.asked, len(todo.patients))
        done = msgspec.structs.replace(outcome, promise=facts, without=reason, more_needed=more)
        return _with(stored, promises), done

    # --- writing

    def _written(self, todo: FinishPlan, stored: StoredModel, made: Finished) -> Finished:
        """Write the model, the protocol and the record, all or nothing."""
        folder = self.project.folder
        with owner_only(), self.project.store.database.writing() as connection:
            check_seal(connection, todo.patients, todo.seen)
            _check_closed(connection, todo)
            (key,) = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM taught").fetchone()
            name = f"finished-{key:04}"
            file = f"{MODELS}/{name}.lacuna"
            outcome = msgspec.structs.replace(made.outcome, protocol=f"{name}.html")
            (folder / REPORTS).mkdir(exist_ok=True)
            sha256 = write_model(folder / file, stored)
            finished = replace(made, key=key, file=file, sha256=sha256, outcome=outcome)
            try:
                page = protocol_of(connection, self.project, finished)
                (folder / REPORTS / outcome.protocol).write_text(page, "utf-8")
                _record(connection, finished)
            except BaseException:
                (folder / file).unlink(missing_ok=True)
                (folder / REPORTS / outcome.protocol).unlink(missing_ok=True)
                raise
        return finished


def _check_closed(connection: sqlite3.Connection, todo: FinishPlan) -> None:
    """Raise :class:`RefusedError` if the seal was opened while the model was made."""
    now = {one.unit: one.was_looked_at for one in sealed_patients(connection)}
    if any(now.get(one.unit) and not one.was_looked_at for one in todo.patients):
        raise RefusedError(OPENED, "another model was finished with these patients just now")


def _with(stored: StoredModel, promises: Promises | None) -> StoredModel:
    return stored if promises is None else with_promises(stored, promises)


def _more_needed(asked: FinishAsked, patients: int) -> int:
    return max(0, units_needed(asked.level, asked.confidence) - patients)


def _record(connection: sqlite3.Connection, made: Finished) -> None:
    """Store that there is a model, and that the seal was opened for it."""
    (live,) = connection.execute("SELECT taught FROM live").fetchone()
    base = None if made.base_sha256 is None else bytes.fromhex(made.base_sha256)
    why = made.outcome.without or "written by Finish"
    connection.execute(
        "INSERT INTO taught (key, made_at, made_by, purpose, file, sha256, base_sha256, parent,"
        " learnt_from, compared_on, went_live, why, scores, iterations, seconds)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', 0, ?, ?, ?, ?)",
        (
            made.key,
            made.made_at,
            made.made_by,
            made.purpose,
            made.file,
            bytes.fromhex(made.sha256),
            base,
            live,
            _json.encode(made.learnt_from).decode(),
            why,
            _json.encode(made.outcome).decode(),
            made.iterations,
            made.seconds,
        ),
    )
    if not made.scored:
        return
    connection.execute(
        "INSERT INTO seal_look (at, who, taught, documents) VALUES (?, ?, ?, ?)",
        (made.made_at, made.made_by, made.key, _json.encode(made.scored).decode()),
    )
    connection.executemany(
        "UPDATE document SET looked_at = ? WHERE key = ?",
        [(made.made_at, key) for key, _ in made.scored],
    )


def protocol_path(project: Project, outcome: Outcome) -> Path:
    """Return where the protocol of a finished model is."""
    return project.folder / REPORTS / outcome.protocol
