"""What is inside a model file, for the page: what ``lacuna inspect`` shows, as JSON values.

Everything is computed once for each file, by its hash.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from lacuna.deid.promises import in_words, promises_of
from lacuna.models.base import Card, Tagger
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel, read_model
from lacuna.models.registry import restore
from lacuna.pictures.subtag_graph import subtag_graph
from lacuna.pictures.transition_graph import HasChain, chain_graph
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
            "cards": list(_cards(tagger.card, list(tagger.labels))),
            "tables": [_table(one) for one in self.facts.tables],
            "remarks": list(self.facts.remarks),
            "warnings": list(self.facts.warnings),
            "promises": _promises(stored),
            "transitions": isinstance(tagger.core(), HasChain),
            "subtags": list(tagger.labels) if self._has_subtags else [],
        }

    @property
    def _has_subtags(self) -> bool:
        return hasattr(self.tagger.core(), "subtags")

    def transitions(self) -> str | None:
        """Draw which tag follows which; ``None`` if the model is no chain."""
        core = self.tagger.core()
        if not isinstance(core, HasChain):
            return None
        title = f"{self.stored.kind}: which tag follows which"
        return chain_graph(core.chain(), core.state_names, title=title)

    def subtags(self, label: str) -> str | None:
        """Draw the sub-tags around a label; ``None`` if there are none."""
        if not self._has_subtags or label not in self.tagger.labels:
            return None
        inspection = Inspection(self.words, FEATURES, (), label)
        found = self.tagger.core().subtags(inspection)  # type: ignore[attr-defined]
        return subtag_graph(found, label, title=f"{self.stored.kind}: sub-tags around {label}")


def _cards(card: Card | None, labels: list[str]) -> Iterator[Json]:
    """Yield the card of a model, then those of the models that it was adapted from."""
    while card is not None:
        yield {
            "data": list(card.data),
            "documents": card.documents,
            "tokens": card.tokens,
            "labels": labels,
            "mentions": dict(card.mentions),
            "iterations": card.iterations,
            "scores": msgspec.to_builtins(list(card.scores)),
            "licence": card.licence,
            "version": card.version,
        }
        card = card.adapted_from
        labels = [] if card is None else list(card.mentions)


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
