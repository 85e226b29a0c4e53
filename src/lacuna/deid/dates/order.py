"""Day first or month first: how ``03/04/2014`` is read, decided once for all dates of a patient.

Evidence is counted in every document, and adds up over the documents of a patient and of a run:

* a numeric date in which one number is over 12: ``14/02/2022``, ``02/14/2022``;
* a weekday next to a date: May 11, 2022 was a Wednesday, so ``Wed 11/05/22`` has its day first.

Weak evidence counts only where there is nothing else:

* the same date in other words: ``11/05/22`` and ``11 May 2022`` in one document, which may also be
  two dates;
* a date of two numbers: ``14/3``; but ``3/14`` may be March 2014.

Evidence is clear if one order has at least :data:`CLEAR` times as much as the other; so one typing
error among many dates does no harm. Otherwise it is contradictory, and dates that have two readings
must be hidden, because shifting them could be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

import msgspec

from lacuna.deid.dates.calendar_words import FULL, plain, weekdays
from lacuna.deid.dates.reading import NONE, DateParts, Reading, day_of, is_numeric, year_of

CLEAR = 10
_MONTH_FIRST = frozenset(("en", "en_US"))
_REACH = 20  # characters before and after a date that are searched for a weekday
_WEEKDAY_BEFORE = re.compile(
    r"(?s:.*?)(?<![^\W_])([^\W\d_]{2,12})\.?,?\s{0,2}(?:the |den |el |le )?"
)
_WEEKDAY_AFTER = re.compile(r"\s{0,2}\(([^\W\d_]{2,12})\.?\)")


class Order(StrEnum):
    """How ``03/04/2014`` is read."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"
    CONTRADICTORY = "contradictory"  #: both occur; which one is meant is not known


class OrderEvidence(msgspec.Struct, frozen=True, array_like=True):
    """How many dates are written day first and month first, and how many seem to be."""

    day_first: int = 0
    month_first: int = 0
    weak_day_first: int = 0
    weak_month_first: int = 0

    def merged(self, other: OrderEvidence) -> OrderEvidence:
        """Return the evidence of both, in whatever order they come."""
        return OrderEvidence(
            self.day_first + other.day_first,
            self.month_first + other.month_first,
            self.weak_day_first + other.weak_day_first,
            self.weak_month_first + other.weak_month_first,
        )

    @property
    def order(self) -> Order | None:
        """What the evidence says; None if there is none."""
        for day, month in (
            (self.day_first, self.month_first),
            (self.weak_day_first, self.weak_month_first),
        ):
            if day or month:
                if day >= CLEAR * month:
                    return Order.DAY_FIRST
                return Order.MONTH_FIRST if month >= CLEAR * day else Order.CONTRADICTORY
        return None


NO_EVIDENCE = OrderEvidence()


class OrderCounts(NamedTuple):
    """What a report says about the order of dates: numbers of documents, and of hidden dates."""

    contradictory: int = 0  #: documents of a patient whose dates contradict one another
    hidden: int = 0  #: dates that were hidden for this reason
    against_locale: int = 0  #: documents whose dates contradict the locale


def locale_order(locale: str) -> Order:
    """Return the order of a locale: month first in American English, otherwise day first."""
    return Order.MONTH_FIRST if locale in _MONTH_FIRST else Order.DAY_FIRST


def decide(patient: OrderEvidence, run: OrderEvidence, locale: str) -> Order:
    """Return the order for a patient: by the patient's dates, else the run's, else the locale.

    A run is contradictory if patients write dates in different orders. That says nothing about a
    patient without evidence, so the locale decides.
    """
    if patient.order is not None:
        return patient.order
    if run.order is None or run.order is Order.CONTRADICTORY:
        return locale_order(locale)
    return run.order


class Unclear(NamedTuple):
    """A numeric date with two readings: where it is in its surface, and the days it can mean."""

    start: int
    end: int
    day_first: date
    month_first: date


class OrderClues(NamedTuple):
    """What one surface says about the order, before its surroundings are known.

    Attributes
    ----------
    counts
        The numeric dates that can be read in one way, as in :class:`OrderEvidence`.
    known
        Dates that are not numeric.
    unclear
        Numeric dates that can be read in two ways.
    """

    counts: tuple[int, int, int, int]
    known: frozenset[date]
    unclear: tuple[Unclear, ...]


def order_clues(reading: Reading) -> OrderClues:
    """Return what a date says about the order, read in either one."""
    known: set[date] = set()
    unclear: list[Unclear] = []
    counts = [0, 0, 0, 0]
    for parts in reading.dates:
        if not is_numeric(reading, parts):
            known |= _whole_date(reading, parts)
        elif max(int(reading.pieces[i]) for i in (parts.day, parts.month)) > 12:
            counts[2 * (parts.year == NONE) + (parts.day > parts.month)] += 1
        elif parts.year != NONE and reading.pieces[parts.day] != reading.pieces[parts.month]:
            unclear.append(_unclear(reading, parts))
    return OrderClues(
        (counts[0], counts[1], counts[2], counts[3]), frozenset(known), tuple(unclear)
    )


def order_evidence(
    text: str, dates: Sequence[tuple[int, OrderClues]], language: str = "en"
) -> OrderEvidence:
    """Return the evidence of one document.

    Parameters
    ----------
    text
        Of the document.
    dates
        Where each of its dates begins, and what it says.
    language
        Of abbreviated weekdays; English ones are always known.
    """
    counted = [(0, 0, 0, 0), *[clues.counts for _, clues in dates]]
    counts = [sum(column) for column in zip(*counted, strict=True)]
    known = {day for _, clues in dates for day in clues.known}
    for start, clues in dates:
        for first, last, *days in clues.unclear:
            weekday = _weekday_beside(text, start + first, start + last, language)
            fits = [day.weekday() == weekday for day in days]
            twins = [day in known for day in days]
            for at, (is_day_first, is_month_first) in ((0, fits), (2, twins)):
                if is_day_first != is_month_first:
                    counts[at + is_month_first] += 1
    return OrderEvidence(*counts)


def outermost(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans in text order, without those inside others."""
    done = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > done:
            done = end
            yield start, end


def _whole_date(reading: Reading, parts: DateParts) -> set[date]:
    """Return the date, if day, month and year are known."""
    is_whole = parts.whole != NONE or NONE not in (parts.day, parts.month, parts.year)
    return {day_of(parts, reading.pieces, reading.language, 0)} if is_whole else set()


def _unclear(reading: Reading, parts: DateParts) -> Unclear:
    one, other = sorted((parts.day, parts.month))
    first, second = int(reading.pieces[one]), int(reading.pieces[other])
    year = year_of(reading.pieces[parts.year])
    start = sum(map(len, reading.pieces[:one]))
    end = start + sum(map(len, reading.pieces[one : parts.year + 1]))
    return Unclear(start, end, date(year, second, first), date(year, first, second))


def _weekday_beside(text: str, start: int, end: int, language: str) -> int | None:
    """Return the weekday before a date, or after it in brackets."""
    before = _WEEKDAY_BEFORE.fullmatch(text, max(0, start - _REACH), start)
    after = _WEEKDAY_AFTER.match(text, end, end + _REACH)
    for match in (before, after):
        word = None if match is None else weekdays(language).get(plain(match[1]))
        if word is not None and (word.form == FULL or word.language in ("en", language)):
            return word.number
    return None
