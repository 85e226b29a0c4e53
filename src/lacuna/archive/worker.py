"""A worker: loads the model once, then reads, de-identifies and writes documents."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from lacuna.archive.held import HeldFindings
from lacuna.archive.inputs import encoding_of
from lacuna.archive.messages import (
    FileDone,
    FilesJob,
    FileTask,
    Job,
    LookJob,
    Original,
    Result,
    RowDone,
    RowsJob,
    RowTask,
)
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.output_names import SafeNames, place_below
from lacuna.deid.before_after import before_after
from lacuna.deid.detector import Detected, Detector
from lacuna.deid.evidence import Evidence, merge_by_group
from lacuna.deid.known_hits import KnownHits
from lacuna.deid.redact import Redactor
from lacuna.deid.tally import Place, Tally
from lacuna.deid.tallying import tally_of
from lacuna.errors import StoppedError
from lacuna.io.formats import FORMATS
from lacuna.io.source import ReadOptions, Source
from lacuna.io.writing import whole_file
from lacuna.models.chain_tagger import collection_paused
from lacuna.pipeline.detect_and_redact import WARM_UP, DetectAndRedact, Failed, Safe, why
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document

PIECE = 1 << 22  #: bytes of files in memory at a time
WRITERS = 8  #: files written at a time


class _Read(NamedTuple):
    """A document, the SHA-256 of its file, and its encoding if it was detected and is not UTF-8."""

    document: Document
    sha256: str
    detected: str


class Worker:
    """Does jobs one after another."""

    def __init__(self, options: ArchiveOptions, detector: Detector | None = None) -> None:
        if detector is None:
            detector = open_detection(options.detection, threshold=options.threshold).detector
        assert options.key is not None
        redactor = Redactor(
            options.policy, options.key, consistency=options.consistency, locale=options.locale
        )
        self._options = options
        self._work = DetectAndRedact.of(
            detector,
            redactor,
            second_look=options.detection.second_look,
            run_order=options.run_order,
        )
        self._names = SafeNames(detector.recognizers, options.key, options.rename)
        self._hits = KnownHits.read(options.detection.known)

    def do(self, job: Job) -> Result:
        """Do a job; failures are in the result."""
        began = time.perf_counter()
        try:
            with collection_paused():
                if isinstance(job, FilesJob):
                    result = self._do_files(job)
                elif isinstance(job, RowsJob):
                    result = self._do_rows(job)
                else:
                    result = self._look(job)
        except StoppedError as error:
            result = Result(fatal=str(error))
        result.seconds = time.perf_counter() - began
        return result

    def warm_up(self) -> None:
        """De-identify one text, so that all compiled code is loaded."""
        self._work.deidentify([Document("", WARM_UP)])

    def _do_files(self, job: FilesJob) -> Result:
        result = Result()
        evidence = {**self._evidence_of_large(job.files), **job.evidence}
        for piece in _pieces(job.files):
            self._do_piece(piece, evidence, result)
        if job.forget:
            for group in {task.group for task in job.files} - {None}:
                self._work.redactor.end_group(str(group))
        return result

    def _evidence_of_large(self, files: Sequence[FileTask]) -> dict[str, Evidence]:
        """Return the evidence of groups that are not read in one piece: they are read twice."""
        sizes: Counter[str] = Counter()
        for task in files:
            if task.group is not None:
                sizes[task.group] += task.bytes
        large = {group for group, size in sizes.items() if size > PIECE}
        return self._evidence_of([task for task in files if task.group in large])

    def _evidence_of(self, files: Sequence[FileTask]) -> dict[str, Evidence]:
        evidence: dict[str, Evidence] = {}
        for piece in _pieces(files):
            read = [self._read(task) for task in piece]
            documents = [item.document for item in read if not isinstance(item, Failed)]
            evidence = merge_by_group(evidence, self._work.evidence(self._work.detect(documents)))
        return evidence

    def _look(self, job: LookJob) -> Result:
        """Detect, and return what is found instead of rewriting."""
        if job.files:
            return Result(evidence=self._evidence_of(job.files))
        found = self._work.detect([_document(row) for row in job.rows])
        held = [msgspec.msgpack.encode(HeldFindings.of(one)) for one in found]
        numbers = [row.number for row in job.rows]
        return Result(
            table=job.table,
            found=list(zip(numbers, held, strict=True)),
            evidence=self._work.evidence(found),
        )

    def _do_piece(
        self, files: Sequence[FileTask], evidence: Mapping[str, Evidence], result: Result
    ) -> None:
        read = [self._read(task) for task in files]
        documents = [item.document for item in read if not isinstance(item, Failed)]
        outcomes = iter(self._work.deidentify(documents, evidence) if documents else ())
        with _Writing(self._options.output) as writing:
            for task, item in zip(files, read, strict=True):
                outcome = item if isinstance(item, Failed) else next(outcomes)
                hashed_id = self._names.hashed_id(task.id)
                if isinstance(outcome, Failed):
                    done = _failed(task, hashed_id, outcome.reason)
                else:
                    assert not isinstance(item, Failed)
                    done = self._written(task, hashed_id, outcome, item, writing)
                    self._remember(done.output, outcome, result)
                    self._show(task.number, self._place(hashed_id, done.output), outcome, result)
                result.files.append(done)

    def _read(self, task: FileTask) -> _Read | Failed:
        """Return a file's document, and what is to be recorded of the file."""
        path = Path(os.fsdecode(task.path))
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            encodings, replace = self._options.encodings, self._options.replaces_bad_bytes
            if task.format == "txt":
                text, detected = encodings.decode(path.read_bytes(), replace=replace)
            else:
                encoding = encoding_of(path, task.format, encodings)
                source = Source(path, task.id, ReadOptions(encoding))
                documents = list(FORMATS[task.format].read(source))
                if len(documents) != 1:
                    return Failed("contains several documents, or none")
                text, detected = documents[0].text, encodings.detected(encoding)
        except FileNotFoundError:
            return Failed("no longer exists")
        except Exception as error:
            return Failed(why(error))
        return _Read(Document(task.id, text, group=task.group), digest, detected)

    def _written(
        self, task: FileTask, hashed_id: str, safe: Safe, read: _Read, writing: _Writing
    ) -> FileDone:
        content = safe.text.encode()
        name = self._names.output(task.output, task.group, safe.originals, ambiguous=task.ambiguous)
        writing.write(name, content)
        tally = self._tally([(self._place(hashed_id, name), safe)])
        tally.count_encoding(read.detected)
        sha256 = hashlib.sha256(content).hexdigest()
        return FileDone(task.number, hashed_id, tally, None, read.sha256, name, sha256)

    def _do_rows(self, job: RowsJob) -> Result:
        result = Result(table=job.table)
        safe: list[tuple[Place, Safe]] = []
        outcomes = self._work.redact(self._found(job.rows), job.evidence)
        for row, outcome in zip(job.rows, outcomes, strict=True):
            hashed_id = self._names.hashed_id(row.id)
            if isinstance(outcome, Failed):
                result.tally.add_failure(outcome.reason)
                done = RowDone(row.number, reason=outcome.reason, hashed_id=hashed_id)
            else:
                id_ = self._names.id(row.id, row.group, outcome.originals)
                text = outcome.redacted.document.text
                dates = self._work.redactor.date_cells(row.dates, outcome.redacted)
                result.tally.emptied_cells += dates.count(None)
                cells = [cell or "" for cell in dates]
                done = RowDone(row.number, id_, self._names.group(row.group), text, dates=cells)
                place = Place(hashed_id, row=row.number, id=id_)
                self._remember(id_, outcome, result)
                self._show(row.number, place, outcome, result)
                safe.append((place, outcome))
            result.rows.append(done)
        result.tally.add(self._tally(safe))
        for group in job.ended:
            self._work.redactor.end_group(group)
        return result

    def _found(self, rows: Sequence[RowTask]) -> list[Detected | Failed]:
        """Return what is found in rows: in a first pass, or now."""
        new = iter(self._work.detect([_document(row) for row in rows if row.found is None]))
        return [
            next(new)
            if row.found is None
            else msgspec.msgpack.decode(row.found, type=HeldFindings).detected(_document(row))
            for row in rows
        ]

    def _place(self, hashed_id: str, output: str) -> Place:
        is_kept = self._options.output is not None and self._options.keeps_books
        return Place(hashed_id, output if is_kept else "")

    def _tally(self, safe: Sequence[tuple[Place, Safe]]) -> Tally:
        documents = [(place, one.detected, one.redacted) for place, one in safe]
        tally = tally_of(documents, self._work.detector.vocabulary)
        if self._hits is not None:
            hits: Counter[str] = Counter()
            for _, one in safe:
                document = one.detected.document
                hits.update(self._hits.count(document.group, document.text, one.detected.findings))
            tally.known_hits = dict(hits)
        return tally

    def _remember(self, name: str, safe: Safe, result: Result) -> None:
        if self._options.vault is not None:
            redacted = safe.redacted
            result.originals.append(
                Original.of(
                    name, safe.detected.document.text, redacted.document.text, redacted.offsets
                )
            )

    def _show(self, number: int, place: Place, safe: Safe, result: Result) -> None:
        """Add a document to those that the owner looks at, if that is wanted."""
        if self._options.is_looked_at:
            policy, threshold = self._options.policy, self._work.detector.threshold
            shown = before_after(place, safe.detected, safe.redacted, policy, threshold)
            encoded = msgspec.msgpack.encode(shown)
            result.looked_at.append((number, shown.expected_missed, encoded))


def _document(row: RowTask) -> Document:
    return Document(row.id, row.text, group=row.group)


def _pieces(files: Sequence[FileTask]) -> Iterator[list[FileTask]]:
    """Yield files that are in memory together; only groups larger than that are divided."""
    piece: list[FileTask] = []
    size = 0
    for group, unit in groupby(files, attrgetter("group")):
        tasks = list(unit)
        is_large = sum(task.bytes for task in tasks) > PIECE
        parts = [[task] for task in tasks] if group is None or is_large else [tasks]
        for part in parts:
            more = sum(task.bytes for task in part)
            if piece and size + more > PIECE:
                yield piece
                piece, size = [], 0
            piece += part
            size += more
    if piece:
        yield piece


def _failed(task: FileTask, hashed_id: str, reason: str) -> FileDone:
    tally = Tally()
    tally.add_failure(reason)
    return FileDone(task.number, hashed_id, tally, reason)


class _Writing:
    """Writes several outputs at a time; leaving the block waits until all are written."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(WRITERS)
        self._outputs: list[Future[None]] = []

    def __enter__(self) -> Self:
        return self

    def write(self, name: str, content: bytes) -> None:
        """Start writing an output."""
        if self._folder is not None:
            self._outputs.append(self._pool.submit(_write, self._folder, name, content))

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        for output in self._outputs:
            output.result()


def _write(folder: Path, name: str, content: bytes) -> None:
    try:
        with whole_file(place_below(folder, name)) as stream:
            stream.write(content)
    except OSError as error:
        raise StoppedError(f"cannot write to the output folder: {error.strerror}") from None
