"""Random documents for property tests: any Unicode, CRLF, every kind of mention."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.vendor.pretty import for_type_by_name

from lacuna.text.document import Document, Mention, Span

# repr(document) shows no text on purpose; a failing example should.
for_type_by_name(
    "lacuna.text.document",
    "Document",
    lambda d, p, _: p.text(f"Document({d.id!r}, {d.text!r}, {d.mentions!r})"),
)

LABELS = ("PER", "LOC", "ADR", "NAME-X")

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
