"""Columns that a table does not have: which there are, and which one may be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from lacuna.errors import ConfigError

LISTED = 20  #: names of columns in a message
_NAME = re.compile(r"[^\W\d].{0,39}")
_MOST_WORDS, _MOST_DIGITS = 4, 2


class MissingColumnError(ConfigError):
    """A table has not exactly one column of a name.

    The message lists the columns that there are, for the screen. `reason` does not, for reports.
    """

    def __init__(self, header: Sequence[str], name: str, option: str) -> None:
        number = "several columns" if name in header else "no column"
        self.reason = f"the table has {number} {name!r}; see {option}"
        super().__init__(f"{self.reason}{_advice(header, name, option)}")


def _advice(header: Sequence[str], name: str, option: str) -> str:
    if not header:
        return "; the table is empty"
    if not looks_like_names(header):
        return "; its first line may hold data, so it is not shown here: look at line 1 of the file"
    others = len(header) - LISTED
    more = f" and {others:,} more" if others > 0 else ""
    columns = f"; its columns are {', '.join(header[:LISTED])}{more}"
    if len(header) == 1:
        columns = f"; its only column is {header[0]} (separators: comma, semicolon, tab, bar)"
    near = None if name in header else nearest(name, header)
    return columns if near is None else f"{columns}; perhaps {option} {near!r}?"


def looks_like_names(header: Sequence[str]) -> bool:
    """Whether a first line names columns; otherwise it may be about a patient."""
    return all(
        _NAME.fullmatch(cell)
        and len(cell.split()) <= _MOST_WORDS
        and sum(map(str.isdigit, cell)) <= _MOST_DIGITS
        for cell in header
    )


def nearest(name: str, header: Sequence[str]) -> str | None:
    """Return the column that was probably meant: with other capitals, longer, or alike."""
    folded = {cell.strip().casefold(): cell for cell in reversed(header)}
    wanted = name.strip().casefold()
    if wanted in folded:
        return folded[wanted]
    containing = [cell for key, cell in folded.items() if wanted in key]
    if containing:
        return min(containing, key=len)
    alike = get_close_matches(wanted, folded, n=1)
    return folded[alike[0]] if alike else None
