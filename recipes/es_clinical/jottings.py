"""Short Spanish notes about people who do not exist: the templates of ``jottings.txt``, filled.

::

    [Llama|Telefonea] {familiar} de {paciente}, tel. {tel}
    Llama HERMANA de Rosa Quiroga, tel. 612 30 41 77

Slots that :class:`Spanish` has no maker for are lists of words.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar

from common import faker_values
from filling import Filler, filled

from lacuna.synthetic import Noise
from lacuna.synthetic.people import without_accents
from lacuna.text.document import Document

HERE = Path(__file__).parent
LOCALES = ("es_ES", "es_MX", "es_AR", "es_CO", "es_CL", "es_CA", "es")
HASTE = Noise(careless=0.25, capitals=0.15, lower=0.25, wrapped=0.1, capital_lines=0.05)
LABELS = {
    **dict.fromkeys(("familiar",), "RELATIVE"),
    **dict.fromkeys(("profesion",), "PROFESSION"),
    **{"empresa": "ORGANIZATION", "pais": "COUNTRY", "ciudad": "CITY", "provincia": "STATE"},
}
_MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre"),
    *("octubre", "noviembre", "diciembre"),
)
_DAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")


def jottings(count: int, seed: int) -> Iterator[Document]:
    """Write so many notes, each about other people."""
    return filled(HERE / "jottings.txt", Spanish(), count, seed, HASTE, (1, 1, 2, 3))


def own_words() -> Mapping[str, list[str]]:
    """Return the lists of words.toml."""
    words: dict[str, list[str]] = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))
    return words


class Spanish(Filler):
    """The values of Spanish notes."""

    title = re.compile(r"[Dd]ra?\.? ")  # no part of the mention, as in MEDDOCAN

    def __init__(self) -> None:
        words = self.words = own_words()
        self.given = [
            *faker_values("person", "first_names_male", LOCALES),
            *faker_values("person", "first_names_female", LOCALES),
        ]
        self.family: list[str] = [
            *faker_values("person", "last_names", LOCALES),
            *words["apellido"] * 2,
        ]

    def begin(self, rng: Random) -> None:
        """Begin a note about somebody else."""
        super().begin(rng)
        self.has_accents = rng.random() < 0.7
        self.date = rng.choice((self._slashes, self._slashes, self._dashes, self._words))

    def value(self, slot: str) -> tuple[str, str]:
        """Return a value and its label; a slot without a maker is a list of words."""
        kind, _, detail = slot.partition(".")
        if kind in self.words and kind not in self.makers:
            text: str = self.rng.choice(self.words[kind])
            label = LABELS.get(kind, "")
        else:
            text, label = super().value(slot)
            label = "DOCTOR" if detail == "dr" else label
        return (text if self.has_accents or not label else without_accents(text)), label

    # --- people

    def _given(self, _: str = "") -> str:
        own = self.rng.random() < 0.3
        names: Sequence[str] = self.words["apodo"] if own else self.given
        name = self.rng.choice(names)
        return name if self.rng.random() < 0.85 else f"{name} {self.rng.choice(self.given)}"

    def _family(self, _: str = "") -> str:
        return self.rng.choice(self.family)

    def _both(self) -> str:
        name = self._family()
        return name if self.rng.random() < 0.35 else f"{name} {self._family()}"

    def _patient(self, detail: str) -> str:
        given, family = self._given(), self._both()
        turned = (f"{family}, {given}", f"{family.upper()}, {given.upper()}", f"{family} {given}")
        if detail == "c":
            return self.one_of(*turned[:2], f"{given} {family}")
        return self.one_of(
            *(f"{given} {family}", f"{given} {family}", f"{given} {self._family()}"),
            *(*turned, f"{given[0]}. {self._family()}", f"{given.upper()} {family.upper()}"),
            *(self._family(), given),
        )

    def _doctor(self, detail: str) -> str:
        given, family = self._given(), self._both()
        if detail == "n":
            return self.one_of(f"{given} {self._family()}", self._family(), family)
        title = self.one_of("Dr. ", "Dra. ", "Dr ", "Dra ", "dra. ", "dr ", "", "", "")
        if title:
            return title + self.one_of(self._family(), family, f"{given} {family}", family.upper())
        return self.one_of(self._family(), given, f"{given} {family}", f"{given[0]}. {family}")

    def _signed(self, _: str) -> str:
        given, family = self._given(), self._both()
        name = self.one_of(f"{given} {family}", f"{family}, {given}", f"{given[0]}. {family}")
        return self.one_of(name, name.upper())

    def _initials(self, _: str) -> str:
        return f"{self._given()[0]}{self._family()[0]}{self.one_of('', self._family()[0])}"

    def _sex(self, detail: str) -> str:
        sex = self.rng.choice(self.words["sexo"])
        if detail == "l":
            return self.one_of(sex, "H", "M", "V", "F")
        return self.one_of("Mujer", "Varón", "Hombre", "Paciente mujer") if detail else sex

    # --- days and ages

    def _date(self, _: str) -> str:
        return self.date() if self.rng.random() < 0.8 else self._words()

    def _year(self, _: str = "") -> str:
        return str(self.rng.randint(1940, 2025))

    def _slashes(self) -> str:
        day, month = self.rng.randint(1, 28), self.rng.randint(1, 12)
        sign, year = self.rng.choice("///.-"), self._year()
        long = self.rng.random() < 0.7
        front = f"{day:02d}{sign}{month:02d}" if long else f"{day}{sign}{month}"
        return f"{front}{sign}{year if self.rng.random() < 0.7 else year[2:]}"

    def _dashes(self) -> str:
        month = self.rng.choice(_MONTHS)[:3]
        sign = self.rng.choice("-/ -")
        month = self.one_of(month, month.upper())
        return f"{self.rng.randint(1, 28):02d}{sign}{month}{sign}{self._year()}"

    def _words(self) -> str:
        of = self.one_of("de", "de", "del")
        return f"{self.rng.randint(1, 31)} de {self.rng.choice(_MONTHS)} {of} {self._year()}"

    def _day(self, _: str) -> str:
        day, month = self.rng.randint(1, 31), self.rng.randint(1, 12)
        weekday = self.rng.choice(_DAYS)
        return self.one_of(
            *(f"{day}/{month}", f"{day:02d}/{month:02d}", f"{day}-{month}", weekday),
            *(f"{weekday} {day}", f"{weekday} {day}/{month}", f"{day} de {_MONTHS[month - 1]}"),
            f"{day}/{month}/{self._year()[2:]}",
        )

    def _month(self, _: str) -> str:
        month = self.rng.randrange(12)
        return self.one_of(
            *(f"{_MONTHS[month]} de {self._year()}", f"{month + 1:02d}/{self._year()}"),
            *(f"{_MONTHS[month]} {self._year()}", _MONTHS[month], self._year()),
            f"{_MONTHS[month][:3]}-{self._year()[2:]}",
        )

    def _age(self, detail: str) -> str:
        years = int(self.rng.triangular(1, 101, 62))
        full = f"{years} años"
        if detail == "x":
            return full
        rare = (f"{years}a", f"{years} a", f"{self.rng.randint(2, 23)} meses", f"{years} a.")
        return self.one_of(full, full, full, full, full, *rare)

    # --- numbers

    def _phone(self, _: str) -> str:
        shapes = ("6## ### ###", "6## ## ## ##", "6########", "9# ### ## ##", "9## ## ## ##")
        more = ("6##-###-###", "+34 6## ### ###", "9########", "55 #### ####", "33-####-####")
        return self.digits(
            *shapes, *more, "6## ######", "11 ####-####", "### ### ####", "9##.##.##.##"
        )

    def _extension(self, _: str) -> str:
        return self.digits("####", "#####", "## ##", "###")

    def _record(self, _: str) -> str:
        return self.digits("######", "#######", "########", "#####", "###.###", "AN########")

    def _insured(self, _: str) -> str:
        shapes = ("## ########", "## ######## ##", "##########", "##/########/##", "####-##-####-#")
        return self.digits(*shapes, "## ## ## #### #", "## ###### # ##")

    def _identity(self, _: str) -> str:
        letter = self.rng.choice("TRWAGMYFPDXBNJZSQVHLCKE")
        spanish = ("########", "########-", "##.###.###-", "######## ")
        shape = self.one_of(
            *(s + letter for s in spanish), f"X#######{letter}", f"Y-#######-{letter}"
        )
        return self.digits(shape, shape, "##.###.###", "########", "##.###.###-#")

    def _licence(self, _: str) -> str:
        return self.digits(
            "## ## #####",
            "## ## #####",
            "#####",
            "######",
            "#######",
            "##/##/#####",
            "#########",
            "##-#####",
        )

    def _order(self, _: str) -> str:
        return self.digits(
            "RX####-#####", "##B#####", "########", "B##-#####", "####/##", "AP-##-####", "#######"
        )

    def _bed(self, _: str) -> str:
        return self.digits("###", "###", "##", "#", "###A", "##B", "###-#", "UCI #", "#0#.#")

    def _plate(self, _: str) -> str:
        return self.digits("#### BCD", "####-KLM", "M-####-XY", "#### HJR")

    # --- places

    def _shaped(self, shapes: Sequence[str]) -> str:
        rng, words = self.rng, self.words
        parts: dict[str, Callable[[], str]] = {
            "x": lambda: self.one_of(
                self._family(), self._both(), f"{rng.choice(self.given)} {self._family()}"
            ),
            "c": lambda: rng.choice(words["ciudad"]),
            "v": lambda: rng.choice(words["virgen"]),
            "w": lambda: rng.choice(words["cosa"]),
            "m": lambda: rng.choice(self.given),
            "f": lambda: rng.choice(self.given),
            "s": lambda: (
                "HC"[: rng.randint(0, 1)]
                + "".join(rng.choices("HUGCASVLPMRD", k=rng.randint(3, 4)))
            ),
            "n": lambda: str(rng.randint(1, 90)),
            "d": lambda: self.one_of("Norte", "Sur", "II", "Centro", "I"),
        }
        return re.sub(r"\{(\w)\}", lambda part: parts[part[1]](), rng.choice(shapes))

    def _hospital(self, _: str) -> str:
        return self._shaped(self.words["hospital"])

    def _health_centre(self, _: str) -> str:
        return self._shaped(self.words["cs"])

    def _home(self, _: str) -> str:
        return self._shaped(self.words["residencia"])

    def _street(self, _: str) -> str:
        number = self.one_of(
            f" {self.rng.randint(1, 180)}",
            f", {self.rng.randint(1, 180)}",
            f" nº {self.rng.randint(1, 99)}",
        )
        return self._shaped(self.words["calle"]) + number + self.rng.choice(self.words["piso"])

    def _postcode(self, _: str) -> str:
        return f"{self.rng.randint(1, 52):02d}{self.rng.randint(1, 999):03d}"

    def _email(self, _: str) -> str:
        given, family = (
            re.sub("[^a-z]", "", without_accents(name).lower())
            for name in (self._given(), self._family())
        )
        name = self.one_of(
            f"{given}.{family}",
            f"{given[:1]}{family}",
            f"{family}{self.rng.randint(1, 99)}",
            "citas",
            f"{given}_{family}",
        )
        return f"{name}@{self.rng.choice(self.words['dominio'])}"

    def _signature(self, _: str) -> str:
        return self.one_of(
            f"{self._signed('')}", f"Dr. {self._both()}", f"Dra. {self._both()}", self._given()
        )

    makers: ClassVar[Mapping[str, tuple[str, Callable[..., str]]]] = {
        "paciente": ("PATIENT", _patient),
        "nombre": ("PATIENT", _given),
        "apellido": ("PATIENT", _family),
        "dr": ("DOCTOR", _doctor),
        "DR": ("DOCTOR", _signed),
        "firma": ("DOCTOR", _signature),
        "iniciales": ("DOCTOR", _initials),
        "sexo": ("SEX", _sex),
        "fecha": ("DATE", _date),
        "dia": ("DATE", _day),
        "mes": ("DATE", _month),
        "año": ("DATE", _year),
        "fiesta": ("DATE", lambda self, _: self.rng.choice(self.words["fiesta"])),
        "edad": ("AGE", _age),
        "tel": ("PHONE", _phone),
        "ext": ("PHONE", _extension),
        "nhc": ("MEDICALRECORD", _record),
        "nass": ("HEALTHPLAN", _insured),
        "dni": ("IDNUM", _identity),
        "col": ("LICENSE", _licence),
        "peticion": ("IDNUM", _order),
        "matricula": ("IDNUM", _plate),
        "cama": ("ROOM", _bed),
        "hospital": ("HOSPITAL", _hospital),
        "cs": ("HOSPITAL", _health_centre),
        "residencia": ("HOSPITAL", _home),
        "calle": ("STREET", _street),
        "cp": ("ZIP", _postcode),
        "email": ("EMAIL", _email),
    }
