"""Short Spanish notes about people who do not exist: the templates of ``jottings.txt``, filled.

::

    [Llama|Telefonea] {familiar} de {paciente}, tel. {tel}
    Llama HERMANA de Rosa Quiroga, tel. 612 30 41 77

``{slot!}`` is in capitals. Slots that are in no method of :class:`Slots` are lists of words.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from common import faker_values

from lacuna.synthetic import Noise
from lacuna.synthetic.clinic import assemble
from lacuna.synthetic.noise import spoil
from lacuna.synthetic.people import without_accents
from lacuna.synthetic.scene import Piece
from lacuna.text.document import Document

HERE = Path(__file__).parent
LOCALES = ("es_ES", "es_MX", "es_AR", "es_CO", "es_CL", "es_CA", "es")
HASTE = Noise(careless=0.25, capitals=0.15, lower=0.25, wrapped=0.1, capital_lines=0.05)
LEAST, MOST = 1, 3  #: templates of a note
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{([^{}]+)\}")
_TITLE = re.compile(r"[Dd]ra?\.? ")  # no part of the mention, as in MEDDOCAN
_LABELS = {
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
    text = (HERE / "jottings.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    templates = "\n".join(lines).strip().split("\n\n")
    slots = Slots()
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        slots.begin(rng)
        chosen = rng.sample(templates, rng.choice((LEAST, LEAST, 2, MOST)))
        gap = rng.choice(("\n", "\n\n", "\n\n", " "))
        pieces = [piece for template in chosen for piece in (*slots.fill(template), Piece(gap))]
        pieces = spoil(pieces, HASTE, rng)
        yield assemble(f"j{number}", pieces, group=f"j{number}", meta={}, findings=False)


class Slots:
    """Fills the slots of one note after another."""

    def __init__(self) -> None:
        words = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))
        self.words: Mapping[str, Sequence[str]] = words
        self.given = [
            *faker_values("person", "first_names_male", LOCALES),
            *faker_values("person", "first_names_female", LOCALES),
        ]
        self.family = [*faker_values("person", "last_names", LOCALES), *words["apellido"] * 2]

    def begin(self, rng: Random) -> None:
        """Begin a note about somebody else."""
        self.rng = rng
        self.has_accents = rng.random() < 0.7
        self.date = rng.choice((self._slashes, self._slashes, self._dashes, self._words))

    def fill(self, template: str) -> Iterator[Piece]:
        """Yield the pieces of a note."""
        template = _CHOICE.sub(lambda choice: self.rng.choice(choice[1].split("|")), template)
        place = 0
        for slot in _SLOT.finditer(template):
            yield Piece(template[place : slot.start()])
            place = slot.end()
            name = slot[1].rstrip("!")
            text, label = self._filled(name)
            title = _TITLE.match(text) if label == "DOCTOR" else None
            first = title.end() if title else 0
            yield Piece(text[:first])
            text = text[first:]
            yield Piece(text.upper() if slot[1].endswith("!") else text, label)
        yield Piece(template[place:])

    def _filled(self, name: str) -> tuple[str, str | None]:
        kind, _, detail = name.partition(".")
        if kind.startswith("n:"):
            low, high = name[2:].split("-")
            return f"{self.rng.randint(int(low), int(high)):0{len(low)}d}", None
        if kind in _MAKERS:
            label, make = _MAKERS[kind]
            label = "DOCTOR" if detail == "dr" else label
            return self._accents(make(self, detail)), label
        label = _LABELS.get(kind, "")
        value = self.rng.choice(self.words[kind])
        return (self._accents(value) if label else value), label or None

    def _accents(self, text: str) -> str:
        return text if self.has_accents else without_accents(text)

    def _one_of(self, *values: str) -> str:
        return self.rng.choice(values)

    # --- people

    def _given(self, _: str = "") -> str:
        own = self.rng.random() < 0.3
        name = self.rng.choice(self.words["apodo"] if own else self.given)
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
            return self._one_of(*turned[:2], f"{given} {family}")
        return self._one_of(
            *(f"{given} {family}", f"{given} {family}", f"{given} {self._family()}"),
            *(*turned, f"{given[0]}. {self._family()}", f"{given.upper()} {family.upper()}"),
            *(self._family(), given),
        )

    def _doctor(self, detail: str) -> str:
        given, family = self._given(), self._both()
        if detail == "n":
            return self._one_of(f"{given} {self._family()}", self._family(), family)
        title = self._one_of("Dr. ", "Dra. ", "Dr ", "Dra ", "dra. ", "dr ", "", "", "")
        if title:
            return title + self._one_of(self._family(), family, f"{given} {family}", family.upper())
        return self._one_of(self._family(), given, f"{given} {family}", f"{given[0]}. {family}")

    def _signed(self, _: str) -> str:
        given, family = self._given(), self._both()
        name = self._one_of(f"{given} {family}", f"{family}, {given}", f"{given[0]}. {family}")
        return self._one_of(name, name.upper())

    def _initials(self, _: str) -> str:
        return f"{self._given()[0]}{self._family()[0]}{self._one_of('', self._family()[0])}"

    def _sex(self, detail: str) -> str:
        sex = self.rng.choice(self.words["sexo"])
        if detail == "l":
            return self._one_of(sex, "H", "M", "V", "F")
        return self._one_of("Mujer", "Varón", "Hombre", "Paciente mujer") if detail else sex

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
        return f"{self.rng.randint(1, 28):02d}{sign}{self._one_of(month, month.upper())}{sign}{self._year()}"

    def _words(self) -> str:
        of = self._one_of("de", "de", "del")
        return f"{self.rng.randint(1, 31)} de {self.rng.choice(_MONTHS)} {of} {self._year()}"

    def _day(self, _: str) -> str:
        day, month = self.rng.randint(1, 31), self.rng.randint(1, 12)
        weekday = self.rng.choice(_DAYS)
        return self._one_of(
            *(f"{day}/{month}", f"{day:02d}/{month:02d}", f"{day}-{month}", weekday),
            *(f"{weekday} {day}", f"{weekday} {day}/{month}", f"{day} de {_MONTHS[month - 1]}"),
            f"{day}/{month}/{self._year()[2:]}",
        )

    def _month(self, _: str) -> str:
        month = self.rng.randrange(12)
        return self._one_of(
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
        return self._one_of(full, full, full, full, full, *rare)

    # --- numbers

    def _digits(self, *shapes: str) -> str:
        return re.sub("#", lambda _: str(self.rng.randrange(10)), self.rng.choice(shapes))

    def _phone(self, _: str) -> str:
        shapes = ("6## ### ###", "6## ## ## ##", "6########", "9# ### ## ##", "9## ## ## ##")
        more = ("6##-###-###", "+34 6## ### ###", "9########", "55 #### ####", "33-####-####")
        return self._digits(*shapes, *more, "6## ######", "11 ####-####", "### ### ####", "9##.##.##.##")

    def _extension(self, _: str) -> str:
        return self._digits("####", "#####", "## ##", "###")

    def _record(self, _: str) -> str:
        return self._digits("######", "#######", "########", "#####", "###.###", "AN########")

    def _insured(self, _: str) -> str:
        shapes = ("## ########", "## ######## ##", "##########", "##/########/##", "####-##-####-#")
        return self._digits(*shapes, "## ## ## #### #", "## ###### # ##")

    def _identity(self, _: str) -> str:
        letter = self.rng.choice("TRWAGMYFPDXBNJZSQVHLCKE")
        spanish = ("########", "########-", "##.###.###-", "######## ")
        shape = self._one_of(*(s + letter for s in spanish), f"X#######{letter}", f"Y-#######-{letter}")
        return self._digits(shape, shape, "##.###.###", "########", "##.###.###-#")

    def _licence(self, _: str) -> str:
        return self._digits("## ## #####", "## ## #####", "#####", "######", "#######", "##/##/#####", "#########", "##-#####")

    def _order(self, _: str) -> str:
        return self._digits("RX####-#####", "##B#####", "########", "B##-#####", "####/##", "AP-##-####", "#######")

    def _bed(self, _: str) -> str:
        return self._digits("###", "###", "##", "#", "###A", "##B", "###-#", "UCI #", "#0#.#")

    def _plate(self, _: str) -> str:
        return self._digits("#### BCD", "####-KLM", "M-####-XY", "#### HJR")

    # --- places

    def _shaped(self, shapes: Sequence[str]) -> str:
        rng, words = self.rng, self.words
        parts: dict[str, Callable[[], str]] = {
            "x": lambda: self._one_of(self._family(), self._both(), f"{rng.choice(self.given)} {self._family()}"),
            "c": lambda: rng.choice(words["ciudad"]),
            "v": lambda: rng.choice(words["virgen"]),
            "w": lambda: rng.choice(words["cosa"]),
            "m": lambda: rng.choice(self.given),
            "f": lambda: rng.choice(self.given),
            "s": lambda: "HC"[: rng.randint(0, 1)] + "".join(rng.choices("HUGCASVLPMRD", k=rng.randint(3, 4))),
            "n": lambda: str(rng.randint(1, 90)),
            "d": lambda: self._one_of("Norte", "Sur", "II", "Centro", "I"),
        }
        return re.sub(r"\{(\w)\}", lambda part: parts[part[1]](), rng.choice(shapes))

    def _hospital(self, _: str) -> str:
        return self._shaped(self.words["hospital"])

    def _health_centre(self, _: str) -> str:
        return self._shaped(self.words["cs"])

    def _home(self, _: str) -> str:
        return self._shaped(self.words["residencia"])

    def _street(self, _: str) -> str:
        number = self._one_of(f" {self.rng.randint(1, 180)}", f", {self.rng.randint(1, 180)}", f" nº {self.rng.randint(1, 99)}")
        return self._shaped(self.words["calle"]) + number + self.rng.choice(self.words["piso"])

    def _postcode(self, _: str) -> str:
        return f"{self.rng.randint(1, 52):02d}{self.rng.randint(1, 999):03d}"

    def _email(self, _: str) -> str:
        given, family = (re.sub("[^a-z]", "", without_accents(name).lower()) for name in (self._given(), self._family()))
        name = self._one_of(f"{given}.{family}", f"{given[:1]}{family}", f"{family}{self.rng.randint(1, 99)}", "citas", f"{given}_{family}")
        return f"{name}@{self.rng.choice(self.words['dominio'])}"

    def _signature(self, _: str) -> str:
        return self._one_of(f"{self._signed('')}", f"Dr. {self._both()}", f"Dra. {self._both()}", self._given())


#: Slot → label and method.
_MAKERS: Mapping[str, tuple[str, Callable[[Slots, str], str]]] = {
    "paciente": ("PATIENT", Slots._patient),
    "nombre": ("PATIENT", Slots._given),
    "apellido": ("PATIENT", Slots._family),
    "dr": ("DOCTOR", Slots._doctor),
    "DR": ("DOCTOR", Slots._signed),
    "firma": ("DOCTOR", Slots._signature),
    "iniciales": ("DOCTOR", Slots._initials),
    "sexo": ("SEX", Slots._sex),
    "fecha": ("DATE", Slots._date),
    "dia": ("DATE", Slots._day),
    "mes": ("DATE", Slots._month),
    "año": ("DATE", Slots._year),
    "fiesta": ("DATE", lambda slots, _: slots.rng.choice(slots.words["fiesta"])),
    "edad": ("AGE", Slots._age),
    "tel": ("PHONE", Slots._phone),
    "ext": ("PHONE", Slots._extension),
    "nhc": ("MEDICALRECORD", Slots._record),
    "nass": ("HEALTHPLAN", Slots._insured),
    "dni": ("IDNUM", Slots._identity),
    "col": ("LICENSE", Slots._licence),
    "peticion": ("IDNUM", Slots._order),
    "matricula": ("IDNUM", Slots._plate),
    "cama": ("ROOM", Slots._bed),
    "hospital": ("HOSPITAL", Slots._hospital),
    "cs": ("HOSPITAL", Slots._health_centre),
    "residencia": ("HOSPITAL", Slots._home),
    "calle": ("STREET", Slots._street),
    "cp": ("ZIP", Slots._postcode),
    "email": ("EMAIL", Slots._email),
}
