"""All formats: how each is read and written, and what it can hold.

============  ====  ========  ========  ========  ===  ======  =====  =======  ========
format        gaps  crossing  overlaps  mentions  ids  tokens  group  meta, p  reviewed
============  ====  ========  ========  ========  ===  ======  =====  =======  ========
jsonl         yes   yes       yes       yes       yes  yes     yes    yes      yes
brat          yes   yes       yes       yes       yes
share         yes   yes       yes       yes       yes
doccano             yes       yes       yes       yes          yes
prodigy             yes       yes       yes       yes          yes
label-studio        yes       yes       yes       yes          yes
i2b2                yes       yes       yes       yes
i2b2-2006                     yes       yes       yes
inline                        yes       yes       yes
inline-lines                  yes       yes
marked                        yes       yes       yes
conll                                   yes       yes  yes
txt                                               yes
============  ====  ========  ========  ========  ===  ======  =====  =======  ========

``read`` turns a :class:`Source` into documents, one at a time. ``encode`` turns a document into
``{suffix: bytes}``: the files of a document, or its part of a stream. ``limits.holds`` says what a
format can hold; see :mod:`lacuna.io.limits` for what happens to the rest. Files of annotation tools
have no suffix of their own: they are read as jsonl, which recognises them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.io import (
    annotation_tools,
    brat,
    conll,
    conll_layout,
    conll_reading,
    i2b2,
    i2b2_2006,
    inline,
    jsonl,
    marked,
    share,
    xml,
)
from lacuna.io.limits import Feature, Limits
from lacuna.io.source import Source
from lacuna.text.document import Document


class Shape(StrEnum):
    """How documents are divided into files."""

    STREAM = "one file, many documents"
    FILES = "a folder, one file per document"
    PAIRS = "a folder, two files per document"


@dataclass(frozen=True, slots=True)
class Format:
    """One format; see above."""

    name: str
    summary: str
    shape: Shape
    suffixes: tuple[str, ...]
    read: Callable[[Source], Iterator[Document]]
    encode: Callable[[Document], Mapping[str, bytes]]
    limits: Limits
    head: bytes = b""
    separator: bytes = b""
    tail: bytes = b""


def _read_text(source: Source) -> Iterator[Document]:
    """Yield the one document of a text file, every character kept (a byte-order mark too).

    With ``piece_characters``, several: ``ID``, ``ID:1``, ``ID:2``, ….
    """
    if source.options.piece_characters is None:
        yield Document(source.id, source.text())
        return
    for number, piece in enumerate(source.pieces(source.options.piece_characters)):
        yield Document(f"{source.id}:{number}" if number else source.id, piece)


def _encode_text(document: Document) -> Mapping[str, bytes]:
    """Return the document as file suffix -> content."""
    return {".txt": document.text.encode()}


_F = Feature
_EVERYTHING = frozenset(Feature)
_MENTIONS = frozenset({_F.MENTIONS, _F.IDS})
_NESTED = _MENTIONS | {_F.OVERLAPS}
_CROSSED = _NESTED | {_F.CROSSING}
_GAPPED = _CROSSED | {_F.GAPS}
_ANNOTATED = _CROSSED | {_F.GROUPS}

_NO_SPACE = re.compile(r"\S+")
_NO_LINE_END = re.compile("[^\n\r \t]+")
_NO_BAR = re.compile(r"[^|\n\r]+")
_TAG_NAME = re.compile(inline.LABEL)
_XML_LABEL = re.compile(f"(?:(?!{xml.UNHOLDABLE.pattern})(?s:.))+")

FORMATS: Mapping[str, Format] = {
    format_.name: format_
    for format_ in (
        Format(
            "jsonl",
            "one JSON object per line; holds everything; reads other tools' JSON, too",
            Shape.STREAM,
            (".jsonl", ".ndjson", ".json"),
            jsonl.read,
            jsonl.encode,
            Limits(_EVERYTHING),
        ),
        Format(
            "brat",
            "note.txt with mentions in note.ann",
            Shape.PAIRS,
            (".ann", ".txt"),
            brat.read,
            brat.encode,
            Limits(_GAPPED, label=_NO_SPACE),
        ),
        Format(
            "share",
            "note.text with mentions in note.pipe (ShARe/CLEF, SemEval-2014)",
            Shape.PAIRS,
            (".pipe", ".text"),
            share.read,
            share.encode,
            Limits(_GAPPED, label=_NO_BAR, no_id=re.compile(r"\|")),
        ),
        Format(
            "doccano",
            "one JSON object per line, for doccano",
            Shape.STREAM,
            (),
            jsonl.read,
            annotation_tools.encode_doccano,
            Limits(_ANNOTATED),
        ),
        Format(
            "prodigy",
            "one JSON object per line, for Prodigy",
            Shape.STREAM,
            (),
            jsonl.read,
            annotation_tools.encode_prodigy,
            Limits(_ANNOTATED),
        ),
        Format(
            "label-studio",
            "a JSON array of tasks, for Label Studio",
            Shape.STREAM,
            (),
            jsonl.read,
            annotation_tools.encode_label_studio,
            Limits(_ANNOTATED),
            head=annotation_tools.LABEL_STUDIO_HEAD,
            separator=annotation_tools.LABEL_STUDIO_SEPARATOR,
            tail=annotation_tools.LABEL_STUDIO_TAIL,
        ),
        Format(
            "i2b2",
            "XML, text and mentions apart (i2b2 2014); i2b2-2006 is read too",
            Shape.FILES,
            (".xml",),
            i2b2.read,
            i2b2.encode,
            Limits(_CROSSED, label=_XML_LABEL, no_text=xml.UNHOLDABLE),
        ),
        Format(
            "i2b2-2006",
            'XML, many records in one file, mentions as <PHI TYPE="…">',
            Shape.STREAM,
            (".xml",),
            i2b2_2006.read,
            i2b2_2006.encode,
            Limits(
                _NESTED,
                label=_XML_LABEL,
                no_text=xml.UNHOLDABLE,
                no_id=re.compile(f"^$|{xml.UNHOLDABLE.pattern}"),
            ),
            head=i2b2_2006.HEAD,
            tail=i2b2_2006.TAIL,
        ),
        Format(
            "inline",
            "<LABEL>…</LABEL> in running text; reads MUC's <ENAMEX TYPE=…>, too",
            Shape.FILES,
            (".sgml", ".sgm"),
            inline.read,
            inline.encode,
            Limits(_NESTED, label=_TAG_NAME),
        ),
        Format(
            "inline-lines",
            "the same, one document per line",
            Shape.STREAM,
            (".inline",),
            inline.read_lines,
            inline.encode_line,
            Limits(_NESTED - {_F.IDS}, label=_TAG_NAME, no_text=re.compile("\n")),
        ),
        Format(
            "marked",
            "⟦LABEL|text⟧ in running text, many documents in a file, for text editors",
            Shape.STREAM,
            (".marked",),
            marked.read,
            marked.encode,
            Limits(
                _NESTED,
                label=re.compile(marked.LABEL),
                no_text=marked.NO_TEXT,
                no_id=marked.NO_ID,
            ),
        ),
        Format(
            "conll",
            "one token per line, tags in the last column or that of --column",
            Shape.STREAM,
            (".conll", ".conll2003", ".bio", ".iob", ".iob2", ".bioes", ".bilou", ".tsv"),
            conll_reading.read,
            conll.encode,
            Limits(
                _MENTIONS | {_F.TOKENS},
                label=_NO_LINE_END,
                no_id=re.compile("^$|\n"),
                layout=conll_layout.LAYOUT,
            ),
        ),
        Format(
            "txt",
            "plain text without mentions",
            Shape.FILES,
            (".txt", ".text"),
            _read_text,
            _encode_text,
            Limits(frozenset({_F.IDS})),
        ),
    )
}


def format_named(name: str) -> Format:
    """Return a format by its name."""
    if name not in FORMATS:
        raise ConfigError(f"unknown format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_name(path: str | PathLike[str]) -> str | None:
    """Return the format of a file to be written, by its suffix; ``None`` if that is not clear."""
    suffix = Path(path).suffix.lower()
    for format_ in FORMATS.values():
        if suffix in format_.suffixes and format_.shape is not Shape.PAIRS:
            return format_.name
    return None
