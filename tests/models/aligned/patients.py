"""Made-up patients with two notes each: what is clear in one is not in the other."""

from __future__ import annotations

import numpy as np

from lacuna import Document, Mention

SYLLABLES = ("bar", "den", "fol", "gim", "hak", "jul", "kom", "lur", "mep", "nod", "pis", "rav")


def invented(rng: np.random.Generator) -> str:
    """Return a capitalised word that hardly any other patient has."""
    return "".join(rng.choice(SYLLABLES, size=3)).capitalize()


def note(number: str, text: str, group: str | None, profession: str = "") -> Document:
    """Make a note, with every occurrence of the profession marked."""
    places = [i for i in range(len(text)) if profession and text.startswith(profession, i)]
    mentions = tuple(Mention.of("PROFESSION", (i, i + len(profession))) for i in places)
    return Document(number, text, mentions, group)


def patients(count: int, seed: int = 0) -> list[Document]:
    """Make patients with a profession and two other unusual words, that one note tells apart."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        profession, one, other = (invented(rng) for _ in range(3))
        clear = f"He is a retired {profession}. Takes {one} and also {other} daily."
        words = rng.permutation([profession, one, other])
        unclear = " ".join(f"We spoke about {word} again." for word in words)
        made.append(note(f"{number}-a", clear, f"p{number}", profession))
        made.append(note(f"{number}-b", unclear, f"p{number}", profession))
    return made
