"""Letters, e-mails and reports about people who do not exist: ``letters.txt``, filled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar

from common import faker_values
from filling import Filler, filled

from lacuna.synthetic import Noise
from lacuna.synthetic.language import load_language
from lacuna.synthetic.people import without_accents
from lacuna.text.document import Document

HERE = Path(__file__).parent
LOCALES = (
    *("en_GB", "en_US", "en_IE", "en_IN", "fr_FR", "de_DE", "pl_PL", "it_IT", "es_ES", "tr_TR"),
    *("nl_NL", "sv_SE", "pt_PT", "ro_RO", "hu_HU", "fi_FI", "yo_NG", "tw_GH", "cs_CZ"),
)
NOISE = Noise(careless=0.15, capitals=0.06, lower=0.2, wrapped=0.25, capital_lines=0.03)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("fifteen", "twenty", "thirty-two", "forty", "sixty-seven", "ninety", "one hundred"),
)
_COUNTED = (
    *("hearings", "witnesses", "counts", "offences", "children", "letters", "pages", "suspects"),
    *("companies", "banks", "judges", "persons", "plots", "boxes", "employees", "neighbours"),
    *("cars", "complaints", "daughters", "sons"),
)
#: Words of numbers.
NUMERALS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    *("hundred", "thousand", "million", "billion", "first", "second", "third", "fourth"),
    *("fifth", "several", "half", "dozen"),
)
_TITLES = ("Mr", "Mrs", "Ms", "Mr", "Mrs", "Miss", "Mr.", "Ms.", "Dr", "Mx")
_COURTS = (
    *("{} County Court", "{} Crown Court", "{} District Court", "{} Regional Court", "High Court"),
    *("Court of Appeal", "Supreme Court", "{} Assize Court", "{} Employment Tribunal"),
    *("{} City Court", "{} Administrative Court", "Constitutional Court", "{} Public Prosecutor"),
)
_FIRMS = (
    *("{} & Sons", "{} Ltd", "{} and {}", "{} Group", "{} Housing Association", "{} College"),
    *("{} School", "{} House", "{} Bank", "{} Council", "{} Solicitors", "{} Logistics", "{}'s"),
    *("{} Insurance", "{} University", "University of {}", "{} Hotel", "{} Trust", "{} GmbH"),
    *("Ministry of {}", "{} Police", "{} Motors", "St {}'s", "{} Mutual", "{} Mutual", "{}"),
)
NATIONS = (
    *("British", "Irish", "Polish", "Turkish", "German", "French", "Italian", "Romanian"),
    *("Nigerian", "Somali", "Indian", "Pakistani", "Iraqi", "Iranian", "Swedish", "Danish"),
    *("Finnish", "Spanish", "Portuguese", "Greek", "Dutch", "Belgian", "Swiss", "Hungarian"),
    *("Bulgarian", "Ukrainian", "Russian", "Chinese", "Vietnamese", "American", "Canadian"),
    *("Kenyan", "Ghanaian", "Moroccan", "Algerian", "Egyptian", "Syrian", "Afghan", "Tamil"),
    *("Kurdish", "Latvian", "Lithuanian", "Estonian", "Austrian", "Czech", "Slovak", "Albanian"),
)


def letters(count: int, seed: int) -> Iterator[Document]:
    """Write so many texts."""
    return filled(HERE / "letters.txt", General(), count, seed, NOISE, (1, 1, 2))


class General(Filler):
    """The values of letters."""

    def __init__(self) -> None:
        words: Mapping[str, Sequence[str]] = load_language("en").words
        self.words = words
        own = [*words["first.male"], *words["first.female"]]
        names = ("first_names_male", "first_names_female", "first_names")
        self.given = [n for name in names for n in faker_values("person", name, LOCALES)] + own
        self.family = [*faker_values("person", "last_names", LOCALES), *words["last"]]

    def begin(self, rng: Random) -> None:
        """Begin a text about somebody else."""
        super().begin(rng)
        self.is_british = rng.random() < 0.6
        self.has_accents = rng.random() < 0.6

    def value(self, slot: str) -> tuple[str, str]:
        """Return a value and its label."""
        text, label = super().value(slot)
        return (text if self.has_accents else without_accents(text)), label

    # --- people

    def _given(self, detail: str = "") -> str:
        name = self.rng.choice(self.given)
        short = name[: self.rng.randint(3, 4)] if detail == "l" else name
        return short.lower() if detail == "l" else name

    def _family(self, detail: str = "") -> str:
        name = self.rng.choice(self.family)
        return f"{self.rng.choice(_TITLES)} {name}" if detail == "t" else name

    def _person(self, detail: str) -> str:
        given, family = self._given(), self._family()
        if detail == "u":
            return f"{given} {family}".upper()
        middle = f" {self._given()}" if self.rng.random() < 0.1 else ""
        name = self.one_of(
            f"{given}{middle} {family}", f"{given} {family}", f"{given[0]}. {family}"
        )
        return f"{self.rng.choice(_TITLES)} {name}" if detail == "t" else name

    # --- days

    def _year(self, _: str = "") -> str:
        return str(self.rng.randint(1950, 2026))

    def _weekday(self, detail: str) -> str:
        day = self.rng.choice(_DAYS)
        return self.one_of(day, day[:3]).lower() if detail == "l" else day

    def _day(self, _: str) -> str:
        number, month = self.rng.randint(1, 31), self.rng.choice(_MONTHS)
        shapes = (
            f"{number} {month}",
            f"{month} {number}",
            f"the {number}th",
            f"{number}th {month}",
        )
        return self.one_of(
            *shapes, self.rng.choice(_DAYS), f"{self.rng.choice(_DAYS)} {number} {month}"
        )

    def _month(self, _: str) -> str:
        month = self.rng.choice(_MONTHS)
        return self.one_of(month, f"{month} {self._year()}", self._year())

    def _date(self, detail: str) -> str:
        number, month, year = self.rng.randint(1, 28), self.rng.randrange(12), self._year()
        in_words = (f"{number} {_MONTHS[month]} {year}", f"{number} {_MONTHS[month]} {year}")
        if detail == "w":
            return self.one_of(*in_words, f"{number} {_MONTHS[month]}")
        first, second = (number, month + 1) if self.is_british else (month + 1, number)
        return self.one_of(
            *(*in_words, f"{first:02d}/{second:02d}/{year}", f"{first}.{second}.{year[2:]}"),
            *(f"{_MONTHS[month]} {number}, {year}", f"{year}-{month + 1:02d}-{number:02d}"),
            f"{number}th {_MONTHS[month]} {year}",
        )

    def _duration(self, detail: str) -> str:
        one = f"{self._number()} {self.one_of('years', 'months', 'weeks', 'days')}"
        if detail == "r":
            return f"{self._number()} months"
        return self.one_of(one, one, f"{self._number()} years and {self._number()} months")

    # --- numbers

    def _number(self, _: str = "") -> str:
        return self.one_of(self.rng.choice(_NUMBERS), str(self.rng.randint(2, 90)))

    def _quantity(self, _: str) -> str:
        return self.rng.choice(_NUMBERS)

    def _count(self, _: str) -> str:
        noun = self.rng.choice(_COUNTED)
        return f"{self.one_of('', '', 'some ', 'more than ', 'about ')}{self._number()} {noun}"

    def _distance(self, _: str) -> str:
        about, unit = self.one_of("about ", "approximately ", ""), self.one_of("km", "miles")
        return f"{about}{self.rng.randint(2, 400)} {unit}"

    def _often(self, _: str) -> str:
        times = self.one_of("once", "twice", "three times", "four times", "five times")
        return f"{times} a {self.one_of('week', 'month', 'year')}"

    def _range(self, _: str) -> str:
        first, second = self._date("w"), self._date("w")
        shape = self.one_of(
            "Between {} and {}", "From {} to {}", "Between {} and {}", "From {} until {}"
        )
        return shape.format(first, second)

    def _times(self, _: str) -> str:
        day, hours = self.rng.choice(_DAYS), (self.rng.randint(8, 12), self.rng.randint(1, 8))
        which = self.one_of("every", "on the first", "on every second")
        return f"{which} {day} between {hours[0]} a.m. and {hours[1]} p.m."

    def _money(self, detail: str) -> str:
        amount = f"{self.rng.randint(1, 90) * self.rng.choice((10, 50, 1000)):,}"
        currency = self.one_of(
            "euros (EUR)", "pounds sterling (GBP)", "Polish zlotys (PLN)", "euros"
        )
        if detail == "w":
            return self.one_of(
                f"{amount} {currency}", f"EUR {amount}", f"GBP {amount}", f"£{amount}"
            )
        return self.one_of(
            f"£{amount}", f"${amount}", f"€{amount}", f"£{amount}.50", f"{amount} euros"
        )

    def _code(self, _: str) -> str:
        shapes = ("####/##", "#####/##", "AB/####/K", "####-B", "20##-0###", "######", "R#####")
        return self.digits(*shapes, "##PR #####", "INV-#####", "A##-###", "########", "###/20##")

    def _digits(self, _: str) -> str:
        return self.digits("####", "###", "#####")

    def _plate(self, _: str) -> str:
        letters = "".join(self.rng.choices("ABCDEFGHJKLMNPRSTVXY", k=5))
        return self.digits(
            f"{letters[:2]}## {letters[2:]}", f"{letters[:3]} ####", f"{letters[:3]}###"
        )

    def _phone(self, _: str) -> str:
        british = (
            "07### ######",
            "020 7### ####",
            "01### ######",
            "0### ### ####",
            "+44 7### ### ###",
        )
        other = ("(###) ###-####", "###-###-####", "+49 30 #######", "+1 ### ### ####", "555-####")
        return self.digits(*(british if self.is_british else other))

    def _iban(self, _: str) -> str:
        return self.digits(
            "DE## #### #### #### ####", "**** ####", "####-##-####", "GB## ABCD ###### ########"
        )

    def _email(self, _: str) -> str:
        given, family = (
            re.sub("[^a-z]", "", without_accents(n).lower())
            for n in (self._given(), self._family())
        )
        name = self.one_of(
            f"{given}.{family}",
            f"{given[:1]}{family}",
            given,
            "office",
            f"{family}{self._digits('')}",
        )
        host = self.one_of(
            "mail.example", "example.org", f"{family}.example", "gmail.com", "post.example.net"
        )
        return f"{name}@{host}"

    # --- places and firms

    def _city(self, detail: str = "") -> str:
        name = self.rng.choice(self.words["city"])
        return name.lower() if detail == "l" else name

    def _street(self, _: str) -> str:
        name = self.one_of(self.rng.choice(self.words["street.name"]), self._family())
        return f"{self.rng.randint(1, 190)} {name} {self.rng.choice(self.words['street.kind'])}"

    def _flat(self, _: str) -> str:
        return f"{self.one_of('Flat', 'Unit', 'Apartment')} {self.rng.randint(1, 60)}"

    def _postcode(self, _: str) -> str:
        letters = "".join(self.rng.choices("ABDEFGHJLNPQRSTUWXYZ", k=4))
        british = (f"{letters[:2]}# #{letters[2:]}", f"{letters[:1]}## #{letters[2:]}")
        return self.digits(*(british if self.is_british else ("#####", "#####", "#### AB")))

    def _firm(self, _: str) -> str:
        if self.rng.random() < 0.35:
            return self.rng.choice((*self.words["organization"], *self.words["firm"]))
        shape = self.rng.choice(_FIRMS)
        return re.sub(
            r"\{\}", lambda _: self.one_of(self._family(), self._family(), self._city()), shape
        )

    def _court(self, _: str) -> str:
        return self.rng.choice(_COURTS).replace("{}", self._city())

    def _country(self, _: str) -> str:
        return self.rng.choice(self.words["country"])

    def _nation(self, _: str) -> str:
        return self.rng.choice(NATIONS)

    def _job(self, detail: str) -> str:
        job = self.rng.choice(self.words["profession"])
        return job[0].upper() + job[1:] if detail == "c" else job

    def _holiday(self, _: str) -> str:
        return self.rng.choice(self.words["holiday"])

    makers: ClassVar[Mapping[str, tuple[str, Callable[..., str]]]] = {
        "person": ("PERSON", _person),
        "given": ("PERSON", _given),
        "family": ("PERSON", _family),
        "year": ("DATE", _year),
        "weekday": ("DATE", _weekday),
        "day": ("DATE", _day),
        "month": ("DATE", _month),
        "date": ("DATE", _date),
        "duration": ("DATE", _duration),
        "holiday": ("DATE", _holiday),
        "number": ("QUANTITY", _quantity),
        "money": ("QUANTITY", _money),
        "count": ("QUANTITY", _count),
        "distance": ("QUANTITY", _distance),
        "often": ("DATE", _often),
        "times": ("DATE", _times),
        "range": ("DATE", _range),
        "agew": ("DEMOGRAPHIC", _quantity),
        "code": ("IDNUM", _code),
        "digits": ("IDNUM", _digits),
        "plate": ("IDNUM", _plate),
        "iban": ("IDNUM", _iban),
        "phone": ("PHONE", _phone),
        "email": ("PHONE", _email),
        "city": ("LOCATION", _city),
        "street": ("LOCATION", _street),
        "flat": ("LOCATION", _flat),
        "postcode": ("LOCATION", _postcode),
        "country": ("LOCATION", _country),
        "org": ("ORGANIZATION", _firm),
        "court": ("ORGANIZATION", _court),
        "nation": ("DEMOGRAPHIC", _nation),
        "job": ("DEMOGRAPHIC", _job),
        "age": ("DEMOGRAPHIC", lambda self, _: str(self.rng.randint(2, 95))),
    }
