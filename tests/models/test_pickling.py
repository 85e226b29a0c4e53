"""Models can be pickled and copied: as the bytes of their file, checked when they are opened."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import pytest

from lacuna import Crf, Document, ModelFileError, TrigramHmm
from lacuna.models.base import Tagger
from lacuna.models.file import model_bytes, parse_model
from lacuna.models.registry import KINDS, model_of_bytes, restore, trainable
from lacuna.models.settings import configure
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.part_of_speech import joined
from lacuna.pipeline.training import train_model
from lacuna.text.tokens import tokens_of
from lacuna.types import Task
from tests.models.examples import corpus

DOCUMENTS = corpus(10)
NEW = [Document(d.id, d.text, group=d.group) for d in corpus(3, seed=5)]
NEW.append(Document("odd", "Ιωάννης 👩‍👩‍👧 e\u0301 Ana Sato"))


def with_pos(document: Document) -> Document:
    tokens = tokens_of(document)
    tags = tuple("NNP" if word[0].isupper() else "X" for word in tokens.words(document.text))
    columns = {"pos": tags}
    return Document(
        document.id,
        document.text,
        document.mentions,
        document.group,
        tokens=type(tokens)(tokens.start, tokens.end, tokens.sentences, columns),
    )


def two_pass() -> Tagger:
    return train_model(DOCUMENTS, Crf(iterations=5, two_pass=True))


def pos_model() -> Tagger:
    return train_model(map(with_pos, DOCUMENTS), TrigramHmm(), task=Task.POS)


def model_with_pos() -> Tagger:
    pos: Any = pos_model()
    config = Crf(iterations=5, columns=("pos",))
    return joined(pos, train_model(pos.find(DOCUMENTS), config))


def model_with_rules() -> Tagger:
    return train_model(DOCUMENTS, TrigramHmm(), categories=Categories({"PER": "ANY", "LOC": "ANY"}))


def aligned() -> Tagger:
    return train_model(DOCUMENTS, TrigramHmm(), align=True)


def of_kind(kind: str) -> Callable[[], Tagger]:
    record = trainable()[kind].config
    few = ["iterations=3"] if hasattr(record(), "iterations") else []
    return lambda: train_model(DOCUMENTS, configure(record, few))


MADE: dict[str, Callable[[], Tagger]] = {
    **{kind: of_kind(kind) for kind in trainable()},
    "two-pass": two_pass,
    "with-pos": model_with_pos,
    "with-rules": model_with_rules,
    "aligned": aligned,
    "parts of speech": pos_model,
}
made: Callable[[str], Tagger] = cache(lambda kind: MADE[kind]())
EVERY_KIND = pytest.mark.parametrize("kind", MADE)


def answers(model: Tagger) -> list[Any]:
    return [
        (d.text, d.mentions, d.tokens, sure.tolist())
        for d, sure in zip(
            model.find(NEW, probabilities=True), model.identifier_probabilities(NEW), strict=True
        )
    ]


def test_every_kind_is_here() -> None:
    assert set(MADE) - {"parts of speech"} == set(KINDS)
    assert all(made(kind).kind == kind for kind in KINDS)


@EVERY_KIND
def test_a_pickled_model_answers_the_same(kind: str) -> None:
    model = made(kind)
    model.find(NEW)  # its caches are filled
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert type(again) is type(model)
    assert again.card == model.card
    assert again.config == model.config
    assert answers(again) == answers(model)


@EVERY_KIND
def test_a_pickle_holds_the_file_and_nothing_else(kind: str) -> None:
    model = made(kind)
    content = model_bytes(model.store())
    model.find(NEW)
    assert content in pickle.dumps(model)
    assert len(pickle.dumps(model)) < len(content) + 200
    assert model_bytes(restore(parse_model(content)).store()) == content


@EVERY_KIND
def test_a_copy_answers_the_same_and_shares_nothing(kind: str) -> None:
    model = made(kind)
    again = copy.deepcopy(model)
    assert again is not model
    assert answers(again) == answers(model)
    assert answers(copy.copy(model)) == answers(model)


def test_another_process_answers_the_same() -> None:
    models = [made("crf"), made("trigram-hmm")]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as pool:
        assert list(pool.map(answers, models)) == [answers(model) for model in models]


def test_a_damaged_pickle_is_refused_like_a_damaged_file() -> None:
    content = model_bytes(made("crf").store())
    for damaged in (b"", content[:50], content[:-1], content + b"x"):
        with pytest.raises(ModelFileError, match=r"^pickled model: "):
            model_of_bytes(damaged)
