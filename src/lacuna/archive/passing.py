"""One text through, without files: the standard input to the standard output."""

from __future__ import annotations

from lacuna.archive.options import BadBytes
from lacuna.archive.run import ArchiveOptions
from lacuna.deid.keys import Key
from lacuna.deid.options import with_policy
from lacuna.deid.redact import Redactor
from lacuna.errors import ConfigError, RedactionError
from lacuna.pipeline.deidentify import Deidentifier, Failed
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document

ID = "stdin"


def pass_text(options: ArchiveOptions, content: bytes) -> bytes:
    """Return a text made safe, as UTF-8.

    Raises
    ------
    RedactionError
        When it cannot be made safe; nothing of it is returned.
    """
    if options.vault is not None or options.resume:
        raise ConfigError("a text from the standard input has neither vault nor --resume")
    errors = "replace" if options.bad_bytes is BadBytes.REPLACE else "strict"
    try:
        text = content.decode(options.encoding, errors)
    except (UnicodeError, LookupError):
        raise RedactionError(f"the text is not valid {options.encoding}") from None
    detecting = with_policy(options.detection, options.policy)
    detection = open_detection(
        detecting, threshold=options.threshold, max_missed=options.max_missed
    )
    redactor = Redactor(
        options.policy,
        options.key or Key.random(),
        consistency=options.consistency,
        locale=options.locale,
    )
    (outcome,) = Deidentifier(detection.detector, redactor).deidentify([Document(ID, text)])
    if isinstance(outcome, Failed):
        raise RedactionError(f"the text {outcome.reason}")
    return outcome.redacted.document.text.encode()
