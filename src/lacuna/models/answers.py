"""What a model answers on a few built-in sentences, recorded in its file.

A file can be whole and still be wrong: written by a program with a bug, or read by a version that
understands it differently. So :func:`with_answers` records in the header what the model finds in
:data:`SENTENCES`, and :func:`check_answers` compares before documents are de-identified. The
sentences need not be in the language of the model: small probabilities are compared as well.

For each token the record holds ℓ = log(p / (1 - p)), p being the probability that it is in a
mention, rounded to eighths and cut at ±11.5. Processors and compilers differ in the last digits of
p, so a value may differ by ``TOLERANCE`` eighths. Mentions of which the model is sure must be the
same, and if there were any, some must be found.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lacuna.errors import ModelFileError, ModelFileWarning
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import restore
from lacuna.text.document import Document
from lacuna.types import FloatArray, Task

KEY = "answers"
VERSION = 1  #: of the sentences and the way they are cut into tokens
SENTENCES = (
    "Seen by Dr. John Smith in Boston on 03/14/2014, MRN 4471203.",
    "mr alan jones called 617-555-0134; SMITH, JOHN went home to 12 Elm Street.",
    "No fever or cough, blood pressure 120/80, aspirin 81 mg daily for breast cancer.",
    "Paciente José García López, nacido el 2 de mayo de 1950 en Sevilla.",
    "Frau Anna Müller wohnt in Berlin, Hauptstraße 5.",
    "Пациент Иван Петров поступил 12.01.2020.",
    "田中さんは東京病院に入院した。",
    "يسكن محمد علي في القاهرة.",
)
MOST_LOGIT = 11.5  #: p = 1e-5
STEPS = 8  #: per unit of ℓ
TOLERANCE = 2
SURE = 18  #: in steps: p = 0.9 of every token


class Answers(msgspec.Struct, frozen=True):
    """What a model answers.

    Attributes
    ----------
    version
        Version of the sentences.
    tokens
        ℓ of every token, in steps, from -92 to 92.
    found
        Tokens ``[first, last)`` and label of each part of a mention.
    """

    version: int
    tokens: tuple[int, ...]
    found: frozenset[tuple[int, int, str]]

    def agrees_with(self, now: Answers) -> bool:
        """Whether a model answers as recorded here, up to the last digits."""
        if len(self.tokens) != len(now.tokens) or (self.found and not now.found):
            return False
        near = all(abs(a - b) <= TOLERANCE for a, b in zip(self.tokens, now.tokens, strict=True))
        return near and not any(
            min(self.tokens[first:last], default=SURE) >= SURE
            for first, last, _ in self.found ^ now.found
        )


def save(model: Tagger, path: str | Path) -> None:
    """Write a model file, ``*.lacuna``; :func:`lacuna.load` opens it."""
    write_model(Path(path), with_answers(model.store()))


def with_answers(stored: StoredModel) -> StoredModel:
    """Return the content of a model file with a record of what the model answers.

    The model is restored for this: content that could not be loaded again raises ModelFileError.
    """
    model = restore(stored)
    if model.task is not Task.NER:
        return stored
    answers = _as_json(answers_of(model))
    return replace(stored, header={**stored.header, KEY: answers})


def completed(stored: StoredModel) -> StoredModel:
    """Return the content of a model file with a record of answers, if it has none yet."""
    return stored if KEY in stored.header else with_answers(stored)


def check_answers(stored: StoredModel, model: Tagger) -> None:
    """Compare what a restored model answers with the record in its file.

    Raises
    ------
    ModelFileError
        If it answers something else, or fails.
    """
    if KEY not in stored.header:  # of format 1, or written by other means than with_answers
        return
    try:
        recorded = msgspec.convert(stored.header[KEY], Answers)
    except msgspec.ValidationError:
        raise ModelFileError(stored.source, "its record of answers is damaged") from None
    if recorded.version != VERSION:
        reason = "its record of answers is of another version, and is not checked"
        warnings.warn(f"{stored.source}: {reason}", ModelFileWarning, stacklevel=2)
        return
    try:
        now = answers_of(model)
    except Exception as error:  # whatever a damaged model leads to
        raise ModelFileError(stored.source, "the model fails on built-in sentences") from error
    if not recorded.agrees_with(now):
        raise ModelFileError(
            stored.source,
            "the model does not answer as it did when it was written: it is damaged, or not meant"
            " for this version of lacuna",
        )


def answers_of(model: Tagger) -> Answers:
    """Return what a model answers.

    All sentences are of one patient, so that alignment has an effect.
    """
    documents = [Document(f"s{n}", text, group="s") for n, text in enumerate(SENTENCES)]
    tokens: list[int] = []
    found = []
    for examined in model.examine(documents):
        for start, end, label in examined.found:
            first = np.searchsorted(examined.end, start, side="right")
            last = np.searchsorted(examined.start, end, side="left")
            found.append((len(tokens) + int(first), len(tokens) + int(last), label))
        tokens += _steps(examined.probability)
    return Answers(VERSION, tuple(tokens), frozenset(found))


def _steps(probability: FloatArray) -> list[int]:
    """Return ℓ of each probability, in steps."""
    if not ((probability >= 0) & (probability <= 1)).all():  # false for NaN
        raise ValueError("a probability is between 0 and 1")
    least = 1 / (1 + np.exp(MOST_LOGIT))
    inside = probability.clip(least, 1 - least)
    steps: list[int] = np.rint(STEPS * np.log(inside / (1 - inside))).astype(int).tolist()
    return steps


def _as_json(answers: Answers) -> dict[str, Any]:
    return {**msgspec.structs.asdict(answers), "found": sorted(answers.found)}
