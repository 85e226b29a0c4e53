"""What names, dates and ages say by themselves, whoever's they are.

The same ones come again and again, so what the most recent ones say is kept in mind.
"""

from __future__ import annotations

from functools import lru_cache

from lacuna.deid.actions import Shift
from lacuna.deid.dates.reading import MAX_LENGTH, Reading, read_date
from lacuna.deid.generalising import generalise_age, generalise_date
from lacuna.deid.names import NameForm, name_form

RECENT = 1 << 14  #: of each kind so many are kept; none that is longer than a date can be
_MONTH_FIRST = frozenset(("en", "en_US"))
_ORDER = Shift().order


class Surfaces:
    """Reads what stands in texts of a locale. Its repr shows nothing of what it keeps."""

    __slots__ = ("_age", "_date", "_name", "_year")

    def __init__(self, locale: str) -> None:
        def read(surface: str, order: str) -> Reading | None:
            first = order == "month-first" or (order == "locale" and locale in _MONTH_FIRST)
            return read_date(surface, language=locale[:2], month_first=first)

        self._name = lru_cache(RECENT)(name_form)
        self._date = lru_cache(RECENT)(read)
        self._year = lru_cache(RECENT)(lambda surface: generalise_date(read(surface, _ORDER)))
        self._age = lru_cache(RECENT)(generalise_age)

    def __repr__(self) -> str:
        return "Surfaces(…)"

    def name(self, surface: str) -> NameForm:
        """Return who is named."""
        return self._name(surface) if len(surface) <= MAX_LENGTH else name_form(surface)

    def date(self, surface: str, order: str) -> Reading | None:
        """Return what a date says; order as in :class:`~lacuna.deid.actions.Shift`."""
        return self._date(surface, order) if len(surface) <= MAX_LENGTH else None

    def year(self, surface: str) -> str | None:
        """Return what is left of a date; see :func:`~lacuna.deid.generalising.generalise_date`."""
        return self._year(surface) if len(surface) <= MAX_LENGTH else None

    def age(self, surface: str) -> str | None:
        """Return what is left of an age; see :func:`~lacuna.deid.generalising.generalise_age`."""
        return self._age(surface) if len(surface) <= MAX_LENGTH else generalise_age(surface)
