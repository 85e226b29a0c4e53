"""inline: ``<label>…</label>`` in running text, nested if mentions are.

``& < >`` are escaped; the five XML entities are unescaped. Anything that does not look like a tag
is text: ``p < 0.05`` and ``R&D`` need no escape. A tag is ``<``, a name (a letter, then letters,
digits, ``_ . : -``) and ``>``, without attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lacuna.io.nesting import Builder, events
from lacuna.io.source import Source
from lacuna.text.document import Document

LABEL = r"[^\W\d][\w.:-]*"
MARKUP = re.compile(rf"<(?P<close>/?)(?P<label>{LABEL})>|&(?P<entity>amp|lt|gt|quot|apos);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a file."""
    yield _parse(source, source.text(), source.id, first_line=1)


def read_lines(source: Source) -> Iterator[Document]:
    """Yield one document per line; the n-th line is the document ``<id of the file>-n``."""
    for number, line in source.lines():
        yield _parse(source, line, automatic_id(source.id, number), first_line=number)


def automatic_id(stem: str, number: int) -> str:
    """Return the id of the n-th document of a file without ids."""
    return f"{stem}-{number}"


def _parse(source: Source, content: str, id_: str, *, first_line: int) -> Document:
    builder = Builder()
    place = 0
    for match in MARKUP.finditer(content):
        builder.add(content[place : match.start()])
        place = match.end()
        try:
            if match["entity"]:
                builder.add(ENTITIES[match["entity"]])
            elif match["close"]:
                builder.close(match["label"])
            else:
                builder.open(match["label"])
        except ValueError as error:
            line = first_line + content.count("\n", 0, match.start())
            raise source.error(str(error), line=line) from None
    builder.add(content[place:])
    if builder.is_open:
        raise source.error("a tag is never closed", line=first_line + content.count("\n"))
    return Document(id_, builder.text, builder.mentions)


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
