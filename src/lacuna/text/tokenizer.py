"""Tokens of a text: words, numbers and signs, with character offsets and sentence borders.

Every character that is not white space (:mod:`lacuna.text.characters`) is in exactly one token,
and no token holds white space.

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
    東京都 สวัสดี            →  東 京 都 ส วั ส ดี              each letter, where no spaces are written
    さんのカルテ                →  さんの カルテ                      hiragana; katakana
    👩‍⚕️👍🏽🇳🇱              →  👩‍⚕️ 👍🏽 🇳🇱                   emoji with what is joined; flags
"""

from __future__ import annotations

from lacuna.text._tokenizer import token_borders
from lacuna.text.characters import class_table, code_points
from lacuna.text.document import Document, Tokens
from lacuna.text.sentences import sentence_borders


def tokenize(text: str) -> Tokens:
    """Return the tokens and sentences of `text`."""
    codes = code_points(text)
    start, end = token_borders(codes, class_table())
    start.flags.writeable = end.flags.writeable = False
    return Tokens(start, end, sentence_borders(codes, start, end))


def tokens_of(document: Document) -> Tokens:
    """Return the document's own tokens where it has them, else ours."""
    return document.tokens if document.tokens is not None else tokenize(document.text)
