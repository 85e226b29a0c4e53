"""Which words of a text a model knows, and whether a text is in the model's language.

The vocabulary is what the model file holds of its training text (``Tagger.held_words``), in lower
case. Models without words in their file (private ones, and kinds that store only hashes of
character contexts) have no vocabulary.

A text of at least 50 words is foreign if two things hold: 45 % of its words or more are unknown,
and fewer than 3 % are function words of the model's language. Either alone would be wrong too
often: laboratory tables and shorthand have hardly any function words, lists of names have many
unknown words. A run of letters is a word if it has two or more of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from lacuna.kernels import kernel
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel
from lacuna.text.characters import (
    HIRAGANA,
    IDEOGRAPH,
    KATAKANA,
    LETTER,
    LOWER,
    MARK,
    SPACE,
    ClassTable,
    class_table,
    code_points,
    lower_table,
)
from lacuna.text.word_types import WordTypes
from lacuna.types import CodeArray, HashArray

LANGUAGE = "language"  #: key in the header of a model file, e.g. with the value "en"
ENOUGH_WORDS = 50
MOSTLY_UNKNOWN = 0.45
FEW_FUNCTION_WORDS = 0.03
SLICE = 1 << 17  #: characters looked at together, so that memory is bounded
SAMPLE = 1500  #: characters that tell the language
SHORTEST = 2  #: letters of a word
BASIS, PRIME, HALF = map(np.uint64, (0xCBF29CE484222325, 0x100000001B3, 32))

NAMES: Mapping[str, str] = {"en": "English"}
#: Words that are common in any English prose, and in no other Western European language.
_FUNCTION_WORDS: Mapping[str, str] = {
    "English": "the and of to with for at she his her by from had not that this be are were will"
    " who which but been after before over when we they their there it about into then than if also"
    " any all out up you your can may should would could does did"
}


class WordCounts(NamedTuple):
    """How many words a text has, how many are unknown, and whether its language is another.

    `unknown` is ``None`` if nobody needs it.
    """

    words: int = 0
    unknown: int | None = 0
    is_foreign: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a model knows; :func:`vocabulary_of` makes one.

    Attributes
    ----------
    known
        Hashes of the words, in lower case.
    language
        Name of the language, ``""`` if the model does not give one.
    counts_unknown
        Whether unknown words are counted in every text, or only to recognise another language.
    """

    known: WordTypes
    language: str = ""
    counts_unknown: bool = True

    def count(self, text: str) -> WordCounts:
        """Count the words of a text."""
        if not self.counts_unknown:  # the language shows at the beginning
            text = text[:SAMPLE]
        common = _function_words(self.language)
        hashes = [_word_hashes(text[i : i + SLICE]) for i in range(0, len(text), SLICE)]
        words = sum(map(len, hashes))
        is_foreign = False
        if common is not None and words >= ENOUGH_WORDS:
            functional = sum([int(np.count_nonzero(common.lookup(h) >= 0)) for h in hashes])
            is_foreign = functional < FEW_FUNCTION_WORDS * words
        if not (is_foreign or self.counts_unknown):
            return WordCounts(words, None)
        unknown = sum([int(np.count_nonzero(self.known.lookup(h) < 0)) for h in hashes])
        return WordCounts(words, unknown, is_foreign and unknown >= MOSTLY_UNKNOWN * words)


def language_name(stored: StoredModel) -> str:
    """Return the name of a model's language, ``""`` if it is unknown."""
    return NAMES.get(str(stored.header.get(LANGUAGE, "")), "")


def vocabulary_of(stored: StoredModel, tagger: Tagger) -> Vocabulary | None:
    """Return the vocabulary of a model; ``None`` if its file holds no words."""
    words = tagger.held_words()
    return Vocabulary(word_types(words), language_name(stored)) if words else None


def word_types(words: Iterable[str]) -> WordTypes:
    """Return the types of words as :class:`Vocabulary` looks them up."""
    return WordTypes.build(_word_hashes("\n".join(words)))


@cache
def _function_words(language: str) -> WordTypes | None:
    words = _FUNCTION_WORDS.get(language)
    return None if words is None else word_types(words.split())


def _word_hashes(text: str) -> HashArray:
    return lower_word_hashes(code_points(text), class_table(), lower_table())


@kernel
def lower_word_hashes(codes: CodeArray, classes: ClassTable, lower: CodeArray) -> HashArray:
    """Return a hash of every run of at least two letters, in lower case, in one pass.

    Marks belong to the letter before them. FNV-1a of the code points, then mixed.
    """
    hashes = np.empty(codes.size // SHORTEST + 1, np.uint64)
    count = 0
    length = 0
    h = BASIS
    for i in range(codes.size + 1):
        kind = classes[codes[i]] if i < codes.size else SPACE
        is_letter = LOWER <= kind <= LETTER or kind in (HIRAGANA, KATAKANA, IDEOGRAPH)
        if is_letter or (kind == MARK and length > 0):
            h = (h ^ np.uint64(lower[codes[i]])) * PRIME
            length += 1
        elif length > 0:
            if length >= SHORTEST:
                hashes[count] = h ^ (h >> HALF)
                count += 1
            h = BASIS
            length = 0
    return hashes[:count].copy()
