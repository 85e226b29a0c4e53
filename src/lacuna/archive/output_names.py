"""Names of outputs and ids that do not reveal whom a document is about, and their paths.

A part of a path (or of an id) is kept only if it consists of plain words, such as *note* or
*discharge*, and counters. Otherwise it is replaced by a keyed hash, and so is a part in which
recognizers find something, that contains a number found in the document, or that shows the group.
Groups (patient numbers) are always hashed, unless names are to be kept.

The key is that of the user, or a random one of the run that is never written to the output folder.

Outputs are only written below the output folder, and never through a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from lacuna.archive.inputs import PLAIN_TABLES, TEXT_SUFFIXES
from lacuna.archive.options import Rename
from lacuna.deid.detector import Recognizers
from lacuna.deid.keys import Key
from lacuna.deid.patterns.cue_words import word_set
from lacuna.errors import StoppedError
from lacuna.io.file_names import is_safe
from lacuna.io.formats import FORMATS
from lacuna.text.document import Document

HASH_CHARACTERS = 16
#: Names in the output folder that outputs must not have.
RESERVED = frozenset({"manifest.jsonl", "report.html", "report.json"})
#: Suffixes of outputs; any other ending of a name is treated as part of the name.
SUFFIXES = frozenset({*TEXT_SUFFIXES, *PLAIN_TABLES, *FORMATS["jsonl"].suffixes})
#: Words that say what a document is and not whom it is about; none is a usual family name.
PLAIN_WORDS = word_set(
    """
    and for of the to
    note notes letter letters report reports summary summaries visit visits record records
    document documents doc docs text texts file files message messages form forms
    admission admissions admit discharge discharges transfer progress followup follow up
    consult consults consultation consultations referral referrals encounter encounters
    history physical exam assessment plan procedure procedures operation operative nursing
    therapy medication medications meds lab labs laboratory radiology pathology imaging
    ct mri xray ecg echo ultrasound ed er icu emergency clinic clinical inpatient outpatient
    patient patients table tables row rows part section batch number no version draft final copy
    data corpus input archive export train dev test sample samples example examples
    txt xml conll csv tsv json jsonl ndjson parquet
    """
)
_LINK = "an output would be written through a symbolic link in the output folder"
_PLAIN = re.compile(r"[a-z0-9 _.,+()#-]*")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_LONGEST_COUNTER = 4


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
        suffix = PurePosixPath(name).suffix
        suffix = suffix if suffix.lower() in SUFFIXES else ""
        if ambiguous or not is_safe(name) or name in RESERVED:
            return self.hashed("path", name) + suffix.lower()
        return self.id(name.removesuffix(suffix), group, found) + suffix

    def id(self, id_: str, group: str | None, found: Iterable[str]) -> str:
        """Return the id of a row, given what was found in its text."""
        if self._rename is Rename.KEEP:
            return id_
        parts = id_.split("/")
        stays = [False] * len(parts)
        if self._rename is Rename.AUTO:
            told = "\n".join(found)
            stays = [
                is_plain and not _have_numbers_in_common(part, told)
                for part, is_plain in zip(parts, _plain_parts(parts, group), strict=True)
            ]
        return "/".join(
            part if stay and not self._is_telling(group, part) else self.hashed("part", part)
            for part, stay in zip(parts, stays, strict=True)
        )

    def group(self, group: str | None) -> str | None:
        """Return the name of a group."""
        if group is None or self._rename is Rename.KEEP:
            return group
        return self.hashed("group", group)


def _plain_parts(parts: Sequence[str], group: str | None) -> list[bool]:
    """Return which parts of a path consist of plain words and counters, and do not show the group.

    Two numbers side by side are no counters, in one part or in two: they can be a date or the
    pieces of a record number.
    """
    words = [(place, word) for place, part in enumerate(parts) for word in _words(part)]
    telling = {place for place, word in words if not _is_plain(word)}
    for (place, word), (next_place, next_word) in pairwise(words):
        if word.isdecimal() and next_word.isdecimal():
            telling |= {place, next_place}
    telling |= _places_of_group(words, group)
    return [
        place not in telling and _PLAIN.fullmatch(part.lower()) is not None
        for place, part in enumerate(parts)
    ]


def _places_of_group(words: Sequence[tuple[int, str]], group: str | None) -> set[int]:
    """Return the parts in which the words of the group follow one another."""
    wanted = _words(group or "")
    starts = range(len(words) - len(wanted) + 1) if wanted else ()
    windows = [words[start : start + len(wanted)] for start in starts]
    return {
        place for window in windows if [word for _, word in window] == wanted for place, _ in window
    }


def _is_plain(word: str) -> bool:
    if not word.isdecimal():
        return word in PLAIN_WORDS
    return len(word) < _LONGEST_COUNTER or (len(word) == _LONGEST_COUNTER and not _is_date(word))


def _is_date(digits: str) -> bool:
    """Whether four digits may be a year, or a day and a month in any order."""
    first, second = int(digits[:2]), int(digits[2:])
    is_day = 1 <= min(first, second) <= 12 and max(first, second) <= 31
    return first in (19, 20) or is_day


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _have_numbers_in_common(part: str, told: str) -> bool:
    """Whether a name contains a long number of a text, which is rarely split into words."""
    numbers = _long_numbers(part)
    return any(n in told for n in numbers) and not numbers.isdisjoint(_long_numbers(told))


def _long_numbers(text: str) -> set[str]:
    return {word for word in _words(text) if word.isdecimal() and len(word) >= _LONGEST_COUNTER}


def _spaced(part: str) -> str:
    """Return a file name as text: signs between words become spaces."""
    return re.sub(r"[_.+]|(?<=[^\W\d_])-|-(?=[^\W\d_])", " ", part)


@contextmanager
def stopping() -> Iterator[None]:
    """Stop the run if the disk is full or cannot be written to."""
    try:
        yield
    except OSError as error:
        raise StoppedError(f"cannot write to the output folder: {error.strerror}") from None


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
