"""Choices a user has, without anything that takes long to import."""

from __future__ import annotations

from enum import StrEnum


class BadBytes(StrEnum):
    """What happens to a document whose bytes are not valid in its encoding."""

    FAIL = "fail"  #: it fails and is reported
    REPLACE = "replace"  #: such bytes become U+FFFD, then it is made safe


class Rename(StrEnum):
    """What outputs and ids are called."""

    AUTO = "auto"  #: hashed where a name contains something found or known
    HASH = "hash"
    KEEP = "keep"
