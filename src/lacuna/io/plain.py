"""txt: plain text, one document per file, every character kept (a byte-order mark too)."""

from __future__ import annotations

from collections.abc import Iterator

from lacuna.io.source import Source
from lacuna.text.document import Document


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a file."""
    yield Document(source.id, source.text())


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as file suffix -> content."""
    return {".txt": document.text.encode()}
