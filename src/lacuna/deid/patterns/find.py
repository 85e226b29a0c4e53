"""All built-in patterns over a text: a scan marks where one may begin, recognizers read it there.

The scan reads the characters once, in compiled code. It knows the words of
:mod:`lacuna.deid.patterns.cues` and how digits are joined, and skips most numbers of a clinical
note: results, doses, blood pressures, times of day. At each marked place the recognizer listed here
is tried. What was just found is not read again.
"""

from __future__ import annotations

from lacuna.deid.findings import Finding
from lacuna.deid.patterns import contacts, dates, identifiers
from lacuna.deid.patterns.cues import Start, Word, small_letters, word_table
from lacuna.deid.patterns.recognizers import Recognizer, first_of
from lacuna.deid.patterns.scan import find_starts
from lacuna.text.characters import code_points

#: Part of what a calibrated promise depends on; change it when patterns come to find less.
PATTERNS_VERSION = "patterns 1"

_number = identifiers.number_after_cue
_numbers = first_of(
    contacts.phone, identifiers.ssn, contacts.ip_4, identifiers.card, identifiers.long_chain
)

RECOGNIZERS: dict[int, Recognizer] = {
    Word.PHONE: contacts.cued_phone,
    Word.PAGER: contacts.cued_pager,
    Word.FAX: contacts.cued_fax,
    Word.AGE: dates.cued_age,
    Word.ZIP: identifiers.cued_zip,
    Word.SSN: identifiers.cued_ssn,
    Word.RECORD: _number("MEDICALRECORD", 5),
    Word.PLAN: _number("HEALTHPLAN", 5),
    Word.ACCOUNT: first_of(identifiers.iban, _number("ACCOUNT", 5)),
    Word.LICENSE: _number("LICENSE", 5),
    Word.VEHICLE: identifiers.cued_vehicle,
    Word.DEVICE: _number("DEVICE", 4),
    Word.BIOMETRIC: _number("BIOID", 5),
    Word.OTHER_ID: _number("IDNUM", 5),
    Start.MONTH: dates.month,
    Start.CUED_MONTH: dates.cued_month,
    Start.DAY_MONTH: dates.day_month,
    Start.WEEKDAY: dates.weekday,
    Start.CHAIN: first_of(dates.numbers, _numbers),
    Start.NUMBERS: _numbers,
    Start.PARTIAL_DATE: dates.partial_date,
    Start.YEAR: dates.year,
    Start.DIGITS: first_of(
        dates.digits, identifiers.card, contacts.long_phone, identifiers.long_number
    ),
    Start.MIXTURE: first_of(
        dates.day_month, contacts.local_phone, identifiers.long_number, identifiers.mixture
    ),
    Start.AGE: dates.age_over_89,
    Start.NINETY: dates.age_in_words,
    Start.ZIP: identifiers.zip_code,
    Start.CODE: identifiers.code,
    Start.EMAIL: contacts.email,
    Start.URL: contacts.url,
    Start.HEXADECIMAL: contacts.hexadecimal,
    Start.FAR_PHONE: contacts.after_words(contacts.cued_phone),
    Start.FAR_PAGER: contacts.after_words(contacts.cued_pager),
    Start.FAR_FAX: contacts.after_words(contacts.cued_fax),
}


def find_patterns(text: str) -> list[Finding]:
    """Return what has the form of an identifier, sorted."""
    findings: list[Finding] = []
    starts, tasks = find_starts(code_points(text), small_letters(), *word_table())
    begun = done = 0  # borders of the last finding
    for start, task in zip(starts.tolist(), tasks.tolist(), strict=True):
        if begun <= start < done:
            continue
        finding = RECOGNIZERS[task](text, start)
        while finding is not None:
            findings.append(finding)
            begun, done = finding.start, finding.end
            is_date = finding.label == dates.DATE
            finding = dates.further_date(text, finding) if is_date else None
    findings.sort()
    return findings
