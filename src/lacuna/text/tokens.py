"""Tokens of a text: words, numbers and signs, with character offsets and sentence borders.

Every character that is not white space (:mod:`lacuna.text.characters`) is in exactly one token,
and no token contains white space.

::

    Dr.Smith, Zoë         →  Dr . Smith , Zoë             letters, with marks
    37947241ZGJ 40years   →  37947241 ZGJ 40 years        digits apart from letters
    03/14/1998 98.6       →  03 / 14 / 1998 98 . 6        each sign alone,
    J.R. j_r@mail.org     →  J . R . j _ r @ mail . org   also in names and addresses
    4 Izq.. ... -----     →  4 Izq . . ... -----          but three of the same together
    Smith's she'll don’t  →  Smith 's she 'll don ’t      clitics begin at the apostrophe
    l'hôpital d'Arcy      →  l' hôpital d' Arcy           elisions end with it
    O'Brien D’Angelo's    →  O'Brien D’Angelo 's          but not between capitals
    McDonald mRNA         →  McDonald mRNA                case does not cut
    東京都 สวัสดี            →  東 京 都 ส วั ส ดี              each letter, in scripts without spaces
    さんのカルテ                →  さんの カルテ                      hiragana; katakana
    👩‍⚕️👍🏽🇳🇱              →  👩‍⚕️ 👍🏽 🇳🇱                   emoji with what is joined; flags
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.characters import (
    APOSTROPHE,
    DIGIT,
    FLAG,
    IDEOGRAPH,
    LETTER,
    LINE,
    LOWER,
    MARK,
    UPPER,
    ClassTable,
    class_table,
    code_points,
)
from lacuna.text.document import Document, Tokens
from lacuna.text.sentences import sentence_borders
from lacuna.types import CodeArray, IntArray, LongArray

ZERO_WIDTH_JOINER = 0x200D
SAME_SIGN_RUN = 3  # "Dr.." is two stops, "..." is one ellipsis


def tokenize(text: str) -> Tokens:
    """Return the tokens and sentences of `text`."""
    codes = code_points(text)
    start, end = token_borders(codes, class_table())
    start.flags.writeable = end.flags.writeable = False
    return Tokens(start, end, sentence_borders(codes, start, end))


def tokens_of(item: str | Document) -> Tokens:
    """Return the tokens of a text, or of a document: its own if it has them."""
    if isinstance(item, str):
        return tokenize(item)
    return item.tokens if item.tokens is not None else tokenize(item.text)


@kernel
def token_borders(codes: CodeArray, table: ClassTable) -> tuple[IntArray, IntArray]:
    """Return the start and end of every token."""
    start = np.empty(codes.size, np.int32)
    end = np.empty(codes.size, np.int32)
    count = 0
    done = 0  # end of the last token
    for i in range(codes.size):
        first = table[codes[i]]
        if i < done or first <= LINE:
            continue
        done = i + 1
        if LOWER <= first <= LETTER or first == MARK:
            while done < codes.size and _is_word_part(table[codes[done]]):
                done += 1
            if done < codes.size and table[codes[done]] == APOSTROPHE:
                done = _apostrophe_end(codes, table, i, done)
        elif DIGIT <= first <= FLAG:
            while done < codes.size and (table[codes[done]] == first or table[codes[done]] == MARK):
                done += 1
        elif done < codes.size and table[codes[done]] > LINE:
            done = _sign_end(codes, table, i)
        start[count] = i
        end[count] = done
        count += 1
    return start[:count].copy(), end[:count].copy()


@kernel
def all_token_borders(
    codes: CodeArray, texts: LongArray, table: ClassTable
) -> tuple[IntArray, IntArray, LongArray]:
    """Return the start and end of every token of many texts, and the borders of texts in tokens.

    Text d is codes[texts[d]:texts[d + 1]]; no token crosses from one into the next.
    """
    start = np.empty(codes.size, np.int32)
    end = np.empty(codes.size, np.int32)
    documents = np.zeros(len(texts), np.int64)
    for d in range(len(texts) - 1):
        own_start, own_end = token_borders(codes[texts[d] : texts[d + 1]], table)
        count = documents[d]
        for t in range(len(own_start)):
            start[count + t] = texts[d] + own_start[t]
            end[count + t] = texts[d] + own_end[t]
        documents[d + 1] = count + len(own_start)
    return start[: documents[-1]].copy(), end[: documents[-1]].copy(), documents


@kernel
def _apostrophe_end(codes: CodeArray, table: ClassTable, i: int, apostrophe: int) -> int:
    """Return the end of the word that begins at `i` and meets an apostrophe."""
    following = table[codes[apostrophe + 1]] if apostrophe + 1 < codes.size else LINE
    if not LOWER <= following <= LETTER or _clitic_end(codes, table, apostrophe) > apostrophe:
        return apostrophe  # Edwards|' or Smith|'s
    if apostrophe > i + 1 or table[codes[i]] != UPPER or following != UPPER:
        return apostrophe + 1  # l'|hôpital
    j = apostrophe + 1  # O'Brien
    while j < codes.size and _is_word_part(table[codes[j]]):
        j += 1
    return j


@kernel
def _sign_end(codes: CodeArray, table: ClassTable, i: int) -> int:
    """Return the end of the sign, ideograph or emoji that begins at `i`."""
    if table[codes[i]] == APOSTROPHE and i > 0 and _is_alphanumeric(table[codes[i - 1]]):
        clitic = _clitic_end(codes, table, i)
        if clitic > i:
            return clitic
    j = i + 1
    if table[codes[i]] != IDEOGRAPH:
        while j < codes.size and codes[j] == codes[i]:
            j += 1
        if j - i < SAME_SIGN_RUN:
            j = i + 1
    while j < codes.size and (
        table[codes[j]] == MARK
        or (codes[j - 1] == ZERO_WIDTH_JOINER and table[codes[j]] >= APOSTROPHE)
    ):
        j += 1
    return j


@kernel
def _clitic_end(codes: CodeArray, table: ClassTable, i: int) -> int:
    """Return the end of 's 't 'd 'm 'll 're 've at the apostrophe `i`, else `i`."""
    j = i + 1
    while j < codes.size and j < i + 4 and LOWER <= table[codes[j]] <= LETTER:
        j += 1
    if j < codes.size and table[codes[j]] == MARK:
        return i
    first = codes[i + 1] | 0x20 if j > i + 1 else 0
    second = codes[i + 2] | 0x20 if j > i + 2 else 0
    if j == i + 2 and (first == 0x73 or first == 0x74 or first == 0x64 or first == 0x6D):
        return j
    if j == i + 3 and (
        (first == 0x6C and second == 0x6C)
        or (first == 0x72 and second == 0x65)
        or (first == 0x76 and second == 0x65)
    ):
        return j
    return i


@kernel
def _is_word_part(character_class: int) -> bool:
    """Whether it is a letter or a mark."""
    return LOWER <= character_class <= LETTER or character_class == MARK


@kernel
def _is_alphanumeric(character_class: int) -> bool:
    """Whether it is a letter, a digit or a mark."""
    return LOWER <= character_class <= DIGIT or character_class == MARK
