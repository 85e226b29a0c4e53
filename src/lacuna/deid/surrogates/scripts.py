"""Names in other scripts than Latin: a surrogate is written in the script of what it replaces.

Faker has lists of names in fifteen of them. Whatever is written in another script, or mixes two,
has no surrogate. Chinese and Korean names are one word, the family name first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.surrogates.pools import NameGroup, faker_names, known_locale

LATIN = "LATIN"
_NO_SCRIPT = frozenset(("COMBINING", "MODIFIER", "FEMININE", "MASCULINE"))  # º, ª
_FAMILY_FIRST = frozenset(("CJK", "HANGUL"))
_WITH_ENDINGS = frozenset(("CYRILLIC", "GREEK"))
_LOCALES = {
    **{"CYRILLIC": "ru_RU", "GREEK": "el_GR", "ARABIC": "ar_AA", "HEBREW": "he_IL"},
    **{"DEVANAGARI": "hi_IN", "BENGALI": "bn_BD", "TAMIL": "ta_IN", "THAI": "th_TH"},
    **{"GEORGIAN": "ka_GE", "ARMENIAN": "hy_AM", "GUJARATI": "gu_IN", "ORIYA": "or_IN"},
    **{"SINHALA": "si_LK", "CJK": "zh_CN", "HANGUL": "ko_KR"},
}


@dataclass(frozen=True, slots=True)
class ScriptNames:
    """The names of a script.

    Attributes
    ----------
    names
        By group; every group has some.
    groups
        Plain name → its group.
    letters
        First letters of names, as one alphabet; none if a name is one word, family name first.
    has_endings
        Whether the last letter of a name tells a man from a woman.
    """

    names: Mapping[NameGroup, tuple[str, ...]]
    groups: Mapping[str, NameGroup]
    letters: tuple[str, ...]
    has_endings: bool

    @property
    def is_family_first(self) -> bool:
        """Whether a full name is one word that begins with the family name."""
        return not self.letters


def script_of(text: str) -> str:
    """Return the script of the letters of a text, "" if there are several or none is known."""
    if text.isascii():
        return LATIN
    found = _scripts(text)
    return found.pop() if len(found) == 1 else ""


def is_latin(text: str) -> bool:
    """Whether a text has no letters of another script."""
    return text.isascii() or _scripts(text) <= {LATIN}


@cache
def script_names(script: str, locale: str) -> ScriptNames | None:
    """Return the names of a script, of the locale if it uses that script; None without names."""
    usual = _LOCALES.get(script)
    if usual is None:
        return None
    for source in (known_locale(locale), usual):
        names = {
            group: tuple(n for n in faker_names(source, group) if _is_word_in(script, n))
            for group in NameGroup
        }
        if all(names.values()):
            groups: dict[str, NameGroup] = {}
            for group in NameGroup:
                for name in names[group]:
                    groups.setdefault(plain(name), group)
            letters = "".join(sorted({name[0] for name in groups}))
            alphabet = () if script in _FAMILY_FIRST else (letters,)
            return ScriptNames(names, groups, alphabet, script in _WITH_ENDINGS)
    return None


def _is_word_in(script: str, name: str) -> bool:
    return script_of(name) == script and all(c.isalpha() or _is_mark(c) for c in name)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _scripts(text: str) -> set[str]:
    letters = {c for c in text if c.isalpha() or _is_mark(c)}
    return set(map(_script, letters)) - _NO_SCRIPT


@cache
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]
