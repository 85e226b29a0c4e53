"""Filling templates: ``{slot}`` becomes a value with its label, ``[a|b]`` one of the alternatives.

::

    [Ring|Call] {given} on {phone}      Call Tobias on 07700 900 155

A slot may have a detail after a dot, and an exclamation mark for capitals: ``{date.w}``,
``{city!}``.
``{n:10-59}`` is a number, which is no identifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar

from lacuna.synthetic import Noise
from lacuna.synthetic.clinic import assemble
from lacuna.synthetic.noise import spoil
from lacuna.synthetic.scene import Piece
from lacuna.text.document import Document

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"\{([^{}]+)\}")


class Filler:
    """Fills the slots of one text after another; languages add the makers of values.

    Attributes
    ----------
    makers
        Slot → its label, empty for none, and a method that makes a value, given the detail.
    title
        What may be before the name of a person and is no part of the mention.
    """

    makers: ClassVar[Mapping[str, tuple[str, Callable[..., str]]]]
    title = re.compile("(?!)")

    def begin(self, rng: Random) -> None:
        """Begin a text about somebody else."""
        self.rng = rng

    def fill(self, template: str) -> Iterator[Piece]:
        """Yield the pieces of a text."""
        while chosen := _CHOICE.search(template):
            value = self.rng.choice(chosen[1].split("|"))
            template = template[: chosen.start()] + value + template[chosen.end() :]
        place = 0
        for slot in _SLOT.finditer(template):
            yield Piece(template[place : slot.start()])
            place = slot.end()
            text, label = self.value(slot[1].rstrip("!"))
            title = self.title.match(text)
            first = title.end() if title and label else 0
            yield Piece(text[:first])
            text = text[first:]
            yield Piece(text.upper() if slot[1].endswith("!") else text, label or None)
        yield Piece(template[place:])

    def value(self, slot: str) -> tuple[str, str]:
        """Return a value and its label."""
        if slot.startswith("n:"):
            low, high = slot[2:].split("-")
            return f"{self.rng.randint(int(low), int(high)):0{len(low)}d}", ""
        kind, _, detail = slot.partition(".")
        label, make = self.makers[kind]
        return make(self, detail), label

    def one_of(self, *values: str) -> str:
        """Return one of several values."""
        return self.rng.choice(values)

    def digits(self, *shapes: str) -> str:
        """Return one of several shapes, with a digit for every ``#``."""
        return re.sub("#", lambda _: str(self.rng.randrange(10)), self.rng.choice(shapes))


def filled(
    path: Path, filler: Filler, count: int, seed: int, noise: Noise, sizes: Sequence[int]
) -> Iterator[Document]:
    """Write so many texts from the templates of a file, each of one or several templates."""
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = "\n".join(line for line in lines if not line.startswith("#"))
    templates = kept.strip().split("\n\n")
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        filler.begin(rng)
        chosen = rng.sample(templates, rng.choice(sizes))
        gap = rng.choice(("\n", "\n\n", "\n\n", " "))
        pieces = [piece for template in chosen for piece in (*filler.fill(template), Piece(gap))]
        pieces = spoil(pieces, noise, rng)
        yield assemble(f"j{number}", pieces, group=f"j{number}", meta={}, findings=False)
