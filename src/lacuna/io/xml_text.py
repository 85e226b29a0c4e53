"""What XML can hold, and how to write it so that a parser returns exactly the same."""

from __future__ import annotations

import re

#: Characters that XML 1.0 has no way to write.
UNHOLDABLE = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
)

# Carriage returns would be read as line feeds, and line breaks in attributes as spaces.
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {character: f"&#{ord(character)};" for character in "\t\n\r"}
)


def escape_text(text: str) -> str:
    """Write characters between tags."""
    return text.translate(_TEXT)


def escape_attribute(text: str) -> str:
    """Write characters between double quotes."""
    return text.translate(_ATTRIBUTE)


def cdata(text: str) -> str:
    """Write characters as CDATA, left only where CDATA cannot hold them."""
    safe = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{safe}]]>"
