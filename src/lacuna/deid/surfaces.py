"""What names, dates and ages say by themselves, whoever's they are.

The same ones come again and again, so what the most recent ones say is kept in mind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from lacuna.deid.actions import Shift
from lacuna.deid.dates.reading import Reading, read_date
from lacuna.deid.generalising import generalise_age, generalise_date
from lacuna.deid.names import NameForm, name_form

RECENT = 1 << 14  #: of each kind so many are kept
_MONTH_FIRST = frozenset(("en", "en_US"))


class Surfaces:
    """Reads what stands in texts of a locale. Its repr shows nothing of what it keeps.

    Attributes
    ----------
    name
        Name → who is named; see :func:`~lacuna.deid.names.name_form`.
    date
        Date and order, as in :class:`~lacuna.deid.actions.Shift` → what it says, None where it
        cannot be read; see :func:`~lacuna.deid.dates.reading.read_date`.
    year, age
        Date or age → what is left of it; see :mod:`lacuna.deid.generalising`.
    """

    __slots__ = ("age", "date", "name", "year")

    def __init__(self, locale: str) -> None:
        def date(surface: str, order: str) -> Reading | None:
            first = order == "month-first" or (order == "locale" and locale in _MONTH_FIRST)
            return read_date(surface, language=locale[:2], month_first=first)

        def year(surface: str) -> str | None:
            return generalise_date(date(surface, Shift().order))

        self.name: Callable[[str], NameForm] = lru_cache(RECENT)(name_form)
        self.date: Callable[[str, str], Reading | None] = lru_cache(RECENT)(date)
        self.year: Callable[[str], str | None] = lru_cache(RECENT)(year)
        self.age: Callable[[str], str | None] = lru_cache(RECENT)(generalise_age)

    def __repr__(self) -> str:
        return "Surfaces(…)"
