"""Names of months, whole and cut short, in English, Spanish, German, French and Dutch."""

from __future__ import annotations

from functools import cache

from lacuna.text.word_types import WordTypes, hash_words
from lacuna.types import BoolArray, HashArray

NAMES = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre
    diciembre ene abr ago set dic
    januar jänner februar märz mai juni juli oktober dezember okt dez
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    janv févr avr juil déc
    januari februari maart mei augustus mrt
"""


def are_months(hashes: HashArray) -> BoolArray:
    """Return which words, given by their hashes, name a month: as above, `May` or `MAY`."""
    found: BoolArray = _types().lookup(hashes) >= 0
    return found


@cache
def _types() -> WordTypes:
    names = NAMES.split()
    forms = [form for name in names for form in (name, name.capitalize(), name.upper())]
    return WordTypes.build(hash_words(forms))
