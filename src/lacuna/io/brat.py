"""brat: ``note.txt`` and, next to it, ``note.ann`` with one mention per line.

::

    T1<tab>LABEL 12 15;20 24<tab>covered text

Fragments are kept. The text field is for people: line ends in it are written as spaces, and it is
checked against the text on reading. Documents cannot hold relations, events, attributes, notes and
links; these are skipped and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lacuna.io.source import Source
from lacuna.text.document import Document, Mention, Span

OTHER_KINDS = frozenset("REAMN#*")
FRAGMENTS = re.compile(r"[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*")
SPACE = re.compile(r"\s")


def read(source: Source) -> Iterator[Document]:
    """Yield the document of ``source`` (the .txt or the .ann; the other is next to it)."""
    text = source.companion(".txt").text()
    yield Document(source.id, text, tuple(_read_mentions(source.companion(".ann"), text)))


def _read_mentions(source: Source, text: str) -> Iterator[Mention]:
    others = 0
    seen: set[str] = set()
    for number, line in source.records():
        if not line or line[0] in OTHER_KINDS:
            others += bool(line)
            continue
        if line[0] != "T":
            raise source.error("unknown kind of annotation", line=number)
        try:
            identifier, mention = _parse(line, text)
        except ValueError as error:
            raise source.error(str(error), line=number) from None
        if identifier in seen:
            raise source.error("the same T number was used before", line=number)
        seen.add(identifier)
        yield mention
    source.skipped("annotations other than mentions", others)


def _parse(line: str, text: str) -> tuple[str, Mention]:
    fields = line.split("\t", 2)
    if len(fields) != 3:
        raise ValueError("a mention needs three fields with tabs between them")
    identifier, where, covered = fields
    label, _, fragments = where.partition(" ")
    if not FRAGMENTS.fullmatch(fragments):
        raise ValueError("expected a label and offsets such as 12 15;20 24")
    pairs = (fragment.split(" ") for fragment in fragments.split(";"))
    mention = Mention(label, tuple(Span(int(start), int(end)) for start, end in pairs))
    if mention.end > len(text):
        raise ValueError(f"mention ends at {mention.end}, the text at {len(text)}")
    if SPACE.sub(" ", covered) != _covered(mention, text):
        raise ValueError("the text field differs from the text at these offsets")
    return identifier, mention


def _covered(mention: Mention, text: str) -> str:
    """Return the covered text on one line, fragments joined by a space."""
    return SPACE.sub(" ", " ".join(text[span.start : span.end] for span in mention.spans))


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as file suffix -> content."""
    lines = []
    for number, mention in enumerate(document.mentions, start=1):
        fragments = ";".join(f"{span.start} {span.end}" for span in mention.spans)
        covered = _covered(mention, document.text)
        lines.append(f"T{number}\t{mention.label} {fragments}\t{covered}\n")
    return {".txt": document.text.encode(), ".ann": "".join(lines).encode()}
