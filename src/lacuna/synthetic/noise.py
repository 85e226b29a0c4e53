"""Noise: careless typing, capitals, hard line breaks. Works on pieces, so labels stay exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from random import Random

from lacuna.errors import ConfigError
from lacuna.synthetic.scene import Piece

#: Labels whose values are sometimes misspelt; numbers and addresses are not.
MISSPELT = frozenset({"PATIENT", "DOCTOR", "HOSPITAL", "CITY", "PROFESSION", "ORGANIZATION"})
_WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Shares of the notes with each sort of noise, from 0 to 1.

    Attributes
    ----------
    careless
        Typed in haste: typing errors, misspelt names, missing spaces and full stops.
    capitals, capital_lines, lower
        All in capitals; some lines in capitals; all in small letters.
    wrapped
        Hard line breaks at 60 to 100 columns, also inside names.
    crlf
        Windows line ends.
    spacing
        Double spaces, tabs and wider gaps between paragraphs.
    typographic
        Curly apostrophes and long dashes.
    """

    careless: float = 0.25
    capitals: float = 0.06
    capital_lines: float = 0.12
    lower: float = 0.05
    wrapped: float = 0.5
    crlf: float = 0.05
    spacing: float = 0.15
    typographic: float = 0.06

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f"noise {name} must be between 0 and 1")


#: No noise.
CLEAN = Noise(
    careless=0,
    capitals=0,
    capital_lines=0,
    lower=0,
    wrapped=0,
    crlf=0,
    spacing=0,
    typographic=0,
)


def spoil(pieces: list[Piece], noise: Noise, rng: Random) -> list[Piece]:
    """Return the pieces of a note with noise; labels and findings stay with their pieces."""
    steps: tuple[tuple[float, Callable[[list[Piece], Random], list[Piece]]], ...] = (
        (noise.careless, _careless),
        (noise.spacing, _spacing),
        (noise.capital_lines, _capital_lines),
        (noise.lower, lambda old, _: _each(old, str.lower)),
        (noise.capitals, lambda old, _: _each(old, str.upper)),
        (noise.typographic, lambda old, _: _each_plain(old, _typographic)),
        (noise.wrapped, _wrapped),
        (noise.crlf, lambda old, _: _each(old, lambda text: text.replace("\n", "\r\n"))),
    )
    for share, step in steps:
        if rng.random() < share:
            pieces = step(pieces, rng)
    return pieces


def _each(pieces: list[Piece], change: Callable[[str], str]) -> list[Piece]:
    return [Piece(change(text), label, findings) for text, label, findings in pieces]


def _each_plain(pieces: list[Piece], change: Callable[[str], str]) -> list[Piece]:
    """Change everything except identifiers."""
    return [p if p.label else Piece(change(p.text), None, p.findings) for p in pieces]


def _typographic(text: str) -> str:
    return text.replace(" - ", " – ").replace("'", "’").replace("--", "—")


def slip(word: str, rng: Random) -> str:
    """Return a word of two or more letters with one typing error inside."""
    place = rng.randrange(1, len(word))
    kind = rng.randrange(3)
    if kind == 0 and place + 1 < len(word):
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]  # swapped
    if kind == 1 and len(word) > 3:
        return word[:place] + word[place + 1 :]  # left out
    return word[:place] + word[place] + word[place:]  # doubled


def _careless(pieces: list[Piece], rng: Random) -> list[Piece]:
    spoilt = []
    for piece, following in zip(pieces, chain(pieces[1:], (Piece(""),)), strict=False):
        text = piece.text
        if piece.label:
            if piece.label in MISSPELT and text.isalpha() and len(text) > 3 and rng.random() < 0.06:
                text = slip(text, rng)
        elif len(text) > 1:
            for _ in range(1 + len(text) // 60):
                text = _careless_text(text, rng)
            if following.label and text[-2:] in (". ", ": ", ", ") and rng.random() < 0.05:
                text = text[:-1]
        spoilt.append(Piece(text, piece.label, piece.findings))
    return spoilt


def _careless_text(text: str, rng: Random) -> str:
    """Sometimes mistype a word, or omit a full stop or the space after it."""
    chance = rng.random()
    place = rng.randrange(len(text))
    if chance < 0.10:
        word = _WORD.search(text, place)
        if word:
            return text[: word.start()] + slip(word[0], rng) + text[word.end() :]
    elif chance < 0.13:
        return text[:place] + text[place:].replace(".\n", "\n", 1)
    elif chance < 0.15:
        return text[:place] + text[place:].replace(". ", ".", 1)
    return text


def _spacing(pieces: list[Piece], rng: Random) -> list[Piece]:
    """Use two spaces after full stops, tabs after colons, or wider gaps between paragraphs."""
    old, new = rng.choice(((". ", ".  "), (": ", ":\t"), ("\n\n", "\n \n\n"), (", ", ",  ")))
    return _each_plain(pieces, lambda text: text.replace(old, new))


def _by_line(pieces: list[Piece]) -> list[Piece]:
    """Split pieces after line breaks."""
    return [
        piece._replace(text=line)
        for piece in pieces
        for line in (piece.text.splitlines(keepends=True) if "\n" in piece.text else (piece.text,))
    ]


def _capital_lines(pieces: list[Piece], rng: Random) -> list[Piece]:
    spoilt = []
    in_capitals = rng.random() < 0.3
    for piece in _by_line(pieces):
        spoilt.append(piece._replace(text=piece.text.upper()) if in_capitals else piece)
        if piece.text.endswith("\n"):
            in_capitals = rng.random() < 0.3
    return spoilt


def _wrapped(pieces: list[Piece], rng: Random) -> list[Piece]:
    """Break lines at a width by turning single spaces into line breaks; the length stays."""
    text = wrap("".join(piece.text for piece in pieces), rng.randint(60, 100))
    spoilt, start = [], 0
    for piece in pieces:
        end = start + len(piece.text)
        spoilt.append(Piece(text[start:end], piece.label, piece.findings))
        start = end
    return spoilt


def wrap(text: str, width: int) -> str:
    """Replace a space by a line break where a line gets longer than `width`."""
    lines = []
    for line in text.split("\n"):
        start, rows = 0, []
        while len(line) - start > width:
            place = line.rfind(" ", start + 1, start + width + 1)
            if place < 0:
                break
            rows.append(line[start:place])
            start = place + 1
        lines.append("\n".join([*rows, line[start:]]))
    return "\n".join(lines)
