"""De-identifying texts from Python: :class:`Deidentifier` and :func:`deidentify`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from typing import Any, TypedDict, Unpack, overload

import msgspec

from lacuna.deid.dates.order import Order
from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector
from lacuna.deid.evidence import Evidence, merge_by_group
from lacuna.deid.findings import Finding
from lacuna.deid.keys import Key, read_key
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.scope import Consistency
from lacuna.deid.vocabulary import language_code
from lacuna.errors import ConfigError, RedactionError
from lacuna.models.base import Tagger, as_document, checked_stream, group_batches
from lacuna.models.bundled import model_path
from lacuna.pipeline.detect_and_redact import WARM_UP, DetectAndRedact, Failed, Safe
from lacuna.pipeline.detection import open_recognizers
from lacuna.pipeline.opened_detectors import opened_detector
from lacuna.text.document import Document


class DeidentifyOptions(TypedDict, total=False):
    """Keywords of :class:`Deidentifier` and :func:`deidentify`."""

    model: str | PathLike[str] | Tagger | None
    policy: str | Path | Policy
    key: Key | bytes | PathLike[str] | None
    threshold: float | None
    max_missed: float | None
    confidence: float | None
    consistency: Consistency | str
    locale: str | None
    detection: DetectionOptions | None


class Deidentifier:
    """De-identifies texts and documents; opened once, used for many.

    Threads may share it. It can be pickled: the options are, and unpickling opens the files again.
    **The key is in the pickle**, unless it was given as a path; a loaded model is in it whole.

    Parameters
    ----------
    model
        A model file or a loaded model; by default that of `detection`, the bundled model.
    policy
        A bundled policy or a TOML file; ``"safe-harbor"`` by default.
    key
        The secret that decides surrogates and date offsets: a :class:`~lacuna.deid.keys.Key`, its
        32 bytes, or the path of a key file; a random key by default.
    threshold, max_missed, confidence
        The lowest probability at which a token is redacted, 0.5 by default; or the calibrated
        promise to keep, on average or with a confidence.
    consistency, locale
        See :class:`~lacuna.deid.redact.Redactor`; the default locale is the language that the model
        file names, else English.
    detection
        What to use besides the model; the built-in patterns by default.

    Raises
    ------
    ConfigError
        If an option is wrong.
    ModelFileError, FileNotFoundError
        If the model cannot be opened.
    """

    def __init__(
        self,
        *,
        model: str | PathLike[str] | Tagger | None = None,
        policy: str | Path | Policy = "safe-harbor",
        key: Key | bytes | PathLike[str] | None = None,
        threshold: float | None = None,
        max_missed: float | None = None,
        confidence: float | None = None,
        consistency: Consistency | str = Consistency.PATIENT,
        locale: str | None = None,
        detection: DetectionOptions | None = None,
    ) -> None:
        self._key = _key_of(key)
        chosen = policy if isinstance(policy, Policy) else load_policy(policy)
        where = _consistency_of(consistency)
        options = with_policy(detection or DetectionOptions(), chosen)
        detector = _detector(model, options, threshold, max_missed, confidence)
        words = detector.vocabulary
        spoken = locale or language_code("" if words is None else words.language)
        redactor = _SharedRedactor(chosen, self._key, consistency=where, locale=spoken)
        self._work = DetectAndRedact.of(detector, redactor, second_look=options.second_look)
        self._evidence: dict[str, Evidence] = {}  # by group, from this and earlier calls
        self._lock = Lock()
        self._options = DeidentifyOptions(
            model=model,
            policy=policy,
            key=key if isinstance(key, PathLike) else self._key,
            threshold=threshold,
            max_missed=max_missed,
            confidence=confidence,
            consistency=consistency,
            locale=locale,
            detection=detection,
        )

    def __reduce__(self) -> tuple[Callable[[], Any], tuple[()]]:
        """Pickle the options."""
        return partial(type(self), **self._options), ()

    @property
    def policy(self) -> Policy:
        """What is done with each kind of identifier."""
        return self._work.redactor.policy

    @property
    def key(self) -> Key:
        """The secret that decides surrogates, date offsets and pseudonyms."""
        return self._key

    @property
    def work(self) -> DetectAndRedact:
        """The detector and the redactor, for adapters that need more than texts."""
        return self._work

    def deidentify(self, items: str | Document | Iterable[str | Document]) -> list[Safe | Failed]:
        """Return each text or document de-identified, or why that failed, in the same order.

        Documents of a group get consistent replacements, in this and in later calls, until
        :meth:`forget`. What is found in one of them is looked for in all documents of the group in
        this and in later calls. A text is a document on its own; its id is a keyed hash of it.
        """
        given = [items] if isinstance(items, str | Document) else checked_stream(items)
        found = self._work.detect([self.document(item) for item in given])
        evidence = self._work.evidence(found)
        if evidence:
            with self._lock:
                known = {
                    group: self._evidence[group]
                    for group in evidence.keys() & self._evidence.keys()
                }
                evidence = merge_by_group(known, evidence)
                self._evidence.update(evidence)
        return self._work.redact(found, evidence)

    def document(self, item: str | Document) -> Document:
        """Return a document as it is, and a text as a document.

        Surrogates and date offsets of a document without a group depend on its id. So that texts
        do not share them, the id of a text is a keyed hash of it.
        """
        hashed = self._key.digest("text", item).hex() if isinstance(item, str) else ""
        return as_document(item, f"text-{hashed:.16}")

    def forget(self, group: str) -> None:
        """Forget what is known of a group whose documents are finished."""
        self._work.redactor.end_group(group)
        with self._lock:
            self._evidence.pop(group, None)

    def warm_up(self) -> None:
        """De-identify a sentence, so that all compiled code is loaded."""
        self.deidentify(WARM_UP)


@overload
def deidentify(  # type: ignore[overload-overlap]
    item: str | Document, **options: Unpack[DeidentifyOptions]
) -> Redacted: ...


@overload
def deidentify(  # type: ignore[overload-overlap]
    item: list[str] | list[Document] | list[str | Document] | tuple[str | Document, ...],
    **options: Unpack[DeidentifyOptions],
) -> list[Redacted]: ...


@overload
def deidentify(
    item: Iterable[str | Document], **options: Unpack[DeidentifyOptions]
) -> Iterator[Redacted]: ...


def deidentify(
    item: str | Document | Iterable[str | Document], **options: Unpack[DeidentifyOptions]
) -> Redacted | list[Redacted] | Iterator[Redacted]:
    """Replace identifiers in a text, a document, a list of them, or a stream of them.

    A list gives a list; any other iterable gives an iterator. The last models used stay open, so
    that the next call need not load them; still, :class:`Deidentifier` is faster for many calls,
    and does not stop at a document that fails.

    Parameters
    ----------
    item
        What to de-identify; documents of one patient should be consecutive.
    options
        The keywords of :class:`Deidentifier`.

    Raises
    ------
    TypeError
        If `item` is or contains something else than texts and documents.
    RedactionError
        If a document cannot be de-identified.
    """
    if isinstance(item, str | Document):
        return next(_all_redacted(Deidentifier(**options), [item]))
    stream = checked_stream(item)
    redacted = _all_redacted(Deidentifier(**options), stream)
    return list(redacted) if isinstance(item, list | tuple) else redacted


def _all_redacted(
    deidentifier: Deidentifier, items: Iterable[str | Document]
) -> Iterator[Redacted]:
    number = 0
    for batch in group_batches(map(deidentifier.document, items)):
        for document, outcome in zip(batch, deidentifier.deidentify(batch), strict=True):
            number += 1
            if isinstance(outcome, Failed):
                raise RedactionError(f"document {number} ({document.id}): {outcome.reason}")
            yield outcome.redacted


def _detector(
    model: object,
    options: DetectionOptions,
    threshold: float | None,
    max_missed: float | None,
    confidence: float | None,
) -> Detector:
    if model is None or isinstance(model, str | PathLike):
        if model is not None:
            path = model_path(fspath(model))
            options = msgspec.structs.replace(options, model=str(path))
        return opened_detector(
            options, threshold=threshold, max_missed=max_missed, confidence=confidence
        )
    if not isinstance(model, Tagger):
        kind = type(model).__name__
        raise ConfigError(f"a model must be a file or a loaded model, not {kind}")
    if max_missed is not None:
        raise ConfigError("max_missed needs a model file, which stores the promises")
    sure = DEFAULT_THRESHOLD if threshold is None else threshold
    return Detector(model, open_recognizers(options), sure)


def _key_of(key: object) -> Key:
    if key is None:
        return Key.random()
    if isinstance(key, bytes):
        return Key(key)
    if isinstance(key, PathLike):
        return read_key(Path(key))
    if not isinstance(key, Key):
        raise ConfigError(
            f"a key must be a Key, 32 bytes or a pathlib.Path, not {type(key).__name__};"
            " lacuna.Key.random() makes one, lacuna.read_key reads one from a file"
        )
    return key


def _consistency_of(name: str) -> Consistency:
    try:
        return Consistency(name)
    except ValueError:
        raise ConfigError(f"consistency must be one of {', '.join(Consistency)}") from None


class _SharedRedactor(Redactor):
    """A redactor that threads may share: what it remembers of a group changes under a lock."""

    def __init__(self, policy: Policy, key: Key, *, consistency: Consistency, locale: str) -> None:
        super().__init__(policy, key, consistency=consistency, locale=locale)
        self._lock = Lock()

    def redact(
        self, document: Document, findings: Iterable[Finding], *, order: Order | None = None
    ) -> Redacted:
        with self._lock:
            return super().redact(document, findings, order=order)

    def end_group(self, group: str) -> None:
        with self._lock:
            super().end_group(group)
