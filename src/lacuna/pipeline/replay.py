"""Generated notes in which a model that is adapted answers as before, so that it forgets little.

The notes are always the same: about a third each as they are typed, in small letters and in
capitals, half of them short. The old model itself says what is in them
(`models/crf/old_answers.py`), so it may be any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lacuna.models.base import Tagger
from lacuna.models.crf import Crf
from lacuna.models.settings import Settings
from lacuna.synthetic import LABELS, Noise, Split, generate
from lacuna.text.document import Document

SEED = 5
LETTERS = Noise(lower=0.33, capitals=0.33)


def replayed(config: Settings, start: Tagger) -> Sequence[Document]:
    """Return the notes for adapting a model; none if it is not one of clinical identifiers.

    It must know most of the labels of the notes: what it does not find there, it is not to find
    after adapting either, and so a label that is new to it would be unlearnt at once.
    """
    if not isinstance(config, Crf) or config.adapting != "changes" or config.columns:
        return ()
    known = sum(label in LABELS for label in start.labels)
    is_clinical = 2 * known > max(len(start.labels), len(LABELS))
    return generated(config.adapting_replay) if is_clinical else ()


@lru_cache(maxsize=1)
def generated(count: int) -> tuple[Document, ...]:
    """Return so many notes without annotations; half of them are jottings."""
    short = count // 2
    notes = (
        *generate(count - short, seed=SEED, split=Split.TRAIN, noise=LETTERS),
        *generate(short, seed=SEED, split=Split.TRAIN, kinds=("jotting",), noise=LETTERS),
    )
    return tuple(Document(f"replay {n}", note.text) for n, note in enumerate(notes))
