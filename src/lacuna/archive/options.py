"""Everything that can be asked of a run, in one record. This module is cheap to import."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from lacuna.deid.actions import Shift, Surrogate, Tag
from lacuna.deid.dates.order import OrderEvidence
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy
from lacuna.deid.scope import Consistency
from lacuna.errors import ConfigError
from lacuna.io.decoding import AUTO, FALLBACK, Encodings

ALL = "all"


class BadBytes(StrEnum):
    """What happens to a document whose bytes are not valid in its encoding."""

    FAIL = "fail"  #: it fails and is reported
    REPLACE = "replace"  #: such bytes become U+FFFD, then it is de-identified


class Rename(StrEnum):
    """What outputs and ids are called."""

    AUTO = "auto"  #: hashed, except plain words and counters
    HASH = "hash"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table.

    Attributes
    ----------
    text, id, group
        Names of columns, or of keys of JSON lines, where ids are in ``id`` and groups in ``group``
        by default.
    keep
        Other columns to copy unchanged; ``("all",)`` copies all.
    dates
        Columns to copy with their dates replaced like those of the text.
    """

    text: str = "text"
    id: str | None = None
    group: str | None = None
    keep: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.text in (self.id, self.group):
            raise ConfigError(
                f"column {self.text!r} is the text; --id-column and --group-column must be others"
            )
        for name in self.dates:
            if name in (self.text, self.id, self.group):
                raise ConfigError(
                    f"--date-columns: {name!r} is already the column of text, ids or groups"
                )

    @property
    def keys(self) -> tuple[str, str, str]:
        """The keys of text, id and group in JSON lines."""
        return self.text, self.id or "id", self.group or "group"

    def keeps(self, name: str) -> bool:
        """Whether a column other than text, id and group is copied unchanged."""
        return name not in self.dates and (self.keep == (ALL,) or name in self.keep)

    def stays(self, name: str) -> bool:
        """Whether a column other than text, id and group is in the output."""
        return name in self.dates or self.keeps(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions:
    """Which files are read, and how.

    Attributes
    ----------
    format
        Format of all files; detected for each by default.
    encoding, fallback_encoding, bad_bytes
        Of text files, see :class:`~lacuna.io.decoding.Encodings`, and what happens to bytes that
        are not valid in it.
    include, exclude
        Globs on the path below the input folder; ``*`` also matches slashes.
    group_from
        Regular expression that takes the group out of an id.
    columns
        Of tables.
    """

    format: str | None = None
    encoding: str = AUTO
    fallback_encoding: str = FALLBACK
    bad_bytes: BadBytes = BadBytes.FAIL
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    group_from: str | None = None
    columns: Columns = field(default_factory=Columns)

    @property
    def encodings(self) -> Encodings:
        """How bytes become text."""
        return Encodings(self.encoding, self.fallback_encoding)

    @property
    def replaces_bad_bytes(self) -> bool:
        """Whether bytes that are not valid become U+FFFD."""
        return self.bad_bytes is BadBytes.REPLACE

    @property
    def shifts_dates(self) -> bool:
        """Whether dates are shifted, so that they remain dates."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions(InputOptions):
    """Everything that can be asked of a run; ``docs/deid.md`` explains each option.

    The record is passed on whole, also to worker processes, which get it with the key, the
    threshold and the order of dates of the run filled in.
    """

    input: Path
    output: Path | None  #: ``None``: nothing is written
    detection: DetectionOptions
    policy: Policy
    threshold: float | None = None
    max_missed: float | None = None
    confidence: float | None = None
    strict_promise: bool = False
    key: Key | None = None
    consistency: Consistency = Consistency.PATIENT
    locale: str = "en"
    rename: Rename = Rename.AUTO
    workers: int | None = None
    resume: bool = False
    allow_unmatched: bool = False  #: whether patients of known values may have no document
    keeps_books: bool = True  #: ``False``: no manifest, crosswalk and report beside the outputs
    vault: Path | None = None
    findings: Path | None = None  #: what was found, for the owner
    review: Path | None = None  #: a web page of documents before and after, for the owner
    run_order: OrderEvidence | None = None  #: of the numeric dates of all inputs
    passphrase: str = field(default="", repr=False)

    @property
    def shifts_dates(self) -> bool:
        """Whether dates are shifted, so that they remain dates."""
        return isinstance(self.policy.action("DATE"), Shift | Surrogate)

    @property
    def is_looked_at(self) -> bool:
        """Whether the owner wants to see what was found."""
        return self.findings is not None or self.review is not None

    @property
    def can_be_resumed(self) -> bool:
        """Whether what is missing can be done later: not with a random key, nor with a vault."""
        needs_key = self.key is None and self.policy.needs_key
        return self.keeps_books and self.vault is None and not needs_key

    @property
    def remembers(self) -> bool:
        """Whether what is written for a document depends on earlier ones of its group."""
        policy = self.policy
        actions = (policy.default, *policy.actions.values(), *policy.labels.values())
        depends = any(isinstance(action, Surrogate | Tag) for action in actions)
        return self.consistency is Consistency.PATIENT and depends
