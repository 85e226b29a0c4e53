"""Which words of a text a model knows, and whether a text is in the model's language.

The vocabulary is what the model file holds of its training text (``Tagger.held_words``), in lower
case. Models without words in their file (private ones, and kinds that store only hashes of
character contexts) know no words.

A text of at least 50 words is foreign if fewer than 3 % of them are function words of the model's
language, and 45 % of them or more are unknown. Either alone would be wrong too often: laboratory
tables and shorthand have hardly any function words, lists of names have many unknown words. If the
model knows no words, the second condition is that the text looks like another language of
:data:`NAMES`: 6 % of its words or more are function words of that language. A run of letters is a
word if it has two or more of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from lacuna.types import CodeArray, HashArray, LongArray

LANGUAGE = "language"  #: key in the header of a model file, e.g. with the value "en"
ENOUGH_WORDS = 50
MOSTLY_UNKNOWN = 0.45
FEW_FUNCTION_WORDS = 0.03
SLICE = 1 << 17  #: characters of a long text looked at together, so that memory is bounded
TOGETHER = 1 << 20  #: characters of short texts looked at together
OTHER_FUNCTION_WORDS = 0.06
SAMPLE = 1500  #: characters that tell the language
SHORTEST = 2  #: letters of a word
BASIS, PRIME, HALF = map(np.uint64, (0xCBF29CE484222325, 0x100000001B3, 32))

NAMES: Mapping[str, str] = {"en": "English", "es": "Spanish"}
#: Words that are common in any prose of a language, and in none of the others.
_FUNCTION_WORDS: Mapping[str, str] = {
    "English": "the and of to with for at she his her by from had not that this be are were will"
    " who which but been after before over when we they their there it about into then than if also"
    " any all out up you your can may should would could does did",
    "Spanish": "el los las del una con al su sus por para que se lo fue pero muy sin tras hasta"
    " desde este esta está ha han como más según también cuando durante entre sobre ya porque le"
    " es ser está están había fueron tiene presenta refiere años",
}


class WordCounts(NamedTuple):
    """How many words a text has, how many are unknown, and whether its language is another.

    `unknown` is ``None`` if nobody needs it; `looks` is the name of the other language, if it is
    one of :data:`NAMES`.
    """

    words: int = 0
    unknown: int | None = 0
    is_foreign: bool = False
    looks: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a model knows; :func:`vocabulary_of` makes one.

    Attributes
    ----------
    known
        Hashes of the words, in lower case; ``None`` if the model keeps none.
    language
        Name of the language, ``""`` if the model does not give one.
    counts_unknown
        Whether unknown words are counted in every text, or only to recognise another language.
    """

    known: WordTypes | None
    language: str = ""
    counts_unknown: bool = True

    def count(self, text: str) -> WordCounts:
        """Count the words of a text."""
        return self.count_all([text])[0]

    def count_all(self, texts: Sequence[str]) -> list[WordCounts]:
        """Count the words of each of several texts."""
        if not self.counts_unknown:  # the language shows at the beginning
            texts = [text[:SAMPLE] for text in texts]
        words, common = np.zeros((2, len(texts)), np.int64)
        listed = _function_words().get(self.language)
        for hashes, owner in _words_of(texts):
            words += np.bincount(owner, minlength=len(texts))
            if listed is not None:
                common += _counts_in(listed, hashes, owner, len(texts))
        is_doubtful = (words >= ENOUGH_WORDS) & (common < FEW_FUNCTION_WORDS * words)
        is_doubtful &= listed is not None
        is_counted = is_doubtful | self.counts_unknown
        if self.known is None:
            is_counted[:] = False
        if not (is_counted | is_doubtful).any():
            return [WordCounts(count, None) for count in words.tolist()]
        unknown = self._unknown(texts)
        looks = _other_languages(texts, words, self.language)
        if self.known is None:
            is_foreign = is_doubtful & np.array([look != "" for look in looks])
        else:
            is_foreign = is_doubtful & (unknown >= MOSTLY_UNKNOWN * words)
        columns = words.tolist(), unknown.tolist(), is_foreign.tolist(), is_counted.tolist()
        return [
            WordCounts(count, strange if counted else None, foreign, look if foreign else "")
            for count, strange, foreign, counted, look in zip(*columns, looks, strict=True)
        ]

    def _unknown(self, texts: Sequence[str]) -> LongArray:
        """Count the words of each text that the model does not know; 0 if it keeps none."""
        unknown = np.zeros(len(texts), np.int64)
        if self.known is not None:
            for hashes, owner in _words_of(texts):
                unknown += np.bincount(owner[self.known.lookup(hashes) < 0], minlength=len(texts))
        return unknown


def _counts_in(listed: WordTypes, hashes: HashArray, owner: LongArray, count: int) -> LongArray:
    return np.bincount(owner[listed.lookup(hashes) >= 0], minlength=count)


def _other_languages(texts: Sequence[str], words: LongArray, own: str) -> list[str]:
    """Return the other language that each text looks like, ``""`` if none."""
    looks = [""] * len(texts)
    most = OTHER_FUNCTION_WORDS * np.maximum(words, 1)
    for language, listed in _function_words().items():
        if language == own:
            continue
        common = np.zeros(len(texts), np.int64)
        for hashes, owner in _words_of(texts):
            common += _counts_in(listed, hashes, owner, len(texts))
        for number in np.flatnonzero(common >= most).tolist():
            looks[number] = language
        most = np.maximum(most, common)
    return looks


def _words_of(texts: Sequence[str]) -> Iterator[tuple[HashArray, LongArray]]:
    """Yield hashes of the words of texts, and the number of the text that each is in."""
    places = [(n, i) for n, text in enumerate(texts) for i in range(0, len(text), SLICE)]
    together = len(places) if sum(map(len, texts)) <= TOGETHER else 1
    for first in range(0, len(places), max(together, 1)):
        batch = places[first : first + together]
        pieces = [texts[n][i : i + SLICE] for n, i in batch]
        hashes, start = _word_hashes("\n".join(pieces))
        last = np.cumsum([len(piece) + 1 for piece in pieces])
        numbers = np.array([n for n, _ in batch])
        yield hashes, numbers[np.searchsorted(last, start, side="right")]


def language_name(stored: StoredModel) -> str:
    """Return the name of a model's language, ``""`` if it is unknown."""
    return NAMES.get(str(stored.header.get(LANGUAGE, "")), "")


def language_code(language: str) -> str:
    """Return the code of a language by its name; English if it is unknown: surrogates need one."""
    return next((code for code, name in NAMES.items() if name == language), "en")


def vocabulary_of(stored: StoredModel, tagger: Tagger) -> Vocabulary | None:
    """Return the vocabulary of a model; ``None`` if its file holds no words and no language."""
    words, language = tagger.held_words(), language_name(stored)
    if not words:
        return Vocabulary(None, language, counts_unknown=False) if language else None
    return Vocabulary(word_types(words), language)


def word_types(words: Iterable[str]) -> WordTypes:
    """Return the types of words as :class:`Vocabulary` looks them up."""
    return WordTypes.build(_word_hashes("\n".join(words))[0])


@cache
def _function_words() -> Mapping[str, WordTypes]:
    return {language: word_types(words.split()) for language, words in _FUNCTION_WORDS.items()}


def _word_hashes(text: str) -> tuple[HashArray, LongArray]:
    return lower_word_hashes(code_points(text), class_table(), lower_table())


@kernel
def lower_word_hashes(
    codes: CodeArray, classes: ClassTable, lower: CodeArray
) -> tuple[HashArray, LongArray]:
    """Return a hash of every run of at least two letters, in lower case, and where it begins.

    Marks belong to the letter before them. FNV-1a of the code points, then mixed.
    """
    most = codes.size // SHORTEST + 1
    hashes, start = np.empty(most, np.uint64), np.empty(most, np.int64)
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
                hashes[count], start[count] = h ^ (h >> HALF), i - length
                count += 1
            h = BASIS
            length = 0
    return hashes[:count].copy(), start[:count].copy()
