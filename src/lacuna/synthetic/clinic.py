"""The synthetic clinic: patients, their stays, and the notes written about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import count as count_from
from itertools import islice
from random import Random

import msgspec

from lacuna.errors import ConfigError
from lacuna.synthetic.labels import FINDING
from lacuna.synthetic.language import NoteKind, Split
from lacuna.synthetic.noise import Noise, spoil
from lacuna.synthetic.scene import Memory, Piece, Scene
from lacuna.synthetic.slots import weighted
from lacuna.synthetic.template import FactScope
from lacuna.synthetic.writer import Pack, load_pack, tidy
from lacuna.text.document import Document, Mention, Span


def generate(
    count: int,
    *,
    seed: int = 0,
    language: str = "en",
    split: Split = Split.TRAIN,
    noise: Noise | None = None,
    findings: bool = False,
    most_notes_per_patient: int = 4,
    kinds: Collection[str] = (),
) -> Iterator[Document]:
    """Write annotated clinical notes about people who do not exist.

    The same arguments give the same notes (with the same versions of lacuna and Faker); a larger
    `count` only adds notes at the end.

    Parameters
    ----------
    count
        How many notes.
    split
        Which templates and values to use: train on ``Split.TRAIN``, test on ``Split.TEST``.
        ``Split.ALL`` uses everything.
    noise
        How carelessly the notes are typed; ``CLEAN`` for no noise.
    findings
        Whether clinical findings, some with gaps, are mentions too (label ``FINDING``).
    most_notes_per_patient
        A patient has between one and this many notes, with the same group and facts.
    kinds
        Kinds of notes to write; all by default.
    """
    if count < 0 or most_notes_per_patient < 1:
        raise ConfigError("the number of notes must be at least 0, and per patient at least 1")
    pack = load_pack(language, Split(split))
    if kinds:
        pack = _with_kinds(pack, kinds)
    notes = _notes(pack, seed, Split(split), noise or Noise(), findings, most_notes_per_patient)
    return islice(notes, count)


def _with_kinds(pack: Pack, kinds: Collection[str]) -> Pack:
    """Return the pack with some kinds of notes only."""
    known = pack.language.settings.kinds
    unknown = sorted(set(kinds) - known.keys())
    if unknown:
        raise ConfigError(f"unknown kind of note: {unknown[0]}; known are {', '.join(known)}")
    wanted = {name: kind for name, kind in known.items() if name in kinds}
    settings = msgspec.structs.replace(pack.language.settings, kinds=wanted)
    return replace(pack, language=replace(pack.language, settings=settings))


def _notes(
    pack: Pack, seed: int, split: Split, noise: Noise, findings: bool, most_notes: int
) -> Iterator[Document]:
    for number in count_from(1):
        rng = Random(f"{seed}/{number}")
        patient = f"p{number:04d}"
        for place, (kind, pieces) in enumerate(_patient(pack, rng, most_notes), start=1):
            meta = {"kind": kind, "language": pack.language.code, "split": str(split)}
            yield assemble(
                f"{patient}-n{place:02d}",
                spoil(pieces, noise, rng),
                group=patient,
                meta=meta,
                findings=findings,
            )


def _patient(pack: Pack, rng: Random, most_notes: int) -> Iterator[tuple[str, list[Piece]]]:
    """Write the notes of one patient in chronological order, the second half in a later stay."""
    person = pack.book.person(rng, is_male=rng.random() < 0.5)
    patient = Memory(people={"patient": person})
    admit = _first_day(pack, rng)
    birth = admit - timedelta(days=int(365.25 * _age(rng)) + rng.randrange(365))
    notes = rng.randint(1, most_notes)
    for first, last in ((0, (notes + 1) // 2), ((notes + 1) // 2, notes)):
        days = _stay(admit, birth, rng)
        stay = Memory()
        for _ in range(first, last):
            kinds = pack.language.settings.kinds
            names, cumulated = weighted({name: kind.weight for name, kind in kinds.items()})
            kind = rng.choices(names, cum_weights=cumulated)[0]
            today = _today(kinds[kind], days, rng)
            memories = {FactScope.PATIENT: patient, FactScope.STAY: stay, FactScope.NOTE: Memory()}
            yield kind, _write(pack, kind, memories, days | {"today": today}, rng)
        admit = days["discharge"] + timedelta(days=rng.randint(20, 900))


def _write(
    pack: Pack, kind: str, memories: dict[FactScope, Memory], days: dict[str, date], rng: Random
) -> list[Piece]:
    settings = pack.language.settings
    formats, cumulated = weighted(settings.dates["full"])
    date_format = rng.choices(formats, cum_weights=cumulated)[0]
    item_format = rng.choice(settings.items)
    scene = Scene(
        rng, settings, pack.book, memories, days, date_format, item_format, bound=["doctor"]
    )
    pieces: list[Piece] = []
    pack.parts[f"note.{kind}"](scene, pieces)
    return tidy(pieces)


def _first_day(pack: Pack, rng: Random) -> date:
    """Draw a day in one of the eras of the language pack."""
    earliest, latest = rng.choice(pack.language.settings.eras)
    return earliest + timedelta(days=rng.randrange((latest - earliest).days))


def _age(rng: Random) -> int:
    """Draw the age of an adult in hospital: mostly old."""
    return int(rng.triangular(18, 101, 68))


def _stay(admit: date, birth: date, rng: Random) -> dict[str, date]:
    surgery = admit + timedelta(days=rng.randint(0, 3))
    discharge = surgery + timedelta(days=rng.randint(1, 12))
    return {"birth": birth, "admit": admit, "surgery": surgery, "discharge": discharge}


def _today(kind: NoteKind, days: dict[str, date], rng: Random) -> date:
    """Return the day a note is written: an anchor, within the stay, or weeks after it."""
    if kind.date in days:
        return days[kind.date]
    if kind.date == "after":
        return days["discharge"] + timedelta(days=rng.randint(5, 60))
    return days["admit"] + timedelta(days=rng.randint(0, (days["discharge"] - days["admit"]).days))


def assemble(
    name: str, pieces: list[Piece], *, group: str, meta: dict[str, str], findings: bool
) -> Document:
    """Join pieces into a document; the lengths of pieces give the offsets of mentions."""
    mentions: list[Mention] = []
    parts: dict[int, list[tuple[int, int]]] = {}
    start = 0
    for text, label, keys in pieces:
        end = start + len(text)
        if label and end > start:
            mentions.append(Mention(label, (Span(start, end),)))
        for key in keys:
            parts.setdefault(key, []).append((start, end))
        start = end
    text = "".join(piece.text for piece in pieces)
    if findings:
        mentions += [Mention.of(FINDING, *_joined(spans)) for spans in parts.values()]
    return Document(name, text, tuple(mentions), group=group, meta=meta)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that touch: one part of a finding may be several pieces."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return joined
