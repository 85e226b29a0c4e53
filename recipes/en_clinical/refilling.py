"""Re-filling annotated notes: every identifier is a slot that gets another value.

::

    Mrs ⟦PATIENT|Ada Birch⟧, b. ⟦DATE|3.4.51⟧ … ⟦PATIENT|Ada⟧ lives in ⟦CITY|Leeds⟧
    Mrs ⟦PATIENT|Nkechi Orr⟧, b. ⟦DATE|11.2.58⟧ … ⟦PATIENT|Nkechi⟧ lives in ⟦CITY|Barrie⟧

Everything outside the slots stays as it is. The same surface of a note gets the same value, and a
word of a name the same word, so that first and last names of a person go together. Values keep
letters and notation: capitals, the order of a date, the form of a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from notation import cased, other_age, other_code, other_date
from values import PERSONS, SHARED, WORD, Values, plain

from lacuna.synthetic.scene import Piece
from lacuna.text.document import Document, Mention

_TITLES = frozenset(
    (
        *("jr", "sr", "ii", "iii", "iv", "van", "von", "der", "den", "de", "del", "la", "di", "da"),
        *("al", "el", "bin", "binti", "bint", "ibn", "ap", "ter", "née", "nee", "aka", "and"),
        *("the", "of", "y", "dr", "mr", "mrs", "ms", "kaur", "singh"),
    )
)
_SPELT = re.compile(r"[^\W\d_](?:[ .-]{1,2}[^\W\d_]){3,}")
_CHILD_OF = re.compile(r"\b[sdwc] ?/ ?o\b", re.IGNORECASE)
_RUN = re.compile(r"[^\W\d_]+|\d+")
#: Parts of addresses on the net that stay.
_NET = frozenset(
    (
        *("http", "https", "www", "example", "com", "org", "net", "gov", "edu", "co", "uk", "ie"),
        *("au", "nz", "ca", "za", "in", "nhs", "ac", "dot", "at", "info", "de", "fr", "portal"),
        *("health", "mail", "gmail", "outlook", "hotmail", "yahoo", "clinic", "reports", "info"),
    )
)
_ADDRESSES = ("EMAIL", "URL", "USERNAME")
_NUMBERS_ONLY = ("PHONE", "FAX", "ROOM", "AGE")  # letters in them are no letters of a code
#: How often a value is taken from another note as a whole, by label.
_WHOLE = {"HOSPITAL": 0.3, "ORGANIZATION": 0.45, "LOCATION_OTHER": 0.4}


def refilled(note: Document, values: Values, rng: Random) -> list[Piece]:
    """Return the pieces of a note with other identifiers, labels as in the note."""
    slots = Slots(note, values, rng)
    pieces: list[Piece] = []
    place = 0
    for mention in flat(note):
        surface = note.text[mention.start : mention.end]
        pieces.append(Piece(note.text[place : mention.start]))
        pieces.append(Piece(slots.fill(mention.label, surface), mention.label))
        place = mention.end
    return [piece for piece in (*pieces, Piece(note.text[place:])) if piece.text]


def unchanged(note: Document) -> list[Piece]:
    """Return the pieces of a note as it is."""
    pieces: list[Piece] = []
    place = 0
    for mention in flat(note):
        pieces.append(Piece(note.text[place : mention.start]))
        pieces.append(Piece(note.text[mention.start : mention.end], mention.label))
        place = mention.end
    return [piece for piece in (*pieces, Piece(note.text[place:])) if piece.text]


def flat(note: Document) -> Iterator[Mention]:
    """Yield the mentions that are in no other mention, in text order."""
    end = 0
    for mention in sorted(note.mentions, key=lambda m: (m.start, -m.end)):
        if mention.start >= end:
            yield mention
            end = mention.end


class Slots:
    """The values chosen so far for one note."""

    def __init__(self, note: Document, values: Values, rng: Random) -> None:
        self.values, self.rng = values, rng
        self.chosen: dict[tuple[str, str], str] = {}
        self.words: dict[str, str] = {}  # plain word of a name → its replacement
        self.is_loud = note.text.isupper()
        self.origin: int | None = None
        self.keeps_origin = rng.random() < 0.5
        persons = [m.surface(note.text) for m in note.mentions if m.label in PERSONS]
        if not self.keeps_origin:
            self.origin = self._any_origin()
        for name in sorted(persons, key=self._fullness):
            self.chosen.setdefault(("", name), self._person(name))

    def _fullness(self, name: str) -> tuple[bool, int]:
        """Sort key: names without initials first, and of these the longest."""
        words = WORD.findall(name)
        full = [word for word in words if not self._is_initials(word)]
        return len(full) < len(words) and not _SPELT.fullmatch(name), -len(full)

    def fill(self, label: str, surface: str) -> str:
        """Return the value of a slot."""
        if label in PERSONS:
            return self.chosen["", surface]
        key = (label, surface.lower())
        if key not in self.chosen:
            self.chosen[key] = _MAKERS.get(label, Slots._number)(self, label, surface)
        return cased(surface, self.chosen[key]) if len(surface) > 3 else self.chosen[key]

    def _person(self, surface: str) -> str:
        """Replace the words of a name."""
        if _SPELT.fullmatch(surface):
            return self._spelt(surface)
        kept = [m.span() for m in _CHILD_OF.finditer(surface)]
        found = [
            m
            for m in WORD.finditer(surface)
            if plain(m[0]) not in _TITLES and not any(a <= m.start() < b for a, b in kept)
        ]
        names = [m for m in found if not self._is_initials(m[0])]
        is_turned = "," in surface or "^" in surface
        made, place = [], 0
        for match in found:
            word = match[0]
            if self._is_initials(word):
                new = self._initials(word)
            else:
                new = cased(word, self._word(word, self._use(names, match, is_turned)))
            made += [surface[place : match.start()], new]
            place = match.end()
        return "".join([*made, surface[place:]])

    def _use(self, names: list[re.Match[str]], match: re.Match[str], is_turned: bool) -> str:
        """Return what a word of a name is used as: "m", "f" or "l"."""
        uses = self.values.names.uses.get(plain(match[0]), ())
        genders = [use for _, use in uses if use != "l"]
        gender = max(genders, key=genders.count) if genders else self.rng.choice("mf")
        if len(names) == 1:
            is_last = bool(uses) and not genders
            return "l" if is_last or (not uses and self.rng.random() < 0.5) else gender
        is_last = match is names[0] if is_turned else match is names[-1]
        return "l" if is_last else gender

    def _word(self, word: str, use: str) -> str:
        key = plain(word)
        if key not in self.words:
            if self.keeps_origin:
                origins = [origin for origin, known in self._known(key) if known == use]
                origin = self.rng.choice(origins) if origins else self._any_origin()
            else:
                origin = self._any_origin() if self.origin is None else self.origin
            self.words[key] = self.values.names.draw(self.rng, use, origin)
        return self.words[key]

    def _known(self, word: str) -> tuple[tuple[int, str], ...]:
        return self.values.names.uses.get(word, ())

    def _any_origin(self) -> int:
        book = self.values.names.book
        return self.rng.choices(range(len(book.origins)), cum_weights=book.cumulated)[0]

    def _is_initials(self, word: str) -> bool:
        """Whether letters are initials: one or two of them, or capitals that are no name."""
        if len(word) == 1:
            return True
        is_short = len(word) <= (2 if self.is_loud or not word.isupper() else 4)
        return is_short and not self._known(plain(word))

    def _initials(self, word: str) -> str:
        """Return the initials of the replacements, or any letters."""
        key = f"{word.lower()}."
        if key not in self.words:
            letters = (
                next((new for old, new in self.words.items() if old[0] == c and old[-1] != "."), "")
                for c in word.lower()
            )
            self.words[key] = "".join(
                new[0] if new else self.rng.choice("ABCDEFGHJKLMNPRSTVW") for new in letters
            )
        new = self.words[key]
        return "".join(
            n.upper() if o.isupper() else n.lower() for o, n in zip(word, new, strict=True)
        )

    def _spelt(self, surface: str) -> str:
        """Replace a name that is spelt letter by letter: o r t e g a."""
        letters = re.findall(r"[^\W\d_]", surface)
        gap = surface[1 : surface.index(letters[1], 1)]
        new = self._word("".join(letters), "l")
        return gap.join(cased(letters[0] * 2, c * 2)[0] for c in new if c.isalpha())

    def _number(self, label: str, surface: str) -> str:
        return other_code(surface, self.rng, letters=label not in _NUMBERS_ONLY)

    def _date(self, _: str, surface: str) -> str:
        return other_date(surface, self.rng)

    def _age(self, _: str, surface: str) -> str:
        return other_age(surface, self.rng)

    def _job(self, _: str, surface: str) -> str:
        new = self.rng.choice(self.values.jobs)
        return new.upper() if surface.isupper() else new

    def _listed(self, label: str, surface: str) -> str:
        return self.values.alike(self.rng, label, surface) or surface

    def _town(self, label: str, surface: str) -> str:
        if self.rng.random() < 0.2:
            return self._listed(label, surface)
        return self.values.town(self.rng)

    def _place(self, label: str, surface: str) -> str:
        """Replace a hospital, firm or street word by word, or as a whole."""
        if label in SHARED and self.rng.random() < _WHOLE[label]:
            return self._listed(label, surface)
        generic = self.values.generic.get(label, frozenset())

        def other(match: re.Match[str]) -> str:
            word = match[0]
            if word.lower() in generic:
                return word
            if word.isdigit():
                return other_code(word, self.rng)
            if len(word) == 1 or (word.isupper() and len(word) < 5 and not self.is_loud):
                return other_code(f"{word}", self.rng) if len(word) == 1 else self._letters(word)
            if word.islower() and not surface.islower():
                return word  # of, and, for
            key = plain(word)
            if key not in self.words:
                self.words[key] = self.values.place_word(self.rng)
            return cased(word, self.words[key])

        return re.sub(rf"{WORD.pattern}|\d+", other, surface)

    def _letters(self, word: str) -> str:
        return "".join(self.rng.choice("ABCDEFGHIJKLMNOPRSTUVW") for _ in word)

    def _address(self, label: str, surface: str) -> str:
        """Replace the names in an address on the net; numbers get other digits."""

        def other(match: re.Match[str]) -> str:
            run = match[0]
            if run.isdigit() or len(run) <= 2:
                is_fixed = run.lower() in _NET
                return run if is_fixed else other_code(run, self.rng)
            key = plain(run)
            if key in _NET or (label == "URL" and self.rng.random() < 0.3):
                return run
            known = self.words.get(key) or self.words.get(key[1:])
            name = plain(known or self.values.names.draw(self.rng, self.rng.choice("mfll")))
            name = re.sub("[^a-z]", "", name) or run
            if known is None and label == "USERNAME":
                name = (run[0] + name)[: max(len(run), 3)] if len(run) < 9 else run[0] + name
            return cased(run, name) if run.isupper() else name

        return _RUN.sub(other, surface)


#: How slots are filled, by label; all others get numbers and codes.
_MAKERS: dict[str, Callable[[Slots, str, str], str]] = {
    "DATE": Slots._date,
    "AGE": Slots._age,
    "PROFESSION": Slots._job,
    "CITY": Slots._town,
    "STATE": Slots._listed,
    "COUNTRY": Slots._listed,
    **dict.fromkeys(("HOSPITAL", "ORGANIZATION", "LOCATION_OTHER", "STREET"), Slots._place),
    **dict.fromkeys(_ADDRESSES, Slots._address),
}
