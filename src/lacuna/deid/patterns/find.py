"""All built-in patterns over a text: a scan marks where one may begin, recognizers read it there.

The scan reads the characters once, in compiled code. It knows the words of
:mod:`lacuna.deid.patterns.cue_words` and how digits are joined, and skips most numbers of a
clinical note: results, doses, blood pressures, times of day. At each marked place the recognizer
listed here is tried. What was just found is not read again.

An underscore is a border, as a blank is: recognizers read a text that has some twice, with
underscores and with blanks instead. A text with unusual dashes, spaces, digits or invisible
characters is read as it is and as a plain copy (:mod:`lacuna.deid.folding`). So these characters
never lead to fewer findings.
"""

from __future__ import annotations

from lacuna.deid.findings import Finding
from lacuna.deid.folding import plain_copies
from lacuna.deid.patterns import (
    contact_forms,
    date_forms,
    national_numbers,
    number_forms,
    spanish_forms,
)
from lacuna.deid.patterns.cue_words import Start, WordKind, small_letters, word_table
from lacuna.deid.patterns.recognizers import Recognizer, first_of
from lacuna.deid.patterns.scan import find_starts
from lacuna.text.characters import code_points

#: Part of what a calibrated promise depends on; change it when patterns come to find less.
PATTERNS_VERSION = "patterns 2"
#: What the built-in patterns find.
PATTERN_LABELS = frozenset(
    {
        *("ACCOUNT", "AGE", "BIOID", "DATE", "DEVICE", "DOCTOR", "EMAIL", "FAX", "HEALTHPLAN"),
        *("IDNUM", "IPADDR", "LICENSE", "MEDICALRECORD", "PHONE", "SSN", "URL", "VEHICLE", "ZIP"),
    }
)
REACH = 100  #: characters after a start in which underscores count

_number = number_forms.number_after_cue
_numbers = first_of(
    spanish_forms.insured,
    spanish_forms.abroad,
    contact_forms.phone,
    spanish_forms.phone,
    spanish_forms.identity,
    number_forms.ssn,
    contact_forms.ip_4,
    number_forms.card,
    national_numbers.grouped,
    number_forms.long_chain,
)

RECOGNIZERS: dict[int, Recognizer] = {
    WordKind.PHONE: first_of(
        spanish_forms.abroad, contact_forms.cued_phone, spanish_forms.cued_phone
    ),
    WordKind.PAGER: contact_forms.cued_pager,
    WordKind.FAX: contact_forms.cued_fax,
    WordKind.AGE: date_forms.cued_age,
    WordKind.ZIP: number_forms.cued_zip,
    WordKind.SSN: number_forms.cued_ssn,
    WordKind.RECORD: first_of(national_numbers.cued_nhi, _number("MEDICALRECORD", 5)),
    WordKind.PLAN: first_of(national_numbers.cued_medicare, _number("HEALTHPLAN", 5)),
    WordKind.ACCOUNT: first_of(number_forms.iban, _number("ACCOUNT", 5)),
    WordKind.LICENSE: _number("LICENSE", 5),
    WordKind.VEHICLE: number_forms.cued_vehicle,
    WordKind.DEVICE: _number("DEVICE", 4),
    WordKind.BIOMETRIC: _number("BIOID", 5),
    WordKind.OTHER_ID: first_of(spanish_forms.cued_identity, _number("IDNUM", 5)),
    Start.MONTH: date_forms.month,
    Start.CUED_MONTH: date_forms.cued_month,
    Start.DAY_MONTH: date_forms.day_month,
    Start.ROMAN_MONTH: date_forms.roman_date,
    Start.INITIALS: contact_forms.initials,
    Start.WEEKDAY: date_forms.weekday,
    Start.CHAIN: first_of(date_forms.numbers, _numbers),
    Start.NUMBERS: _numbers,
    Start.PARTIAL_DATE: date_forms.partial_date,
    Start.YEAR: date_forms.year,
    Start.DIGITS: first_of(
        date_forms.digits,
        spanish_forms.insured,
        spanish_forms.abroad,
        spanish_forms.identity,
        number_forms.card,
        national_numbers.grouped,
        contact_forms.long_phone,
        number_forms.long_number,
    ),
    Start.MIXTURE: first_of(
        date_forms.day_month,
        spanish_forms.identity,
        contact_forms.local_phone,
        number_forms.long_number,
        number_forms.mixture,
    ),
    Start.AGE: first_of(date_forms.age_over_89, spanish_forms.age),
    Start.NINETY: first_of(date_forms.age_in_words, spanish_forms.age_in_words),
    Start.ZIP: first_of(number_forms.zip_code, spanish_forms.zip_code),
    Start.CODE: number_forms.code,
    Start.EMAIL: contact_forms.email,
    Start.URL: contact_forms.url,
    Start.HEXADECIMAL: contact_forms.hexadecimal,
    Start.FAR_PHONE: contact_forms.after_words(contact_forms.cued_phone),
    Start.FAR_PAGER: contact_forms.after_words(contact_forms.cued_pager),
    Start.FAR_FAX: contact_forms.after_words(contact_forms.cued_fax),
}


def find_patterns(text: str) -> list[Finding]:
    """Return what has the form of an identifier, sorted."""
    findings = _find(text)
    for copy in plain_copies(text):
        for finding in _find(copy.text):
            start, end = copy.original(finding.start, finding.end)
            findings.append(finding._replace(start=start, end=end))
        findings = list(set(findings))
    findings.sort()
    return findings


def _find(text: str) -> list[Finding]:
    """Return what one copy of a text has, more or less from left to right."""
    findings: list[Finding] = []
    starts, tasks = find_starts(code_points(text), small_letters(), *word_table())
    spaced = text.replace("_", " ") if "_" in text else ""
    begun = done = 0  # start and end of the last finding
    for start, task in zip(starts.tolist(), tasks.tolist(), strict=True):
        if begun <= start < done:
            continue
        finding = RECOGNIZERS[task](text, start)
        if spaced and text.find("_", max(start - 1, 0), start + REACH) >= 0:
            finding = _longer(finding, RECOGNIZERS[task](spaced, start))
        while finding is not None:
            findings.append(finding)
            begun, done = finding.start, finding.end
            is_date = finding.label == date_forms.DATE
            finding = date_forms.further_date(text, finding) if is_date else None
    return findings


def _longer(one: Finding | None, other: Finding | None) -> Finding | None:
    if one is None or other is None:
        return one or other
    return other if other.end - other.start > one.end - one.start else one
