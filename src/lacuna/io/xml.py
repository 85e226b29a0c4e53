"""Safe XML: events read by expat, and text escaped so that a parser returns it unchanged.

Document types are refused, and with them entity definitions, entity bombs and external entities.
Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from lacuna.io.source import Source

#: Characters that XML 1.0 has no way to write.
UNHOLDABLE = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
)

MAX_DEPTH = 100

# Carriage returns would be read as line feeds, and line breaks in attributes as spaces.
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})

_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {character: f"&#{ord(character)};" for character in "\t\n\r"}
)


class Start(NamedTuple):
    """An element begins."""

    name: str
    attributes: Mapping[str, str]
    line: int


class End(NamedTuple):
    """An element ends."""

    name: str
    line: int


class Text(NamedTuple):
    """Characters between tags; one run may come in several pieces."""

    content: str
    line: int


Event = Start | End | Text


class _RefusedError(Exception):
    """An XML file has something that this reader refuses; the argument is the reason."""


def xml_events(source: Source) -> Iterator[Event]:
    """Yield the events of an XML file as it is read."""
    encoding = source.options.encoding
    override = None if encoding.lower() in {"utf-8", "utf8"} else encoding
    parser = expat.ParserCreate(override)
    events: list[Event] = []
    _listen(parser, events)
    chunks = source.bytes_chunks()
    finished = False
    while not finished:
        data = next(chunks, None)
        finished = data is None
        try:
            parser.Parse(data or b"", finished)
        except expat.ExpatError as error:
            reason = f"malformed XML: {expat.ErrorString(error.code)}"
            raise source.error(reason, line=error.lineno) from None
        except (LookupError, UnicodeError, ValueError):  # encodings expat cannot use
            line = parser.CurrentLineNumber
            raise source.error("XML in an encoding that cannot be read", line=line) from None
        except _RefusedError as error:
            raise source.error(str(error), line=parser.CurrentLineNumber) from None
        yield from events
        events.clear()


def _listen(parser: expat.XMLParserType, events: list[Event]) -> None:
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise _RefusedError("XML nested too deeply")
        events.append(Start(name, attributes, parser.CurrentLineNumber))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        events.append(End(name, parser.CurrentLineNumber))

    def text(content: str) -> None:
        events.append(Text(content, parser.CurrentLineNumber))

    def refuse(*_: object) -> int:
        raise _RefusedError("XML document types (DTD) are refused")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse


def escape_text(text: str) -> str:
    """Escape text for use between tags."""
    return text.translate(_TEXT)


def escape_attribute(text: str) -> str:
    """Escape text for use between double quotes."""
    return text.translate(_ATTRIBUTE)


def cdata(text: str) -> str:
    """Return text as CDATA, interrupted only where CDATA cannot hold it."""
    safe = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{safe}]]>"
