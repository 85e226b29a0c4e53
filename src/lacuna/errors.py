"""Everything lacuna raises on purpose.

::

    LacunaError                  catch this for all of them
    ├── CorpusFormatError        a file is malformed                  "notes/17.ann:4: reason"
    ├── FormatLimitError         a format cannot hold a document      "conll cannot hold ... "
    ├── ModelFileError           a model file is broken or not ours   "m.lacuna: reason"
    ├── ConfigError              an option, map or setting is wrong
    ├── InferenceError           no labelling of a sequence is possible
    ├── ScoringError             two corpora cannot be compared
    ├── RedactionError           a document cannot be redacted; nothing of it is written
    ├── StoppedError             a run had to stop; finished documents are kept
    ├── EditError                an edit of a document under review cannot be made
    └── VaultError               a vault cannot be opened, or does not know a text

    ModelFileWarning             a model file can be used, but not checked fully

Messages name files, positions and document ids. They never quote the text of a document, because
it may contain somebody's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike


class LacunaError(Exception):
    """Base class: bad input or usage. The command line prints it and exits with code 2."""


class CorpusFormatError(LacunaError):
    """A file does not follow its format.

    Parameters
    ----------
    path
        The file, or ``"<stdin>"``.
    reason
        What is wrong, without quoting content.
    line
        1-based line number, for formats made of lines.
    byte
        Byte offset, for other errors (invalid UTF-8, broken XML).
    """

    def __init__(
        self,
        path: str | PathLike[str],
        reason: str,
        *,
        line: int | None = None,
        byte: int | None = None,
    ) -> None:
        place = f":{line}" if line is not None else f": byte {byte}" if byte is not None else ""
        super().__init__(f"{path}{place}: {reason}")
        self.path = str(path)
        self.reason = reason
        self.line = line
        self.byte = byte


class FormatLimitError(LacunaError):
    """A format cannot hold something a document has.

    Parameters
    ----------
    format
        Name of the format.
    what
        The thing that does not fit, e.g. ``"discontiguous mentions"``.
    document
        Id of the first document that has it.
    """

    def __init__(self, format: str, what: str, *, document: str) -> None:  # noqa: A002
        super().__init__(f"{format} cannot hold {what} (document {document})")
        self.format = format
        self.what = what
        self.document = document


class ModelFileError(LacunaError):
    """A model file is broken, hostile, too new, or not one of ours.

    Parameters
    ----------
    path
        The file.
    reason
        What is wrong. It may quote the file, so it is cut to ``LONGEST_REASON`` characters, and
        control characters are replaced.
    """

    LONGEST_REASON = 300

    def __init__(self, path: str | PathLike[str], reason: str) -> None:
        if len(reason) > self.LONGEST_REASON:
            reason = reason[: self.LONGEST_REASON] + "…"
        reason = "".join(c if c.isprintable() else "\ufffd" for c in reason)
        super().__init__(f"{path}: {reason}")
        self.path = str(path)
        self.reason = reason


class ModelFileWarning(UserWarning):
    """A model file can be used, but lacks what is needed to notice all damage."""


class ConfigError(LacunaError):
    """An option, a label map or a setting is wrong."""


class InferenceError(LacunaError):
    """No labelling of a sequence is possible under the given scores."""


class ScoringError(LacunaError):
    """Two corpora cannot be compared: documents are missing or their texts differ."""


class RedactionError(LacunaError):
    """A document cannot be redacted as asked; nothing of it may be written."""


class VaultError(LacunaError):
    """A vault cannot be opened or read, or does not know a text."""


class EditError(LacunaError):
    """An edit of a document under review cannot be made as asked; nothing was changed."""


class StoppedError(LacunaError):
    """A run over many documents had to stop (the disk is full); finished documents are kept.

    Also: training was stopped before there was a model.
    """


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt after Ctrl-C in compiled code, which raises SystemError instead."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
