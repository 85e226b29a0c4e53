"""The notes that the bundled model learns from: written by hand, re-filled, and generated.

The notes of ``corpus/`` whose family is for training come as they are written, in small letters and
in capitals, and many times re-filled with other identifiers (:mod:`refilling`). All copies of a
note have one group, so a feature must occur in several notes that somebody wrote.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from refilling import refilled, unchanged
from values import Values

import lacuna
from lacuna.synthetic import Noise, Split, generate
from lacuna.synthetic.clinic import assemble
from lacuna.synthetic.noise import spoil
from lacuna.synthetic.scene import Piece
from lacuna.text.document import Document

CORPUS = Path(__file__).parents[2] / "corpus"
#: Labels of the corpus, and what the label set of i2b2 2014 calls them; all people but staff are
#: PATIENT there.
LABELS = {"NAME": "PATIENT", "IP": "IPADDR", "LOCATION_OTHER": "LOCATION-OTHER"}
#: How jottings are typed, and how re-filled notes are.
HASTE = Noise(careless=0.3, capitals=0.12, lower=0.15, wrapped=0.25)
COPIED = Noise(
    careless=0.2,
    capitals=0.2,
    capital_lines=0.05,
    lower=0.25,
    wrapped=0.1,
    crlf=0.02,
    spacing=0.1,
    typographic=0.05,
)


@dataclass(frozen=True, slots=True)
class Mixture:
    """How many notes of each sort.

    Attributes
    ----------
    generated, jottings
        Generated notes of all kinds, and short ones typed in haste.
    written
        How often a note of the corpus comes as it is.
    cased
        How often it comes in small letters, and how often in capitals.
    refills
        How often it comes with other identifiers.
    sparse
        How many times as often notes with few identifiers come, in each of these ways.
    families
        How many families are used.
    noise
        How re-filled notes are typed.
    """

    generated: int = 1200
    jottings: int = 2000
    written: int = 2
    cased: int = 1
    refills: int = 5
    sparse: int = 1
    families: int = 100
    noise: Noise = COPIED

    def described(self, seed: int) -> str:
        """Return what the notes are, for the card of a model."""
        copies = f"{self.written} as written, {2 * self.cased} in other letters"
        return (
            f"{len(corpus_notes(self))} notes of lacuna's corpus, of each {copies} and"
            f" {self.refills} with other identifiers; {self.generated} generated English notes and"
            f" {self.jottings} jottings, seed {seed}"
        )


#: Notes with fewer identifiers than one in so many words are sparse.
SPARSE = 25


def training_notes(mixture: Mixture, common: Mapping[str, int], seed: int) -> Iterator[Document]:
    """Write the notes of a mixture; `common` counts words that are no names."""
    yield from generate(mixture.generated, seed=seed, split=Split.TRAIN)
    jottings = generate(
        mixture.jottings, seed=seed, split=Split.TRAIN, kinds=("jotting",), noise=HASTE
    )
    for note in jottings:
        yield replace(note, id=f"j{note.id}", group=f"j{note.group}")
    notes = corpus_notes(mixture)
    values = Values.of(notes, common)
    for note in notes:
        yield from copies(note, mixture, values, seed)


def corpus_notes(mixture: Mixture) -> list[Document]:
    """Return the notes of the corpus that models may learn from."""
    table = tomllib.loads((CORPUS / "families.toml").read_text(encoding="utf-8"))
    names = [name for name, family in table.items() if family["split"] == "train"]
    found = [
        note for name in names[: mixture.families] for note in lacuna.read(CORPUS / f"{name}.txt")
    ]
    return [note for note in found if mixture.sparse > 0 or not is_sparse(note)]


def is_sparse(note: Document) -> bool:
    """Whether a note has few identifiers."""
    return len(note.mentions) * SPARSE < len(note.text.split())


def copies(note: Document, mixture: Mixture, values: Values, seed: int) -> Iterator[Document]:
    """Write a note of the corpus several times."""
    plain = unchanged(note)
    times = mixture.sparse if is_sparse(note) else 1
    for number in range(times * mixture.written):
        yield written(f"{note.id}-w{number}", plain, note.id)
    for number in range(times * mixture.cased):
        for letters, change in LETTERS.items():
            yield written(f"{note.id}-{letters}{number}", in_letters(plain, change), note.id)
    for number in range(times * mixture.refills):
        rng = Random(f"{seed}/{note.id}/{number}")
        pieces = spoil(refilled(note, values, rng), mixture.noise, rng)
        yield written(f"{note.id}-r{number}", pieces, note.id)


LETTERS: dict[str, Callable[[str], str]] = {"small": str.lower, "capitals": str.upper}


def in_letters(pieces: Sequence[Piece], change: Callable[[str], str]) -> list[Piece]:
    """Return pieces in small letters or capitals."""
    return [piece._replace(text=change(piece.text)) for piece in pieces]


def written(name: str, pieces: Sequence[Piece], group: str) -> Document:
    """Join pieces into a note with the labels of i2b2."""
    known = [Piece(text, LABELS.get(label or "", label)) for text, label, _ in pieces]
    return assemble(name, known, group=group, meta={}, findings=False)
