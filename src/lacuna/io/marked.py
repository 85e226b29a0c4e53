"""marked: ``⟦LABEL|text⟧`` in running text, many documents in a file, for any text editor.

::

    === visit-1
    Seen by Dr ⟦DOCTOR|Ida Vos⟧ on ⟦DATE|3 May⟧.

A line ``=== ID`` begins a document; the line break before the next such line, or before the end of
the file, is not part of its text. Marks nest if mentions do. ``⟦`` and ``⟧`` have no other use, and
there is no escape; the first ``|`` in a mark ends the label, all others are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lacuna.io.nesting import Builder, events
from lacuna.io.source import BYTE_ORDER_MARK, Source
from lacuna.text.document import Document

HEADER = "=== "
LABEL = r"[^⟦⟧|\n\r]+"
MARK = re.compile(rf"⟦(?P<label>{LABEL})\||⟦|⟧")
NO_ID = re.compile("^$|[\n\r]")
NO_TEXT = re.compile(rf"[⟦⟧]|(?m:^){HEADER}")


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a file."""
    lines: list[str] | None = None
    id_, first_line = "", 0
    for number, line in source.lines():
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if line.startswith(HEADER):
            if lines is not None:
                yield _parse(source, id_, "\n".join(lines), first_line)
            lines, id_, first_line = [], line.removeprefix(HEADER).removesuffix("\r"), number + 1
            if not id_:
                raise source.error("=== needs an id", line=number)
        elif lines is not None:
            lines.append(line)
        elif line.strip():
            raise source.error("text before the first line === ID", line=number)
    if lines is not None:
        yield _parse(source, id_, "\n".join(lines), first_line)


def _parse(source: Source, id_: str, content: str, first_line: int) -> Document:
    builder = Builder()
    labels: list[str] = []
    place = 0
    for match in MARK.finditer(content):
        builder.add(content[place : match.start()])
        place = match.end()
        try:
            _take(match, builder, labels)
        except ValueError as error:
            line = first_line + content.count("\n", 0, match.start())
            raise source.error(str(error), line=line) from None
    builder.add(content[place:])
    if labels:
        raise source.error("a mark is never closed", line=first_line + content.count("\n"))
    return Document(id_, builder.text, builder.mentions)


def _take(match: re.Match[str], builder: Builder, labels: list[str]) -> None:
    if match["label"]:
        labels.append(match["label"])
        builder.open(labels[-1])
    elif match[0] == "⟦":
        raise ValueError("⟦ needs a label: ⟦LABEL|text⟧")
    elif not labels:
        raise ValueError("⟧ without ⟦")
    else:
        builder.close(labels.pop())


def encode(document: Document) -> dict[str, bytes]:
    """Return the document with its header."""
    pieces = [f"{HEADER}{document.id}\n"]
    for piece, label, is_start in events(document):
        pieces.append(piece)
        if label:
            pieces.append(f"⟦{label}|" if is_start else "⟧")
    return {".marked": f"{''.join(pieces)}\n".encode()}
