"""inline: ``<label>…</label>`` in running text, nested if mentions are.

``& < >`` are escaped; the five XML entities are unescaped. Anything that does not look like a tag
is text: ``p < 0.05`` and ``R&D`` need no escape. A tag is ``<``, a name (a letter, then letters,
digits, ``_ . : -``) and ``>``, without attributes.

Files of MUC are read, too: ``<ENAMEX TYPE="PERSON">…</ENAMEX>``, and NUMEX and TIMEX, are mentions
of their ``TYPE``. In a document with such a tag the others (``<DOC>``, ``<p>``) mark no mentions;
they are left out of the text and counted. If the file has several ``<DOC>``, each begins a
document, the n-th ``<id of the file>-n``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lacuna.io.nesting import Builder, events
from lacuna.io.source import Source
from lacuna.text.document import Document

LABEL = r"[^\W\d][\w.:-]*"
MUC_TAG = re.compile(r"<(?P<muc>(?i:ENAMEX|NUMEX|TIMEX))(?P<attributes>\s[^<>]*)>")
TYPE = re.compile(r"""\s(?i:TYPE)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"']+))""")
MARKUP = re.compile(
    rf"<(?P<close>/?)(?P<label>{LABEL})>|{MUC_TAG.pattern}|&(?P<entity>amp|lt|gt|quot|apos);"
)
DOC = re.compile(r"(?i)<DOC>")
OTHER_TAGS = "tags other than ENAMEX, NUMEX and TIMEX"
MUC_NAMES = frozenset({"ENAMEX", "NUMEX", "TIMEX"})
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a file, or each ``<DOC>`` of a file of MUC."""
    content = source.text()
    is_muc = MUC_TAG.search(content) is not None
    borders = [match.start() for match in DOC.finditer(content)][1:] if is_muc else []
    line, others = 1, 0
    for number, (i, j) in enumerate(pairwise([0, *borders, len(content)]), start=1):
        id_ = automatic_id(source.id, number) if borders else source.id
        document, count = _parse(source, content[i:j], id_, is_muc=is_muc, first_line=line)
        yield document
        line += content.count("\n", i, j)
        others += count
    source.skipped(OTHER_TAGS, others)


def read_lines(source: Source) -> Iterator[Document]:
    """Yield one document per line; the n-th line is the document ``<id of the file>-n``."""
    others = 0
    for number, line in source.lines():
        is_muc = MUC_TAG.search(line) is not None
        id_ = automatic_id(source.id, number)
        document, count = _parse(source, line, id_, is_muc=is_muc, first_line=number)
        yield document
        others += count
    source.skipped(OTHER_TAGS, others)


def automatic_id(stem: str, number: int) -> str:
    """Return the id of the n-th document of a file without ids."""
    return f"{stem}-{number}"


def _parse(
    source: Source, content: str, id_: str, *, is_muc: bool, first_line: int
) -> tuple[Document, int]:
    """Return a document, and how many of its tags are neither text nor mentions."""
    parser = _Parser(is_muc=is_muc)
    place = 0
    for match in MARKUP.finditer(content):
        parser.builder.add(content[place : match.start()])
        place = match.end()
        try:
            parser.take(match)
        except ValueError as error:
            line = first_line + content.count("\n", 0, match.start())
            raise source.error(str(error), line=line) from None
    parser.builder.add(content[place:])
    if parser.builder.is_open:
        raise source.error("a tag is never closed", line=first_line + content.count("\n"))
    return Document(id_, parser.builder.text, parser.builder.mentions), parser.others


class _Parser:
    """Takes the marks of one document, one after the other."""

    def __init__(self, *, is_muc: bool) -> None:
        self.builder = Builder()
        self.is_muc = is_muc
        self.others = 0  # tags that are neither text nor mentions
        self._open: list[tuple[str, str]] = []  # tags of MUC: name, label

    def take(self, match: re.Match[str]) -> None:
        """Take a tag or an entity; :class:`ValueError` if a tag is out of place."""
        if match["entity"]:
            self.builder.add(ENTITIES[match["entity"]])
        elif match["muc"]:
            self._open_muc(match["muc"].upper(), match["attributes"])
        elif self.is_muc:
            self._take_plain(match["label"].upper(), is_end=bool(match["close"]))
        elif match["close"]:
            self.builder.close(match["label"])
        else:
            self.builder.open(match["label"])

    def _open_muc(self, name: str, attributes: str) -> None:
        found = TYPE.search(attributes)
        if found is None:
            raise ValueError(f"{name} needs a TYPE")
        label = "".join(filter(None, found.groups()))
        self._open.append((name, label))
        self.builder.open(label)

    def _take_plain(self, name: str, *, is_end: bool) -> None:
        """Take a tag without attributes in a document of MUC."""
        if name not in MUC_NAMES:
            self.others += 1
            return
        if not is_end:
            raise ValueError(f"{name} needs a TYPE")
        opened, label = self._open.pop() if self._open else ("", "")
        if self.builder.is_open and opened != name:
            raise ValueError("tags cross: the closing tag is not that of the innermost open one")
        self.builder.close(label)


def mark_up(document: Document) -> str:
    """Return the text with its mentions as tags; they may nest but not cross."""
    pieces = []
    for piece, label, is_start in events(document):
        pieces.append(piece.translate(ESCAPES))
        if label:
            pieces.append(f"<{label}>" if is_start else f"</{label}>")
    return "".join(pieces)


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as file suffix -> content."""
    return {".sgml": mark_up(document).encode()}


def encode_line(document: Document) -> dict[str, bytes]:
    """Return the document as one line."""
    return {".inline": f"{mark_up(document)}\n".encode()}
