"""Small made-up corpora that every tagger should be able to learn."""

from __future__ import annotations

import numpy as np

from lacuna import Document, Mention

FIRST = ("Ana", "Boris", "Chen", "Dalia", "Emre", "Farid", "Gita", "Hugo")
LAST = ("Okafor", "Petrov", "Quist", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel")
TOWNS = ("Arden", "Bruck", "Calla", "Dorne", "Evora", "Fossa")


def sentence(rng: np.random.Generator) -> tuple[str, list[tuple[str, str]]]:
    """Return a sentence and the (label, text) pairs named in it, in order."""
    person = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
    town = str(rng.choice(TOWNS))
    text, parts = [
        (f"Seen by Dr. {person} in {town} today.", [("PER", person), ("LOC", town)]),
        (f"{person} was moved to {town}.", [("PER", person), ("LOC", town)]),
        (f"The patient lives in {town}.", [("LOC", town)]),
        ("No fever and no pain were reported.", []),
        (f"Call {person} about the results.", [("PER", person)]),
    ][int(rng.integers(5))]
    return text, parts


def corpus(documents: int, seed: int = 0, sentences: int = 4) -> list[Document]:
    """Make documents of some sentences each."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        text, mentions = "", []
        for _ in range(sentences):
            line, parts = sentence(rng)
            place = len(text)
            for label, part in parts:
                start = line.index(part)
                mentions.append(Mention.of(label, (place + start, place + start + len(part))))
            text += line + "\n"
        made.append(Document(f"d{number}", text, tuple(mentions), group=f"g{number // 2}"))
    return made


JOBS = ("carpenter", "nurse", "teacher", "plumber", "clerk", "welder", "baker")


def work_histories(documents: int, seed: int = 0) -> list[Document]:
    """Make documents where ``worked as`` leads to a PROFESSION, and ``as`` alone does not."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        text, mentions = "", []
        for _ in range(4):
            who, job = str(rng.choice(["He", "She"])), str(rng.choice(JOBS))
            line = [
                f"{who} worked as {job} until retirement.",
                f"{who} worked as {job} until recently.",
                f"{who} feels the same today and sleeps as before.",
                f"The dose is the same today and {who} sleeps well.",
            ][int(rng.integers(4))]
            if (start := line.find(job)) >= 0:
                place = len(text) + start
                mentions.append(Mention.of("PROFESSION", (place, place + len(job))))
            text += line + "\n"
        made.append(Document(f"w{number}", text, tuple(mentions)))
    return made
