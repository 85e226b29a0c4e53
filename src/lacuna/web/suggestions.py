"""Suggestions of the model of a project, remembered in its database.

A model that allows one label per token is used as in ``lacuna deid``: with patterns, and resolved
in the same way. A model whose mentions overlap or have gaps is used alone.

What was suggested is kept for each document (tables ``model`` and ``suggestion``). Another model
file, threshold, set of labels, policy or version of lacuna is another row of ``model``, and
suggestions are made anew.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.deid.detector import Detector, detect_bounded
from lacuna.deid.patterns import PATTERN_LABELS, PATTERNS_VERSION
from lacuna.deid.policy import Policy
from lacuna.errors import EditError
from lacuna.models.aligned import AlignedModel
from lacuna.models.file import file_digest
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document
from lacuna.version import __version__
from lacuna.web.blind import is_blind
from lacuna.web.documents_table import places
from lacuna.web.label_guesses import LabelGuesses
from lacuna.web.model_files import base_path, model_path
from lacuna.web.project import Project
from lacuna.web.project_file import Settings
from lacuna.web.store import WAITING, Store, utc_now
from lacuna.web.suggesting import (
    Doubt,
    Read,
    Suggested,
    Suggestion,
    doubtful_runs,
    read_findings,
    read_mentions,
    suggested,
)

__all__ = ["Doubt", "Suggested", "Suggester", "Suggestion"]

BATCH = 64  #: documents that are read in one step
_log = logging.getLogger(__name__)
_suggested = msgspec.json.Decoder(Suggested)


@dataclass(frozen=True, slots=True)
class Suggester:
    """A model that suggests mentions; opened once, threads may share it.

    Attributes
    ----------
    detector
        The model, patterns, and the threshold of the project.
    model
        Its key in the table of models.
    name
        Of its file, without the ending.
    labels
        Those of the project that it can find.
    wanted
        All labels of the project; only these are suggested.
    """

    detector: Detector
    model: int
    name: str
    labels: tuple[str, ...]
    wanted: frozenset[str]

    @classmethod
    def open(cls, project: Project, *, base: bool = False) -> Suggester | None:
        """Open the model that suggests in a project; ``None`` if there is none.

        With `base`, that of ``project.toml``, also if another one was taught.
        Raises :class:`ConfigError` or :class:`ModelFileError` if it cannot be used.
        """
        path = base_path(project) if base else model_path(project)
        return None if path is None else cls.of_file(project, path)

    @classmethod
    def of_file(cls, project: Project, path: Path) -> Suggester:
        """Open another model file, with the settings of the project."""
        settings, policy = project.settings, project.policy()
        options = with_policy(DetectionOptions(model=str(path)), policy)
        detector = open_detection(options, threshold=settings.threshold).detector
        made = cls.of(settings, detector, model=0, name=path.stem)
        content = bytes.fromhex(file_digest(path))
        how = _digest(settings, policy, sorted(made.wanted))
        with project.store.database.writing() as connection:
            model = _model_key(connection, path.name, content, how)
        return replace(made, model=model)

    @classmethod
    def of(cls, settings: Settings, detector: Detector, *, model: int, name: str) -> Suggester:
        """Return what suggests the labels of a project with a model that is open."""
        names = [label.name for label in settings.labels] or detector.tagger.labels
        found = {*detector.tagger.labels}
        if not detector.tagger.core().overlapping:
            found |= PATTERN_LABELS
        labels = tuple(label for label in names if label in found)
        return cls(detector, model, name, labels, frozenset(names))

    @property
    def known(self) -> frozenset[str]:
        """All labels that are found without learning: by the model, or by patterns."""
        return frozenset((*self.detector.tagger.labels, *self.labels))

    @property
    def overlapping(self) -> bool:
        """Whether its mentions may overlap."""
        return self.detector.tagger.core().overlapping

    # --- without the database

    def suggest(self, documents: Sequence[Document]) -> list[Suggested]:
        """Return what is suggested for each document; those of a patient should come together."""
        reads = self.read(documents)
        runs = [doubtful_runs(read) for read in reads]
        guesses = LabelGuesses.of(self.detector.tagger, self.labels).guess(documents, runs)
        rows = zip(reads, runs, guesses, strict=True)
        return [suggested(*row) for row in rows]

    def read(self, documents: Sequence[Document], threshold: float | None = None) -> list[Read]:
        """Return how the model reads documents, by default at the threshold of the project."""
        detector = (
            self.detector if threshold is None else replace(self.detector, threshold=threshold)
        )
        tagger, threshold = detector.tagger, detector.threshold
        if not self.overlapping:
            found = detect_bounded(detector, documents)
            return [read_findings(one, self.wanted) for one in found]
        pairs = zip(
            tagger.find(documents, probabilities=True),
            tagger.identifier_probabilities(documents),
            strict=True,
        )
        return [read_mentions(*pair, self.wanted, threshold) for pair in pairs]

    # --- with the database

    def for_document(self, store: Store, key: int) -> Suggested:
        """Return what is suggested for a document: as remembered, or made now.

        Nothing as long as it is to be reviewed blind. Raises :class:`EditError` if there is no such
        document.
        """
        row = store.row(key)
        if row is not None and is_blind(store.database.reader, row):
            return Suggested()
        return remembered(store, self.model, key) or self._made(store, [key])[key]

    def fill(
        self,
        store: Store,
        on_progress: Callable[[int, int], None] = lambda _done, _of: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Make all suggestions for documents that wait for review, and store their need.

        A document for which that fails is left out; the others are done.

        Parameters
        ----------
        store
            Of the project.
        on_progress
            Called with the number of documents done, and of all that are to be done.
        stop
            Asked before each batch.
        """
        left = _not_suggested(store, self.model)
        total, done = len(left), 0
        while left and not stop():
            batch, left = left[:BATCH], left[BATCH:]
            try:
                made = set(self._made(store, batch))
            except Exception:
                made = {key for key in batch if self._is_made(store, key)}
            left = [key for key in left if key not in made]  # of a patient who is done
            done = total - len(left)
            on_progress(done, total)

    def _is_made(self, store: Store, key: int) -> bool:
        try:
            self._made(store, [key])
        except Exception as error:
            _log.warning("no suggestions for document %d: %s", key, type(error).__name__)
            return False
        return True

    def _made(self, store: Store, keys: Iterable[int]) -> dict[int, Suggested]:
        """Make suggestions and store them; for all documents of a patient if that matters."""
        documents = {key: _source(store, key) for key in keys}
        if isinstance(self.detector.tagger, AlignedModel):
            groups = {one.group for one in documents.values() if one.group is not None}
            members = (key for group in sorted(groups) for key in keys_of_group(store, group))
            documents |= {key: _source(store, key) for key in members if key not in documents}
        made = dict(zip(documents, self.suggest(list(documents.values())), strict=True))
        rows = [
            (key, self.model, msgspec.json.encode(one).decode(), _words(one))
            for key, one in made.items()
        ]
        with store.database.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO suggestion VALUES (?, ?, ?, ?)", rows)
            connection.executemany(
                "UPDATE document SET need = ? WHERE key = ?",
                [(one.need, key) for key, one in made.items()],
            )
        return made


def remembered(store: Store, model: int, key: int) -> Suggested | None:
    """Return what a model suggested for a document, if that is in the database."""
    row = store.database.reader.execute(
        "SELECT found FROM suggestion WHERE document = ? AND model = ?", (key, model)
    ).fetchone()
    return None if row is None else _suggested.decode(row[0])


def keys_of_group(store: Store, group: str) -> list[int]:
    """Return the keys of the documents of a patient, in the order of import."""
    rows = store.database.reader.execute(
        "SELECT key FROM document WHERE grp = ? ORDER BY key", (group,)
    )
    return [key for (key,) in rows]


def _not_suggested(store: Store, model: int) -> list[int]:
    rows = store.database.reader.execute(
        f"SELECT key FROM document WHERE state IN ({places(len(WAITING))}) AND key NOT IN"
        " (SELECT document FROM suggestion WHERE model = ?) ORDER BY key",
        (*WAITING, model),
    )
    return [key for (key,) in rows]


def _source(store: Store, key: int) -> Document:
    reviewed = store.document(key)
    if reviewed is None:
        raise EditError("there is no such document")
    return reviewed.source


def _words(one: Suggested) -> str:
    return msgspec.json.encode(dict(zip(one.words, one.shares, strict=True))).decode()


def _digest(settings: Settings, policy: Policy, labels: Sequence[str]) -> bytes:
    """Return a hash of everything but the model that decides what is suggested."""
    parts = (__version__, PATTERNS_VERSION, settings.threshold, sorted(labels), policy.patterns)
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).digest()


def _model_key(connection: sqlite3.Connection, file: str, sha256: bytes, settings: bytes) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO model (file, sha256, settings, first_used) VALUES (?, ?, ?, ?)",
        (file, sha256, settings, utc_now()),
    )
    (key,) = connection.execute(
        "SELECT key FROM model WHERE sha256 = ? AND settings = ?", (sha256, settings)
    ).fetchone()
    number: int = key
    return number
