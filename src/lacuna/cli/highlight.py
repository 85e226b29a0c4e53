"""A document with its mentions marked, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from lacuna.text.document import Document

#: Readable on dark and light ground; labels take them in turn.
COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")


def colours(labels: Iterable[str]) -> dict[str, str]:
    """Give each label a colour, the same for the same set of labels."""
    return {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(sorted(set(labels)))}


def with_tags(document: Document) -> Text:
    """Return the text with the part of speech behind every token: ``patient/NN``."""
    shown, position = Text(), 0
    tokens = document.tokens
    places = () if tokens is None else zip(tokens.end.tolist(), tokens.columns["pos"], strict=True)
    for end, tag in places:
        shown.append(document.text[position:end].replace("\r", " "))
        shown.append(f"/{tag}", style="dim")
        position = end
    return shown.append(document.text[position:])


def highlighted(document: Document, palette: dict[str, str]) -> Text:
    """Return the text with every mention in its label's colour, the label behind it.

    The label is written out as well, so that it can be read without colours. The parts of a
    discontiguous mention are numbered: ``pain⟨ADR 1/2⟩ in arm and leg⟨ADR 2/2⟩``.
    """
    shown = Text(document.text.replace("\r", " "))  # as many characters, no broken lines
    notes: list[tuple[int, str, str]] = []
    for mention in document.mentions:
        style = f"bold {palette.get(mention.label, 'cyan')}"
        parts = len(mention.spans)
        for number, span in enumerate(mention.spans, start=1):
            shown.stylize(style, span.start, span.end)
            name = mention.label if parts == 1 else f"{mention.label} {number}/{parts}"
            notes.append((span.end, name, style))
    result, position = Text(), 0
    for end, name, style in sorted(notes):
        result.append_text(shown[position:end])
        result.append(f"⟨{name}⟩", style=f"dim {style.removeprefix('bold ')}")
        position = end
    return result.append_text(shown[position:])
