"""Recognizers of phone and fax numbers, e-mail, web, IP and MAC addresses."""

from __future__ import annotations

import ipaddress
import re

from lacuna.deid.findings import Finding
from lacuna.deid.patterns.recognizers import (
    QUANTITY,
    UNSURE,
    Recognizer,
    count_digits,
    first_of,
    found,
    pattern,
)

PHONE, FAX, EMAIL, URL, IPADDR, DEVICE = "PHONE", "FAX", "EMAIL", "URL", "IPADDR", "DEVICE"

_EXTENSION = r"(?:,?[ \r\n]{0,2}(?i:x|ext\.?|extension)[ \r\n]{0,2}#?[0-9]{1,6}(?![0-9]))?"
_JOINT = r"[-. \n]"
_NORTH_AMERICA = (
    r"(?:\+?1[-. \n])?(?:\([0-9]{3}\)[-. \n]{0,2}|[0-9]{3}[-./ \n])"
    rf"[0-9]{{3}}{_JOINT}[0-9]{{4}}(?![0-9]|[-./][0-9]){_EXTENSION}"
)
_ABROAD = r"\+[0-9]{1,3}(?:[-. /]?[(]?[0-9]{1,6}[)]?){2,6}+(?![0-9]|[-./][0-9])" + _EXTENSION
# United Kingdom, Germany, the Netherlands; France
_INLAND = (
    r"(?:0[0-9]{2,4}[ \n/-][0-9]{3,8}(?:[ \n-][0-9]{3,4})?|0[1-9](?:[ .][0-9]{2}){4})"
    rf"(?![0-9]|[-./][0-9]){_EXTENSION}"
)
_FAX_AFTER = re.compile(r"[ ]?(?:[(](?i:fax)[)]|(?i:fax)\b(?![ :#.]{0,3}[0-9(+]))")


def _is_long(match: re.Match[str]) -> bool:
    """Whether there are 9 to 20 digits, as in domestic and international numbers."""
    return 9 <= count_digits(match[0]) <= 20


_NOT_BEFORE = r"(?<![0-9])(?<![0-9][-./])"
_any_phone = first_of(
    pattern(PHONE, _NOT_BEFORE + _NORTH_AMERICA),
    pattern(PHONE, _ABROAD, _is_long),
    pattern(PHONE, _NOT_BEFORE + _INLAND, _is_long),
)
# After a cue also without an area code, in other groups, or in one piece.
_local_phone = first_of(
    pattern(
        PHONE, rf"(?:[0-9]{{3}}{_JOINT}|[0-9]{{1,2}}-)[0-9]{{4}}(?![0-9]|[-./][0-9]){_EXTENSION}"
    ),
    pattern(PHONE, rf"[0-9]{{7}}(?:[0-9]{{2,5}})?(?![0-9]|[-./][0-9]){_EXTENSION}"),
    pattern(PHONE, r"[0-9]{2,4}(?:[-. ][0-9]{2,4}){2,4}+(?![0-9]|[-./][0-9])", _is_long),
)
long_phone = pattern(PHONE, rf"(?<![0-9])[2-9][0-9]{{9}}(?=,?[ \n]?(?:x|X|ext)){_EXTENSION}")
local_phone = pattern(
    PHONE,
    rf"(?<![\w.$-])[2-9][0-9]{{2}}-[0-9]{{4}}(?![0-9]|[-./][0-9]|{QUANTITY}){_EXTENSION}",
    lambda match: not match[0].endswith("00"),
    probability=UNSURE,
)
#: Of who dictated a letter and who typed it, on a line of their own.
initials = pattern(
    "DOCTOR", r"(?<![^\n])[A-Z]{2,4}[/:][a-z]{2,4}(?=[ \t\r]{0,20}(?:\n|\Z))", probability=UNSURE
)
_pager = pattern(PHONE, rf"[pP]?#?[0-9]{{4,7}}(?![0-9]|[-./:][0-9]|{QUANTITY})")


def phone(text: str, start: int) -> Finding | None:
    """Read a phone number with area code; the word fax after it makes it a fax number."""
    finding = _any_phone(text, start)
    if finding and _FAX_AFTER.match(text, finding.end):
        return finding._replace(label=FAX)
    return finding


cued_phone = first_of(phone, _local_phone)
cued_pager = first_of(phone, _local_phone, _pager)
_uncued_fax: Recognizer = first_of(_any_phone, _local_phone)


def cued_fax(text: str, start: int) -> Finding | None:
    """Read a phone number after the word fax."""
    finding = _uncued_fax(text, start)
    return finding._replace(label=FAX) if finding else None


_WORDS_AND_AT = re.compile(
    r"[ \n][^0-9;:]{2,60}+(?:(?<=[ \n][aA][tT][ \n])|(?<=[ \n][aA][tT][ \n][pP(+]))"
)


def after_words(recognizer: Recognizer) -> Recognizer:
    """Return a recognizer that skips some words first: ``page Dr. Smith at 1234``."""

    def recognize(text: str, start: int) -> Finding | None:
        words = _WORDS_AND_AT.match(text, start)
        if words is None:
            return None
        return recognizer(text, words.end() - (not text[words.end() - 1].isspace()))

    return recognize


_DOMAIN = r"[^\W_](?:[^\W_]|-)*+(?:\.[^\W_](?:[^\W_]|-)*+)++"
_TOP_LEVEL = re.compile(r"[^\W\d_]{2,24}|xn--[a-z0-9-]{2,50}", re.IGNORECASE)


def _has_top_level(match: re.Match[str]) -> bool:
    return _TOP_LEVEL.fullmatch(match[1].rpartition(".")[2]) is not None


email = pattern(EMAIL, rf"[\w.%+'&-]++@({_DOMAIN})", _has_top_level)

_ADDRESS = re.compile(r"[^\s<>\"“”|]++")
#: Signs that end a sentence or a bracket, not an address.
_NOT_LAST = ".,;:!?)]}'’*"
_SCHEME = re.compile(r"[a-zA-Z]{2,10}://(?=[^\s/])|(?i:www)\.(?=[^\W_])")
_LABEL = r"[^\W_](?:[^\W_]|-){0,62}+"
_HOST = re.compile(rf"({_LABEL}(?:\.{_LABEL}){{1,8}}+)(?=[/:]|(?![\w@-]))")


def url(text: str, start: int) -> Finding | None:
    """Read a web address: with a scheme, with www, or a host of a well-known kind."""
    is_address = _SCHEME.match(text, start)
    if is_address is None:
        host = _HOST.match(text, start)
        if host is None or not _has_top_level(host):
            return None
        if text[host.end() : host.end() + 1] != "/":
            return found(start, host.end(), URL)
    match = _ADDRESS.match(text, start)
    if match is None:
        return None
    end = start + len(match[0].rstrip(_NOT_LAST))
    return found(start, end, URL)


def _is_ip_4(match: re.Match[str]) -> bool:
    return all(int(part) <= 255 for part in match.groups())


_BYTE = r"([0-9]{1,3})"
ip_4 = pattern(
    IPADDR,
    rf"(?<![0-9.])(?<![vV]){_BYTE}\.{_BYTE}\.{_BYTE}\.{_BYTE}(?![0-9]|\.[0-9])",
    _is_ip_4,
)


def _is_ip_6(match: re.Match[str]) -> bool:
    try:
        ipaddress.IPv6Address(match[0])
    except ValueError:
        return False
    return count_digits(match[0]) > 0


_HEX = r"[0-9a-fA-F]"
_mac = pattern(DEVICE, rf"(?<![\w:]){_HEX}{{2}}(?::{_HEX}{{2}}){{5}}(?![\w:])")
_ip_6 = pattern(
    IPADDR, rf"(?<![\w:]){_HEX}{{0,4}}(?::{_HEX}{{0,4}}){{2,8}}+(?<!\b:)(?![\w:])", _is_ip_6
)
hexadecimal = first_of(_mac, _ip_6)
