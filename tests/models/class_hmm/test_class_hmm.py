"""The class HMM as a whole: learning, probabilities, model files, unusual input."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.flat import tag_document
from lacuna.encoding.schemes import Chunk, Scheme, decode
from lacuna.errors import ConfigError
from lacuna.evaluation.scores import score
from lacuna.features.token_table import token_table, words_at
from lacuna.inference.chain import best_paths
from lacuna.models.base import FitOptions
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.storage import restore_class_hmm
from lacuna.models.class_hmm.training import (
    ClassHmmTraining,
    fit_class_hmm,
    in_one_document,
    places_in_mentions,
)
from lacuna.text.tokens import tokens_of
from lacuna.text.word_types import number_types
from tests.models.examples import FIRST, LAST, TOWNS, corpus
from tests.reference import enumerate_paths, probabilities

TRAINING = corpus(20)
SCHEMES = [Scheme.IO, Scheme.BIO, Scheme.BILOU]


def trained(documents: list[Document], config: ClassHmm, seed: int = 0) -> ClassHmmModel:
    tagged = [tag_document(document) for document in documents]
    *_, last = fit_class_hmm(tagged, config, FitOptions(seed))
    model = last.model()
    assert isinstance(model, ClassHmmModel)
    return model


@pytest.fixture(scope="module")
def model() -> ClassHmmModel:
    return trained(TRAINING, ClassHmm())


def f1(model: ClassHmmModel, documents: list[Document]) -> float:
    found = model.find(documents)
    return score(zip(documents, found, strict=True)).section("strict").micro.f1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("states", [1, 2])
@pytest.mark.parametrize("features", ["basic", "capitalisation", "shape", "muc", "affixes"])
def test_fits_what_it_was_trained_on(scheme: Scheme, states: int, features: str) -> None:
    config = ClassHmm(scheme=scheme, states=states, features=features, iterations=20)
    assert f1(trained(TRAINING, config), TRAINING) == 1.0


@pytest.mark.parametrize("states", [1, 2])
def test_em_learns_words(states: int) -> None:
    config = ClassHmm(method="em", features="basic", states=states, iterations=20)
    assert f1(trained(TRAINING, config), TRAINING) == 1.0


def test_finds_names_it_has_not_seen(model: ClassHmmModel) -> None:
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert model.tag(text).mentions == (Mention.of("PER", (12, 23)), Mention.of("LOC", (27, 32)))


def test_every_step_is_better_and_iterations_end() -> None:
    tagged = [tag_document(document) for document in TRAINING]
    for method in ("lbfgs", "em"):
        config = ClassHmm(method=method, features="basic", iterations=7, tolerance=0.0)
        steps = list(fit_class_hmm(tagged, config, FitOptions(1)))
        assert [step.iteration for step in steps] == [1, 2, 3, 4, 5, 6, 7]
        values = [step.objective for step in steps]
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("features", ["basic", "capitalisation", "affixes"])
def test_the_vocabulary_with_its_pseudo_words_has_probability_one(features: str) -> None:
    documents = [*TRAINING, Document("once", "Wholly singular Words, 7 of them: IBM.")]
    config = ClassHmm(features=features, iterations=4)
    model = trained(documents, config)
    data = ClassHmmTraining.of([tag_document(document) for document in documents], config)
    vocabulary = data.vocabulary
    words = vocabulary.readings.shape[0]
    assert len(vocabulary.rows) > words  # there are pseudo-words
    assert (vocabulary.rows[words:, 0] == 0).all()
    logs = model.log_emission(vocabulary.rows)
    np.testing.assert_allclose(np.exp(logs).sum(axis=0), 1.0, rtol=1e-5)
    np.testing.assert_allclose(vocabulary.readings.sum(axis=1), 1.0)


def test_words_seen_once_teach_the_pseudo_word_of_their_features() -> None:
    documents = [Document("a", "ab ab Cd Ef gh", (Mention.of("N", (6, 8)),))]
    vocabulary = ClassHmmTraining.of(
        [tag_document(document) for document in documents], ClassHmm(features="shape")
    ).vocabulary
    # outcomes: ab, Cd, Ef, gh; unseen Xx, unseen xx
    expected = np.array(
        [
            [1, 0, 0, 0, 0, 0],
            [0, 0.5, 0, 0, 0, 0.5],
            [0, 0, 0.5, 0, 0, 0.5],
            [0, 0, 0, 0.5, 0.5, 0],
        ]
    )
    found = vocabulary.readings.toarray()
    assert (found == expected).all() or (found == expected[:, [0, 1, 2, 3, 5, 4]]).all()


def test_words_of_one_document_teach_pseudo_words() -> None:
    documents = [Document("a", "ab ab Cd Cd ef"), Document("b", "ab Gh"), Document("c", "")]
    table = token_table(documents)
    types = number_types(table.hashes)
    found = dict(
        zip(words_at(table, types.first), in_one_document(table, types).tolist(), strict=True)
    )
    assert found == {"ab": False, "Cd": True, "ef": True, "Gh": True}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_probabilities_by_enumeration(scheme: Scheme) -> None:
    config = ClassHmm(
        scheme=scheme, features="capitalisation", iterations=3, states=2, outside_states=3
    )
    people = [tuple(m for m in d.mentions if m.label == "PER") for d in TRAINING[:4]]
    documents = [replace(d, mentions=m) for d, m in zip(TRAINING, people, strict=False)]
    model = trained(documents, config)
    document = Document("d", "Call Ana Sato.")
    tokens = tokens_of(document)
    emission = model.emission(token_table([document], [tokens]))
    paths = probabilities(enumerate_paths(model.chain(), emission))
    expected: dict[Chunk, float] = {}
    in_mention = np.zeros(len(tokens))
    for path in product(range(len(model.log_total)), repeat=len(tokens)):
        for chunk in decode([model.state_tags[y] for y in path]):
            expected[chunk] = expected.get(chunk, 0.0) + paths[path]
        in_mention += paths[path] * (np.array(path) >= 3)
    found = model.tag(document, probabilities=True)
    assert found.mentions
    for mention in found.mentions:
        first = int(np.searchsorted(tokens.start, mention.start))
        last = int(np.searchsorted(tokens.end, mention.end)) + 1
        assert mention.probability == pytest.approx(expected[Chunk("PER", first, last)])
    np.testing.assert_allclose(model.identifier_probability(document), in_mention, atol=1e-9)


def test_places_in_mentions() -> None:
    mentions = (Mention.of("N", (0, 5)), Mention.of("N", (8, 9)))
    tagged = [tag_document(Document("a", "a b c d e f", mentions))]
    nowhere = [np.nan] * 3
    np.testing.assert_array_equal(places_in_mentions(tagged), [0.0, 0.5, 1.0, *nowhere])


def test_models_from_before_these_settings_tag_as_they_did(model: ClassHmmModel) -> None:
    config = ClassHmm(states=2, outside_states=0, decoder="max-path", iterations=5)
    before = trained(TRAINING, config)
    stored = before.store()
    for name in ("outside_states", "decoder"):
        del stored.header["config"][name]
    again = restore_class_hmm(stored)
    assert again.config == before.config
    assert again.borders.tolist() == [0, 2, 4, 6]
    document = Document("a", "Seen by Dr. Zola Wexler in Arden today.")
    table = token_table([document])
    best, _ = best_paths(again.chain(), again.emission(table), table.sentences)
    np.testing.assert_array_equal(again.path(again.chain(), again.emission(table), table), best)
    assert model.config.decoder == "projected"
    path = model.path(model.chain(), model.emission(table), table)
    assert set(path.tolist()) <= set(model.borders.tolist())  # of each class its first state


def test_training_is_repeatable_and_leaves_its_documents_alone() -> None:
    before = corpus(20)
    config = ClassHmm(iterations=5)
    one, two, other = (trained(TRAINING, config, seed) for seed in (3, 3, 4))
    assert before == TRAINING
    assert np.array_equal(one.weights, two.weights)
    assert np.array_equal(one.transition, two.transition)
    assert not np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize(
    "text", ["", " \n", "Ana", "東京 мир 😀 \u200b", "x" * 5000, "\r\n".join(["A b."] * 50)]
)
def test_any_text_can_be_tagged(model: ClassHmmModel, text: str) -> None:
    found = model.tag(text, probabilities=True)
    assert found.text == text
    assert all(0 <= (m.probability or 0) <= 1 for m in found.mentions)
    assert len(model.identifier_probability(found)) == len(tokens_of(found))


def test_a_long_sentence_with_many_mentions(model: ClassHmmModel) -> None:
    found = model.tag("Call Ana Sato about " * 3000, probabilities=True)
    assert len(found.mentions) == 3000
    assert all((mention.probability or 0) > 0.5 for mention in found.mentions)


def test_one_label_no_label_and_nothing_at_all() -> None:
    single = [Document("a", "Call Ana.", (Mention.of("PER", (5, 8)),))]
    assert trained(single * 20, ClassHmm()).tag("Call Ana.").mentions == single[0].mentions
    none = trained([Document("a", "No names here.")], ClassHmm())
    assert none.labels == ()
    assert none.tag("Call Ana.").mentions == ()
    for nothing in ([], [Document("a", "")]):
        with pytest.raises(ConfigError, match="there are no"):
            trained(nothing, ClassHmm())


@pytest.mark.parametrize(
    "wrong",
    [
        {"states": 0},
        {"states": 1000},
        {"kappa": -1},
        {"method": "nonsense"},
        {"start": "nonsense"},
        {"method": "em", "features": "shape"},
        {"method": "em", "features": "basic", "clusters": {"brown": "words.paths"}},
        {"scheme": Scheme.IOB1},
        {"features": "nonsense"},
    ],
)
def test_a_wrong_setting_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        trained(TRAINING, ClassHmm(**wrong))


def test_a_template_file_may_look_at_the_word_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("word[0]\nshape[0]\nsuffix2[0]\n")
    model = trained(TRAINING, ClassHmm(features=str(path), iterations=10))
    templates = model.space.features.plan.templates
    assert [str(template) for template in templates] == ["shape[0]", "suffix2[0]"]
    assert f1(model, TRAINING) == 1.0
    path.write_text("lower[-1]\n")
    with pytest.raises(ConfigError, match="only at the word itself"):
        trained(TRAINING, ClassHmm(features=str(path)))


def test_clusters_tell_of_words_never_seen(tmp_path: Path) -> None:
    path = tmp_path / "words.paths"
    lines = [f"00\t{word}\t9" for word in (*FIRST, *LAST, "zora")]
    lines += [f"01\t{word}\t9" for word in (*TOWNS, "yarrow")]
    path.write_text("\n".join(lines))
    model = trained(TRAINING, ClassHmm(features="basic", clusters={"names": str(path)}))
    assert model.config.clusters == {"names": "words.paths"}
    unseen = token_table([Document("d", "zora yarrow")])
    for tagger in (model, restore_class_hmm(model.store())):
        best = tagger.emission(unseen).argmax(axis=1)
        assert [tagger.state_tags[state] for state in best] == ["I-PER", "I-LOC"]
    zora, yarrow = trained(TRAINING, ClassHmm(features="basic")).emission(unseen)
    assert (zora == yarrow).all()  # nothing else tells them apart
