"""Adapting a model: it learns from new documents and keeps what it knew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.errors import ConfigError
from lacuna.features.token_table import training_table
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.changes import in_other_letters
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.sequences import SequenceKind
from lacuna.text.word_types import number_types
from lacuna.types import RealArray
from tests.models.examples import corpus


def trained(documents: list[Document], config: Crf, start: CrfModel | None = None) -> CrfModel:
    model = train(documents, config, TrainOptions(start=start)).model
    assert isinstance(model, CrfModel)
    return model


@pytest.fixture(scope="module")
def old() -> CrfModel:
    return trained(corpus(20), Crf(iterations=20, tolerance=0.0))


NEW = [
    Document(f"n{i}", f"Takes {drug} daily.\n", (Mention.of("DRUG", (6, 6 + len(drug))),))
    for i, drug in enumerate(["Metalon", "Zyrex", "Panodol", "Corvex"])
]


def test_a_new_label_is_learnt_and_the_old_ones_are_kept(old: CrfModel) -> None:
    model = trained(NEW, Crf(iterations=20), old)
    assert model.labels == ("DRUG", "LOC", "PER")
    assert model.tag("Takes Bentol daily.").mentions == (Mention.of("DRUG", (6, 12)),)
    text = "Seen by Dr. Zola Wexler in Arden today."
    assert model.tag(text).mentions == old.tag(text).mentions != ()
    alone = trained(NEW, Crf(iterations=20))
    assert alone.tag(text).mentions != old.tag(text).mentions


def test_what_the_documents_do_not_speak_about_stays_exactly() -> None:
    old = trained(corpus(20), Crf(iterations=20, lexicon=False))
    model = trained(NEW, Crf(iterations=5, adapting_letters=False), old)
    rows = model.index.keys.lookup(old.index.keys.hashes)
    assert (rows >= 0).all()
    unseen = (
        trained(NEW, Crf(iterations=1, lexicon=False)).index.keys.lookup(old.index.keys.hashes) < 0
    )
    tags = [model.tags.index(tag) for tag in old.tags]
    assert unseen.any()
    now, before = model.weights.dense(len(model.tags)), old.weights.dense(len(old.tags))
    assert np.array_equal(now[rows[unseen]][:, tags], before[unseen])


def test_no_steps_change_nothing(old: CrfModel) -> None:
    same = trained(corpus(20), Crf(iterations=0), old)
    for document in corpus(5, seed=3):
        assert same.tag(document).mentions == old.tag(document).mentions


def weights_of(model: CrfModel, old: CrfModel) -> tuple[RealArray, RealArray]:
    """Return the weights of the old model's features and tags, and of moves between them."""
    rows = model.index.keys.lookup(old.index.keys.hashes)
    tags = [model.tags.index(tag) for tag in old.tags]
    return model.weights.dense(len(model.tags))[rows][:, tags], model.moves[np.ix_(tags, tags)]


def test_no_steps_change_no_weight(old: CrfModel) -> None:
    """Also those of rare features, and of features with tags that the documents lack."""
    config = Crf(iterations=0, support="observed", min_documents=2)
    for now, before in zip(
        weights_of(trained(NEW, config, old), old), weights_of(old, old), strict=True
    ):
        assert np.array_equal(now, before)


def test_weights_anew_ignore_the_other_settings_of_adapting(old: CrfModel) -> None:
    plain = Crf(iterations=5, adapting="weights")
    set_otherwise = replace(plain, adapting_share=0.1, adapting_letters=False, adapting_replay=7)
    one, other = trained(NEW, plain, old), trained(NEW, set_otherwise, old)
    assert np.array_equal(one.index.keys.hashes, other.index.keys.hashes)
    assert np.array_equal(one.weights.values, other.weights.values)
    assert np.array_equal(one.moves, other.moves)


def test_a_share_of_the_changes_is_added(old: CrfModel) -> None:
    before, _ = weights_of(old, old)
    whole, half, none = (
        weights_of(trained(NEW, Crf(iterations=3, adapting_share=share), old), old)[0] - before
        for share in (1.0, 0.5, 0.0)
    )
    assert np.abs(whole).max() > 0.01
    assert np.allclose(half, whole / 2, atol=2e-3)  # negligible weights are dropped
    assert np.array_equal(none, np.zeros_like(none))


def test_documents_are_read_in_other_letters() -> None:
    document = Document("a", "Straße of Özil, 3 Mai", (Mention.of("LOC", (0, 6)),))
    copies = in_other_letters([Crf().example(document)])
    assert [copy.document.text for copy in copies] == [
        "straße of özil, 3 mai",
        "STRAßE OF ÖZIL, 3 MAI",
    ]
    assert all(copy.tags == Crf().example(document).tags for copy in copies)
    assert in_other_letters([Crf().example(Document("b", "12. 3."))]) == []


def test_a_private_model_changes_no_rare_feature() -> None:
    start = train(corpus(30), Crf(iterations=10), TrainOptions(private=True)).model
    assert isinstance(start, CrfModel)
    new = corpus(8, seed=8)
    adapted = trained(new, Crf(iterations=3), start)
    now, before = weights_of(adapted, start)[0], weights_of(start, start)[0]
    units: dict[int, set[object]] = {}
    for example in [Crf().example(document) for document in new]:
        for copy in (example, *in_other_letters([example])):
            table = training_table([copy])
            rows = start.index.rows(table, number_types(table.hashes))
            for row in {*rows.by_word.reshape(-1).tolist(), *rows.by_token.reshape(-1).tolist()}:
                units.setdefault(row, set()).add(copy.document.unit)
    changed = np.flatnonzero((now != before).any(axis=1)).tolist()
    assert changed
    assert all(len(units[row]) >= 3 for row in changed)
    assert any(len(found) < 3 for found in units.values())
    with pytest.raises(ConfigError, match="no feature can occur in 3 documents"):
        trained(new[:2], Crf(iterations=1), start)


def test_an_adapted_model_reads_what_the_old_one_read() -> None:
    old = trained(corpus(2), Crf(iterations=1, sequence=SequenceKind.LINE))
    assert trained(NEW, Crf(iterations=1), old).config.sequence is SequenceKind.LINE


def test_two_passes_cannot_be_adapted(old: CrfModel) -> None:
    with pytest.raises(ConfigError, match="two-pass model"):
        train(corpus(20), Crf(two_pass=True), TrainOptions(start=old))
