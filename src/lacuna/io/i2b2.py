"""i2b2: the 2014 form, one XML file per document, text in CDATA and mentions separately.

::

    <deIdi2b2><TEXT><![CDATA[…]]></TEXT><TAGS>
    <NAME id="P0" start="16" end="27" text="…" TYPE="PATIENT" comment=""/>
    </TAGS></deIdi2b2>

The label is TYPE; the element is its category. XML parsers read a raw CRLF as LF, also in CDATA;
we write carriage returns as ``&#13;`` between two CDATA sections, which preserves them.
"""

from __future__ import annotations

from collections.abc import Iterator

from lacuna.io import i2b2_2006
from lacuna.io.source import Source
from lacuna.io.xml import Start, Text, cdata, escape_attribute, xml_events
from lacuna.text.document import Document, Mention

ROOT = "deIdi2b2"

#: label -> element it is written under (the annotation guidelines of i2b2 2014); others: OTHER
CATEGORIES = {
    label: category
    for category, labels in {
        "NAME": "NAME PATIENT DOCTOR USERNAME",
        "PROFESSION": "PROFESSION",
        "LOCATION": "LOCATION HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY ZIP"
        " DEPARTMENT ROOM LOCATION-OTHER",
        "AGE": "AGE",
        "DATE": "DATE",
        "CONTACT": "CONTACT PHONE FAX EMAIL URL IPADDR IPADDRESS",
        "ID": "ID SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM",
    }.items()
    for label in labels.split()
}


def read(source: Source) -> Iterator[Document]:
    """Yield the document of a file, or the records of a file in the 2006 form."""
    if ROOT.encode() in source.head():
        yield _read_2014(source)
    else:
        yield from i2b2_2006.read(source)


def _read_2014(source: Source) -> Document:
    pieces: list[str] = []
    tags: list[Start] = []
    within, has_text = "", False  # inside TEXT or TAGS
    for event in xml_events(source):
        if isinstance(event, Text):
            if within == "TEXT":
                pieces.append(event.content)
        elif not isinstance(event, Start):
            within = "" if event.name == within else within
        elif event.name in {"TEXT", "TAGS"}:
            within, has_text = event.name, has_text or event.name == "TEXT"
        elif within == "TAGS":
            tags.append(event)
    if not has_text:
        raise source.error("no element TEXT")
    text = "".join(pieces)
    return Document(source.id, text, tuple(_mention(source, tag, text) for tag in tags))


def _mention(source: Source, tag: Start, text: str) -> Mention:
    given = tag.attributes
    label = given.get("TYPE") or tag.name
    try:
        mention = Mention.of(label, (_offset(given.get("start")), _offset(given.get("end"))))
    except ValueError as error:
        raise source.error(str(error), line=tag.line) from None
    if mention.end > len(text):
        reason = f"mention ends at {mention.end}, the text at {len(text)}"
        raise source.error(reason, line=tag.line)
    covered = text[mention.start : mention.end]
    if "".join(given.get("text", covered).split()) != "".join(covered.split()):
        raise source.error("the attribute text differs from the text there", line=tag.line)
    return mention


def _offset(value: str | None) -> int:
    if value is None or not (value.isascii() and value.isdigit()):
        raise ValueError("start and end must be numbers")
    return int(value)


def encode(document: Document) -> dict[str, bytes]:
    """Return the document as file suffix -> content."""
    tags = [
        f'<{CATEGORIES.get(mention.label, "OTHER")} id="P{number}"'
        f' start="{mention.start}" end="{mention.end}"'
        f' text="{escape_attribute(document.text[mention.start : mention.end])}"'
        f' TYPE="{escape_attribute(mention.label)}" comment="" />\n'
        for number, mention in enumerate(document.mentions)
    ]
    content = (
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<{ROOT}>\n<TEXT>{cdata(document.text)}</TEXT>\n'
        f"<TAGS>\n{''.join(tags)}</TAGS>\n</{ROOT}>\n"
    )
    return {".xml": content.encode()}
