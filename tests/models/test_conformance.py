"""What every kind of model must do, also future ones: one suite over the registry."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.errors import LacunaError, ModelFileError
from lacuna.evaluation.scores import score
from lacuna.models.base import Tagger, parts_of
from lacuna.models.file import write_model
from lacuna.models.registry import load, trainable
from lacuna.models.settings import configure
from lacuna.pipeline.training import train_model
from lacuna.text.tokens import tokens_of
from tests.models.examples import corpus
from tests.strategies import documents, texts

TWENTY = corpus(5)  # of four sentences each
MORE = corpus(4, seed=7)
MODELS = pytest.mark.parametrize("kind", trainable())

#: Words in scripts and shapes that no training text has.
SCRIPTS = (
    "Ιωάννης μένει στην Αθήνα.",
    "Её зовут Мария, она из Твери.",
    "محمد يسكن في القاهرة.",
    "田中さんは東京に住んでいます。",
    "김철수 씨는 서울에 산다.",
    "राम दिल्ली में रहता है।",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧 e\u0301 \u202eabc\u202c \ufeff",
)


WORDS = ("Ana", "x", ".", "7", "\u0301", *SCRIPTS)


def small_config(kind: str) -> Any:
    """Return settings with which training is fast."""
    record = trainable()[kind].config
    few = ["iterations=40"] if "iterations" in {field.name for field in fields(record)} else []
    return configure(record, few)


def train(kind: str) -> Tagger:
    return train_model(TWENTY, small_config(kind), seed=3)


trained: Callable[[str], Tagger] = cache(train)


def least_f1(kind: str) -> float:
    """Return the F1 required on the training data: generative models need not fit it fully."""
    return 0.8 if kind.endswith("hmm") else 1.0


def plain(documents: list[Document]) -> list[Document]:
    return [Document(d.id, d.text) for d in documents]


def as_bytes(items: list[Document]) -> bytes:
    """Return the whole content of documents."""
    return msgspec.json.encode(
        [
            (d.id, d.text, d.group, d.meta, [(m.label, m.spans, m.probability) for m in d.mentions])
            for d in items
        ]
    )


def check_result(model: Tagger, given: Document, found: Document) -> None:
    """Check what must hold for every result, for any text."""
    assert (found.id, found.text) == (given.id, given.text)
    assert {m.label for m in found.mentions} <= set(model.labels)
    for mention in found.mentions:
        assert 0 <= mention.start < mention.end <= len(given.text)
        assert mention.probability is not None
        assert 0 < mention.probability <= 1
    sure = model.identifier_probability(given)
    assert sure.shape == (len(tokens_of(given)),)
    assert np.all((sure >= 0) & (sure <= 1))


@MODELS
def test_is_a_tagger_that_names_its_kind(kind: str) -> None:
    model = trained(kind)
    assert isinstance(model, Tagger)
    assert model.kind == kind == trainable()[kind].name
    assert model.overlapping == trainable()[kind].overlapping
    assert not model.is_private
    assert sorted(model.labels) == ["LOC", "PER"]


@MODELS
def test_learns_twenty_sentences(kind: str) -> None:
    found = trained(kind).find(plain(TWENTY))
    f1 = score(zip(TWENTY, found, strict=True)).section("strict").micro.f1
    assert f1 >= least_f1(kind)


@MODELS
def test_finds_names_in_new_sentences(kind: str) -> None:
    found = trained(kind).find(plain(MORE))
    assert score(zip(MORE, found, strict=True)).section("strict").micro.f1 >= 0.6


@MODELS
@pytest.mark.parametrize("text", ["", " ", "\n\n", "\r\n\t"])
def test_finds_nothing_where_there_is_nothing(kind: str, text: str) -> None:
    (found,) = trained(kind).find([Document("empty", text)], probabilities=True)
    assert found.mentions == ()
    check_result(trained(kind), Document("empty", text), found)
    assert trained(kind).find([]) == []


@MODELS
@pytest.mark.parametrize("text", WORDS, ids=range(len(WORDS)))
def test_takes_one_word_and_any_script(kind: str, text: str) -> None:
    document = Document("d", text)
    (found,) = trained(kind).find([document], probabilities=True)
    check_result(trained(kind), document, found)


@MODELS
@settings(max_examples=40, deadline=None)
@given(items=st.lists(texts, max_size=3))
def test_takes_any_text(kind: str, items: list[str]) -> None:
    given_documents = [Document(f"d{i}", text) for i, text in enumerate(items)]
    found = trained(kind).find(given_documents, probabilities=True)
    assert len(found) == len(given_documents)
    for document, tagged in zip(given_documents, found, strict=True):
        check_result(trained(kind), document, tagged)
        (alone,) = trained(kind).find([document])
        assert spans(alone) == spans(tagged)


def spans(document: Document) -> list[tuple[str, object]]:
    return [(mention.label, mention.spans) for mention in document.mentions]


@MODELS
def test_is_sure_of_what_it_has_learnt(kind: str) -> None:
    """The probability of a mention is at most that of its least likely token."""
    model = trained(kind)
    for document in model.find(plain(TWENTY), probabilities=True):
        sure, tokens = model.identifier_probability(document), tokens_of(document)
        inside = np.zeros(len(tokens), np.bool_)
        for mention in document.mentions:
            own = (tokens.start < mention.end) & (tokens.end > mention.start)
            assert mention.probability is not None
            assert mention.probability <= sure[own].min() + 1e-6
            inside |= own
        assert sure[inside].mean() > 0.6
        assert sure[~inside].mean() < 0.4


@MODELS
def test_many_documents_are_as_sure_as_one_by_one(kind: str) -> None:
    model = trained(kind)
    items = [*plain(MORE), Document("empty", ""), *(Document("any", text) for text in SCRIPTS)]
    together = model.identifier_probabilities(items)
    assert len(together) == len(items)
    for document, sure in zip(items, together, strict=True):
        np.testing.assert_allclose(sure, model.identifier_probability(document), atol=1e-9)
    assert model.identifier_probabilities([]) == []


@MODELS
def test_examining_says_what_is_found_and_how_sure(kind: str) -> None:
    model = trained(kind)
    items = [*plain(MORE), Document("empty", ""), *(Document("any", text) for text in SCRIPTS)]
    for document, examined, found in zip(
        items, model.examine(items), model.find(items), strict=True
    ):
        assert examined.document is document
        assert sorted(examined.found) == sorted(parts_of(found.mentions))
        tokens = tokens_of(found)
        np.testing.assert_array_equal(examined.start, tokens.start)
        np.testing.assert_array_equal(examined.end, tokens.end)
        expected = model.identifier_probability(found)
        np.testing.assert_allclose(examined.probability, expected, atol=1e-9)
    assert model.examine([]) == []


@MODELS
def test_is_the_same_after_storing(kind: str, tmp_path: Path) -> None:
    model, path = trained(kind), tmp_path / "m.lacuna"
    digest = write_model(path, model.store())
    again = load(path)
    assert (again.kind, again.labels) == (kind, model.labels)
    new = [*plain(MORE), *(Document("any", text) for text in SCRIPTS)]
    before, after = (tagger.find(new, probabilities=True) for tagger in (model, again))
    assert as_bytes(before) == as_bytes(after)
    for document in new:
        one, other = (tagger.identifier_probability(document) for tagger in (model, again))
        np.testing.assert_array_equal(one, other)
    assert write_model(tmp_path / "n.lacuna", again.store()) == digest


@MODELS
def test_the_same_data_and_seed_give_the_same_file(kind: str, tmp_path: Path) -> None:
    one, other = (
        write_model(tmp_path / f"{i}.lacuna", model.store())
        for i, model in enumerate((trained(kind), train(kind)))
    )
    assert one == other


@MODELS
def test_leaves_its_input_alone(kind: str) -> None:
    items = corpus(5)
    before = as_bytes(items)
    train_model(items, small_config(kind))
    trained(kind).find(items, probabilities=True)
    trained(kind).identifier_probability(items[0])
    assert as_bytes(items) == before == as_bytes(TWENTY)


@MODELS
def test_mentions_that_were_there_do_not_matter(kind: str) -> None:
    (found,) = trained(kind).find([Document("d", "Seen by Ana.", (Mention.of("X", (0, 4)),))])
    (bare,) = trained(kind).find([Document("d", "Seen by Ana.")])
    assert found == bare


@MODELS
@settings(max_examples=8, deadline=None)
@given(document=documents(max_mentions=4))
def test_trains_on_any_document_or_says_why_not(kind: str, document: Document) -> None:
    """Mentions may nest, cross and have gaps; what cannot be learnt raises a LacunaError."""
    few = ["iterations=2"] if hasattr(small_config(kind), "iterations") else []
    try:
        model = train_model([document], configure(trainable()[kind].config, few))
    except LacunaError:
        return
    (found,) = model.find([document], probabilities=True)
    check_result(model, document, found)


@MODELS
@pytest.mark.parametrize("wrong", [None, 5, b"Ana", {"text": "Ana"}, ["Ana", None]])
def test_takes_nothing_but_texts_and_documents(kind: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a text"):
        trained(kind).tag(wrong)


@pytest.fixture
def stored(kind: str, tmp_path: Path) -> tuple[Path, bytes]:
    path = tmp_path / "m.lacuna"
    write_model(path, trained(kind).store())
    return path, path.read_bytes()


@MODELS
def test_no_beginning_of_a_file_is_a_model(kind: str, stored: tuple[Path, bytes]) -> None:
    path, content = stored
    header = 8 + int.from_bytes(content[:8], "little")
    rng = random.Random(1)
    for size in {0, 7, 8, header - 1, header, len(content) - 1, *rng.sample(range(header), 20)}:
        path.write_bytes(content[:size])
        with pytest.raises(ModelFileError):
            load(path)


@MODELS
def test_a_damaged_header_is_refused_or_harmless(kind: str, stored: tuple[Path, bytes]) -> None:
    """Alter bytes of the header: the model loads, or a LacunaError names the file."""
    path, content = stored
    header = 8 + int.from_bytes(content[:8], "little")
    rng = random.Random(2)
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        place = rng.randrange(header)
        damaged[place] = rng.choice([damaged[place] ^ 1, *b'09"[]{},-x'])
        path.write_bytes(damaged)
        try:
            load(path)
        except ModelFileError as error:
            refused += str(error).startswith(f"{path}: ")
    assert refused > 50
