"""Words that say what the number after them is, and words that are dates themselves.

A **cue** says what the next number is: in ``MRN: 1234567`` it is a record number. Only signs and
fillers may be between a cue and its number (``phone number is``). A **weak** cue counts only
together with ``#``, ``:``, ``no``, ``number`` or ``id``: ``chart 40517`` is nothing, ``chart no.
40517`` is a record number. In Spanish the word comes first: ``nº de historia 40517``.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.text.characters import LETTER, LOWER, class_table, lower_table
from lacuna.types import CodeArray, HashArray

KindArray = npt.NDArray[np.uint8]

SIZE = 4096  # slots of the hash table, a power of two
WEAK = 64  # added to the kind of a weak cue
FAR = 30  # added to a cue of phone numbers that may come some words later
HASH_START, HASH_FACTOR = 0xCBF29CE484222325, 0x100000001B3  # FNV-1a, 64 bits


class WordKind(IntEnum):
    """What a word means to the patterns."""

    PLAIN = 0
    FILLER = 1  #: allowed between a cue and its number
    NUMBER = 2  #: says that a number follows; makes weak cues count
    OF = 3  #: a filler also between a season and its year
    MONTH = 4
    WEEKDAY = 5
    NINETY = 6
    WWW = 7
    TOP_DOMAIN = 8
    ID = 9  #: like NUMBER, and a cue of its own
    NUMERO = 10  #: like NUMBER, also before the cue
    DATE = 16  #: before days and years: on 3/14
    YEAR = 17  #: before years: in 1998
    # From here on, the number that follows is the identifier.
    PHONE = 18
    PAGER = 19
    FAX = 20
    AGE = 21
    ZIP = 22
    SSN = 23
    RECORD = 24
    PLAN = 25
    ACCOUNT = 26
    LICENSE = 27
    VEHICLE = 28
    DEVICE = 29
    BIOMETRIC = 30
    OTHER_ID = 31


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, which spaces separate."""
    return frozenset(words.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        """
        january jan enero ene januar jänner janvier janv januari
        february feb febrero februar février fevrier févr fevr fév fev februari
        march mar marzo märz maerz mars maart mrt
        april apr abril abr avril avr
        may mayo mai mei
        june jun junio juni juin
        july jul julio juli juillet juil
        august aug agosto ago août aout augustus
        september sept sep septiembre setiembre set septembre
        october oct octubre oktober okt octobre
        november nov noviembre novembre
        december dec diciembre dic dezember dez décembre decembre déc
        """.strip().splitlines(),
        start=1,
    )
    for name in names.split()
}

WEEKDAYS = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday
    lunes martes miércoles jueves viernes sábado domingo
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    lundi mardi mercredi jeudi vendredi samedi dimanche
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    """
)
#: Too short to count alone, but part of a date: "Sun 3/14".
SHORT_WEEKDAYS = word_set("mon tue tues wed weds thu thur thurs fri sat sun")

STATES = word_set(
    """
    AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM
    NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA VI WA WV WI WY
    """
)

_WORDS = {
    WordKind.FILLER: "is was are at to me us him her for code al es",
    WordKind.NUMBER: "no nr number nummer numéro",
    WordKind.NUMERO: "num numero número nº",
    WordKind.ID: "id ids identifier",
    WordKind.OF: "of the de del",
    WordKind.NINETY: """
        ninety hundred nineties nonagenarian nonagenarians centenarian centenarians
        supercentenarian supercentenarians nonagenario nonagenaria nonagénaire noventa cien ciento
    """,
    WordKind.WWW: "www",
    WordKind.TOP_DOMAIN: """
        com org net edu gov mil info io uk ca fr nl eu au ie nz za ch pl pt br mx jp sg hk ae ng ke
        gh pk lk np example
    """,
    WordKind.DATE: """
        on since from until till dated date dates dob born birth birthdate birthday admitted
        admission admit discharged discharge approved verified performed started through thru after
        before between dictated transcribed signed today yesterday tomorrow seen desde hasta fecha
        día dia ingreso ingresa ingresó ingresado ingresada alta nacido nacida nacimiento fnac
        vom bis seit
    """,
    WordKind.YEAR: """
        in during circa year early late mid spring summer fall autumn winter back about around
        last dx diagnosed quit en año im jahr jahre année
    """,
    WordKind.PHONE: """
        tel telephone telephones phone phones ph cell cellphone mobile contact call telf teléfono
        telefono teléfonos tfno tlf tlfno tfn llamar llame tél móvil movil telefon handy
        téléphone telefoon mob landline hotline voicemail whatsapp
    """,
    WordKind.PAGER: """
        pager pagers paged page pgr bpr pg beeper bleep bleeped blp beep dect ext extn extension x
        extensión busca
    """,
    WordKind.FAX: "fax faxed faxes faxing telefax facsimile",
    WordKind.AGE: "age aged turned edad",
    WordKind.ZIP: """
        zip zipcode postcode postal cp plz pincode eircode singapore
        alabama alaska arizona arkansas california colorado connecticut delaware florida georgia
        hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts
        michigan minnesota mississippi missouri montana nebraska nevada hampshire jersey mexico york
        carolina dakota ohio oklahoma oregon pennsylvania island tennessee texas utah vermont
        virginia washington wisconsin wyoming columbia
    """,
    WordKind.SSN: "ssn ssns security nino",
    WordKind.RECORD: "mrn mrns mr pid nhc nhi uhid urn mrd hrn casenote casenotes hc",
    WordKind.PLAN: """
        policy member subscriber medicare medicaid masshealth nhs nass beneficiary
        nuss naf cip póliza poliza afiliación afiliacion
        mbi phn phin ohip ramq nhif medibank dva
    """,
    WordKind.ACCOUNT: "acct account csn fin iban",
    WordKind.LICENSE: """
        license licence lic dea npi nºcol colegiado colegiada gmc nmc gdc hcpc gphc ahpra mcnz
        nzmc ncnz mcrn cpso cpsid cpsbc hpcsa pmdc bmdc
    """,
    WordKind.VEHICLE: "vin plate plates vehicle rego matrícula matricula",
    WordKind.DEVICE: "serial sn",
    WordKind.BIOMETRIC: "fingerprint biometric",
    WordKind.OTHER_ID: """
        accession escription clia passport dni nie nif pasaporte badge docket dkt aadhaar
        aadhar cnic nric mykad hkid ppsn bsn
    """,
}

_WEAK_WORDS = {
    WordKind.LICENSE: "col",
    WordKind.PHONE: "office line home",
    WordKind.SSN: "ss sec ni",
    WordKind.RECORD: """
        unit hospital hosp chart file folder history patient pt med medical rec record clinic
        historia clínica clinica
    """,
    WordKind.PLAN: "group certificate plan health insurance",
    WordKind.ACCOUNT: "visit encounter billing invoice",
    WordKind.DEVICE: "device implant pump lot model pacemaker asset tag serie lote",
    WordKind.BIOMETRIC: "scan print sample",
    WordKind.OTHER_ID: """
        acc exam report case specimen lab order study clip ref reference request batch index claim
        document job dictation confirmation auth authorization authorisation wristband ticket
        voucher receipt rcpt permit incident requisition warrant
        expediente episodio tarjeta muestra informe petición solicitud afiliado asegurado
    """,
}


class Start(IntEnum):
    """What may begin at a place, in addition to the cues of :class:`WordKind` from PHONE on."""

    MONTH = 32
    CUED_MONTH = 33  #: a month's name after a cue: in May
    DAY_MONTH = 34
    WEEKDAY = 35
    CHAIN = 36  #: numbers joined by signs: dates, phone numbers, IP addresses, cards
    PARTIAL_DATE = 37  #: two numbers with evidence that they are a date
    YEAR = 38
    DIGITS = 39  #: many digits without signs
    AGE = 40
    NINETY = 41
    ZIP = 42
    CODE = 43  #: digits joined to letters: postcodes, bank accounts, vehicles
    EMAIL = 44
    URL = 45
    HEXADECIMAL = 46
    NUMBERS = 47  #: like CHAIN, but no date
    # A phone number some words later: "page Dr. Smith at 1234". The cue plus FAR.
    FAR_PHONE = 48
    FAR_PAGER = 49
    FAR_FAX = 50
    MIXTURE = 51  #: digits, letters and signs that cannot be a quantity
    ROMAN_MONTH = 52
    INITIALS = 53  #: of who dictated and who typed, alone on a line: RDM/bq


class WordTable(NamedTuple):
    """Open addressing: ``keys[slot]`` is a word's hash, 0 for none, ``kinds[slot]`` its kind."""

    keys: HashArray
    kinds: KindArray


def word_kinds() -> Iterator[tuple[str, int]]:
    """Yield every word with its kind; if a word comes twice, the last kind counts."""
    for kind, words in _WEAK_WORDS.items():
        yield from ((word, kind + WEAK) for word in words.split())
    for kind, words in _WORDS.items():
        yield from ((word, kind) for word in words.split())
    yield from ((word, WordKind.MONTH) for word in MONTHS)
    yield from ((word, WordKind.WEEKDAY) for word in WEEKDAYS | SHORT_WEEKDAYS)


@cache
def small_letters() -> CodeArray:
    """Return the small letter of every letter, and 0 for other characters; read-only."""
    classes = class_table()
    table = np.where((classes >= LOWER) & (classes <= LETTER), lower_table(), np.uint32(0))
    table.flags.writeable = False
    return table


@cache
def word_table() -> WordTable:
    """Return the table that the scan looks words up in; read-only."""
    table = WordTable(np.zeros(SIZE, np.uint64), np.zeros(SIZE, np.uint8))
    for word, kind in word_kinds():
        key = _hash(word)
        slot = key % SIZE
        while table.keys[slot] not in (0, key):
            slot = (slot + 1) % SIZE
        table.keys[slot], table.kinds[slot] = key, kind
    for array in table:
        array.flags.writeable = False
    return table


def _hash(word: str) -> int:
    key = HASH_START
    for character in word:
        key = (key ^ ord(character)) * HASH_FACTOR % 2**64
    return key
