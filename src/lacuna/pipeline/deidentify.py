"""Documents in, safe documents out: detection and replacement together.

A document that cannot be made safe fails alone, and nothing of it is passed on. Why it failed is
said in words that hold nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

import msgspec

from lacuna.deid.detector import DEFAULT_THRESHOLD, Detected, Detector, detect_bounded
from lacuna.deid.keys import Key
from lacuna.deid.options import BUNDLED_MODEL, DetectionOptions, with_policy
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError, CorpusFormatError, RedactionError
from lacuna.models.base import Tagger, group_batches
from lacuna.models.chain import collection_paused
from lacuna.pipeline.detection import open_detection, open_recognizers
from lacuna.text.document import Document


class Safe(NamedTuple):
    """A document that was made safe, and what was found in it."""

    redacted: Redacted
    detected: Detected


class Failed(NamedTuple):
    """A document of which nothing may be passed on, and why, without quoting it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Deidentifier:
    """Finds and replaces; keeps in mind what it wrote for each patient."""

    detector: Detector
    redactor: Redactor

    def deidentify(self, documents: Sequence[Document]) -> list[Safe | Failed]:
        """Return each document made safe, or why it could not be; those of a group together."""
        plain = [Document(d.id, d.text, group=d.group) for d in documents]
        with collection_paused():
            return [self._replaced(found) for found in self._detected(plain)]

    def _detected(self, documents: Sequence[Document]) -> list[Detected | Failed]:
        """Detect in all at once; if that fails, in each group, then in each document alone."""
        try:
            return [*detect_bounded(self.detector, documents)]
        except Exception as error:
            if len(documents) == 1:
                return [Failed(why(error))]
        units = list(dict.fromkeys(document.unit for document in documents))
        if len(units) == 1:
            return [found for document in documents for found in self._detected([document])]
        found = {
            unit: iter(self._detected([d for d in documents if d.unit == unit])) for unit in units
        }
        return [next(found[document.unit]) for document in documents]

    def _replaced(self, found: Detected | Failed) -> Safe | Failed:
        if isinstance(found, Failed):
            return found
        try:
            return Safe(self.redactor.redact(found.document, found.findings), found)
        except Exception as error:
            return Failed(why(error))


def why(error: Exception) -> str:
    """Say what went wrong in words that cannot hold a name: no path, no id, no text."""
    if isinstance(error, CorpusFormatError):
        place = f"line {error.line}: " if error.line is not None else ""
        return f"{place}{error.reason}"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"could not be made safe ({type(error).__name__})"


@overload
def deidentify(
    item: str | Document,
    *,
    model: str | Path | Tagger = ...,
    policy: str | Path | Policy = ...,
    key: Key | None = ...,
    threshold: float | None = ...,
    max_missed: float | None = ...,
    consistency: Consistency = ...,
    locale: str = ...,
    detection: DetectionOptions | None = ...,
) -> Redacted: ...


@overload
def deidentify(
    item: Iterable[Document],
    *,
    model: str | Path | Tagger = ...,
    policy: str | Path | Policy = ...,
    key: Key | None = ...,
    threshold: float | None = ...,
    max_missed: float | None = ...,
    consistency: Consistency = ...,
    locale: str = ...,
    detection: DetectionOptions | None = ...,
) -> Iterator[Redacted]: ...


def deidentify(
    item: str | Document | Iterable[Document],
    *,
    model: str | Path | Tagger = BUNDLED_MODEL,
    policy: str | Path | Policy = "safe-harbor",
    key: Key | None = None,
    threshold: float | None = None,
    max_missed: float | None = None,
    consistency: Consistency = Consistency.PATIENT,
    locale: str = "en",
    detection: DetectionOptions | None = None,
) -> Redacted | Iterator[Redacted]:
    """Take identities out of a text, a document, or a stream of documents.

    Parameters
    ----------
    item
        Documents of a patient should follow one another.
    model
        A model file or a loaded model.
    policy
        A ready-made policy or a TOML file.
    key
        Behind surrogates and shifted dates; a fresh one where not given.
    threshold, max_missed
        How sure the model must be; or which calibrated promise to keep.
    consistency, locale
        See :class:`~lacuna.deid.redact.Redactor`.
    detection
        What detects beside the model; patterns alone where not given.

    Raises
    ------
    RedactionError
        When a document cannot be made safe; nothing of it is returned.
    """
    chosen = policy if isinstance(policy, Policy) else load_policy(policy)
    options = with_policy(detection or DetectionOptions(), chosen)
    if isinstance(model, str | Path):
        options = msgspec.structs.replace(options, model=str(model))
        detector = open_detection(options, threshold=threshold, max_missed=max_missed).detector
    elif max_missed is not None:
        raise ConfigError("promises stand in model files: give the file to use max_missed")
    else:
        sure = DEFAULT_THRESHOLD if threshold is None else threshold
        detector = Detector(model, open_recognizers(options), sure)
    redactor = Redactor(chosen, key or Key.random(), consistency=consistency, locale=locale)
    work = Deidentifier(detector, redactor)
    if isinstance(item, str):
        item = Document("text", item)
    if isinstance(item, Document):
        return next(_safe_ones(work, [item]))
    return _safe_ones(work, item)


def _safe_ones(work: Deidentifier, documents: Iterable[Document]) -> Iterator[Redacted]:
    for batch in group_batches(documents):
        for document, outcome in zip(batch, work.deidentify(batch), strict=True):
            if isinstance(outcome, Failed):
                raise RedactionError(f"{document.id}: {outcome.reason}")
            yield outcome.redacted
