"""Recognizers of numbers that a country gives its people or cars, by their form and check digit.

====================================  ============================================================
``4991 1866 5246``                    India: Aadhaar, the last digit by Verhoeff's scheme
``2123 45670 1``                      Australia: Medicare card, the ninth digit by weights
``800101 5009 087``                   South Africa: identity number, a date of birth and Luhn
``ZAC5361``                           New Zealand: NHI number, the last digit by weights
``1EG4-TE5-MK73``                     United States: Medicare beneficiary, by form
``D02 X285``                          Ireland: Eircode, by form
``AB12 CDE``                          United Kingdom: number plate, by form
====================================  ============================================================

Most others (NHS, CHI, CNIC, NRIC, DNI …) have so many digits that :mod:`.number_forms` finds them.
"""

from __future__ import annotations

import re

from lacuna.deid.patterns.recognizers import (
    first_of,
    is_month_and_day,
    passes_luhn,
    passes_verhoeff,
    passes_weights,
    pattern,
)

_ALONE = r"(?<![^\W_])(?<![0-9][-./])"
_END = r"(?![^\W_]|[-./,][0-9])"


def _digits(match: re.Match[str]) -> str:
    return re.sub("[^0-9]", "", match[0])


def _is_medicare(match: re.Match[str]) -> bool:
    """Whether digit 9 = Σ w_k digit_k mod 10 with w = 1 3 7 9 1 3 7 9."""
    digits = _digits(match)
    return passes_weights(digits[:8], (1, 3, 7, 9, 1, 3, 7, 9), 10, int(digits[8]))


def _is_south_african(match: re.Match[str]) -> bool:
    digits = _digits(match)
    return is_month_and_day(int(digits[2:4]), int(digits[4:6])) and passes_luhn(digits)


_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # of New Zealand's numbers: A is 1, Z is 24


def _is_nhi(match: re.Match[str]) -> bool:
    """Whether the last digit is -Σ w_k value_k mod 11, with w = 7 6 5 4 3 2."""
    values = [*(_LETTERS.index(c) + 1 for c in match[0][:3]), *map(int, match[0][3:6])]
    total = sum(w * v for w, v in zip(range(7, 1, -1), values, strict=True)) % 11
    return total != 0 and (11 - total) % 10 == int(match[0][6])


#: Words of three capitals after two letters and two digits that are no number plate: CD20 NEG.
_WORDS = "ALL|AND|ARE|BID|BUT|CAP|DAY|FOR|HAD|HAS|HRS|MIN|NEG|NOT|PER|POS|PRN|QID|TAB|THE|TID|WAS"

_NHI = rf"[A-HJ-NP-Z]{{3}}[0-9]{{4}}{_END}"
_MEDICARE = rf"[2-6][0-9]{{3}}[ ][0-9]{{5}}[ ][0-9]{_END}"
cued_nhi = pattern("MEDICALRECORD", _NHI)
cued_medicare = pattern("HEALTHPLAN", _MEDICARE)
grouped = first_of(
    pattern(
        "IDNUM",
        rf"{_ALONE}[2-9][0-9]{{3}}([ -])[0-9]{{4}}[ -][0-9]{{4}}{_END}",
        lambda match: passes_verhoeff(_digits(match)),
    ),
    pattern("HEALTHPLAN", _ALONE + _MEDICARE, _is_medicare),
    pattern(
        "IDNUM", rf"{_ALONE}[0-9]{{6}}[ ][0-9]{{4}}[ ][0-9]{{2}}[ ]?[0-9]{_END}", _is_south_african
    ),
)
_OF_EIRCODE = "[0-9ACDEFHKNPRTVWXY]"
code = first_of(
    pattern("MEDICALRECORD", _NHI, _is_nhi),
    pattern(
        "HEALTHPLAN",
        r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?"
        rf"[AC-HJKMNP-RT-Y]{{2}}[0-9]{{2}}{_END}",
    ),
    pattern(
        "ZIP",
        rf"[ACDEFHKNPRTVWXY][0-9][0-9W][ ]?(?=.{{0,3}}[0-9]){_OF_EIRCODE}{{4}}{_END}",
    ),
    pattern("VEHICLE", rf"[A-Z]{{2}}[0-9]{{2}}[ ](?!{_WORDS})[A-HJ-PR-Z]{{3}}{_END}"),
)
