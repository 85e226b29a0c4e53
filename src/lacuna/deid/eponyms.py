"""Names of people in names of diseases, signs and devices: *Foley catheter*, *Turner syndrome*."""

from __future__ import annotations

import re

from lacuna.deid.findings import Finding
from lacuna.deid.folding import fold_words
from lacuna.deid.patterns.cue_words import word_set

DISEASE = "names of diseases, signs and devices"  #: what they are called among protected words
_EPONYMS = word_set(
    "addison alzheimer apgar asperger babinski baker barrett bartholin bowen broca burkitt charcot"
    " chvostek colles crohn cushing doppler down dupuytren ewing foley gleason graves guillain"
    " hashimoto hickman hodgkin hoffman holter horner huntington kaposi kawasaki kernig klinefelter"
    " koplik lewy lyme marfan mcburney meckel meniere murphy osler paget parkinson pott raynaud"
    " romberg sjogren stevens swan tourette trendelenburg turner valsalva wernicke whipple wilms"
    " wilson"
)
_DISEASE = re.compile(
    r"(?i)(?:['’]s?|s['’]?)?[ -](?:disease|syndrome|signs?|catheter|score|scale|criteria|lymphoma"
    r"|sarcoma|tumou?r|palsy|chorea|fracture|bod(?:y|ies)|contracture|nodes?|maneuver|manoeuvre"
    r"|phenomenon|thyroiditis|monitor|line|test|position|procedure|dementia|drain)\b"
)


def is_disease(text: str, match: Finding) -> bool:
    """Whether a name is that of a disease: *Foley catheter*."""
    if _DISEASE.match(text, match.end) is None:
        return False
    return " ".join(fold_words(text[match.start : match.end])) in _EPONYMS
