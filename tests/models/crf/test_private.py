"""Private models: no word of the training text, no feature of few groups, a key for each model."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lacuna import Document, Mention
from lacuna.errors import ConfigError
from lacuna.features.plan import KEYS
from lacuna.models.base import Card
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.adapting import PRIVATE_DOCUMENTS, private_key
from lacuna.models.crf.explain import strongest_features
from lacuna.models.file import unpack_strings, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from tests.models.examples import corpus

SETTINGS = Crf(iterations=20, tolerance=0.0)


def trained(documents: list[Document], *, seed: int = 0, start: CrfModel | None = None) -> CrfModel:
    model = train(documents, SETTINGS, TrainOptions(private=True, seed=seed, start=start)).model
    assert isinstance(model, CrfModel)
    return model


@pytest.fixture(scope="module")
def model() -> CrfModel:
    return trained(corpus(30))


def names(model: CrfModel, word: str) -> set[str]:
    """Return the features of a word that a model knows, found by guessing the word."""
    found = strongest_features(model.index, model.weights, model.tags, [word], count=10_000)
    return {feature.name for features in found.values() for feature in features}


@pytest.mark.parametrize("two_pass", [False, True])
@pytest.mark.parametrize("private", [False, True])
def test_no_word_of_the_text_is_in_the_file(tmp_path: Path, private: bool, two_pass: bool) -> None:
    documents = corpus(30)
    card = Card(data=("notes of Whittaker.jsonl",))
    config = replace(SETTINGS, iterations=5, two_pass=two_pass)
    made = train(documents, config, TrainOptions(private=private, card=card)).model
    write_model(tmp_path / "m.lacuna", made.store())
    content = (tmp_path / "m.lacuna").read_bytes()
    words = {word for d in documents for word in re.findall(r"\w{4,}", d.text)}
    assert len(words) > 20
    inside = {word for word in (*words, "Whittaker") if word.encode() in content}
    assert inside == (set() if private else {*words, "Whittaker"})


def test_it_learns_survives_a_file_and_stays_private(model: CrfModel, tmp_path: Path) -> None:
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert model.tag(text).mentions == (Mention.of("PER", (12, 23)), Mention.of("LOC", (27, 32)))
    digest = write_model(tmp_path / "m.lacuna", model.store())
    again = load(tmp_path / "m.lacuna")
    assert isinstance(again, CrfModel)
    assert again.index.plan.key == model.index.plan.key > 0
    assert again.config.min_documents == PRIVATE_DOCUMENTS
    assert again.tag(text).mentions == model.tag(text).mentions
    assert write_model(tmp_path / "m.lacuna", again.store()) == digest


def test_the_same_seed_gives_the_same_model_and_another_seed_other_hashes() -> None:
    one, same, other = (trained(corpus(10), seed=seed) for seed in (1, 1, 2))
    assert one.index.keys.hashes.tolist() == same.index.keys.hashes.tolist()
    assert not set(one.index.keys.hashes.tolist()) & set(other.index.keys.hashes.tolist())
    assert len(one.index) == len(other.index)
    document = corpus(1, seed=9)[0]
    assert one.tag(document).mentions == other.tag(document).mentions


def test_a_key_depends_on_every_text_and_the_seed() -> None:
    keys = [
        private_key(texts, seed)
        for texts, seed in ((["ab", "c"], 0), (["a", "bc"], 0), (["ab"], 0), (["ab", "c"], 1))
    ]
    assert len(set(keys)) == 4
    assert all(0 < key < KEYS for key in keys)
    assert private_key(iter(["ab", "c"]), 0) == keys[0]


def test_what_few_groups_have_is_left_out_however_often_they_have_it() -> None:
    def note(number: int, group: str | None, name: str) -> Document:
        text = f"Seen by {name} , {name} and {name} ."
        return Document(f"x{number}", text, (Mention.of("PER", (8, 8 + len(name))),), group)

    rare = [note(i, f"g{i % 2}", "Zebulon") for i in range(6)]  # six notes of two patients
    common = [note(i + 10, None, "Quirina") for i in range(3)]  # three notes without a group
    model = trained([*corpus(10), *rare, *common])
    assert "word[0]=Quirina" in names(model, "Quirina")
    assert not {name for name in names(model, "Zebulon") if "=Zebulon" in name}
    plain = train([*corpus(10), *rare], SETTINGS).model
    assert isinstance(plain, CrfModel)
    assert "word[0]=Zebulon" in names(plain, "Zebulon")


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"no feature can occur in 3 documents.* are of 2 groups"):
        trained(corpus(4))


NEW = [
    Document(f"n{i}", f"Takes {drug} daily.\n", (Mention.of("DRUG", (6, 6 + len(drug))),))
    for i, drug in enumerate(["Metalon", "Zyrex", "Panodol", "Corvex"])
]


def test_an_adapted_private_model_stays_private(model: CrfModel) -> None:
    adapted = train(NEW, SETTINGS, TrainOptions(start=model)).model
    assert isinstance(adapted, CrfModel)
    assert adapted.index.plan.key == model.index.plan.key
    assert unpack_strings(adapted.words) == []
    assert adapted.card.adapted_from == model.card
    assert adapted.tag("Takes Bentol daily.").mentions == (Mention.of("DRUG", (6, 12)),)
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert adapted.tag(text).mentions == model.tag(text).mentions != ()
    assert "lower[0]=daily" in names(adapted, "daily")
    assert not {name for name in names(adapted, "Metalon") if "=Metalon" in name}


def test_an_open_model_cannot_be_made_private_by_adapting() -> None:
    start = train(corpus(4), Crf(iterations=1)).model
    assert isinstance(start, CrfModel)
    with pytest.raises(ConfigError, match="only a private model"):
        trained(NEW, start=start)
