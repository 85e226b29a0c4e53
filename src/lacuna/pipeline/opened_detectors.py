"""Opened detectors, kept for the next call with the same files and options.

Opening the bundled model takes a fifth of a second, de-identifying a note a few milliseconds. A
file that has changed since (by its time or size) is opened again.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock

import msgspec

from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.detector import Detector
from lacuna.pipeline.detection import open_detection

MOST_OPENED = 4

Stamp = tuple[int, int] | None

_opened: dict[tuple[object, ...], Detector] = {}  # the last used one is last
_lock = Lock()


def opened_detector(
    options: DetectionOptions,
    *,
    threshold: float | None,
    max_missed: float | None,
    confidence: float | None,
) -> Detector:
    """Return the detector that these options name, opened before if possible. Thread-safe."""
    if max_missed is None:  # only promises depend on the policy
        options = msgspec.structs.replace(options, policy_digest="")
    described = msgspec.json.encode(options, order="deterministic")
    with _lock:  # held while opening, so that several threads open a model once
        name = (described, threshold, max_missed, confidence, *map(_stamp, _files(options)))
        detector = _opened.pop(name, None)
        if detector is None:
            found = open_detection(
                options, threshold=threshold, max_missed=max_missed, confidence=confidence
            )
            detector = found.detector
        _opened[name] = detector
        if len(_opened) > MOST_OPENED:
            del _opened[next(iter(_opened))]
        return detector


def _files(options: DetectionOptions) -> list[str]:
    lists = [path for _, path in options.lists]
    single = (options.model, options.known, options.always, options.never)
    return [*filter(None, single), *lists]


def _stamp(path: str) -> Stamp:
    """Return what changes with a file; None if there is none, which opening reports."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
