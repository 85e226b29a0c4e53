"""De-identifying the documents of a project, or files of this machine, with a report.

Documents of a project are written with what people decided (redacting.py), files as ``lacuna deid``
writes them, with the model, policy, threshold and key of the project. All is written or nothing. A
document that cannot be de-identified is left out and counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from lacuna.archive.inputs import Inputs
from lacuna.archive.ledger import Finished
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.run import run_archive
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.remarks import remarks_on
from lacuna.deid.run_report import Failure, Report, Run, warnings_of
from lacuna.deid.run_report_page import page
from lacuna.deid.scope import Consistency
from lacuna.deid.tally import Place, Tally
from lacuna.deid.tallying import tally_of
from lacuna.errors import RedactionError
from lacuna.io.limits import Loss
from lacuna.io.output import write_corpus
from lacuna.io.writing import whole_file
from lacuna.models.file import file_digest
from lacuna.pipeline.detect_and_redact import Failed, Safe
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.types import BoolArray
from lacuna.version import __version__
from lacuna.web.deid_orders import Ended, Order, Progress
from lacuna.web.exporting import pseudonymous
from lacuna.web.project import Project, open_project
from lacuna.web.redacting import Redaction, inside_rejected
from lacuna.web.suggestions import Suggester, keys_of_group

Tell = Callable[[Progress], None]
LISTED = 1000  #: failures that the report lists


def do_order(order: Order, tell: Tell) -> Ended:
    """Do what is asked; `tell` is called while it goes on.

    Raises
    ------
    RedactionError
        If no document could be de-identified; nothing is written then.
    LacunaError
        If something else is wrong.
    """
    with open_project(Path(order.project)) as project:
        if order.source is None:
            return _ProjectRun(project, order, tell).run()
        return _run_files(project, order, Path(order.source), tell)


def _end(order: Order, report: Report, of: int, *, has_model: bool, crosswalk: bool) -> Ended:
    """Write the page of a run, and return its last message."""
    tally = report.tally
    if tally.failed and not tally.documents:
        (reason, _), *_ = tally.reasons.items()
        raise RedactionError(f"no document could be de-identified: {reason}")
    if order.report is not None:
        content = page(report.as_json() | {"crosswalk": crosswalk}, links=False)
        with whole_file(Path(order.report)) as stream:
            stream.write(content.encode())
    progress = Progress(
        tally.documents,
        tally.failed,
        of,
        1.0,
        dict(sorted(tally.labels.items())),
        tally.expected_missed if has_model else None,
    )
    remarks = [*report.run.warnings, *remarks_on(tally)]
    if tally.failed:
        was = "was" if tally.failed == 1 else "were"
        remarks.insert(0, f"{counted(tally.failed, 'document')} failed and {was} left out")
    return Ended(progress, remarks)


# --- files of this machine


def _run_files(project: Project, order: Order, source: Path, tell: Tell) -> Ended:
    """De-identify files as ``lacuna deid`` does."""
    assert order.model is not None
    settings = project.settings
    options = ArchiveOptions(
        input=source,
        output=None if order.output is None else Path(order.output),
        detection=DetectionOptions(model=order.model),
        policy=project.policy(order.policy),
        threshold=settings.threshold if order.threshold is None else order.threshold,
        key=project.key.derive("de-identified"),
        locale=settings.language.replace("-", "_"),
        group_from=order.group_from,
    )
    seen = _FilesSeen(tell)
    report = run_archive(
        options,
        on_start=seen.start,
        on_bytes=seen.read,
        on_failure=seen.fail,
        on_finished=seen.finish,
    )
    documents = report.tally.documents + report.tally.failed
    return _end(order, report, documents, has_model=True, crosswalk=True)


class _FilesSeen:
    """What was told about a run over files."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._tally = tell, Tally()
        self._of: int | None = None
        self._bytes = self._all_bytes = 0

    def start(self, inputs: Inputs) -> None:
        """Take note of the inputs."""
        self._all_bytes = inputs.bytes
        if not any(file.is_table for file in inputs.files):
            self._of = len(inputs.files)
        self._say()

    def read(self, size: int) -> None:
        """Take note of bytes that are finished."""
        self._bytes += size
        self._say()

    def fail(self, failure: Failure, _: str) -> None:
        """Take note of a document that failed."""
        self._tally.add_failure(failure.reason)

    def finish(self, file: Finished) -> None:
        """Take note of an output that is complete."""
        self._tally.add(msgspec.structs.replace(file.tally, failed=0))
        self._say()

    def _say(self) -> None:
        tally, share = self._tally, self._bytes / max(self._all_bytes, 1)
        self._tell(
            Progress(
                tally.documents,
                tally.failed,
                self._of,
                min(share, 1.0),
                dict(sorted(tally.labels.items())),
                tally.expected_missed,
            )
        )


# --- documents of the project


class _ProjectRun:
    """A run over all documents of a project."""

    def __init__(self, project: Project, order: Order, tell: Tell) -> None:
        self._project, self._order, self._tell = project, order, tell
        model = None if order.model is None else Path(order.model)
        suggester = None if model is None else Suggester.of_file(project, model)
        self._redaction = Redaction.of(
            project, suggester, policy=order.policy, threshold=order.threshold
        )
        self._suggester = suggester
        self._tally, self._failures = Tally(), list[Failure]()
        self._of = project.store.counts().documents
        self._began = time.perf_counter()

    def run(self) -> Ended:
        """De-identify everything, and write it if it is asked for."""
        order = self._order
        with closing(self._documents()) as documents:
            if order.output is None:
                for _ in documents:
                    pass
            else:
                write_corpus(documents, order.output, format=order.format, loss=Loss.EXTRAS)
        has_model = self._suggester is not None
        return _end(order, self._report(), self._of, has_model=has_model, crosswalk=False)

    def _documents(self) -> Generator[Document]:
        """Yield documents de-identified, those of a patient together."""
        number = 0
        for keys in self._patients():
            for key, outcome in self._redaction.patient(keys).items():
                number += 1
                reviewed = self._project.store.document(key)
                assert reviewed is not None
                bare = pseudonymous(self._project, reviewed.source, "")
                if isinstance(outcome, Failed):
                    self._fail(number, bare.id, outcome.reason)
                    continue
                left_alone = inside_rejected(reviewed, outcome.detected)
                self._count(bare.id, outcome, left_alone)
                yield pseudonymous(self._project, reviewed.source, outcome.text)
            self._say(number)
        if self._tally.failed and not self._tally.documents:
            (reason, _), *_ = self._tally.reasons.items()
            raise RedactionError(f"no document could be de-identified: {reason}")

    def _patients(self) -> Iterator[list[int]]:
        """Yield the keys of the documents of each patient, in the order of import."""
        rows = self._project.store.database.reader.execute(
            "SELECT key, grp FROM document ORDER BY key"
        ).fetchall()
        seen: set[str] = set()
        for key, group in rows:
            if group is None:
                yield [key]
            elif group not in seen:
                seen.add(group)
                yield keys_of_group(self._project.store, group)

    def _count(self, id_: str, safe: Safe, left_alone: BoolArray) -> None:
        """Count a document; words that a person rejected are not expected to be missed."""
        found = safe.detected
        sure = np.where(left_alone & ~found.covered, 0.0, found.probability)
        vocabulary = None if self._suggester is None else self._suggester.detector.vocabulary
        output = "" if self._order.output is None else Path(self._order.output).name
        row = self._tally.documents + 1 if self._order.format == "jsonl" else None
        place = Place(id_, output, row, id_)
        counted_ = (place, found._replace(probability=sure), safe.redacted)
        self._tally.add(tally_of([counted_], vocabulary))

    def _fail(self, number: int, id_: str, reason: str) -> None:
        self._tally.add_failure(reason)
        if len(self._failures) < LISTED:
            self._failures.append(Failure(number, self._of, None, id_, reason))

    def _say(self, done: int) -> None:
        tally = self._tally
        self._tell(
            Progress(
                tally.documents,
                tally.failed,
                self._of,
                min(done / max(self._of, 1), 1.0),
                dict(sorted(tally.labels.items())),
                None if self._suggester is None else tally.expected_missed,
            )
        )

    def _report(self) -> Report:
        redaction, order, policy = self._redaction, self._order, self._redaction.policy
        vocabulary = None if self._suggester is None else self._suggester.detector.vocabulary
        language = "" if vocabulary is None else vocabulary.language
        model = None if order.model is None else Path(order.model)
        run = Run(
            lacuna=__version__,
            model="none" if model is None else model.name,
            model_sha256="" if model is None else file_digest(model),
            policy=Path(policy.name).name,
            policy_sha256=policy.digest,
            threshold=redaction.threshold,
            promised=None,
            confidence=None,
            calibrated=None,
            warnings=warnings_of(self._tally, None, language),
            consistency=Consistency.PATIENT,
            locale=self._project.settings.language,
            settings={"input": "documents of a project, as people decided", "key": "given"},
            files=self._of,
            taken_over=0,
            left_aside={},
            seconds=time.perf_counter() - self._began,
            has_groups=self._project.store.counts().groups > 0,
        )
        return Report(run, self._tally, self._failures)
