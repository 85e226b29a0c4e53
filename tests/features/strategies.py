"""Documents whose layout matters: lines, fields, colons, titles; and any Unicode."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from lacuna.text.document import Document, Tokens
from tests.strategies import characters, json_values, tokens_in

#: Pieces that make headers, titles, fields and times, so that they meet each other often.
words = (
    "Name",
    "Dr",
    "SEX",
    "of",
    "a",
    "É",
    "é",
    "7",
    "東",
    "A B C D E F",
    "May",
    "12",
    "2003",
    "1-2-03",
)
signs = (":", "：", ": ", ".", "?", "...", "#", "-", "/")
gaps = (" ", " ", " ", "  ", "\t", "\n", "\r\n", "\n\n", "\r", "\u2028")
pieces = st.sampled_from((*words, *signs, *gaps))
laid_out = st.lists(pieces, max_size=30).map("".join)
texts = st.one_of(laid_out, laid_out, st.text(characters, max_size=30))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Draw a document, sometimes with tokens of its own, columns and meta data."""
    text = draw(texts)
    meta = draw(st.dictionaries(st.sampled_from(["kind", "ward"]), json_values, max_size=2))
    document = Document("doc-1", text, meta=meta)
    if draw(st.booleans()):
        document = replace(document, tokens=draw(tokens_in(len(text))))
    return document


corpora = st.lists(documents(), max_size=3)


def split_at_spaces(text: str) -> Tokens:
    """Tokens as whitespace-tokenised corpora have them: signs cling to words."""
    found = [match.span() for match in re.finditer(r"\S+", text)]
    start, end = (np.array([span[i] for span in found]) for i in (0, 1))
    return Tokens(start, end, np.array([0, len(found)]))


LAYOUT = (
    "Name: a Dr: a\nDr. Name: a\nName\na\nName Dr.\na\tName of: a\nName. Dr\na  Name : a\n"
    "A 7:7 a: Name\n7 Name: of\n\tSEX\n\nof a\n\nName Name SEX SEX Name Name SEX SEX\nof a\n"
    "Name Name SEX SEX Name Name SEX SEX 7\nof a\n\n\n東 É: é\nÉ é\nSEX a\tof\nSEX"
)
#: Added to what is drawn, so that most values meet themselves or their neighbours.
ANCHORS = (
    Document("anchor-1", LAYOUT),
    Document("anchor-2", LAYOUT, tokens=split_at_spaces(LAYOUT)),
)
