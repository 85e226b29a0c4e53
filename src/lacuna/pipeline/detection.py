"""From what a user asks for to a detector: a model file, patterns, lists, known names, a threshold.

``deid`` and ``calibrate`` open detection by the same options, so that a promise made by one is kept
by the other. What a promise depends on goes into the pipeline's hash: the weights, alignment,
patterns, word lists and *never* terms. Known names and *always* terms stay outside: they can only
take out more.

Promises of a pipeline, from annotated documents the model has not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from lacuna.deid.calibration import Calibration, calibrate, calibration_units, curve
from lacuna.deid.detector import DEFAULT_THRESHOLD, UNNAMED, Detector, Filter, Recognizer, keep_all
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patient_values import read_known
from lacuna.deid.patterns import UserPattern, compile_user_pattern, find_patterns
from lacuna.deid.patterns.user import find_user_pattern
from lacuna.deid.policy import Policy
from lacuna.deid.promises import Promises, pipeline_hash, promises_of
from lacuna.deid.terms import TermFinder, read_terms, without_never
from lacuna.errors import ConfigError
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel, bundled_model, file_digest, read_model, stored_part
from lacuna.models.registry import restore
from lacuna.text.document import Document
from lacuna.types import Task

BUNDLED_MODEL = bundled_model()
OPEN_GROUPS = 1024  #: of so many patients what is known is kept ready
_PATTERNS = "patterns 1"  # changes whenever patterns come to find less than they did


class DetectionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What detects, by names and files; can be sent to another process.

    Attributes
    ----------
    model
        File of the tagger.
    align
        Whether a model that aligns does so.
    patterns
        Whether what has the form of an identifier is found without the model.
    user_patterns
        Name → (pattern, label), from the policy.
    lists
        (label, file) of word lists.
    known, always, never
        Files of values known per patient, of terms that always go and that never do.
    """

    model: str = str(BUNDLED_MODEL)
    align: bool = True
    patterns: bool = True
    user_patterns: dict[str, tuple[str, str]] = {}
    lists: tuple[tuple[str, str], ...] = ()
    known: str | None = None
    always: str | None = None
    never: str | None = None


def with_policy(options: DetectionOptions, policy: Policy) -> DetectionOptions:
    """Return the options with the patterns that a policy brings along."""
    patterns = {name: (its.pattern, its.label) for name, its in policy.patterns.items()}
    return msgspec.structs.replace(options, user_patterns=patterns)


@dataclass(frozen=True)
class Detection:
    """All that detects. The tagger is taken out of its file when it is needed.

    Attributes
    ----------
    options
        What was asked for.
    stored
        The model file, promises included.
    pipeline
        Hash of all that a promise depends on.
    threshold
        How sure the tagger must be.
    calibration
        The promise that gave the threshold, where one was asked for.
    recognize, drop
        What finds without a model; what leaves out *never* terms.
    """

    options: DetectionOptions
    stored: StoredModel
    pipeline: str
    threshold: float
    calibration: Calibration | None
    recognize: Recognizer
    drop: Filter

    @cached_property
    def detector(self) -> Detector:
        """Everything together, ready to use."""
        tagger = _tagger(self.stored, self.options.align)
        return Detector(tagger, (self.recognize,), self.threshold, self.drop)

    def recognized(self, document: Document) -> list[Finding]:
        """Return what is found without the tagger."""
        return self.drop(document, list(self.recognize(document)))


def open_detection(
    options: DetectionOptions,
    *,
    threshold: float | None = None,
    max_missed: float | None = None,
) -> Detection:
    """Open a model file and everything else that detects.

    Raises
    ------
    ConfigError
        When both a threshold and a level are given, or the model makes no such promise for exactly
        these options.
    """
    if threshold is not None and max_missed is not None:
        raise ConfigError("give either --threshold or --max-missed, not both")
    path = Path(options.model)
    if path == BUNDLED_MODEL and not path.exists():
        raise ConfigError("no model comes with this installation; name one with --model")
    stored = read_model(path)
    pipeline = pipeline_hash(stored, _parts(options))
    calibration = None
    if max_missed is not None:
        promises = promises_of(stored)
        if promises is None:
            raise ConfigError(f"{path}: makes no promise yet; run lacuna calibrate first")
        calibration = promises.at(max_missed, pipeline)
        threshold = calibration.threshold
    chosen = _checked(DEFAULT_THRESHOLD if threshold is None else threshold)
    recognize, drop = _recognizer(options), _filter(options.never)
    return Detection(options, stored, pipeline, chosen, calibration, recognize, drop)


def load_detector(options: DetectionOptions, *, threshold: float) -> Detector:
    """Return the detector alone, for a process that was told its threshold."""
    tagger = _tagger(read_model(Path(options.model)), options.align)
    return make_detector(tagger, options, threshold=threshold)


def make_detector(tagger: Tagger, options: DetectionOptions, *, threshold: float) -> Detector:
    """Return a tagger together with the recognizers asked for."""
    recognize, drop = _recognizer(options), _filter(options.never)
    return Detector(tagger, (recognize,), _checked(threshold), drop)


def _checked(threshold: float) -> float:
    if not 0 <= threshold <= 1:
        raise ConfigError(f"a threshold lies between 0 and 1, got {threshold}")
    return threshold


def _tagger(stored: StoredModel, align: bool) -> Tagger:
    if stored.kind == "aligned" and not align:
        stored = stored_part(stored, "tagger")
    model = restore(stored)
    if model.task is not Task.NER:
        raise ConfigError(f"{stored.source}: is a model for parts of speech and finds no names")
    return model


def _recognizer(options: DetectionOptions) -> Recognizer:
    """Return all that finds without a model; lists look at what the others found."""
    user = tuple(_user_patterns(options.user_patterns))
    always = _finder([(UNNAMED, options.always)], Origin.ALWAYS) if options.always else None
    lists = _finder(options.lists, Origin.LIST) if options.lists else None
    known = read_known(Path(options.known)) if options.known else None
    finder_of = lru_cache(OPEN_GROUPS)(known.finder) if known is not None else None

    def recognize(document: Document) -> list[Finding]:
        text = document.text
        findings = find_patterns(text) if options.patterns else []
        for pattern in user:
            findings += find_user_pattern(text, pattern)
        if finder_of is not None:
            findings += finder_of(document.group).find(text)
        if always is not None:
            findings += always.find(text)
        if lists is not None:
            findings += lists.find(text, findings)
        return findings

    return recognize


def _user_patterns(patterns: Mapping[str, tuple[str, str]]) -> Iterator[UserPattern]:
    for name, (pattern, label) in patterns.items():
        yield compile_user_pattern(name, pattern, label)


def _finder(lists: Iterable[tuple[str, str]], origin: Origin) -> TermFinder:
    terms = [term for label, path in lists for term in read_terms(Path(path), label)]
    return TermFinder.of(terms, origin)


def _filter(never: str | None) -> Filter:
    if never is None:
        return keep_all
    finder = TermFinder.of(read_terms(Path(never), UNNAMED), Origin.LIST)

    def drop(document: Document, findings: list[Finding]) -> list[Finding]:
        return without_never(findings, finder.find(document.text)) if findings else findings

    return drop


def _parts(options: DetectionOptions) -> Iterator[str]:
    """Yield the names or hashes of all that a promise depends on, beside the weights."""
    yield f"align {options.align}"
    yield _PATTERNS if options.patterns else "no patterns"
    for name, (pattern, label) in sorted(options.user_patterns.items()):
        yield f"pattern {name} {label} {pattern}"
    for label, path in sorted(options.lists):
        yield f"list {label} {file_digest(Path(path))}"
    if options.never is not None:
        yield f"never {file_digest(Path(options.never))}"


def make_promises(
    detection: Detection, documents: Iterable[Document], levels: Sequence[float]
) -> Promises:
    """Return thresholds for some levels, and the curve, for exactly this way of detecting.

    Raises
    ------
    ConfigError
        If there are too few patients or documents for a level.
    """
    units = calibration_units(detection.detector, documents)
    calibrations = tuple(calibrate(units, level) for level in sorted(set(levels)))
    return Promises(detection.pipeline, calibrations, tuple(curve(units)))
