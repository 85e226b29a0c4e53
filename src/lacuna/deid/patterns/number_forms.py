"""Recognizers of numbers: social security, records, accounts, vehicles, postcodes."""

from __future__ import annotations

import re
from functools import partial

from lacuna.deid.findings import Finding
from lacuna.deid.patterns import national_numbers
from lacuna.deid.patterns.cue_words import STATES, word_set
from lacuna.deid.patterns.recognizers import (
    QUANTITY,
    UNSURE,
    Check,
    Recognizer,
    count_digits,
    first_of,
    found,
    passes_luhn,
    passes_mod_97,
    passes_vin,
    pattern,
)

SSN, ACCOUNT, VEHICLE, ZIP = "SSN", "ACCOUNT", "VEHICLE", "ZIP"

# --- social security -----------------------------------------------------------------------------


def _is_ssn(match: re.Match[str]) -> bool:
    """Whether it can be issued: area 000 or 666, group 00 and serial 0000 never are."""
    digits = re.sub("[^0-9]", "", match[0])
    return digits[:3] not in ("000", "666") and digits[3:5] != "00" and digits[5:] != "0000"


_SSN = r"[0-9]{3}(?:-[0-9]{2}-|[ \n][0-9]{2}[ \n])[0-9]{4}(?![0-9A-Za-z]|-[0-9])"
ssn = pattern(SSN, rf"(?<![0-9])(?<![0-9][-.])(?:{_SSN})", _is_ssn)
cued_ssn = pattern(SSN, rf"(?:{_SSN}|[0-9]{{9}}(?![0-9A-Za-z]))")

# --- a number after a word that says what it is --------------------------------------------------

_IN_GROUPS = r"[0-9]{2,4}(?:[ \n][0-9]{2,4}){1,3}+(?![0-9A-Za-z/-]|[.:][0-9])"
_SPANISH = r"[0-9]{2}[ ][0-9]{2,10}(?:[ ][0-9]{2,5})?(?![0-9A-Za-z/-])"  # of the insured, doctors
_IN_ONE = rf"[^\W_](?:[^\W_]|[-:/_](?=[^\W_])){{3,29}}+(?!\.[0-9]|@|{QUANTITY})"
_DATE_OR_TIME = re.compile(
    r"[0-9]{1,2}[:/][0-9]{1,2}(?:[:/].{0,30})?|(?:19|20)[0-9]{2}[-/][0-9]{1,2}[-/][0-9]{1,2}|"
    r"[0-9]{1,2}-[0-9]{1,2}-(?:19|20)[0-9]{2}"
)


def _has_digits(match: re.Match[str], least: int, most: int) -> bool:
    return least <= count_digits(match[0]) <= most


def _is_number(match: re.Match[str], least: int) -> bool:
    """Whether there are enough digits and it is neither a date nor a time of day."""
    return count_digits(match[0]) >= least and not _DATE_OR_TIME.fullmatch(match[0])


def number_after_cue(label: str, least_digits: int) -> Recognizer:
    """Return a recognizer of numbers that may contain letters, dashes and spaces."""
    in_groups: Check = partial(_has_digits, least=7, most=12)
    in_one: Check = partial(_is_number, least=least_digits)
    return first_of(
        national_numbers.grouped,
        pattern(label, _IN_GROUPS, in_groups),
        pattern(label, _SPANISH, partial(_has_digits, least=9, most=12)),
        pattern(label, _IN_ONE, in_one),
    )


# --- numbers that cannot be anything else --------------------------------------------------------

_NO_COUNT = rf"(?!{QUANTITY}|[.,/][0-9]|[ ]?(?i:copies|cfu|organisms|steps|dollars|people)\b)"


def _is_no_count(match: re.Match[str]) -> bool:
    """Whether there are seven digits, or six and letters; a count would end in zeros."""
    digits = count_digits(match[0])
    has_letters = digits < len(match[0])
    return digits >= (6 if has_letters else 7) and not match[0].endswith("000")


long_number = pattern(
    "IDNUM",
    rf"(?<![0-9$€£])(?<![0-9][.,])(?:[A-Za-z]{{1,4}}-?)?[0-9]{{1,20}}+(?:[A-Za-z]{{1,4}}[0-9]{{1,12}})?+"
    rf"[A-Za-z]{{0,4}}(?![^\W_]){_NO_COUNT}",
    _is_no_count,
    probability=UNSURE,
)
mixture = pattern(
    "IDNUM",
    r"(?<![^\W_])(?:[A-Za-z]{1,4}-?)?[0-9]{1,8}[A-Za-z]{0,3}[-:/][A-Za-z]{0,3}[0-9]{1,9}"
    rf"(?:-[0-9A-Za-z]{{1,6}})?(?![^\W_]|[-/][0-9]){_NO_COUNT}",
    _is_no_count,
    probability=UNSURE,
)
long_chain = pattern(
    "IDNUM",
    r"(?<![0-9])(?<![0-9][-./])[0-9]{2,6}-[0-9]{2,7}(?:-[0-9]{1,7}){1,2}[A-Za-z]?(?![^\W_]|[-./][0-9])",
    lambda match: count_digits(match[0]) >= 6,
    probability=UNSURE,
)

# --- banks ---------------------------------------------------------------------------------------

#: Characters of an account by country.
_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in word_set(
        """
        AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20
        ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IS26 IT27 JO30 KW30
        KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29
        PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VG24 XK20
        """
    )
}
_IBAN = re.compile(r"(?<![^\W_])[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]){11,30}+")


def iban(text: str, start: int) -> Finding | None:
    """Read a bank account, in one piece or in groups of four."""
    length = _IBAN_LENGTHS.get(text[start : start + 2])
    match = _IBAN.match(text, start) if length else None
    account = match[0].replace(" ", "")[:length] if match else ""
    if len(account) != length or not passes_mod_97(account):
        return None
    end = start
    for _ in account:
        end += 2 if text[end] == " " else 1
    return found(start, end, ACCOUNT)


def _is_card(match: re.Match[str]) -> bool:
    digits = re.sub("[^0-9]", "", match[0])
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and passes_luhn(digits)


card = pattern(
    ACCOUNT,
    r"(?<![0-9])(?<![0-9][-.])[3-6][0-9]{3}[ -]?[0-9]{4,6}[ -]?[0-9]{4,5}(?:[ -]?[0-9]{1,7})?"
    r"(?![0-9]|-[0-9])",
    _is_card,
)

# --- vehicles ------------------------------------------------------------------------------------

_VIN = r"[A-HJ-NPR-Z0-9]{17}(?![^\W_])"
vin = pattern(VEHICLE, rf"(?<![^\W_]){_VIN}", lambda match: passes_vin(match[0]))
_PLATE = r"[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{2,5}){0,2}(?![^\W_])"
_BEFORE_PLATE = r"[ \n]?(?i:no\.?|number)?[ \n:#.]{1,20}"


def _is_plate(match: re.Match[str]) -> bool:
    """Whether there are letters and digits; after *vehicle* a colon or # is required."""
    plate, word_before = match[1], match.string[max(0, match.start() - 7) : match.start()].lower()
    is_labelled = word_before != "vehicle" or ":" in match[0] or "#" in match[0]
    return is_labelled and 0 < count_digits(plate) < len(plate) and len(plate) > 4


cued_vehicle = first_of(
    pattern(VEHICLE, rf"{_BEFORE_PLATE}((?i:{_VIN}))", group=1),
    pattern(VEHICLE, rf"{_BEFORE_PLATE}({_PLATE})", _is_plate, group=1),
)

# --- postcodes -----------------------------------------------------------------------------------


def _has_state(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 5) : match.start()].rstrip(" ,")
    return "-" in match[0] or (before[-2:] in STATES and not before[-3:-2].isalpha())


zip_code = pattern(ZIP, r"(?<![0-9-])[0-9]{5}(?:-[0-9]{4})?(?![0-9A-Za-z]|[-./,][0-9])", _has_state)
cued_zip = pattern(
    ZIP, rf"[0-9]{{5}}(?:-[0-9]{{4}})?(?![0-9]|[-./,][0-9]|[ ][0-9]{{6}}|{QUANTITY})"
)
postcode = pattern(
    ZIP,
    # United Kingdom: the second half has no letters C I K M O V; Canada: none of D F I O Q U
    r"(?<![^\W_])(?:[A-PR-UWYZ][A-Z]?[0-9][0-9A-Z]?[ ][0-9](?!LB)[ABD-HJLNP-UW-Z]{2}|"
    r"[ABCEGHJ-NPR-TVXY][0-9][ABCEGHJ-NPR-TV-Z][ ][0-9][ABCEGHJ-NPR-TV-Z][0-9])(?![^\W_])",
)
code = first_of(postcode, national_numbers.code, iban, vin, long_number)
