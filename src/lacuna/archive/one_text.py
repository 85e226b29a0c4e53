"""De-identifying one text in memory: no file is read or written."""

from __future__ import annotations

from typing import NamedTuple

from lacuna.archive.found_documents import check_owners_files, open_found
from lacuna.archive.known_check import check_known
from lacuna.archive.option_check import check_names, check_promise, refuse_broken_promise
from lacuna.archive.options import ArchiveOptions
from lacuna.deid.before_after import before_after
from lacuna.deid.detection_options import with_policy
from lacuna.deid.keys import Key
from lacuna.deid.redact import Redactor
from lacuna.deid.run_report import warnings_of
from lacuna.deid.tally import Place, Tally
from lacuna.deid.tallying import tally_of
from lacuna.deid.vocabulary import language_name
from lacuna.errors import ConfigError, CorpusFormatError, RedactionError
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Failed
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document

STDIN = "stdin"  #: id of the text


class SafeText(NamedTuple):
    """A de-identified text as UTF-8, its tally, and what speaks against it."""

    content: bytes
    tally: Tally
    warnings: list[str]


def deidentify_text(options: ArchiveOptions, content: bytes) -> SafeText:
    """De-identify one text.

    Raises
    ------
    RedactionError
        If it cannot be de-identified; nothing of it is returned.
    """
    check_promise(options)
    check_owners_files(options)
    check_names(options)
    if options.vault is not None or options.resume:
        raise ConfigError("a text from the standard input has neither vault nor --resume")
    if options.format not in (None, "txt"):
        raise ConfigError("the standard input is read as one text; --format is for files")
    encodings = options.encodings
    check_known((), (), options)
    try:
        text, detected = encodings.decode(content, replace=options.replaces_bad_bytes)
    except CorpusFormatError as error:
        raise RedactionError(f"the text is {error.reason}") from None
    redactor = Redactor(
        options.policy,
        options.key or Key.random(),
        consistency=options.consistency,
        locale=options.locale,
    )
    detection = open_detection(
        with_policy(options.detection, options.policy),
        threshold=options.threshold,
        max_missed=options.max_missed,
        confidence=options.confidence,
    )
    second_look = options.detection.second_look
    work = DetectAndRedact.of(detection.detector, redactor, second_look=second_look)
    (outcome,) = work.deidentify([Document(STDIN, text)])
    if isinstance(outcome, Failed):
        raise RedactionError(f"the text {outcome.reason}")
    place, vocabulary = Place(STDIN), detection.detector.vocabulary
    tally = tally_of([(place, outcome.detected, outcome.redacted)], vocabulary)
    tally.count_encoding(detected)
    warnings = warnings_of(tally, detection.calibration, language_name(detection.stored))
    if options.strict_promise:
        refuse_broken_promise(warnings)
    with open_found(options) as found:
        if found is not None:
            shown = (outcome.detected, outcome.redacted, options.policy, detection.threshold)
            found.add_one(before_after(place, *shown))
            found.write(options.findings, options.review)
    return SafeText(outcome.redacted.document.text.encode(), tally, warnings)
