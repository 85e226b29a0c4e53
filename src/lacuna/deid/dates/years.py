"""Which numbers are years, and which years show an age over 89.

HIPAA Safe Harbor, (C): of dates the year may stay, except where it shows an age over 89. A year
shows one if it is 90 years or more before the *reference*: the latest year of the document that is
no year of birth and less than 90 years ago, otherwise this year. Years of birth that would stay are
compared with this year, because a note may be newer than any year in it. If the document states an
age over 89, all its years of birth show it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from lacuna.deid.dates.reading import NONE, Reading, year_of

OLDEST = 89
FIRST_YEAR = 1900
_REACH = 48  # characters before a date that are searched for "born"
_BORN = re.compile(
    r"(?is).*(?<![^\W_])(?:born|[dy]\.?[ ]?o\.?[ ]?b\.?|birth(?:[ ]?da(?:te|y))?|bday|b\.|"
    r"nacid[oa]|nacimiento|nac\.|née?|naissance|geboren|geb\.?|geburtsdatum|geboortedatum)"
    r"(?![^\W_])[^0-9;.!?]{0,30}"
)
_BIRTH_COLUMN = re.compile(
    r"(?i)(?:^|[^a-z])(?:dob|yob|dateofbirth|nac|geb)(?:$|[^a-z])"
    r"|birth|nacim|geburt|geboorte|naissance"
)


def this_year() -> int:
    """Return the current year."""
    return time.localtime().tm_year


def is_year(year: int) -> bool:
    """Whether a number counts as a year: from 1900 to next year."""
    return FIRST_YEAR <= year <= this_year() + 1


def full_years(reading: Reading) -> list[int]:
    """Return the years of a date with all digits; two digits mean a year that has come."""
    years = []
    for parts in reading.dates:
        if parts.whole != NONE:
            years.append(int(reading.pieces[parts.whole][:4]))
        elif parts.year != NONE:
            written = reading.pieces[parts.year]
            year = year_of(written)
            years.append(year - 100 if len(written) <= 2 and not is_year(year) else year)
    return years


def is_doubtful(reading: Reading) -> bool:
    """Whether it is nothing but a number that does not count as a year: room 1427."""
    dates = reading.dates
    has_only_years = all(parts[1:] == (NONE,) * 5 for parts in dates)
    return has_only_years and not all(map(is_year, full_years(reading)))


def is_birth(text: str, start: int) -> bool:
    """Whether the date at `start` comes after a word such as *born* or *DOB*."""
    return _BORN.fullmatch(text, max(0, start - _REACH), start) is not None


def is_birth_column(name: str) -> bool:
    """Whether a column has the name of a date of birth."""
    return _BIRTH_COLUMN.search(name) is not None


class OldAge(NamedTuple):
    """What a document says about ages over 89.

    Attributes
    ----------
    years
        Its years, without those of births.
    is_stated
        Whether it states an age over 89.
    """

    years: tuple[int, ...] = ()
    is_stated: bool = False

    def shows(self, years: Sequence[int], *, is_birth: bool, is_strict: bool = False) -> bool:
        """Whether a date with these years shows an age over 89; strictly, births do by today."""
        now = this_year()
        if not (is_birth and self.is_stated) and all(now - year <= OLDEST for year in years):
            return False
        near = [year for year in self.years if now - OLDEST <= year <= now]
        reference = now if is_birth and is_strict else max(near, default=now)
        return (is_birth and self.is_stated and bool(years)) or any(
            reference - year > OLDEST for year in years
        )
