"""share: the pipe format of ShARe/CLEF 2013 and SemEval-2014, ``note.text`` and ``note.pipe``.

::

    note.txt||Disease_Disorder||C0221755||1141||1148||1192||1198

File name, label, concept, then start and end of each fragment. The SemEval-2015 form, with single
bars, fragments as ``1141-1148,1192-1198`` and a row of attributes, is read too. Documents
cannot hold concepts and attributes; these are skipped and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from lacuna.io.source import Source
from lacuna.text.document import Document, Mention

LABEL_2015 = "Disease_Disorder"  # that form has no labels: it marks disorders only
NO_CONCEPT = "CUI-less"
TEXT_SUFFIXES = (".text", ".txt")

FRAGMENTS_2015 = re.compile(r"[0-9]+-[0-9]+(?:,[0-9]+-[0-9]+)*")


class Line(NamedTuple):
    """One mention in the file."""

    name: str
    label: str
    concept: str
    offsets: tuple[int, ...]  #: start and end of each fragment in turn
    has_attributes: bool


def read(source: Source) -> Iterator[Document]:
    """Yield the document of ``source`` (the .pipe file or the text next to it)."""
    pipe = source.companion(".pipe")
    text = _text_of(pipe)
    own_name = PurePosixPath(pipe.name).stem
    mentions, concepts, attributes = [], 0, 0
    for number, content in pipe.records():
        if not content:
            continue
        try:
            line = _parse(content)
            mentions.append(_mention(line, len(text)))
        except ValueError as error:
            raise pipe.error(str(error), line=number) from None
        if own_name not in {line.name, PurePosixPath(line.name).stem}:
            raise pipe.error("the line belongs to another file", line=number)
        concepts += line.concept not in {"", NO_CONCEPT}
        attributes += line.has_attributes
    pipe.skipped("concept identifiers", concepts)
    pipe.skipped("rows of attributes", attributes)
    yield Document(source.id, text, tuple(mentions))


def _parse(content: str) -> Line:
    fields = content.split("||")
    if len(fields) >= 5 and all(map(_is_number, fields[3:])):
        name, label, concept, *offsets = fields
        return Line(name, label, concept, tuple(map(int, offsets)), has_attributes=False)
    fields = content.split("|")
    if len(fields) >= 3 and FRAGMENTS_2015.fullmatch(fields[1]):
        name, fragments, concept, *rest = fields
        offsets_2015 = tuple(map(int, re.split("[-,]", fragments)))
        return Line(name, LABEL_2015, concept, offsets_2015, has_attributes=bool(rest))
    raise ValueError("expected name||label||concept||start||end")


def _is_number(field: str) -> bool:
    return field.isascii() and field.isdigit()


def _text_of(pipe: Source) -> str:
    for suffix in TEXT_SUFFIXES:
        companion = pipe.companion(suffix)
        if companion.path is not None and companion.path.exists():
            return companion.text()
    raise pipe.error(f"no {' or '.join(TEXT_SUFFIXES)} file next to it")


def _mention(line: Line, size: int) -> Mention:
    if len(line.offsets) % 2:
        raise ValueError("an offset is missing: fragments are pairs of start and end")
    pairs = zip(line.offsets[::2], line.offsets[1::2], strict=True)
    mention = Mention.of(line.label, *pairs)
    if mention.end > size:
        raise ValueError(f"mention ends at {mention.end}, the text at {size}")
    return mention


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as file suffix -> content."""
    name = f"{PurePosixPath(document.id).name}.txt"
    lines = [
        "||".join([name, mention.label, NO_CONCEPT])
        + "".join(f"||{span.start}||{span.end}" for span in mention.spans)
        + "\n"
        for mention in document.mentions
    ]
    return {".text": document.text.encode(), ".pipe": "".join(lines).encode()}
