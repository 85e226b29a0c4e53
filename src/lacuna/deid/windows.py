"""Detection in bounded memory: long documents are read through overlapping windows.

A window ends at white space where there is any. The next one begins before the end of the last, so
that a name at the border stands whole in one of them; what either finds is found. Alignment sees
one window at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lacuna.deid.detector import Detected, Detector
from lacuna.text.document import Document

WINDOW = 1 << 17  #: characters
OVERLAP = 2000
TOGETHER = 1 << 20  #: characters examined in one go
_LOOK_BACK = 10_000  # for white space to end at


def detect_bounded(detector: Detector, documents: Sequence[Document]) -> list[Detected]:
    """Return what is found in each document, looking at few characters at a time."""
    found: list[Detected] = []
    for batch in _batches(documents):
        if len(batch[0].text) > WINDOW:
            found.append(_detect_long(detector, batch[0]))
        else:
            found += detector.detect(batch)
    return found


def _batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Cut documents into batches of about ``TOGETHER`` characters, long documents alone."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        length = len(document.text)
        if batch and (length > WINDOW or size + length > TOGETHER):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += length
        if length > WINDOW:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _detect_long(detector: Detector, document: Document) -> Detected:
    """Tokens in the overlap of two windows are counted twice."""
    findings = []
    probability, covered = bytearray(), bytearray()  # they grow in place, unlike a list of arrays
    for start, end in windows(document.text):
        piece = replace(document, text=document.text[start:end], mentions=(), tokens=None)
        (part,) = detector.detect([piece])
        findings += [f._replace(start=f.start + start, end=f.end + start) for f in part.findings]
        probability += part.probability.tobytes()
        covered += part.covered.tobytes()
    return Detected(
        document,
        findings,
        np.frombuffer(probability, np.float64),
        np.frombuffer(covered, np.bool_),
    )


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the borders of windows that cover a text."""
    start = 0
    while True:
        end = _break_before(text, start + WINDOW)
        yield start, end
        if end == len(text):
            return
        start = _break_before(text, end - OVERLAP)


def _break_before(text: str, place: int) -> int:
    """Return the last place up to `place` that does not cut a word, if one is near."""
    if place >= len(text):
        return len(text)
    for back in range(place, max(place - _LOOK_BACK, 0), -1):
        if text[back - 1].isspace():
            return back
    return place
