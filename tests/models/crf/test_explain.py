"""What people can see of a CRF: words, names of features, the card; and word lists as settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Document, __version__
from lacuna.encoding.flat import tag_document
from lacuna.errors import ConfigError, LacunaError, ModelFileError
from lacuna.features.resources import with_resources
from lacuna.features.templates import parse_templates
from lacuna.features.token_table import token_table
from lacuna.models.base import Card, CardScore
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.explain import strongest_features, training_words
from lacuna.models.crf.storage import restore_crf
from lacuna.models.file import StoredModel, unpack_strings, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.tokens import tokens_of
from tests.models.examples import FIRST, TOWNS, corpus


def trained(config: Crf, **options: Any) -> CrfModel:
    model = train(corpus(10), config, TrainOptions(**options)).model
    assert isinstance(model, CrfModel)
    return model


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists")
    (folder / "two.features").write_text("word[0]\nsuffix2[-1]\nlower[-1] lower[1]\n")
    (folder / "towns.tsv").write_text("".join(f"{town}\t20\n" for town in TOWNS))
    (folder / "names.tsv").write_text("".join(f"0101\t{name}\t3\n" for name in FIRST))
    return folder


@pytest.fixture(scope="module")
def with_lists(files: Path) -> CrfModel:
    return trained(
        Crf(
            iterations=10,
            word_lists={"towns": str(files / "towns.tsv")},
            clusters={"names": str(files / "names.tsv")},
        )
    )


def test_the_words_are_those_of_the_tokens_sorted() -> None:
    documents = [Document("a", "Bo saw Ann."), Document("b", "Ann \ud800 saw.")]
    words = unpack_strings(training_words([tag_document(d) for d in documents]))
    assert words == [".", "Ann", "Bo", "saw"]


def test_spelled_features_are_those_that_score(files: Path) -> None:
    model = trained(Crf(features=str(files / "two.features"), iterations=10, lexicon=False))
    words = unpack_strings(model.words)
    spelled = strongest_features(model.index, model.weights, model.tags, words, count=10_000)
    known = [dict(features) for features in spelled.values()]
    for tag in known:
        assert np.all(np.diff(np.abs(list(tag.values()))) <= 0)
    for word in words:
        document = Document("d", word)
        (scores,) = model.emission(token_table([document], [tokens_of(document)]))
        for k, weights in enumerate(known):
            total = sum(
                weights.get(name, 0.0)
                for name in (f"word[0]={word}", "suffix2[-1] outside the sentence")
            )
            assert scores[k] == pytest.approx(total, abs=1e-5)
    few = strongest_features(model.index, model.weights, model.tags, words, count=2)
    assert few == {tag: features[:2] for tag, features in spelled.items()}


def test_the_card_says_what_was_learnt_from_and_how_well(tmp_path: Path) -> None:
    asked = Card(data=("notes",), licence="CC0", scores=(CardScore("elsewhere", 0.5),))
    documents, dev = corpus(10), corpus(4, seed=1)
    result = train(documents, Crf(iterations=5), TrainOptions(dev=dev, card=asked))
    card = result.model.card
    assert (card.data, card.licence, card.version) == (("notes",), "CC0", __version__)
    assert (card.documents, card.tokens) == (10, sum(len(tokens_of(d)) for d in documents))
    labels = [mention.label for document in documents for mention in document.mentions]
    assert card.mentions == {"LOC": labels.count("LOC"), "PER": labels.count("PER")}
    assert [score.f1 for score in card.scores] == [0.5, result.dev_f1]
    assert "4 dev documents" in card.scores[1].how
    write_model(tmp_path / "m.lacuna", result.model.store())
    assert load(tmp_path / "m.lacuna").card == card


def test_an_adapted_model_has_the_words_and_the_card_of_both() -> None:
    old = trained(Crf(iterations=2))
    new = train([Document("n", "Takes Zyrex.")], Crf(iterations=1), TrainOptions(start=old)).model
    assert isinstance(new, CrfModel)
    assert set(unpack_strings(new.words)) == {*unpack_strings(old.words), "Takes", "Zyrex"}
    assert new.card.documents == 1
    assert new.card.adapted_from == old.card


def test_lists_are_looked_at_and_kept_without_their_files(
    with_lists: CrfModel, tmp_path: Path
) -> None:
    every = (str(template) for template in with_lists.index.plan.templates)
    shown = [name for name in every if name.startswith(("list", "cluster"))]
    assert shown[:4] == [*(f"list.towns[{o}]" for o in (-1, 0, 1)), "cluster.names.4[-1]"]
    assert len(shown) == 15
    assert shown[-1] == "cluster.names.20[1]"
    assert with_lists.config.word_lists == {"towns": "towns.tsv"}
    digest = write_model(tmp_path / "m.lacuna", with_lists.store())
    again = load(tmp_path / "m.lacuna")
    assert isinstance(again, CrfModel)
    for document in corpus(3, seed=5):
        table = token_table([document], [tokens_of(document)])
        np.testing.assert_allclose(again.emission(table), with_lists.emission(table), atol=0.1)
        assert again.tag(document).mentions == with_lists.tag(document).mentions != ()
    assert write_model(tmp_path / "m.lacuna", again.store()) == digest
    adapted = train(corpus(4), Crf(iterations=1), TrainOptions(start=again)).model
    assert isinstance(adapted, CrfModel)
    assert adapted.config.word_lists == with_lists.config.word_lists
    assert adapted.index.plan.resources.lists.keys() == {"towns"}
    with pytest.raises(ConfigError, match="keeps its own word lists"):
        train(corpus(4), Crf(word_lists={"a": "b"}), TrainOptions(start=again))


def test_a_list_changes_what_is_found_in_words_not_seen(files: Path) -> None:
    unseen = "Xylo"
    (files / "more.tsv").write_text(f"{unseen}\t20\n" + (files / "towns.tsv").read_text())
    templates = files / "list.features"
    templates.write_text("list.towns[0]\n")
    model = trained(
        Crf(
            str(templates),
            word_lists={"towns": str(files / "more.tsv")},
            lexicon=False,
            iterations=20,
            tolerance=0,
        )
    )
    assert [m.label for m in model.tag(f"{unseen} qqq").mentions] == ["LOC"]
    assert [str(t) for t in model.index.plan.templates] == ["list.towns[0]"]
    assert model.config.features == "list.features"


def test_templates_that_name_a_list_are_enough(with_lists: CrfModel) -> None:
    resources = with_lists.index.plan.resources
    own = parse_templates(["lower[0] list.towns[0]", "cluster.names.4[0]"])
    assert with_resources(own, resources) == own


def test_a_list_that_is_missing_or_malformed_is_named(files: Path) -> None:
    (files / "bad.tsv").write_text("a\tb\tc\n")
    with pytest.raises(LacunaError, match=r"bad\.tsv:1: "):
        trained(Crf(word_lists={"a": str(files / "bad.tsv")}))
    with pytest.raises(ConfigError, match="cannot name a word list"):
        trained(Crf(word_lists={"a b": str(files / "towns.tsv")}))
    with pytest.raises(LacunaError, match=r"none\.tsv: cannot be read: No such file"):
        trained(Crf(clusters={"a": str(files / "none.tsv")}))


DAMAGED_HEADERS: dict[str, Any] = {
    "card": [
        3,
        {"documents": "many"},
        {"mentions": {"A": "x"}},
        {"mentions": [1]},
        {"scores": [0.5]},
        {"licence": None},
        {"adapted_from": {"data": 7}},
    ],
    "key": [-1, 2**61, 2**70, "x", 1.5, None],
    "config": [
        {"word_lists": ["a"]},
        {"word_lists": {"a": 1}},
        {"clusters": 7},
        {"min_documents": "3"},
    ],
    "templates": [["list.other[0]"], ["cluster.names.99[0]"]],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in DAMAGED_HEADERS.items() for value in values]
)
def test_a_damaged_header_is_refused(with_lists: CrfModel, key: str, value: object) -> None:
    stored = with_lists.store()
    with pytest.raises(ModelFileError, match="header is damaged"):
        restore_crf(StoredModel(stored.kind, {**stored.header, key: value}, stored.arrays))


def test_a_card_nested_without_end_is_refused(with_lists: CrfModel) -> None:
    card: dict[str, Any] = {}
    for _ in range(100_000):
        card = {"adapted_from": card}
    stored = with_lists.store()
    with pytest.raises(ModelFileError, match="header is damaged"):
        restore_crf(StoredModel(stored.kind, {**stored.header, "card": card}, stored.arrays))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("list.towns.bands", np.zeros(2, np.int8)),
        ("list.towns.bands", np.zeros(6, np.int64)),
        ("list.towns.hashes", np.ones(12, np.uint64)),
        ("list.a b.hashes", np.ones(1, np.uint64)),
        ("cluster.names.lengths", np.full(16, 65, np.int32)),
        ("cluster.names.paths", np.zeros((4, 4), np.uint64)),
    ],
)
def test_damaged_lists_are_refused(
    with_lists: CrfModel, name: str, values: np.ndarray[Any, Any]
) -> None:
    stored = with_lists.store()
    with pytest.raises(ModelFileError):
        restore_crf(StoredModel(stored.kind, stored.header, {**stored.arrays, name: values}))


def test_what_a_newer_lacuna_may_add_is_harmless(with_lists: CrfModel) -> None:
    stored = with_lists.store()
    header = {
        **stored.header,
        "future": {"a": [1]},
        "config": {**stored.header["config"], "future": 1},
        "card": {**stored.header["card"], "future": "x"},
    }
    arrays = {**stored.arrays, "future": np.zeros(3), "future.names.x": np.zeros(3)}
    again = restore_crf(StoredModel(stored.kind, header, arrays))
    assert replace(again.card) == with_lists.card
    text = "Seen by Dr. Ana Sato in Arden today."
    assert again.tag(text).mentions == with_lists.tag(text).mentions != ()


def test_a_file_without_card_words_and_key_is_read(with_lists: CrfModel) -> None:
    stored = with_lists.store()
    header = {k: v for k, v in stored.header.items() if k not in {"card", "key"}}
    arrays = {k: v for k, v in stored.arrays.items() if k not in {"words", "word_borders"}}
    again = restore_crf(StoredModel(stored.kind, header, arrays))
    assert again.card == Card()
    assert unpack_strings(again.words) == []
