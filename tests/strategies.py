"""Random documents for property tests: any Unicode, CRLF, every kind of mention."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.vendor.pretty import for_type_by_name

from lacuna.text.document import Document, Mention, Span, Tokens

# repr(document) shows no text on purpose; a failing example should.
for_type_by_name(
    "lacuna.text.document",
    "Document",
    lambda d, p, _: p.text(f"Document({d.id!r}, {d.text!r}, {d.mentions!r}, {d.reviewed!r})"),
)

LABELS = ("PER", "LOC", "ADR", "NAME-X")
#: Labels that some format or other cannot spell.
ODD_LABELS = ("a b", "x|y", "<tag>", "1st", "ü:x", "line\nbreak", "\x01", "end\r")

#: Any character a UTF-8 file can hold (no lone surrogates), with line ends, mark-up and odd
#: characters over-represented so that they meet each other often.
characters = st.one_of(
    st.sampled_from("abcXYZ019 .,:;/-_@<>&\"'\\|\t\n\r\u00e9\u0301\u2028\u00a0\ufeff😀𝔘"),
    st.characters(exclude_categories=["Cs"]),
)
texts = st.text(characters, max_size=40)


@st.composite
def spans_in(draw: st.DrawFn, size: int, max_parts: int = 3) -> tuple[Span, ...]:
    """Draw 1..max_parts disjoint spans inside ``[0, size)``; needs ``size >= 1``."""
    borders = draw(
        st.lists(st.integers(0, size), min_size=2, max_size=2 * max_parts, unique=True).filter(
            lambda chosen: len(chosen) % 2 == 0
        )
    )
    borders.sort()
    return tuple(Span(*borders[i : i + 2]) for i in range(0, len(borders), 2))


@st.composite
def mentions_in(
    draw: st.DrawFn, size: int, max_parts: int = 3, probabilities: bool = True
) -> Mention:
    """Draw one mention inside ``[0, size)``."""
    probability = st.none() | st.floats(0, 1) if probabilities else st.none()
    return Mention(
        draw(st.sampled_from(LABELS)), draw(spans_in(size, max_parts)), draw(probability)
    )


@st.composite
def documents(
    draw: st.DrawFn,
    max_mentions: int = 5,
    max_parts: int = 3,
    probabilities: bool = True,
    text: st.SearchStrategy[str] = texts,
) -> Document:
    """Draw an untokenised document whose mentions may nest, overlap, cross and have gaps."""
    content = draw(text)
    mentions = (
        draw(st.lists(mentions_in(len(content), max_parts, probabilities), max_size=max_mentions))
        if content
        else []
    )
    return Document("doc-1", content, tuple(mentions))


#: Ids with spaces, sub-folders and odd letters, and some no file may have.
ids = st.one_of(
    st.sampled_from(["doc-1", "a/b", "Ä 1", "x.txt", "note (2)", "corpus-1"]),
    st.sampled_from(["../x", "/etc", ".hidden", "a//b", "a\\b", "a|b", "line\nbreak", ""]),
    st.text(characters, max_size=6),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(characters, max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@st.composite
def tokens_in(draw: st.DrawFn, size: int) -> Tokens:
    """Draw tokens and sentences anywhere in ``[0, size)``, sometimes with columns."""
    borders = sorted(draw(st.sets(st.integers(0, size), max_size=10)))
    pairs = [pair for pair in itertools.pairwise(borders) if draw(st.booleans())]
    inner = draw(st.sets(st.integers(1, len(pairs) - 1), max_size=2)) if len(pairs) > 1 else set()
    names = draw(st.sampled_from([(), ("pos",), ("pos", "chunk"), ("lemma",)]))
    values = st.sampled_from(["NN", "-", "é", "a b"])
    return Tokens(
        np.array([start for start, _ in pairs]),
        np.array([end for _, end in pairs]),
        np.array(sorted({0, *inner, len(pairs)})),
        {name: tuple(draw(values) for _ in pairs) for name in names},
    )


@st.composite
def rich_documents(draw: st.DrawFn) -> Document:
    """Draw a document that has some of everything: any id, group, meta, tokens, odd labels."""
    document = draw(documents(max_mentions=3, probabilities=draw(st.booleans())))
    relabel = draw(st.dictionaries(st.sampled_from(LABELS), st.sampled_from(ODD_LABELS)))
    has = draw(st.sets(st.sampled_from(["group", "meta", "tokens", "reviewed"]), max_size=2))
    return Document(
        draw(ids),
        document.text,
        tuple(replace(m, label=relabel.get(m.label, m.label)) for m in document.mentions),
        draw(st.text(characters, max_size=4)) if "group" in has else None,
        draw(st.dictionaries(st.text(max_size=3), json_values, max_size=2))
        if "meta" in has
        else {},
        draw(tokens_in(len(document.text))) if "tokens" in has else None,
        draw(reviewed_in(len(document.text))) if "reviewed" in has else None,
    )


@st.composite
def reviewed_in(draw: st.DrawFn, size: int) -> tuple[Span, ...]:
    """Draw reviewed spans of a text: none, some that may touch, or all of it."""
    borders = sorted(draw(st.sets(st.integers(0, size), max_size=8)))
    pairs = [pair for pair in itertools.pairwise(borders) if draw(st.booleans())]
    whole = [(0, size)] if size else []
    return tuple(Span(*pair) for pair in draw(st.sampled_from([pairs, pairs, whole])))


@st.composite
def partly_reviewed(draw: st.DrawFn, max_mentions: int = 5) -> Document:
    """Draw a document of which some part was reviewed; mentions may lie anywhere."""
    document = draw(documents(max_mentions=max_mentions))
    return replace(document, reviewed=draw(reviewed_in(len(document.text))))


@st.composite
def laid_out_documents(draw: st.DrawFn) -> Document:
    """Draw a document as a conll file holds it: words, one character between any two."""
    word = st.text(characters.filter(lambda c: c not in " \t\n\r"), min_size=1, max_size=4)
    sentences = draw(st.lists(st.lists(word, min_size=1, max_size=5), max_size=3))
    words = [word for sentence in sentences for word in sentence]
    start = [sum(len(word) + 1 for word in words[:i]) for i in range(len(words))]
    borders = [sum(map(len, sentences[:i])) for i in range(len(sentences) + 1)]
    end = [i + len(word) for i, word in zip(start, words, strict=True)]
    mentions = [
        Mention.of(draw(st.sampled_from(LABELS)), (start[i], end[j - 1]))
        for first, last in itertools.pairwise(borders)
        for i, j in draw(_apart(first, last))
    ]
    names = draw(st.sampled_from(["", "pos", "pos chunk", "column2 column3 column4"])).split()
    columns = {name: tuple(draw(word) for _ in words) for name in names if words}
    scheme = draw(st.sampled_from(["", "IOB1", "BILOU"])) if mentions else ""
    return Document(
        draw(st.sampled_from(["doc-1", "note (2)", "a) b (c", "(", "Ä\t"])),
        "\n".join(" ".join(sentence) for sentence in sentences),
        tuple(mentions),
        meta={"scheme": scheme} if scheme else {},
        tokens=Tokens(np.array(start), np.array(end), np.array(borders), columns),
    )


@st.composite
def _apart(draw: st.DrawFn, first: int, last: int) -> list[tuple[int, int]]:
    borders = sorted(draw(st.sets(st.integers(first, last), max_size=4)))
    return [pair for pair in itertools.pairwise(borders) if draw(st.booleans())]
