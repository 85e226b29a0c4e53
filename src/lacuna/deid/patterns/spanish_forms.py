"""Recognizers of what Spanish notes write in a form of their own.

====================================  ============================================================
``48291033-L  X-1234567-L``           identity numbers of Spaniards (DNI) and others (NIE); without
                                      a word before them, the last letter must be right
``28/12345678/40``                    number of the insured (NASS), the last two digits are a check
``612 345 098  91 336 87 85``         phone numbers
``28009 Madrid``                      a postcode begins with the number of its province
``93 años  noventa y tres años``      ages over 89, unless something lasted so long
====================================  ============================================================

Dates are read by :mod:`.date_forms`.
"""

from __future__ import annotations

import re

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.patterns.recognizers import QUANTITY, UNSURE, first_of, pattern

# --- identity ------------------------------------------------------------------------------------

_CHECK_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_IDENTITY = (
    r"(?:[0-9]{7,8}|[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}|[XYZxyz][ .-]?[0-9]{7,8})[ -]?[A-Za-z](?![^\W_])"
)


def _has_check_letter(match: re.Match[str]) -> bool:
    """Whether the last letter is that of n mod 23; X, Y and Z at the beginning are 0, 1 and 2."""
    signs = re.sub("[^0-9A-Z]", "", match[0].upper())
    number = signs[:-1].translate(str.maketrans("XYZ", "012"))
    return signs[-1] == _CHECK_LETTERS[int(number) % 23]


identity = pattern("IDNUM", rf"(?<![^\W_])(?<![0-9][-./]){_IDENTITY}", _has_check_letter)
cued_identity = pattern("IDNUM", rf"{_IDENTITY}|[0-9]{{1,2}}\.[0-9]{{3}}\.[0-9]{{3}}(?![0-9.,])")


def _is_insured(match: re.Match[str]) -> bool:
    """Whether the last two digits are the others mod 97.

    A number of the insured below ten million counts without its zeros.
    """
    digits = re.sub("[^0-9]", "", match[0])
    province, number, check = digits[:2], digits[2:-2].lstrip("0"), digits[-2:]
    return int(province + number) % 97 == int(check)


insured = pattern(
    "HEALTHPLAN",
    r"(?<![0-9])(?<![0-9][-./])[0-5][0-9]([ /-]?)[0-9]{7,8}[ /-]?[0-9]{2}(?![^\W_]|[-./][0-9])",
    _is_insured,
)

# --- phone numbers -------------------------------------------------------------------------------

_PHONE_END = rf"(?![^\W_]|[ ./-][0-9]|{QUANTITY})"
phone = first_of(
    pattern(
        "PHONE",
        rf"(?<![0-9])(?<![0-9][ ./-])[6-9][0-9]{{2}}(?:([ .-])[0-9]{{3}}[ .-][0-9]{{3}}|"
        rf"([ .-])[0-9]{{2}}[ .-][0-9]{{2}}[ .-][0-9]{{2}}){_PHONE_END}",
        probability=UNSURE,
    ),
    pattern(
        "PHONE",
        rf"(?<![0-9])(?<![0-9][ ./-])9[13][ .-][0-9]{{3}}(?:[ .-][0-9]{{2}}){{2}}{_PHONE_END}",
        probability=UNSURE,
    ),
)
abroad = pattern(
    "PHONE", r"(?<![0-9])(?<![0-9][-./])0034[ .-]?[6-9][0-9]{2}(?:[ .-]?[0-9]){6}(?![0-9])"
)
cued_phone = pattern(
    "PHONE", rf"[6-9][0-9]{{1,2}}[ .-][0-9]{{6,7}}{_PHONE_END}|[6-9][0-9]{{8}}{_PHONE_END}"
)

# --- postcodes -----------------------------------------------------------------------------------

#: Provinces by number, from 1.
_PROVINCES = """
    alava|vitoria albacete alicante|alacant almeria avila badajoz baleares|palma|illes barcelona
    burgos caceres cadiz castellon|castello ciudad|real cordoba coruña|la|a cuenca girona|gerona
    granada guadalajara guipuzcoa|gipuzkoa|san|donostia huelva huesca jaen leon lleida|lerida
    rioja|la|logroño lugo madrid malaga murcia navarra|pamplona ourense|orense asturias|oviedo|gijon
    palencia palmas|las pontevedra|vigo salamanca tenerife|santa cantabria|santander segovia sevilla
    soria tarragona teruel toledo valencia valladolid vizcaya|bizkaia|bilbao zamora zaragoza ceuta
    melilla
"""
_TOWNS = [frozenset(map(plain, names.split("|"))) for names in _PROVINCES.split()]


def _is_of_province(match: re.Match[str]) -> bool:
    number = int(match[1][:2])
    return 1 <= number <= len(_TOWNS) and plain(match[2]) in _TOWNS[number - 1]


zip_code = first_of(
    pattern(
        "ZIP",
        r"(?<![0-9.,/-])([0-5][0-9]{4})(?=[ ]\(?([^\W\d_]{1,12})(?![^\W_]))",
        _is_of_province,
    ),
    pattern("ZIP", r"(?<=[pP]\.[ :])[0-5][0-9]{4}(?![0-9])|(?<=[pP]\.:[ ])[0-5][0-9]{4}(?![0-9])"),
)

# --- ages ----------------------------------------------------------------------------------------

_NOT_LASTING = (
    r"(?![ ](?:de[ ](?!edad|vida)|después|antes|atrás|previos?|previamente|más[ ]tarde|fumando))"
)
_YEARS = rf"(?=[ \n](?i:a(?:ñ|n)os){_NOT_LASTING}(?![^\W_]))"
_NINETY_ON = r"(?<![0-9.,/-])(?:9[0-9]|1[01][0-9]|12[0-5])"
_ONES = r"(?:uno?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
age = pattern("AGE", rf"(?<!hace )(?<!Hace )(?<!durante ){_NINETY_ON}{_YEARS}")
age_in_words = pattern(
    "AGE", rf"(?i:noventa(?:[ ]y[ ]{_ONES})?|cien|ciento[ ](?:{_ONES}|diez)){_YEARS}"
)
