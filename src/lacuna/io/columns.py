"""The columns of conll files that somebody asks for: ``word=2``, ``tag=3``, ``pos=UPOS``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lacuna.errors import ConfigError

#: Number of a column, from 1 (or from -1, the last one), or its name in the header of the file.
Place = int | str
NUMBER = re.compile(r"-?[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where to find words, tags and further columns; columns that are not named are not read.

    Attributes
    ----------
    word
        The tokens. None: the first column, or the second if the first one numbers the tokens.
    tags
        Layers of tags; those of several layers may nest. None: the last column, if there must be
        tags.
    others
        Names of token columns, and where they are.
    """

    word: Place | None = None
    tags: tuple[Place, ...] = ()
    others: tuple[tuple[str, Place], ...] = ()

    @property
    def names(self) -> set[str]:
        """Names that must be in the header."""
        places = (self.word, *self.tags, *(place for _, place in self.others))
        return {place for place in places if isinstance(place, str)}


def parse_columns(given: Sequence[str]) -> Columns | None:
    """Return what ``NAME=COLUMN`` says, given several times; ``None`` if nothing was given."""
    words: list[Place | None] = []
    tags: list[Place] = []
    others: dict[str, Place] = {}
    for assignment in given:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not (name and equals and value) or (NUMBER.fullmatch(value) and not int(value)):
            raise ConfigError(
                f"--column {assignment}: expected word, tag or another name, =, and the number of a"
                " column (1 is the first, -1 the last) or its name in the header"
            )
        place = int(value) if NUMBER.fullmatch(value) else value
        if name == "word":
            words.append(place)
        elif name == "tag":
            tags.append(place)
        elif name in others:
            raise ConfigError(f"--column {name} was given twice; only tag can be")
        else:
            others[name] = place
    if len(words) > 1:
        raise ConfigError("--column word was given twice; only tag can be")
    if len(set(tags)) < len(tags):
        raise ConfigError("--column tag names one column twice")
    return Columns((words or [None])[0], tuple(tags), tuple(others.items())) if given else None
