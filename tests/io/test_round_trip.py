"""For every format: what is written is read back exactly, or it is refused, and rightly so."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lacuna.errors import FormatLimitError
from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS
from lacuna.io.limits import Loss
from lacuna.io.output import Written, write_corpus
from lacuna.text.document import Document, Mention
from lacuna.text.overlap import overlapping_pairs
from tests.strategies import documents, laid_out_documents, rich_documents

EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
EVERY_FORMAT = pytest.mark.parametrize("name", FORMATS)


def round_trip(
    document: Document, name: str, loss: Loss = Loss.NOTHING
) -> tuple[Written, Document]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "corpus"
        written = write_corpus([document], target, format=name, loss=loss)
        (result,) = read_corpus([target], format=name)
        return written, result


def outcome(document: Document, name: str, loss: Loss) -> tuple[Written, Document] | str:
    """Return what came of a round trip, or what it was refused for."""
    try:
        return round_trip(document, name, loss)
    except FormatLimitError as error:
        return error.what


# --- An independent account of what fits: plain predicates, no code of the library.


def crosses(a: Mention, b: Mention) -> bool:
    inside = set(range(a.start, a.end)), set(range(b.start, b.end))
    return bool(inside[0] & inside[1]) and not (inside[0] <= inside[1] or inside[1] <= inside[0])


def is_bare(document: Document) -> bool:
    return (
        document.group is None
        and not document.meta
        and document.tokens is None
        and document.reviewed is None
        and all(mention.probability is None for mention in document.mentions)
    )


def is_file_name(id_: str) -> bool:
    return all(
        part and part[0] != "." and part.isprintable() and "\\" not in part
        for part in id_.split("/")
    )


def spells(document: Document, pattern: str) -> bool:
    return all(re.fullmatch(pattern, mention.label) for mention in document.mentions)


def is_xml(text: str) -> bool:
    return all(c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") for c in text)


def has_gaps(document: Document) -> bool:
    return any(mention.is_discontiguous for mention in document.mentions)


def nests(document: Document) -> bool:
    pairs = combinations(document.mentions, 2)
    return not has_gaps(document) and not any(crosses(a, b) for a, b in pairs)


TAG_NAME = r"[^\W\d][\w.:-]*"

#: What fits, for documents without tokens; conll has a test of its own.
FITS: dict[str, Callable[[Document], bool]] = {
    "jsonl": lambda d: True,
    "brat": lambda d: is_bare(d) and is_file_name(d.id) and spells(d, r"\S+"),
    "share": lambda d: (
        is_bare(d) and is_file_name(d.id) and "|" not in d.id and spells(d, r"[^|\n\r]+")
    ),
    **dict.fromkeys(
        ("doccano", "prodigy", "label-studio"),
        lambda d: is_bare(replace(d, group=None)) and not has_gaps(d),
    ),
    "i2b2": lambda d: (
        is_bare(d)
        and is_file_name(d.id)
        and not has_gaps(d)
        and is_xml(d.text)
        and all(is_xml(m.label) for m in d.mentions)
    ),
    "i2b2-2006": lambda d: (
        is_bare(d)
        and nests(d)
        and d.id != ""
        and is_xml(d.id)
        and is_xml(d.text)
        and all(is_xml(m.label) for m in d.mentions)
    ),
    "inline": lambda d: is_bare(d) and is_file_name(d.id) and nests(d) and spells(d, TAG_NAME),
    "inline-lines": lambda d: (
        is_bare(d)
        and d.id == "corpus-1"
        and "\n" not in d.text
        and nests(d)
        and spells(d, TAG_NAME)
    ),
    "marked": lambda d: (
        is_bare(d)
        and nests(d)
        and re.fullmatch(r"[^\n\r]+", d.id) is not None
        and not {"⟦", "⟧"} & set(d.text)
        and not any(line.startswith("=== ") for line in d.text.split("\n"))
        and spells(d, r"[^⟦⟧|\n\r]+")
    ),
    "txt": lambda d: is_bare(d) and is_file_name(d.id) and not d.mentions,
}


#: Everything that mark-up, line formats and parsers trip over; one with line feeds, one without.
NASTY = "\ufeff<a> \r &amp; ]]> \" ' &#13; ||\t| \u2028 \x85 T1 😀\u0301"
SPREAD = (
    Mention.of("PER", (0, 9)),
    Mention.of("LOC", (3, 9)),
    Mention.of("LOC", (3, 9)),
    Mention.of("ADR", (9, 40)),
    Mention.of("ADR", (30, 31)),
)


@pytest.mark.parametrize("name", FITS)
@example(Document("corpus-1", NASTY, SPREAD))
@example(Document("brackets", "⟧ ⟦A|b"))
@example(Document("headers", "a\n=== b"))
@example(Document("labels", "abc", (Mention.of("a|b", (0, 1)),)))
@example(Document("a\tb", "abc", (Mention.of("line\nbreak", (0, 1)),)))
@example(Document("doc-1", "abc", (Mention.of("PER", (0, 1), probability=0.0),)))
@example(Document("corpus-1", NASTY.replace("\t", "\r\n"), SPREAD))
@given(
    st.one_of(
        rich_documents(),
        documents(probabilities=False),
        documents(max_mentions=2, max_parts=1, probabilities=False),
    )
)
@EXAMPLES
def test_read_back_or_rightly_refused(name: str, document: Document) -> None:
    if name == "inline-lines" and document.id == "doc-1":
        document = replace(document, id="corpus-1")
    if FITS[name](document):
        assert round_trip(document, name)[1] == document
    else:
        with pytest.raises(FormatLimitError, match=f"^{name} cannot hold"):
            round_trip(document, name)


@given(laid_out_documents())
@EXAMPLES
def test_conll_reads_back_what_is_laid_out_as_it_reads(document: Document) -> None:
    written, result = round_trip(document, "conll")
    assert result == document
    assert written == Written(1, len(document.mentions), {})


@given(rich_documents())
@EXAMPLES
def test_conll_keeps_or_refuses_other_documents(document: Document) -> None:
    """Own tokens must come back as they are; where there were none, ours are added."""
    try:
        _, result = round_trip(document, "conll")
    except FormatLimitError:
        return
    if document.tokens is None:
        result = replace(result, tokens=None)
    assert result == document


@EVERY_FORMAT
@given(documents(probabilities=True))
@EXAMPLES
def test_with_loss_allowed_the_rest_is_right_and_counted(name: str, document: Document) -> None:
    came = outcome(document, name, Loss.MENTIONS)
    if isinstance(came, str):
        assert came == "some characters of the text"
        return
    written, result = came
    assert written.mentions == len(result.mentions)
    lost = sum(count for what, count in written.left_out.items() if "mentions" in what)
    assert len(result.mentions) + lost == len(document.mentions)
    assert "".join(result.text.split()) == "".join(document.text.split()) or name == "conll"
    if name != "conll":  # its offsets move with the white space
        assert set(map(key, result.mentions)) <= set(map(key, document.mentions))
    if name in {"conll", "txt"}:
        assert not overlapping_pairs(result.mentions)


def key(mention: Mention) -> tuple[str, object]:
    return mention.label, mention.spans


@given(documents(max_parts=1, probabilities=False))
@EXAMPLES
def test_conll_keeps_the_words_of_every_mention(document: Document) -> None:
    came = outcome(document, "conll", Loss.EXTRAS)
    if came == "mentions of white space only":
        assert not all(solid(m.surface(document.text)) for m in document.mentions)
        return
    if isinstance(came, str):
        assert came == "overlapping mentions"
        assert overlapping_pairs(document.mentions)
        return
    _, result = came
    before = [(m.label, solid(m.surface(document.text))) for m in document.mentions]
    after = [(m.label, solid(m.surface(result.text))) for m in result.mentions]
    assert before == after
    assert solid(result.text) == solid(document.text)


def solid(text: str) -> str:
    """Leave out what is no token: white space, controls, invisible characters that set apart."""
    from lacuna.text.tokens import tokenize

    return "".join(tokenize(text).words(text))


@EVERY_FORMAT
@given(st.lists(documents(max_parts=1, probabilities=False), max_size=4))
@settings(max_examples=15, deadline=None)
def test_many_documents_stay_apart_and_in_order(name: str, drawn: list[Document]) -> None:
    corpus = [replace(document, id=f"corpus-{i}") for i, document in enumerate(drawn, start=1)]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "corpus"
        try:
            written = write_corpus(corpus, target, format=name, loss=Loss.MENTIONS)
        except FormatLimitError:
            assert not target.exists()
            return
        assert written.documents == len(corpus)
        found = list(read_corpus([target], format=name)) if corpus else []
        assert [document.id for document in found] == [document.id for document in corpus]
