"""Counting words that are identifiers, and words that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.pipeline.detect_and_redact import Safe
from lacuna.text.document import Document


@dataclass(frozen=True, slots=True)
class Words:
    """How many words there are, how many are identifiers, were found, and are both."""

    all: int
    identifiers: int
    found: int
    hits: int

    @property
    def recall(self) -> float:
        """Share of the identifiers that were found."""
        return self.hits / self.identifiers

    @property
    def precision(self) -> float:
        """Share of what was found that is an identifier."""
        return self.hits / self.found


def count_words(notes: Sequence[Document], safe: Sequence[Safe]) -> Words:
    """Count the words of annotated notes."""
    counts = np.zeros(4, np.int64)
    for note, one in zip(notes, safe, strict=True):
        marked = np.zeros(len(note.text) + 1, np.bool_)
        for mention in note.mentions:
            for span in mention.spans:
                marked[span.start : span.end] = True
        detected = one.detected
        true = np.array(
            [marked[a:b].any() for a, b in zip(detected.start, detected.end, strict=True)], np.bool_
        )
        found = detected.covered
        counts += [len(true), true.sum(), found.sum(), (true & found).sum()]
    return Words(*counts.tolist())
