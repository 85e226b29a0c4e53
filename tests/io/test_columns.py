"""Columns of conll files: which are read, how tags may be written, and what is no row."""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.schemes import Chunk, Scheme, encode
from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.columns import Columns, parse_columns
from lacuna.io.corpus import read_corpus
from lacuna.io.source import Skipped
from lacuna.text.document import Document
from lacuna.types import Task

Found = list[tuple[str, str]]


def read(
    content: str, columns: tuple[str, ...] = (), name: str = "n.conll", **how: Any
) -> Document:
    (document,) = read_all(content, columns, name, **how)
    return document


def read_all(
    content: str, columns: tuple[str, ...] = (), name: str = "n.conll", **how: Any
) -> list[Document]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content.encode())
        return list(read_corpus([path], columns=columns, **how))


def found(document: Document) -> Found:
    return [(m.label, m.surface(document.text)) for m in document.mentions]


def columns_of(document: Document) -> dict[str, tuple[str, ...]]:
    assert document.tokens is not None
    return dict(document.tokens.columns)


# --- choosing columns

GERMEVAL = "1\tDer\tO\tO\n2\tFC\tB-ORG\tO\n3\tBonn\tI-ORG\tB-LOC\n"
NESTED = [("ORG", "FC Bonn"), ("LOC", "Bonn")]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("word=2", "tag=3", "tag=4"), NESTED),
        (("tag=-1", "word=2", "tag=-2"), NESTED),
        (("word=2", "tag=3"), NESTED[:1]),
        (("word=2",), NESTED[1:]),
        (("tag=3", "tag=4"), NESTED),  # column 1 numbers the words
        (("word=2", "tag=4", "outer=3"), NESTED[1:]),
    ],
)
def test_tags_of_several_columns_are_nested_mentions(
    columns: tuple[str, ...], expected: Found
) -> None:
    document = read(GERMEVAL, columns)
    assert document.text == "Der FC Bonn"
    assert found(document) == expected


def test_only_named_columns_are_read_and_their_names_kept() -> None:
    assert columns_of(read(GERMEVAL, ("word=2", "tag=4", "outer=3"))) == {
        "outer": ("O", "B-ORG", "I-ORG")
    }
    assert columns_of(read(GERMEVAL, ("word=2", "tag=4"))) == {}


def test_a_mention_in_both_layers_is_one() -> None:
    assert found(read("Bonn B-LOC B-LOC\n", ("tag=2", "tag=3"))) == [("LOC", "Bonn")]


@pytest.mark.parametrize(
    "content",
    [
        "FORM\tUPOS\tNER\nAnna\tNN\tPER\nlebt\tVB\tO\n",
        "\n# a comment\nFORM UPOS NER\nAnna NN B-PER\nlebt VB O\n",
        "# global.columns = FORM UPOS NER\nAnna NN PER\nlebt VB O\n",
        "\ufeffFORM UPOS NER\r\nAnna NN B-PER\r\nlebt VB O\r\n",
    ],
)
def test_columns_by_their_names_in_the_header(content: str) -> None:
    document = read(content, ("word=FORM", "pos=UPOS", "tag=NER"))
    assert document.text == "Anna lebt"
    assert found(document) == [("PER", "Anna")]
    assert columns_of(document) == {"pos": ("NN", "VB")}


def test_a_name_that_is_not_in_the_header_is_an_error() -> None:
    with pytest.raises(CorpusFormatError, match=r"n.conll:2: no column is named 'lemma' in its he"):
        read("\nFORM NER\nAnna O\n", ("word=FORM", "tag=NER", "x=lemma"))
    with pytest.raises(CorpusFormatError, match=r"n.conll:1: no column is named"):
        read("", ("word=FORM",))


def test_a_row_needs_the_columns_that_are_named() -> None:
    with pytest.raises(CorpusFormatError, match=r"n.conll:2: expected 4 columns, got 3"):
        read("1 a O O\n2 b O\n", ("word=2", "tag=3"))
    with pytest.raises(CorpusFormatError, match=r"n.conll:1: expected at least 5 columns, got 3"):
        read("1 a O\n", ("word=2", "tag=-5"))
    with pytest.raises(CorpusFormatError, match=r"n.conll:2: a tag is written in another way"):
        read("1 a X 7\n2 b B-Y 8\n", ("word=2", "tag=3"))
    with pytest.raises(CorpusFormatError, match=r"n.conll:2: the tag column is not a tag"):
        read("1 a B-X 7\n2 b c 8\n", ("word=2", "tag=3"))


def test_sentences_may_differ_in_columns_that_are_not_named() -> None:
    assert read("a B-X u\n\nb O u v w\n", ("tag=2",)).text == "a\nb"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], None),
        (["word=2"], Columns(2)),
        ([" tag = 3 ", "tag=-1", "pos=UPOS"], Columns(None, (3, -1), (("pos", "UPOS"),))),
    ],
)
def test_what_columns_say(given: list[str], expected: Columns | None) -> None:
    assert parse_columns(given) == expected


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["word"], "--column word: expected word, tag or another name"),
        (["=2"], "--column =2: expected"),
        (["tag="], "--column tag=: expected"),
        (["tag=0"], "--column tag=0: expected"),
        (["word=1", "word=2"], "word was given twice"),
        (["pos=1", "pos=2"], "pos was given twice; only tag can be"),
        (["tag=2", "tag=2"], "tag names one column twice"),
    ],
)
def test_what_columns_cannot_say(given: list[str], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        parse_columns(given)


def test_a_part_of_speech_is_a_tag_when_these_are_learnt() -> None:
    for columns in (("word=2", "tag=3"), ("word=2", "pos=3")):
        document = read("1 a DT x\n2 b NN y\n", columns, task=Task.POS)
        assert document.text == "a b"
        assert columns_of(document) == {"pos": ("DT", "NN")}
    with pytest.raises(ConfigError, match="parts of speech are in one column"):
        read("a DT NN\n", ("tag=2", "tag=3"), task=Task.POS)


# --- columns that nobody named


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a B-X B-Y\nb O O\n", 1),
        ("a B-X O\nb I-X O\n", 2),  # the other layer is empty
        ("a B-NP B-X\nb O O\n", 0),  # phrases
        ("a B-NP O\nb O O\n", 0),
        ("a B-X O\nb NN O\n", 0),  # no tags
        ("a O B-X\nb O O\n", 0),
    ],
)
def test_a_second_layer_that_is_not_read_is_reported(content: str, expected: int) -> None:
    notices: list[Skipped] = []
    read(content, on_skip=notices.append)
    reported = (
        "tags in column 2 (--column tag=2 --column tag=3 reads them, too, as nested mentions)"
    )
    assert [(one.what, one.count) for one in notices] == [(reported, expected)] * (expected > 0)
    read(content, ("tag=3",), on_skip=notices.append)
    assert len(notices) == (expected > 0)


@pytest.mark.parametrize(
    "content",
    [
        "1 a O\n2 b B-X\n\n1 c O\n",
        "0 a O\n1 b B-X\n\n0 c O\n",
        "1 a O\n2 b B-X\n\n3 c O\n",  # counting on
        "# text = 1\n1 a O\n2 b B-X\n\n# text = 2\n1 c O\n",
    ],
)
def test_a_column_of_numbers_is_not_one_of_words(content: str) -> None:
    document = read(content)
    assert document.text == "a b\nc"
    assert found(document) == [("X", "b")]


@pytest.mark.parametrize(
    "content",
    [
        "1 a O\n2 b O\n",  # too few to be sure
        "1 O\n2 O\n3 O\n",  # then there would be no words
        "1 a O\n3 b O\n4 c O\n",
        "2 a O\n3 b O\n4 c O\n",
        "-DOCSTART- -X- O\n\n1 a O\n2 b O\n3 c O\n",  # files with such a line have no numbers
    ],
)
def test_numbers_may_be_words(content: str) -> None:
    assert read(content).text.split()[0] in ("1", "2")


# --- comments and borders of documents


@pytest.mark.parametrize(
    "content",
    [
        "# sent_id = 1\n# text = Grupo O\nAnna B-PER\n# in between\nlebt O\n",
        "#\nAnna B-PER\nlebt O\n#",
        "#\tsource\t[2009]\nAnna\tB-PER\nlebt\tO\n",
        "# source O\nAnna\tB-PER\nlebt\tO\n# B-X\n",  # no tabs, and so no row
    ],
)
def test_comments_are_no_rows(content: str) -> None:
    document = read(content)
    assert document.text == "Anna lebt"
    assert found(document) == [("PER", "Anna")]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("# O\n1 O\n", "# 1"),
        ("one B-X\n# O\n", "one #"),
        ("#one B-X\n#begin O\n", "#one #begin"),
        ("# B-X\n", "#"),
        ("A PER\nb O\nc O\nd O\n# PER\n", "A b c d #"),  # a label that has been seen
        ("A PER\nb O\nc O\nd O\n# comment\n", "A b c d"),
    ],
)
def test_a_number_sign_may_be_a_word(content: str, text: str) -> None:
    assert read(content).text == text


def test_a_number_sign_may_be_a_word_with_a_part_of_speech() -> None:
    document = read("# #\n1 CD\n# a comment\n", task=Task.POS)
    assert columns_of(document)["pos"] == ("#", "CD")


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ("# newdoc id = a 1\nx O\n\n# newdoc\ny B-X\n", ["a 1", "n-2"]),
        ("#begin document (a/b); part 000\nx O\n\n#end document\n", ["a/b-000"]),
        ("#begin document (a);\nx O\n#end document\n#begin document (b)\n", ["a", "b"]),
        ("x O\n# newdoc id = b\ny B-X\n", ["n", "b"]),
    ],
)
def test_lines_that_begin_documents(content: str, ids: list[str]) -> None:
    assert [document.id for document in read_all(content)] == ids


# --- tags in other styles


@pytest.mark.parametrize(
    ("content", "columns", "expected"),
    [
        ("a X\nb X\nc Y\nd O\ne O\nf O\n", (), [("X", "a b"), ("Y", "c")]),
        ("a X\nb Y-1\nc X\n", ("tag=2",), [("X", "a"), ("Y-1", "b"), ("X", "c")]),
        ("a (X*\nb (Y)\nc *)\n", (), [("X", "a b c"), ("Y", "b")]),
        ("a (X(Y)\nb *)\n\nc (Z)\n", (), [("X", "a b"), ("Y", "a"), ("Z", "c")]),
    ],
)
def test_tags_without_prefixes_and_brackets(
    content: str, columns: tuple[str, ...], expected: Found
) -> None:
    assert found(read(content, columns)) == expected


@pytest.mark.parametrize(
    "content",
    [
        "a NN\nb VB\nc DT\nd NN\n",  # no O: parts of speech
        "a X\nb O\n",  # too few to be sure
        "a O\nb O\nc O\nd NN\ne B-X\n",  # tags have prefixes
    ],
)
def test_what_may_be_something_else_is_not_taken_for_labels(content: str) -> None:
    with pytest.raises(CorpusFormatError, match="the last column is not a tag"):
        read(content)


# --- words without tags


def test_words_without_tags_are_read_only_if_nobody_needs_tags() -> None:
    content = "Anna\nlebt\n\n# a comment\nHier\n"
    document = read(content, tagged=False)
    assert document.text == "Anna lebt\nHier"
    assert not document.mentions
    with pytest.raises(CorpusFormatError, match=r"n.conll:1: expected at least 2 columns, got 1"):
        read(content)
    assert read("1 Anna NN\n", ("word=2", "pos=3"), tagged=False).text == "Anna"
    with pytest.raises(CorpusFormatError, match=r"n.conll:2: expected 1 columns, got 2"):
        read("Anna\nlebt hier\n", tagged=False)


# --- detection


@pytest.mark.parametrize("name", ["n.txt", "n.tsv", "n"])
@pytest.mark.parametrize(
    "content",
    [
        "# source O\n1\tBonn\tB-LOC\tO\n2\tist\tO\tO\n3\tda\tO\tO\n",
        "#begin document (a)\nBonn (LOC)\n",
    ],
)
def test_comments_inner_tags_and_borders_are_signs_of_columns(name: str, content: str) -> None:
    assert read(content, name=name).text.startswith("Bonn")


def test_who_names_columns_has_columns() -> None:
    assert found(read("Bonn LOC\n", ("tag=2",), name="n.tsv")) == [("LOC", "Bonn")]
    with pytest.raises(CorpusFormatError, match="format cannot be detected"):
        read("Bonn LOC\n", name="n.tsv")


# --- round trips: what a sentence says, in every style

LABELS = st.sampled_from(["PER", "LOC", "x-1"])


@st.composite
def sentences(draw: st.DrawFn) -> tuple[int, list[Chunk]]:
    """Draw the length of a sentence and chunks that do not overlap."""
    borders = sorted(draw(st.sets(st.integers(0, 9), min_size=2)))
    pairs = pairwise(borders)
    chunks = [Chunk(draw(LABELS), i, j) for i, j in pairs if draw(st.booleans())]
    return borders[-1], chunks


def expected(sentences: list[tuple[int, list[Chunk]]]) -> list[tuple[str, list[str]]]:
    """Return label and words of all mentions, by their place."""
    chunks = [(s, c) for s, (_, found) in enumerate(sentences) for c in found]
    chunks.sort(key=lambda pair: (pair[0], pair[1].start, -pair[1].end))
    return [(c.label, [f"w{s}.{i}" for i in range(c.start, c.end)]) for s, c in chunks]


def as_expected(document: Document) -> list[tuple[str, list[str]]]:
    return [(label, words.split(" ")) for label, words in found(document)]


def rows(sentences: list[tuple[int, list[Chunk]]], *layers: list[list[str]]) -> str:
    """Return the lines of a file with columns of tags."""
    lines = []
    for s, (length, _) in enumerate(sentences):
        cells = ([f"w{s}.{i}", *(layer[s][i] for layer in layers)] for i in range(length))
        lines += [*map("\t".join, cells), ""]
    return "\n".join(lines)


SENTENCES = st.lists(sentences(), min_size=1, max_size=4)


def brackets(length: int, chunks: list[Chunk]) -> list[str]:
    opening, closing = [""] * length, [""] * length
    for label, start, end in sorted(chunks, key=lambda c: (c.start, -c.end)):
        opening[start] += f"({label}"
        closing[end - 1] += ")"
    return [f"{a}*{b}" for a, b in zip(opening, closing, strict=True)]


@given(SENTENCES)
@settings(deadline=None)
def test_brackets_are_read_back(drawn: list[tuple[int, list[Chunk]]]) -> None:
    outer = [
        Chunk("ALL", chunks[0].start, chunks[-1].end) for _, chunks in drawn if len(chunks) > 1
    ]
    nested = iter(outer)
    both = [(n, [*chunks, next(nested)] if len(chunks) > 1 else chunks) for n, chunks in drawn]
    document = read(rows(both, [brackets(n, chunks) for n, chunks in both]))
    assert as_expected(document) == expected(both)


@given(SENTENCES, st.data(), st.sampled_from([Scheme.BIO, Scheme.BILOU, Scheme.IOBES]))
@settings(deadline=None)
def test_two_layers_are_read_back(
    drawn: list[tuple[int, list[Chunk]]], data: st.DataObject, scheme: Scheme
) -> None:
    inner = [
        [c._replace(label="in", end=c.start + 1) for c in chunks if data.draw(st.booleans())]
        for _, chunks in drawn
    ]
    layers = (
        [encode(chunks, n, scheme) for n, chunks in drawn],
        [encode(chunks, n, scheme) for (n, _), chunks in zip(drawn, inner, strict=True)],
    )
    document = read(rows(drawn, *layers), ("tag=2", "tag=3"))
    both = [(n, [*chunks, *more]) for (n, chunks), more in zip(drawn, inner, strict=True)]
    assert sorted(as_expected(document)) == sorted(expected(both))


@given(st.integers(1, 9), st.data())
@settings(deadline=None)
def test_word_numbers_are_read_back(length: int, data: st.DataObject) -> None:
    one = st.sets(st.integers(0, length - 1), min_size=1).map(sorted)
    indices = data.draw(st.lists(one, max_size=4, unique_by=tuple))
    words = [f"w{i}" for i in range(length)]
    item = {"sentence": words, "ner": [{"index": index, "type": "A"} for index in indices]}
    (document,) = read_all(json.dumps([item]), name="n.json")
    assert document.tokens is not None
    assert document.tokens.words(document.text) == words
    back = [m.surface(document.text).replace("…", " ").split() for m in document.mentions]
    assert sorted(" ".join(found) for found in back) == sorted(
        " ".join(words[i] for i in index) for index in indices
    )
