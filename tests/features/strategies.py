"""Documents whose layout matters: lines, fields, colons, titles; and any Unicode."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from lacuna.text.document import Document
from tests.strategies import characters, json_values, tokens_in

#: Pieces that make headers, titles, fields and times, so that they meet each other often.
words = ("Name", "Dr", "SEX", "of", "a", "É", "é", "7", "東", "A B C D E F")
signs = (":", "：", ": ", ".", "?", "...", "#", "-")
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
