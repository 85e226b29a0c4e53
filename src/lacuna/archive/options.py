"""Everything that can be asked of a run, in one record. This module is cheap to import."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from lacuna.deid.actions import Surrogate, Tag
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy
from lacuna.deid.scope import Consistency

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
        Names of columns; JSON lines always use these keys.
    keep
        Other columns to copy unchanged; ``("all",)`` copies all.
    """

    text: str = "text"
    id: str | None = None
    group: str | None = None
    keep: tuple[str, ...] = ()

    def keeps(self, name: str) -> bool:
        """Whether a column other than text, id and group is copied."""
        return self.keep == (ALL,) or name in self.keep


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions:
    """Which files are read, and how.

    Attributes
    ----------
    format
        Format of all files; detected for each by default.
    encoding, bad_bytes
        Of text files, and what happens to bytes that are not valid in it.
    include, exclude
        Globs on the path below the input folder; ``*`` also matches slashes.
    group_from
        Regular expression that takes the group out of an id.
    columns
        Of tables.
    """

    format: str | None = None
    encoding: str = "utf-8"
    bad_bytes: BadBytes = BadBytes.FAIL
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    group_from: str | None = None
    columns: Columns = field(default_factory=Columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions(InputOptions):
    """Everything that can be asked of a run; ``docs/deid.md`` explains each option.

    The record is passed on whole, also to worker processes, which get it with the key and the
    threshold of the run filled in.
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
    vault: Path | None = None
    passphrase: str = field(default="", repr=False)

    @property
    def remembers(self) -> bool:
        """Whether what is written for a document depends on earlier ones of its group."""
        policy = self.policy
        actions = (policy.default, *policy.actions.values(), *policy.labels.values())
        depends = any(isinstance(action, Surrogate | Tag) for action in actions)
        return self.consistency is Consistency.PATIENT and depends
