"""Opening detection from options: a model file, recognizers, and a threshold or a promise.

``deid`` and ``calibrate`` open detection with the same options, so that the first keeps the promise
that the second made. A promise holds for one pipeline, identified by a hash of the weights,
alignment, patterns, word lists, *never* terms and the policy. Known values and *always* terms are
not part of the hash: they can only find more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast

from lacuna.deid.calibration import (
    DEFAULT_CONFIDENCE,
    Calibration,
    calibrate,
    curve,
    units_needed,
)
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detection_options import BUNDLED_MODEL, DetectionOptions
from lacuna.deid.detector import DEFAULT_THRESHOLD, UNNAMED, Detector, Recognizers, check_threshold
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patient_values import read_known
from lacuna.deid.patterns import PATTERNS_VERSION, compile_user_pattern, find_patterns
from lacuna.deid.policy import Policy
from lacuna.deid.promises import KEY, Promises, asked_for, pipeline_hash, promises_of
from lacuna.deid.self_test import check_finds_names
from lacuna.deid.terms import TermFinder, read_terms, without_never
from lacuna.deid.vocabulary import LANGUAGE, language_code, language_name, vocabulary_of
from lacuna.errors import ConfigError, ModelFileWarning
from lacuna.evaluation.seen_part import whole
from lacuna.models.answers import check_answers
from lacuna.models.base import Tagger
from lacuna.models.bundled import bundled_models, model_path
from lacuna.models.file import StoredModel, file_digest, read_model
from lacuna.models.registry import restore
from lacuna.models.wrapped import Wrapped
from lacuna.text.document import Document
from lacuna.types import Task

OPEN_GROUPS = 1024  #: patients whose known values are cached


@dataclass(frozen=True)
class Detection:
    """A detector opened from options, and the promise it keeps.

    The tagger is restored and checked, and the pipeline hashed, on first use: a process that only
    names outputs needs neither.

    Attributes
    ----------
    options
        The options it was opened with.
    stored
        The model file, promises included.
    recognizers
        What finds identifiers besides the tagger.
    threshold
        The lowest probability at which a token is redacted.
    calibration
        The promise behind the threshold, if one was requested.
    """

    options: DetectionOptions
    stored: StoredModel
    recognizers: Recognizers
    threshold: float = DEFAULT_THRESHOLD
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    @cached_property
    def detector(self) -> Detector:
        """The tagger and the recognizers together."""
        tagger = _tagger(self.stored, self.options.align)
        compares = {LANGUAGE, KEY} & self.stored.header.keys()  # with a language, a calibration
        vocabulary = vocabulary_of(self.stored, tagger) if compares else None
        if vocabulary is not None and KEY not in self.stored.header:
            vocabulary = replace(vocabulary, counts_unknown=False)
        return Detector(tagger, self.recognizers, self.threshold, vocabulary)

    @cached_property
    def pipeline(self) -> str:
        """Hash of everything a promise depends on."""
        return pipeline_hash(self.stored, _parts(self.options))


def open_detection(
    options: DetectionOptions,
    *,
    threshold: float | None = None,
    max_missed: float | None = None,
    confidence: float | None = None,
) -> Detection:
    """Open a model file and the recognizers.

    Raises
    ------
    ConfigError
        If both a threshold and a level are given, or the model has no such promise for these
        options.
    """
    if threshold is not None and max_missed is not None:
        raise ConfigError("give either --threshold or --max-missed, not both")
    if confidence is not None and max_missed is None:
        raise ConfigError("--confidence needs --max-missed, the share it is about")
    path = model_path(options.model)
    if path == BUNDLED_MODEL and not path.exists():
        raise ConfigError("this installation has no bundled model; name a model with --model")
    detection = Detection(options, read_model(path), open_recognizers(options))
    if max_missed is None:
        return detection if threshold is None else replace(detection, threshold=threshold)
    promises = promises_of(detection.stored)
    if promises is None:
        raise ConfigError(_no_promise(path, asked_for(max_missed, confidence), max_missed))
    promise = promises.at(max_missed, confidence, detection.pipeline)
    return replace(detection, threshold=promise.threshold, calibration=promise)


def _no_promise(model: Path, asked: str, level: float) -> str:
    """Say that a model makes no promise, and which commands give one."""
    which = "the bundled model" if model in bundled_models().values() else str(model)
    needed, signed = units_needed(level), units_needed(level, DEFAULT_CONFIDENCE)
    return (
        f"{which} makes no promise: how much it misses depends on your notes. Annotate notes of at"
        f" least {needed:,} patients ({signed:,} for --confidence {DEFAULT_CONFIDENCE:g}) that the"
        " model has not seen, then:\n"
        f"  lacuna calibrate {model} GOLD --max-missed {level:g} -o own.lacuna\n"
        f"  lacuna deid INPUT -o OUTPUT --model own.lacuna {asked}"
    )


def locale_of(model: str) -> str:
    """Return the locale for a model file: the language that it names, else English."""
    path = model_path(model)
    if not path.exists():  # opening it says so
        return language_code("")
    with warnings.catch_warnings():  # opening it says that, too
        warnings.simplefilter("ignore", ModelFileWarning)
        return language_code(language_name(read_model(path)))


def open_recognizers(options: DetectionOptions) -> Recognizers:
    """Return what finds identifiers besides the model."""
    user = [compile_user_pattern(*entry) for entry in options.user_patterns.items()]
    always = _finder([(UNNAMED, options.always)], Origin.ALWAYS) if options.always else None
    lists = _finder(options.lists, Origin.LIST) if options.lists else None
    known = read_known(Path(options.known)) if options.known else None
    finder_of = lru_cache(OPEN_GROUPS)(known.finder) if known is not None else None

    def find(document: Document) -> list[Finding]:
        text = document.text
        findings = find_patterns(text) if options.patterns else []
        for find_own in user:
            findings += find_own(text)
        if finder_of is not None:
            findings += finder_of(document.group).find(text)
        if always is not None:
            findings += always.find(text)
        if lists is not None:  # last: common words count only next to other findings
            findings += lists.find(text, findings)
        return findings

    if options.never is None:
        return Recognizers(find)
    never = _finder([(UNNAMED, options.never)], Origin.LIST)

    def drop(document: Document, findings: list[Finding]) -> list[Finding]:
        return without_never(findings, never.find(document.text)) if findings else findings

    return Recognizers(find, drop)


def make_promises(
    detection: Detection,
    documents: Iterable[Document],
    levels: Sequence[float],
    policy: Policy,
    *,
    confidence: float | None = None,
) -> Promises:
    """Return thresholds for some levels, and the curve, for this pipeline.

    Parameters
    ----------
    detection
        The pipeline to calibrate, opened with the options of this policy.
    documents
        Annotated documents that the model has not seen.
    levels
        Shares of identifier tokens that may be missed.
    policy
        What is done with findings: what it leaves readable counts as missed.
    confidence
        Of the second promise for each level. By default 0.95 if there are enough patients for it;
        a confidence that is given must be possible.

    Raises
    ------
    ConfigError
        If there are too few patients or documents for a level.
    ScoringError
        If a document was reviewed only in part.
    """
    if detection.options.policy_digest != policy.digest:
        raise ValueError("detection was opened with another policy")
    detector = detection.detector
    words = vocabulary_of(detection.stored, detector.tagger)
    units = calibration_units(
        replace(detector, vocabulary=words),
        whole(documents, "a promise"),
        policy,
        second_look=detection.options.second_look,
    )
    sure = DEFAULT_CONFIDENCE if confidence is None else confidence
    calibrations = []
    for level in sorted(set(levels)):
        calibrations.append(calibrate(units, level, most=DEFAULT_THRESHOLD))
        try:
            calibrations.append(calibrate(units, level, sure, most=DEFAULT_THRESHOLD))
        except ConfigError:
            if confidence is not None:
                raise
    return Promises(detection.pipeline, tuple(calibrations), tuple(curve(units)))


def _tagger(stored: StoredModel, align: bool) -> Tagger:
    """Restore a model and check that it still works."""
    model = restore(stored)
    if model.task is not Task.NER:
        raise ConfigError(f"{stored.source}: a part-of-speech model finds no names")
    check_answers(stored, model)
    if Path(stored.source) in bundled_models().values():
        check_finds_names(model, stored)
    if stored.kind == "aligned" and not align:
        return cast(Wrapped, model).tagger
    return model


def _finder(lists: Iterable[tuple[str, str]], origin: Origin) -> TermFinder:
    terms = [term for label, path in lists for term in read_terms(Path(path), label)]
    return TermFinder.of(terms, origin)


def _parts(options: DetectionOptions) -> Iterator[str]:
    """Yield names or hashes of everything a promise depends on, except the weights."""
    yield f"align {options.align}"
    yield f"second look {options.second_look}"
    yield f"policy {options.policy_digest}"
    yield PATTERNS_VERSION if options.patterns else "no patterns"
    for name, user in sorted(options.user_patterns.items()):
        yield f"pattern {name} {user.label} {user.pattern}"
    for label, path in sorted(options.lists):
        yield f"list {label} {file_digest(Path(path))}"
    if options.never is not None:
        yield f"never {file_digest(Path(options.never))}"
