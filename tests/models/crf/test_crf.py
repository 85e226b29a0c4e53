"""The CRF as a whole: learning, probabilities, model files, unusual input."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.schemes import Scheme, decode
from lacuna.errors import ConfigError, ModelFileError
from lacuna.evaluation.scores import score
from lacuna.features.token_table import token_table
from lacuna.models.crf import Crf, CrfModel, Support
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.text.sequences import SequenceKind
from lacuna.text.tokens import tokens_of
from tests.models.examples import corpus
from tests.reference import enumerate_paths, probabilities

TRAINING = corpus(20)


def trained(documents: list[Document], config: Crf) -> CrfModel:
    model = train(documents, config).model
    assert isinstance(model, CrfModel)
    return model


@pytest.fixture(scope="module")
def model() -> CrfModel:
    return trained(TRAINING, Crf(iterations=30, tolerance=0.0))


def f1(model: CrfModel, documents: list[Document]) -> float:
    found = model.find(documents)
    return score(zip(documents, found, strict=True)).section("strict").micro.f1


@pytest.mark.parametrize("scheme", [Scheme.BIO, Scheme.BILOU])
@pytest.mark.parametrize("support", ["all", "frequent", "observed"])
def test_fits_what_it_was_trained_on(scheme: Scheme, support: Support) -> None:
    config = Crf(scheme=scheme, support=support, iterations=30, tolerance=0.0)
    assert f1(trained(TRAINING, config), TRAINING) == 1.0


def test_finds_names_it_has_not_seen(model: CrfModel) -> None:
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert model.tag(text).mentions == (Mention.of("PER", (12, 23)), Mention.of("LOC", (27, 32)))


def test_tags_texts_documents_and_streams_alike(model: CrfModel) -> None:
    text = TRAINING[0].text
    one = model.tag(text)
    assert one.id == "text"
    assert model.tag(Document("x", text)).mentions == one.mentions
    stream = list(model.tag([text, Document("x", text)]))
    assert [document.id for document in stream] == ["text-1", "x"]
    assert all(document.mentions == one.mentions for document in stream)


@pytest.mark.parametrize("scheme", [Scheme.BIO, Scheme.BILOU])
def test_probabilities_by_enumeration(scheme: Scheme) -> None:
    model = trained(TRAINING[:4], Crf(scheme=scheme, iterations=3, tolerance=0.0))
    document = Document("d", "Call Ana Sato now.")
    tokens = tokens_of(document)
    emission = model.emission(token_table([document], [tokens]))
    paths = probabilities(enumerate_paths(model.chain(), emission))
    expected: dict[tuple[str, int, int], float] = {}
    in_mention = np.zeros(len(tokens))
    for path in product(range(len(model.tags)), repeat=len(tokens)):
        for chunk in decode([model.tags[k] for k in path]):
            expected[chunk] = expected.get(chunk, 0.0) + paths[path]
        in_mention += paths[path] * (np.array(path) > 0)
    found = model.tag(document, probabilities=True)
    assert found.mentions
    for mention in found.mentions:
        first = int(np.searchsorted(tokens.start, mention.start))
        last = int(np.searchsorted(tokens.end, mention.end)) + 1
        assert mention.probability == pytest.approx(expected[(mention.label, first, last)])
    # scores are in single precision, and so are sums over them
    np.testing.assert_allclose(model.identifier_probability(document), in_mention, rtol=1e-5)


def test_caution_makes_every_o_less_likely() -> None:
    calm = trained(TRAINING[:4], Crf(iterations=3, tolerance=0.0))
    cautious = replace(calm, config=replace(calm.config, caution=1.5))
    document = Document("d", "Call Ana Sato.")
    emission = calm.emission(token_table([document], [tokens_of(document)]))
    before = probabilities(enumerate_paths(calm.chain(), emission))
    after = probabilities(enumerate_paths(cautious.chain(), emission))
    weighed = {path: p * np.exp(-1.5 * path.count(0)) for path, p in before.items()}
    total = sum(weighed.values())
    assert after == pytest.approx({path: p / total for path, p in weighed.items()})


@pytest.mark.parametrize("sequence", SequenceKind)
def test_stops_inside_mentions(sequence: SequenceKind, tmp_path: Path) -> None:
    streets = ["Oak", "Elm Row", "Ash", "Long Lane", "Mill"]
    homes = [f"{street} {n}. Left door" for n, street in enumerate(streets, start=1)]
    notes = [
        Document(home, f"Home: {home}\nSex: F", (Mention.of("HOME", (6, 6 + len(home))),))
        for home in homes
    ]
    model = trained(notes, Crf(iterations=30, tolerance=0.0, sequence=sequence))
    write_model(tmp_path / "homes.lacuna", model.store())
    found = load(tmp_path / "homes.lacuna").tag("Home: Park Row 7. Left door\nSex: F").mentions
    assert (found == (Mention.of("HOME", (6, 27)),)) == (sequence is not SequenceKind.SENTENCE)


def test_file_there_and_back(model: CrfModel, tmp_path: Path) -> None:
    path = tmp_path / "names.lacuna"
    digest = write_model(path, model.store())
    again = load(path)
    assert isinstance(again, CrfModel)
    for document in corpus(5, seed=9):
        ours, theirs = (m.tag(document, probabilities=True).mentions for m in (model, again))
        assert [(m.label, m.spans) for m in ours] == [(m.label, m.spans) for m in theirs]
        sure = [m.probability for m in theirs]
        assert [m.probability for m in ours] == pytest.approx(sure, abs=1e-2)
    assert again.labels == model.labels == ("LOC", "PER")
    assert write_model(path, again.store()) == digest


@pytest.mark.parametrize("damage", ["keys", "borders", "weight_tags", "weights", "moves"])
def test_a_damaged_model_is_refused(model: CrfModel, damage: str) -> None:
    stored = model.store()
    shorter = {**stored.arrays, damage: stored.arrays[damage][:-1]}
    with pytest.raises(ModelFileError):
        restore(StoredModel(stored.kind, stored.header, shorter))


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"config": {"nonsense": 1}, "tags": 3},
        {"config": {}, "tags": [], "templates": [], "summary": {}},
        {"config": {}, "tags": ["O", "O"], "templates": [], "summary": {}},
        {"config": {}, "tags": ["O"], "templates": ["nonsense"], "summary": {}},
    ],
)
def test_a_damaged_header_is_refused(model: CrfModel, header: dict[str, object]) -> None:
    stored = model.store()
    with pytest.raises(ModelFileError):
        restore(StoredModel(stored.kind, header, stored.arrays))


def restore(stored: StoredModel) -> CrfModel:
    from lacuna.models.crf.storage import restore_crf

    return restore_crf(stored)


def test_an_index_out_of_range_is_refused(model: CrfModel) -> None:
    stored = model.store()
    columns = stored.arrays["weight_tags"].copy()
    columns[0] = 999
    with pytest.raises(ModelFileError, match="weights are damaged"):
        restore(StoredModel(stored.kind, stored.header, {**stored.arrays, "weight_tags": columns}))


@pytest.mark.parametrize(
    "text", ["", " \n", "Ana", "東京 мир 😀 \u200b", "x" * 5000, "\r\n".join(["A b."] * 50)]
)
def test_any_text_can_be_tagged(model: CrfModel, text: str) -> None:
    found = model.tag(text, probabilities=True)
    assert found.text == text
    assert all(0 <= (m.probability or 0) <= 1 for m in found.mentions)
    assert len(model.identifier_probability(found)) == len(tokens_of(found))


def test_a_long_document_and_many_unseen_words(model: CrfModel) -> None:
    unseen = " ".join(f"w{i:x}q" for i in range(10_000))
    assert len(tokens_of(model.tag(unseen))) >= 10_000
    text, times = TRAINING[0].text, 1_000_000 // len(tokens_of(TRAINING[0])) + 1
    found = model.tag(text * times)
    assert len(tokens_of(found)) >= 1_000_000
    assert len(found.mentions) == times * len(TRAINING[0].mentions)


def test_training_does_not_change_its_documents_and_is_repeatable() -> None:
    before = corpus(20)
    one, two = (trained(TRAINING, Crf(iterations=5)) for _ in range(2))
    assert before == TRAINING
    assert np.array_equal(one.weights.dense(len(one.tags)), two.weights.dense(len(two.tags)))
    assert np.array_equal(one.moves, two.moves)


def test_one_label_no_label_and_nothing_at_all() -> None:
    single = [Document("a", "Call Ana.", (Mention.of("PER", (5, 8)),))]
    assert train(single, Crf(iterations=10)).model.tag("Call Ana.").mentions == single[0].mentions
    none = train([Document("a", "No names here.")], Crf(iterations=3)).model
    assert none.labels == ()
    assert none.tag("Call Ana.").mentions == ()
    assert (none.identifier_probability(Document("a", "Call Ana.")) == 0).all()
    for nothing in ([], [Document("a", "")]):
        with pytest.raises(ConfigError, match="there are no"):
            train(nothing)


def test_mentions_that_tags_cannot_express_are_counted() -> None:
    text = "Pain in arm and leg of Ana."
    mentions = (
        Mention.of("ADR", (0, 11)),
        Mention.of("ADR", (0, 7), (16, 19)),
        Mention.of("SITE", (8, 11)),
        Mention.of("X", (4, 5)),
    )
    result = train([Document("a", text, mentions)], Crf(iterations=2))
    assert result.left_out == {"discontiguous": 1, "overlapping": 2}


def test_a_mention_inside_a_token_and_one_across_sentences_are_learnt() -> None:
    text = "idAna7 spoke. He left.\n\nThen idBob7 came.\n"
    glued = [Document("a", text, (Mention.of("N", (2, 5)), Mention.of("N", (31, 34))))]
    assert train(glued, Crf(iterations=5)).left_out == {}
    crossing = [Document("b", "See Ana.\n\nBob said no.", (Mention.of("N", (4, 13)),))]
    assert train(crossing, Crf(iterations=5)).left_out == {}
