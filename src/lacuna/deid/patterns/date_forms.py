"""Recognizers of dates in many notations, and of ages over 89 in numbers and words.

====================================  ============================================================
``3/14/2014 14.03.14 2014-03-14``     three numbers that are a date in some order
``3/2014 2014-03 1998-2003``          month and year, years
``20140314``                          eight digits
``March 3rd, 2014 Mar 3 May '91``     a month's name with a day, a year or both; English, Spanish,
``3 de marzo de 2014 29JAN2064``      German, French, Dutch
``3.XI.2014``                         a month in Roman numerals
``on 3/14 03/14 3/14:``               two numbers after a word such as *on*, with a leading zero, or
                                      as the label of a line
``in 1998 since '98 (1998)``          a year after such a word or alone in brackets
``December, in May``                  unambiguous months; other months after such a word
``Monday Sun 3/14/15``                weekdays; short ones only before a date
====================================  ============================================================
"""

from __future__ import annotations

import re

from lacuna.deid.findings import Finding
from lacuna.deid.patterns.cue_words import MONTHS, WEEKDAYS, word_set
from lacuna.deid.patterns.recognizers import (
    QUANTITY,
    Recognizer,
    first_of,
    found,
    is_date,
    is_month_and_day,
    pattern,
)

DATE, AGE = "DATE", "AGE"

#: Months that are no other word: they need no day, year or cue.
_PLAIN_MONTHS = word_set(
    """
    january february september october november december enero febrero septiembre octubre noviembre
    diciembre januar februar oktober dezember janvier février juillet septembre octobre novembre
    décembre januari februari
    """
)
#: Months that are also a word, at least in small letters.
_ALSO_WORDS = word_set("may march mar mars mai mei sep set dec dez ago abr jan juli jun")

_YEAR = (
    r"(?:18[5-9][0-9]|19[0-9]{2}|20[0-9]{2}|21[0-4][0-9])(?![0-9]|[.:/][0-9]|[ ]?h(?:rs?|ours)?\b)"
)
_SHORT_YEAR = rf"[0-9]{{2}}(?![0-9]|[.:/,-][0-9]|[^\W\d_]|{QUANTITY})"
_WORD = r"([^\W\d_]{3,10})"
_TH = r"(?:st|nd|rd|th|ST|ND|RD|TH|er|º|°)"
_GAP = r"[ \r\n\t]{1,2}"
_NOT_DATES = (
    rf"(?!{QUANTITY}|[ ](?i:of|strength|the|normal|ns|ppd|packs?|cups?|bottle|way|power)\b)"
)


_VERSION = re.compile(r"(?s:.{0,10})(?i:version|release|section|v)[ .]?")


def _is_numeric(match: re.Match[str]) -> bool:
    is_version = "." in match[0] and _VERSION.fullmatch(
        match.string[max(0, match.start() - 10) : match.start()]
    )
    return not is_version and is_date(*(part for part in match.groups() if part is not None))


def _is_month_and_year(match: re.Match[str]) -> bool:
    return 1 <= int(match[1] or match[2]) <= 12


def _is_partial(match: re.Match[str]) -> bool:
    one, other = int(match[1]), int(match[2])
    return (
        is_month_and_day(one, other)
        or is_month_and_day(other, one)
        or (1 <= one <= 12 and len(match[2]) == 2)
    )


def _is_day_and_month(match: re.Match[str]) -> bool:
    """Whether it is a date: a month that is also another word needs a year of four digits."""
    word = match[2]
    if word.lower() not in MONTHS or not 1 <= int(match[1]) <= 31:
        return False
    has_year = len(match[3] or "") == 4
    is_word = word.islower() and word in _ALSO_WORDS
    return has_year or not (is_word or _is_item_number(match.string, *match.span(1)))


def _is_item_number(text: str, start: int, end: int) -> bool:
    """Whether a number counts items: #3, or 3. before a space or at the start of a line."""
    before = text[start - 1] if start else "\n"
    return before == "#" or (text[end] == "." and (before == "\n" or text[end + 1].isspace()))


def _is_month_and_day(match: re.Match[str]) -> bool:
    word = match[1]
    if not 1 <= int(match[2]) <= 31:
        return False
    return not (word.islower() and word in _ALSO_WORDS) or (match[3] or match[4]) is not None


def _is_clear_month(match: re.Match[str]) -> bool:
    """Whether a month counts after a cue: *in May*, *in april*, *in Oct*, not *in OCT*."""
    word = match[1]
    return word != "Mayo" and (word.istitle() or (len(word) > 4 and word not in _ALSO_WORDS))


_numeric = pattern(
    DATE,
    r"(?<![0-9/])(?:([0-9]{1,4})/([0-9]{1,2})/([0-9]{2,4})(?![0-9/])|"
    r"(?<![0-9][.-])([0-9]{1,4})-([0-9]{1,2})-([0-9]{2,4})(?![0-9]|-[0-9])|"
    r"(?<![0-9][.-])([0-9]{1,4})\.([0-9]{1,2})\.([0-9]{2,4})(?![0-9]|\.[0-9]))",
    _is_numeric,
)
_month_and_year = pattern(
    DATE,
    rf"(?<![0-9/.-])(?:([0-9]{{1,2}})[/-]{_YEAR}|{_YEAR}[/-]([0-9]{{2}}))(?![0-9/-])",
    _is_month_and_year,
)
_years = pattern(DATE, rf"(?<![0-9/.-]){_YEAR}[-–/]{_YEAR}(?![0-9/-])")
_eight_digits = pattern(DATE, r"([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])", _is_numeric)
partial_date = pattern(
    DATE,
    rf"([0-9]{{1,2}})[/-]([0-9]{{1,2}})(?![0-9/%]|[.:][0-9]|-[0-9]{{1,2}}(?![0-9/])){_NOT_DATES}",
    _is_partial,
)
_year = pattern(
    DATE,
    rf"(?:{_YEAR}(?:'?[sS](?![^\W\d_]))?|['’][0-9]{{2}}(?:[sS](?![^\W\d_]))?(?![0-9]))(?!{QUANTITY}|,[0-9]{{3}})",
)
_month_year = pattern(
    DATE,
    rf"{_WORD}(?:\.?,?{_GAP}(?:(?i:of|de|del|in){_GAP})?|[-/. ]?)"
    rf"(?:{_YEAR}|['’][0-9]{{2}}(?![0-9]))",
)
_month_day = pattern(
    DATE,
    rf"{_WORD}(?:\.?{_GAP}|[-/.])(?:the[ ])?([0-9]{{1,2}})(?![0-9])({_TH})?"
    rf"(?:((?:,?{_GAP}|,|[-/]){_YEAR}|(?:[-/]|,[ ]?['’]?|[ ]['’]){_SHORT_YEAR})|"
    rf"(?![.:/][0-9]|{QUANTITY}))",
    _is_month_and_day,
)
_one_day_month = pattern(
    DATE,
    rf"(?<![0-9/])(?<![0-9][.:-])([0-9]{{1,2}})(?:{_TH}|\.)?[-/. ]?[ \r\n]{{0,2}}(?<!\n\n)"
    rf"(?:(?i:of|de|d['’]){_GAP})?{_WORD}(?!\.?[ ][0-9]{{1,2}}{_TH}?,[ ]?[0-9]{{4}})"
    rf"(?:(?:\.?,?{_GAP}(?:(?i:of|de|del)(?:[ ]año)?{_GAP})?|[-/. ]?)"
    rf"({_YEAR}|['’]?{_SHORT_YEAR}))?(?![^\W_])",
    _is_day_and_month,
)
_FROM_DAY = re.compile(
    r"(?s:.{0,9})(?<![0-9][./:-])(?<![^\W_])([0-9]{1,2}[ ](?:de[ ])?(?:al?|y|e)[ ](?:el[ ])?)"
)


def day_month(text: str, start: int) -> Finding | None:
    """Read a day and a month, and an earlier day before it: *3 al 11 de mayo*, *4 y 5 de mayo*."""
    finding = _one_day_month(text, start)
    if finding is None or " de " not in text[start : finding.end]:
        return finding
    earlier = _FROM_DAY.fullmatch(text[max(0, start - 12) : start])
    return finding._replace(start=start - len(earlier[1])) if earlier else finding


_ROMAN = "(?i:XII|XI|IX|X|VIII|VII|VI|IV|V|III|II|I)"
roman_date = pattern(
    DATE,
    rf"(?<![0-9][./-])(?<![^\W_])([0-9]{{1,2}})"
    rf"(?:/{_ROMAN}/|\.{_ROMAN}\.|-{_ROMAN}-|[ ]{_ROMAN}[ ](?=[0-9]{{4}}))"
    r"(?:[12][0-9])?[0-9]{2}(?![^\W_]|[-./][0-9])",
    lambda match: 1 <= int(match[1]) <= 31,
)
_bare_month = pattern(DATE, _WORD, lambda match: match[1].lower() in _PLAIN_MONTHS)
_cued_month = pattern(DATE, _WORD, _is_clear_month)

_SEASON = re.compile(
    r"(?i)(?s:.{0,15})(?<![^\W\d_])((?:spring|summer|fall|autumn|winter)[ \n](?:of[ \n])?)"
)


def year(text: str, start: int) -> Finding | None:
    """Read a year, and the season before it."""
    finding = _year(text, start)
    season = _SEASON.fullmatch(text[max(0, start - 16) : start]) if finding else None
    return finding and (finding._replace(start=start - len(season[1])) if season else finding)


numbers = first_of(_numeric, _month_and_year, _years)
digits = _eight_digits
month = first_of(_month_year, _month_day, _bare_month)
cued_month = first_of(_month_year, _month_day, _cued_month)

_CUE = re.compile(r"(?s:.{0,4})(?<![^\W\d_])(?i:on|since|until|last|this|next|from)[ \n]")
_WEEKDAY = re.compile(rf"{_WORD}(?:(?:(?<![^\W\d_]{{6}})\.)?,?{_GAP}(?:the[ ])?)?")
_MONTH_WORD = re.compile(_WORD)
_after_weekday: Recognizer = first_of(_numeric, day_month, partial_date)
_month_after_weekday = first_of(_month_day, _month_year)


def weekday(text: str, start: int) -> Finding | None:
    """Read a weekday, and the date after it; an abbreviated weekday needs that date."""
    name = _WEEKDAY.match(text, start)
    if name is None:
        return None
    after = name.end()
    if after > name.end(1):
        word = _MONTH_WORD.match(text, after)
        is_month = word is not None and word[1].lower() in MONTHS
        date = (_month_after_weekday if is_month else _after_weekday)(text, after)
        if date:
            return found(start, date.end, DATE)
    is_full = name[1].lower() in WEEKDAYS and name[1] not in ("Domingo", "DOMINGO")
    is_alone = is_full or (
        name[1].istitle() and _CUE.fullmatch(text[max(0, start - 7) : start]) is not None
    )
    return found(start, name.end(1), DATE) if is_alone else None


_TO = r"(?:[ ]?[-–][ ]?|[ \n](?i:to|and|through|thru|until|or)[ \n])"
_FURTHER = re.compile(
    rf"{_TO}(?:([0-9]{{1,2}})/([0-9]{{1,2}})(?![0-9/]){_NOT_DATES}|({_YEAR})(?!{QUANTITY}|[-/][0-9]))"
)


def further_date(text: str, date: Finding) -> Finding | None:
    """Read ``3/18`` or ``2003`` after a date and *to*, *and* or a dash; alone it is no date."""
    match = _FURTHER.match(text, date.end)
    if match is None:
        return None
    if match[3]:
        return found(*match.span(3), DATE)
    return found(match.start(1), match.end(2), DATE) if _is_partial(match) else None


_AND_MONTHS = r",?[ ]?(?:and[ ])?[0-9]{1,2}[ ]?(?:months?|mos?|weeks?|wks?|days?)\b"
_OLD = (
    r"(?=[- ]{0,2}(?i:y(?:ea)?rs?\.?[- ]{0,2}old|year[- ]old|y\.?/?[ ]?o\b|years?[ ]of[ ]age|"
    rf"y(?:ea)?rs?\.?{_AND_MONTHS}))"
)
_NINETY_ON = r"(?<![0-9.,/-])(?:9[0-9]|1[01][0-9]|12[0-5])(?![0-9]|[.,/][0-9])"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_IN_WORDS = rf"(?i:ninety(?:[- ]{_ONES})?|hundred(?:[ ]and)?(?:[ ](?:{_ONES}|ten))?)"
#: "in her 90s" is an age, "in the 90s" is not.
_OF_A_PERSON = re.compile(
    r"(?is).{0,24}(?<![^\W_])(?:his|her|their|my|your|our)[ \n]"
    r"(?:(?:early|mid|late|very|upper)[- ]){0,2}"
)
_AT_THE_AGE = re.compile(
    r"(?is).{0,24}(?<![^\W_])(?:aged?|age[ ]of|age[ ]is|turned|turning)[ \n]((?:(?:a|one)[ ])?)"
)
_BEFORE_AGE = 24  # characters

_age = pattern(AGE, rf"{_NINETY_ON}{_OLD}")
_about_90 = pattern(AGE, r"90-(?i:something)(?![^\W_])(?![ ](?i:percent|degrees|beats))")
_nineties = pattern(AGE, r"(?:90['’]?s|(?i:nineties))(?![^\W_])")
_old_person = pattern(
    AGE, r"(?i:(?:super)?centenarians?|nonagenarians?|nonagenari[oa]|nonagénaire)"
)
_old_in_words = pattern(AGE, rf"{_IN_WORDS}{_OLD}")
_in_words = pattern(AGE, rf"{_IN_WORDS}(?![^\W_])(?!{QUANTITY}|[ ](?i:percent|per|times))")
cued_age = pattern(AGE, rf"{_NINETY_ON}(?!{QUANTITY}|[-–][0-9])")


def _of_a_person(text: str, start: int) -> Finding | None:
    """Read ``90s`` and ``nineties`` after *her* or *his*."""
    finding = _nineties(text, start)
    before = text[max(0, start - _BEFORE_AGE) : start]
    return finding if finding and _OF_A_PERSON.fullmatch(before) else None


def _at_the_age(text: str, start: int) -> Finding | None:
    """Read ``ninety`` and ``one hundred and two`` after *aged*."""
    finding = _in_words(text, start)
    before = _AT_THE_AGE.fullmatch(text[max(0, start - _BEFORE_AGE) : start])
    return finding._replace(start=start - len(before[1])) if finding and before else None


age_over_89 = first_of(_age, _about_90, _of_a_person)
age_in_words = first_of(_old_in_words, _at_the_age, _of_a_person, _old_person)
