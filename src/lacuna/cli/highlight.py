"""A document with its mentions marked, for the terminal.

A simple mention is followed by its label: ``Ana Sato⟨PER⟩``. A mention that has gaps or overlaps
another has a number, before and after it, and letters for its parts; these mentions are listed
below the text. Probabilities stand after the labels, if there are any::

    ⟨1⟩⟨2a⟩pain⟨ADR 2a⟩ in arm⟨ADR 1⟩ and ⟨2b⟩leg⟨ADR 2b⟩

    1 ADR  pain in arm
    2 ADR  pain … leg

So everything can be read without colours. Text that mentions share is underlined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_lowercase
from typing import NamedTuple

from rich.text import Text

from lacuna.cli.console import printable
from lacuna.text.document import Document, Mention, Span, reading_order
from lacuna.text.overlap import overlapping_pairs

#: Readable on dark and light backgrounds; assigned to labels in turn.
COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")
KEPT = "\n\t\u200c\u200d"  #: not printable but harmless; the last two are (non-)joiners of letters
LONGEST = 70  #: characters of a mention in the list


class _Mark(NamedTuple):
    """A mark to insert; in sorted order, at one place ends come first, the innermost first."""

    place: int
    begins: bool
    order: tuple[int, int]
    words: str
    colour: str


def colours(labels: Iterable[str]) -> dict[str, str]:
    """Assign a colour to each label; the same set of labels gets the same colours."""
    return {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(sorted(set(labels)))}


def with_tags(document: Document) -> Text:
    """Return the text with its part of speech after every token: ``patient/NN``."""
    shown, position = Text(), 0
    text, tokens = _harmless(document.text), document.tokens
    places = () if tokens is None else zip(tokens.end.tolist(), tokens.columns["pos"], strict=True)
    for end, tag in places:
        shown.append(text[position:end])
        shown.append(f"/{printable(tag)}", style="dim")
        position = end
    return shown.append(text[position:])


def highlighted(document: Document, palette: dict[str, str]) -> Text:
    """Return the text with every mention in the colour of its label, marked and listed."""
    shown = Text(_harmless(document.text))
    mentions = sorted(document.mentions, key=reading_order)
    pairs = overlapping_pairs(mentions)
    several = {i for pair in pairs for i in pair}
    several |= {i for i, mention in enumerate(mentions) if mention.is_discontiguous}
    numbers = {i: number for number, i in enumerate(sorted(several), start=1)}
    for mention in sorted(mentions, key=lambda m: -m.length):  # the shorter one's colour shows
        for span in mention.spans:
            shown.stylize(f"bold {_colour(mention, palette)}", span.start, span.end)
    for i, j in pairs:
        for span in _shared(mentions[i], mentions[j]):
            shown.stylize("underline", span.start, span.end)
    marks = [
        mark
        for i, mention in enumerate(mentions)
        for mark in _marks(mention, numbers.get(i), _colour(mention, palette))
    ]
    result, position = Text(), 0
    for mark in sorted(marks):
        result.append_text(shown[position : mark.place])
        result.append(f"⟨{printable(mark.words)}⟩", style=f"dim {mark.colour}")
        position = mark.place
    result.append_text(shown[position:])
    if numbers and not result.plain.endswith("\n"):
        result.append("\n")
    listed = [(number, mentions[i]) for i, number in numbers.items()]
    return result.append_text(_list(listed, document.text, palette))


def _marks(mention: Mention, number: int | None, colour: str) -> Iterator[_Mark]:
    """Yield the marks of a mention: after it, and also before it if it has a number."""
    if number is None:
        words = _with_probability(mention.label, mention)
        yield _Mark(mention.end, False, (-mention.start, 0), words, colour)
        return
    for part, span in enumerate(mention.spans):
        name = f"{number}{_letter(part)}" if mention.is_discontiguous else str(number)
        yield _Mark(span.start, True, (-span.end, number), name, colour)
        yield _Mark(span.end, False, (-span.start, -number), f"{mention.label} {name}", colour)


def _with_probability(name: str, mention: Mention) -> str:
    return name if mention.probability is None else f"{name} {mention.probability:.2f}"


def _letter(part: int) -> str:
    """Return a, b and so on; aa comes after z."""
    first, last = divmod(part, len(ascii_lowercase))
    return (_letter(first - 1) if first else "") + ascii_lowercase[last]


def _list(numbered: list[tuple[int, Mention]], text: str, palette: dict[str, str]) -> Text:
    """Return the numbered mentions, one per line, parts joined by ``…``."""
    lines = Text()
    names = [_with_probability(f"{n} {printable(m.label)}", m) for n, m in numbered]
    width = max(map(len, names), default=0)
    for name, (_, mention) in zip(names, numbered, strict=True):
        words = " ".join(_harmless(mention.surface(text)).split())
        shown = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
        lines.append(f"\n{name:<{width}}", _colour(mention, palette))
        lines.append(f"  {shown}")
    return lines


def _shared(a: Mention, b: Mention) -> Iterator[Span]:
    """Yield the characters that two mentions have in common."""
    for one in a.spans:
        for other in b.spans:
            start, end = max(one.start, other.start), min(one.end, other.end)
            if start < end:
                yield Span(start, end)


def _colour(mention: Mention, palette: dict[str, str]) -> str:
    return palette.get(mention.label, COLOURS[0])


def _harmless(text: str) -> str:
    """Return text of the same length without characters that a terminal obeys or omits."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in KEPT else " " if c.isspace() else "\ufffd" for c in text
    )
