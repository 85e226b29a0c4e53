"""Names of outputs and ids that do not reveal whom a document is about, and their paths.

A part of a path is kept unless recognizers find something in it, or it contains a value known for
the patient or a word of something found in the document. Otherwise it is hashed with the key of the
run. Groups (patient numbers) are always hashed, unless names are to be kept.

Outputs are only written below the output folder, and never through a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath

from lacuna.archive.options import Rename
from lacuna.deid.detector import Recognizers
from lacuna.deid.keys import Key
from lacuna.deid.patterns.cue_words import word_set
from lacuna.errors import StoppedError
from lacuna.io.file_names import is_safe
from lacuna.text.document import Document

HASH_CHARACTERS = 16
#: Names in the output folder that outputs must not have.
RESERVED = frozenset({"manifest.jsonl", "report.html", "report.json"})
_LINK = "an output would be written through a symbolic link in the output folder"
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST_WORD, _SHORTEST_NUMBER = 3, 4
_HARMLESS = word_set("note notes the and for report letter visit admission discharge summary text")


class SafeNames:
    """Names for the outputs and ids of one run; `recognizers` find identifiers in names."""

    def __init__(self, recognizers: Recognizers, key: Key, rename: Rename) -> None:
        self._key = key
        self._rename = rename

        @lru_cache(4096)
        def is_telling(group: str | None, part: str) -> bool:
            return bool(recognizers.findings(Document("name", _spaced(part), group=group)))

        self._is_telling = is_telling

    def hashed(self, *fields: str) -> str:
        """Return the hash of a name, a group or an id."""
        return self._key.digest("name", *fields).hex()[:HASH_CHARACTERS]

    def hashed_id(self, id_: str) -> str:
        """Return the id of a document in reports and the manifest."""
        return self.hashed("id", id_)

    def output(
        self, name: str, group: str | None, found: Iterable[str], *, ambiguous: bool = False
    ) -> str:
        """Return the path of an output below the folder, given what was found in its document."""
        path = PurePosixPath(name)
        if ambiguous or not is_safe(name) or name in RESERVED:
            return self.hashed("path", name) + path.suffix.lower()
        told = "\n".join(found).casefold()
        *folders, file = path.parts
        stem, suffix = file.removesuffix(path.suffix), path.suffix
        parts = [self._part(part, group, told) for part in (*folders, stem)]
        return "/".join(parts) + suffix

    def id(self, id_: str, group: str | None, found: Iterable[str]) -> str:
        """Return the id of a row."""
        told = "\n".join(found).casefold()
        return "/".join(self._part(part, group, told) for part in id_.split("/"))

    def group(self, group: str | None) -> str | None:
        """Return the name of a group."""
        if group is None or self._rename is Rename.KEEP:
            return group
        return self.hashed("group", group)

    def _part(self, part: str, group: str | None, told: str) -> str:
        if self._rename is Rename.KEEP:
            return part
        is_harmless = self._rename is Rename.AUTO and not _have_words_in_common(part, told)
        if is_harmless and not self._is_telling(group, part):
            return part
        return self.hashed("part", part)


def _spaced(part: str) -> str:
    """Return a file name as text: signs between words become spaces."""
    return re.sub(r"[_.+]|(?<=[^\W\d_])-|-(?=[^\W\d_])", " ", part)


def _have_words_in_common(part: str, told: str) -> bool:
    """Whether a name contains a word of a text, which may be long and is rarely split."""
    words = _words(part.casefold())
    return any(word in told for word in words) and not words.isdisjoint(_words(told))


def _words(text: str) -> frozenset[str]:
    """Return the words and numbers of a text that are long enough to identify somebody."""
    return frozenset(
        word
        for word in _WORDS.findall(text)
        if len(word) >= (_SHORTEST_NUMBER if word.isdigit() else _SHORTEST_WORD)
        and word not in _HARMLESS
    )


def place_below(folder: Path, name: str) -> Path:
    """Return the path of an output, and create its folder.

    Raises
    ------
    StoppedError
        If the name leads out of the folder, or through a symbolic link.
    """
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts or not relative.parts:
        raise StoppedError("an output would be outside the output folder")
    place = folder
    for part in relative.parts[:-1]:
        place = place / part
        if place.is_symlink():
            raise StoppedError(
                "the output folder contains a symbolic link where an output should be"
            )
        place.mkdir(exist_ok=True)
    place = place / relative.parts[-1]
    if place.is_symlink():
        raise StoppedError(_LINK)
    return place
