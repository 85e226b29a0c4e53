"""De-identifying texts from Python: :func:`deidentify`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict, Unpack, overload

import msgspec

from lacuna.deid.detection_options import BUNDLED_MODEL, DetectionOptions, with_policy
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError, RedactionError
from lacuna.models.base import Tagger, group_batches
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Failed
from lacuna.pipeline.detection import open_detection, open_recognizers
from lacuna.text.document import Document


class DeidentifyOptions(TypedDict, total=False):
    """Keywords of :func:`deidentify`."""

    model: str | Path | Tagger
    policy: str | Path | Policy
    key: Key | None
    threshold: float | None
    max_missed: float | None
    consistency: Consistency
    locale: str
    detection: DetectionOptions | None


@overload
def deidentify(item: str | Document, **options: Unpack[DeidentifyOptions]) -> Redacted: ...


@overload
def deidentify(
    item: Iterable[Document], **options: Unpack[DeidentifyOptions]
) -> Iterator[Redacted]: ...


def deidentify(
    item: str | Document | Iterable[Document], **options: Unpack[DeidentifyOptions]
) -> Redacted | Iterator[Redacted]:
    """Replace identifiers in a text, a document, or a stream of documents.

    Parameters
    ----------
    item
        What to de-identify; documents of one patient should be consecutive.
    model
        A model file or a loaded model; the bundled model by default.
    policy
        A bundled policy or a TOML file; ``"safe-harbor"`` by default.
    key
        The secret that decides surrogates and date offsets; a random key by default.
    threshold, max_missed
        The lowest probability at which a token is redacted, 0.5 by default; or the calibrated
        promise to keep.
    consistency, locale
        See :class:`~lacuna.deid.redact.Redactor`.
    detection
        What to use besides the model; the built-in patterns by default.

    Raises
    ------
    RedactionError
        If a document cannot be de-identified.
    """
    work = _deidentifier(**options)
    if isinstance(item, str):
        item = Document("text", item)
    if isinstance(item, Document):
        return next(_safe_ones(work, [item]))
    return _safe_ones(work, item)


def _deidentifier(
    *,
    model: str | Path | Tagger = BUNDLED_MODEL,
    policy: str | Path | Policy = "safe-harbor",
    key: Key | None = None,
    threshold: float | None = None,
    max_missed: float | None = None,
    consistency: Consistency = Consistency.PATIENT,
    locale: str = "en",
    detection: DetectionOptions | None = None,
) -> DetectAndRedact:
    chosen = policy if isinstance(policy, Policy) else load_policy(policy)
    options = with_policy(detection or DetectionOptions(), chosen)
    if isinstance(model, str | Path):
        options = msgspec.structs.replace(options, model=str(model))
        detector = open_detection(options, threshold=threshold, max_missed=max_missed).detector
    elif max_missed is not None:
        raise ConfigError("max_missed needs a model file, which stores the promises")
    else:
        sure = DEFAULT_THRESHOLD if threshold is None else threshold
        detector = Detector(model, open_recognizers(options), sure)
    redactor = Redactor(chosen, key or Key.random(), consistency=consistency, locale=locale)
    return DetectAndRedact.of(detector, redactor, second_look=options.second_look)


def _safe_ones(work: DetectAndRedact, documents: Iterable[Document]) -> Iterator[Redacted]:
    for batch in group_batches(documents):
        for document, outcome in zip(batch, work.deidentify(batch), strict=True):
            if isinstance(outcome, Failed):
                raise RedactionError(f"{document.id}: {outcome.reason}")
            yield outcome.redacted
