"""Damage model files on purpose: ``python -m tests.models.mutations COUNT [KIND …]``.

Small models of all kinds get one to three changes each, in the header or in an array, and are
written with a hash that fits. Whatever comes of it, it must be a LacunaError or a model that works:
no other exception, no probability outside [0, 1], no model that silently finds nothing. ``make
stress`` runs this with kernels that check the bounds of arrays.
"""

from __future__ import annotations

import copy
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from lacuna import Document
from lacuna.errors import LacunaError
from lacuna.models.answers import KEY, check_answers, with_answers
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel, read_model, write_model
from lacuna.models.registry import KINDS, restore
from tests.models.every_kind import NOTES, example

TEXTS = [
    *[Document(f"n{number}", note.text, group="g") for number, note in enumerate(NOTES[:5])],
    Document("other", "Dr. Zola 東京 12/3 \U0001f600 e\u0301 (Fossa) - QUIST\n\nx"),
    Document("empty", ""),
]
STRANGE: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2, 7, 2**31, 2**62, -(2**62), 0.0, -1.5, 1e-300, 1e300, -1e300),
    *("", "O", "x", "B-", "I-X", "B-\x1b[2J", "\ud800", "y" * 100_000, "a\nb", [], {}, [[]]),
)
NUMBERS = (
    *(0, 1, -1, 2, 127, 2**15, 2**31 - 1, 2**62, -(2**62), 0.5),
    *(1e5, -1e5, 1e30, np.nan, np.inf),
)
TOO_LONG = 60.0  #: seconds
LONGEST_MESSAGE = 500


class Outcome(Enum):
    """What came of a damaged file."""

    REFUSED = "refused"
    WORKS = "works"
    SILENT = "finds nothing"
    UNCLEAN = "unclean"
    SLOW = "too slow"


ALLOWED = frozenset({Outcome.REFUSED, Outcome.WORKS})


def damaged(stored: StoredModel, rng: random.Random) -> StoredModel:
    """Return the model with one to three changes; its record of answers stays."""
    header, arrays = copy.deepcopy(dict(stored.header)), dict(stored.arrays)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.4:
            _damage_header(header, rng)
        else:
            name = rng.choice(sorted(arrays))
            arrays[name] = _damaged_array(arrays[name], rng)
            if rng.random() < 0.02:
                del arrays[name]
                arrays = arrays or {name: np.zeros(0, np.uint8)}
    return StoredModel(stored.kind, header, arrays)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in a header with each of its keys or indices."""
    items: Any = ()
    if isinstance(value, dict):
        items = [(key, inner) for key, inner in value.items() if key != KEY]
    elif isinstance(value, list | tuple):
        items = list(enumerate(value))
    for key, inner in items:
        if isinstance(value, dict | list):
            yield value, key
        yield from _places(inner)


def _damage_header(header: dict[str, Any], rng: random.Random) -> None:
    container, key = rng.choice(list(_places(header)))
    action = rng.randrange(4)
    if action == 0 and container is not header:
        del container[key]
    elif action == 1 and isinstance(container, list):
        container.insert(key, copy.deepcopy(rng.choice([*container, "x"])))
    elif action == 2 and isinstance(container[key], int | float):
        container[key] = container[key] * rng.choice([-1, 2, 1000, 0]) + rng.choice([0, 1])
    else:
        container[key] = copy.deepcopy(rng.choice(STRANGE))


def _damaged_array(array: Any, rng: random.Random) -> Any:
    numbers = np.random.default_rng(rng.randrange(2**32))
    changed = array.copy()
    flat = changed.reshape(-1)
    action = rng.randrange(9)
    with np.errstate(all="ignore"):
        if action == 0 and flat.size:
            bytes_ = flat.view(np.uint8)
            bytes_[numbers.integers(bytes_.size)] ^= 1 << rng.randrange(8)
        elif action == 1:
            numbers.shuffle(flat)
        elif action == 2:
            flat[:] = 0
        elif action == 3:
            flat[:] = np.float64(rng.choice(NUMBERS[:10])).astype(array.dtype)
        elif action == 4 and array.ndim:
            changed = changed[: max(0, len(changed) - rng.choice([1, 2, len(changed)]))]
        elif action == 5 and array.ndim:
            changed = np.concatenate((changed, changed[-1:]))
        elif action == 6:
            changed = changed.astype(rng.choice([np.float32, np.float64, np.int64, np.uint8]))
        elif action == 7 and array.ndim:
            changed = np.ascontiguousarray(changed[::-1])
        elif flat.size:
            place = rng.choice([0, -1, int(numbers.integers(flat.size))])
            flat[place] = np.float64(rng.choice(NUMBERS)).astype(array.dtype)
    return changed


def outcome_of(path: Path, stored: StoredModel) -> Outcome:
    """Write a damaged model and use it as ``deid`` does."""
    try:
        write_model(path, stored)
        again = read_model(path)
        model = restore(again)
        check_answers(again, model)
        return _used(model)
    except LacunaError as error:
        return Outcome.REFUSED if len(str(error)) < LONGEST_MESSAGE else Outcome.UNCLEAN


def _used(model: Tagger) -> Outcome:
    found = [*model.find(TEXTS, probabilities=True)]
    for document, examined in zip(found, model.examine(TEXTS), strict=True):
        sure = examined.probability
        assert ((sure >= 0) & (sure <= 1)).all()
        assert {mention.label for mention in document.mentions} <= set(model.labels)
        assert all(mention.end <= len(document.text) for mention in document.mentions)
    return Outcome.WORKS if any(document.mentions for document in found) else Outcome.SILENT


def outcomes_of(kind: str, count: int) -> Iterator[tuple[int, Outcome, str]]:
    """Damage a model of a kind so often; yield the seed, the outcome, and the traceback if any."""
    whole = with_answers(example(kind).store())
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = Path(folder) / "m.lacuna"
        assert outcome_of(path, whole) is Outcome.WORKS
        for seed in range(count):
            began, trace = time.perf_counter(), ""
            try:
                outcome = outcome_of(path, damaged(whole, random.Random(seed)))
            except Exception:
                outcome, trace = Outcome.UNCLEAN, traceback.format_exc()
            if time.perf_counter() - began > TOO_LONG:
                outcome = Outcome.SLOW
            yield seed, outcome, trace


def main(count: int, kinds: list[str]) -> int:
    """Damage files, say what came of them, and return how many outcomes are not allowed."""
    bad = 0
    for kind in kinds:
        outcomes: Counter[str] = Counter()
        for seed, outcome, trace in outcomes_of(kind, count):
            outcomes[outcome.value] += 1
            if outcome not in ALLOWED:
                sys.stdout.write(f"{kind}, seed {seed}: {outcome.value}\n{trace}")
                bad += 1
        sys.stdout.write(f"{kind}: {dict(outcomes)}\n")
        sys.stdout.flush()
    return bad


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), sys.argv[2:] or list(KINDS)), 100))
