"""What is inside a model file, for the page: what ``lacuna inspect`` shows, as JSON values.

Everything is computed once for each file, by its hash.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from lacuna.deid.promises import in_words, promises_of
from lacuna.models.base import Tagger
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel, read_model
from lacuna.models.registry import restore
from lacuna.pictures.model_picture import has_subtags, model_picture
from lacuna.pictures.transition_graph import HasChain
from lacuna.web.model_files import ModelFile

FEATURES = 8  #: of each tag that are shown
MOST_KEPT = 4
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inspected:
    """A model that was opened to look at it."""

    file: ModelFile
    stored: StoredModel
    tagger: Tagger
    words: list[str]
    facts: Facts

    @classmethod
    def of(cls, file: ModelFile) -> Inspected:
        """Open a model file. Raises :class:`ModelFileError` if it is damaged."""
        stored = read_model(file.path)
        tagger = restore(stored)
        words = list(dict.fromkeys(tagger.held_words()))
        return cls(file, stored, tagger, words, tagger.facts(Inspection(words, FEATURES)))

    def page(self) -> Json:
        """Return everything that the page shows of it."""
        tagger, stored = self.tagger, self.stored
        return {
            "key": self.file.key,
            "file": self.file.path.name,
            "sha256": self.file.sha256,
            "bytes": self.file.path.stat().st_size,
            "kind": stored.kind,
            "labels": list(tagger.labels),
            "words": len(self.words),
            "cards": list(_cards(tagger)),
            "tables": [_table(one) for one in self.facts.tables],
            "remarks": list(self.facts.remarks),
            "warnings": list(self.facts.warnings),
            "promises": _promises(stored),
            "transitions": isinstance(tagger.core(), HasChain),
            "subtags": list(tagger.labels) if has_subtags(tagger) else [],
        }

    def picture(self, label: str | None = None) -> str | None:
        """Draw which tag follows which, or the sub-tags around a label, if it has them."""
        return model_picture(
            self.stored.kind, self.tagger, Inspection(self.words, FEATURES, (), label)
        )


def _cards(tagger: Tagger) -> Iterator[Json]:
    """Yield the card of a model, then those of the models that it was adapted from."""
    labels = tagger.labels
    for card in tagger.card.lineage():
        values = msgspec.to_builtins(replace(card, adapted_from=None))
        del values["adapted_from"]
        yield {**values, "labels": list(labels)}
        labels = () if card.adapted_from is None else tuple(card.adapted_from.mentions)


def _table(table: Table) -> Json:
    return {
        "title": table.title,
        "header": list(table.header),
        "rows": [list(row) for row in table.rows],
    }


def _promises(stored: StoredModel) -> list[Json]:
    promises = promises_of(stored)
    return [
        {
            "level": one.level,
            "confidence": one.confidence,
            "threshold": one.threshold,
            "units": one.units,
            "words": in_words(one.level, one.confidence),
        }
        for one in (() if promises is None else promises.calibrations)
    ]


class InspectedModels:
    """Those that were looked at last, by hash; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Inspected] = {}

    def get(self, file: ModelFile) -> Inspected:
        """Return a model that was opened, with the key it is asked by."""
        with self._lock:
            found = self._known.pop(file.sha256, None)
            if found is None or found.file != file:
                found = Inspected.of(file)
            self._known[file.sha256] = found
            while len(self._known) > MOST_KEPT:
                del self._known[next(iter(self._known))]
            return found
