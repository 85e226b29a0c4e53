"""i2b2-2006: many records in one file, mentions as ``<PHI TYPE="DATE">…</PHI>`` in the text.

::

    <ROOT><RECORD ID="1"><TEXT>…<PHI TYPE="DOCTOR">…</PHI>…</TEXT></RECORD>…</ROOT>
"""

from __future__ import annotations

from collections.abc import Iterator

from lacuna.io.nesting import Builder, events
from lacuna.io.source import Source
from lacuna.io.xml import End, Event, Start, Text, escape_attribute, escape_text, xml_events
from lacuna.text.document import Document

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<ROOT>\n'
TAIL = b"</ROOT>\n"


def read(source: Source) -> Iterator[Document]:
    """Yield the records of a file one by one."""
    stream = xml_events(source)
    found_root = False
    for event in stream:
        if not found_root:
            _expect(source, event, "ROOT")
            found_root = True
        elif isinstance(event, Start):
            _expect(source, event, "RECORD")
            yield _record(source, event, stream)


def _expect(source: Source, event: Event, name: str) -> None:
    if not isinstance(event, Start) or event.name != name:
        raise source.error(f"expected the element {name}", line=event.line)


def _record(source: Source, record: Start, stream: Iterator[Event]) -> Document:
    id_ = record.attributes.get("ID")
    if not id_:
        raise source.error("a RECORD needs an ID", line=record.line)
    builder = Builder()
    open_labels: list[str] = []
    in_text = False
    for event in stream:
        if isinstance(event, Text):
            if in_text:
                builder.add(event.content)
        elif isinstance(event, Start):
            if event.name == "TEXT" and not in_text:
                in_text = True
            elif event.name == "PHI" and in_text and event.attributes.get("TYPE"):
                open_labels.append(event.attributes["TYPE"])
                builder.open(open_labels[-1])
            else:
                raise source.error("expected TEXT, or PHI with a TYPE in it", line=event.line)
        elif event.name == "PHI":
            _close(source, builder, open_labels.pop(), event)
        elif event.name == "TEXT":
            in_text = False
        else:
            break
    return Document(id_, builder.text, builder.mentions)


def _close(source: Source, builder: Builder, label: str, event: End) -> None:
    try:
        builder.close(label)
    except ValueError as error:
        raise source.error(str(error), line=event.line) from None


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as one record."""
    pieces = [f'<RECORD ID="{escape_attribute(document.id)}">\n<TEXT>']
    for piece, label, is_start in events(document):
        pieces.append(escape_text(piece))
        if label:
            pieces.append(f'<PHI TYPE="{escape_attribute(label)}">' if is_start else "</PHI>")
    pieces.append("</TEXT>\n</RECORD>\n")
    return {".xml": "".join(pieces).encode()}
