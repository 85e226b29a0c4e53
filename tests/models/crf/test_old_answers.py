"""What the old model answers when it is adapted: in replays, and where new documents are silent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lacuna import Document, Mention, Span
from lacuna.features.token_table import training_table
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.changes import old_scores
from lacuna.models.crf.old_answers import SURE, old_answers, without_absent
from lacuna.models.crf.training_set import Setup, prepare
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from tests.models.examples import corpus


@pytest.fixture(scope="module")
def old() -> CrfModel:
    model = train(corpus(20), Crf(iterations=20, tolerance=0.0)).model
    assert isinstance(model, CrfModel)
    return model


def relabelled(documents: list[Document], names: dict[str, str]) -> list[Document]:
    """Return documents with other labels; mentions whose label has no name are left out."""
    return [
        replace(
            document,
            mentions=tuple(
                replace(m, label=names[m.label]) for m in document.mentions if m.label in names
            ),
        )
        for document in documents
    ]


def unknown_words(old: CrfModel, documents: list[Document]) -> list[str]:
    """Return the tokens that are unknown."""
    examples = without_absent(old, [Crf().example(document) for document in documents])
    return [
        example.document.text[start:end]
        for example in examples
        if example.reviewed is not None
        for start, end, seen in zip(
            example.tokens.start, example.tokens.end, example.reviewed, strict=True
        )
        if not seen
    ]


def test_what_is_found_of_absent_labels_is_unknown(old: CrfModel) -> None:
    documents = corpus(6, seed=4)
    people = [
        document.text[span.start : span.end]
        for document in documents
        for mention in document.mentions
        if mention.label == "PER"
        for span in mention.spans
    ]
    assert unknown_words(old, documents) == []
    assert unknown_words(old, relabelled(documents, {"LOC": "LOC"})) == " ".join(people).split()


def test_labels_with_another_name_are_not_absent(old: CrfModel) -> None:
    """Nor is one of which few mentions are missing: these are corrections."""
    documents = corpus(6, seed=4)
    renamed = relabelled(documents, {"LOC": "LOC", "PER": "NAME"})
    assert unknown_words(old, renamed) == []
    assert unknown_words(old, [replace(renamed[0], mentions=()), *renamed[1:]]) == []


def test_what_nobody_has_reviewed_stays_unknown(old: CrfModel) -> None:
    text = "Seen by Dr. Ana Rossi in Arden today."
    document = Document("a", text, (Mention.of("LOC", (25, 30)),), reviewed=(Span(0, 31),))
    assert unknown_words(old, [document]) == ["Ana", "Rossi", "today", "."]


def test_absent_labels_stay(old: CrfModel) -> None:
    new = relabelled(corpus(10, seed=5), {"LOC": "LOC"})
    found = {}
    for absent in ("unknown", "outside"):
        config = Crf(iterations=20, adapting_absent=absent, adapting_share=1.0)
        model = train(new, config, TrainOptions(start=old)).model
        labels = [m.label for d in model.find(corpus(10, seed=6)) for m in d.mentions]
        found[absent] = labels.count("PER")
    gold = [m.label for d in corpus(10, seed=6) for m in d.mentions].count("PER")
    assert found == {"unknown": gold, "outside": 0}


def test_answers_are_those_of_unsure_sentences(old: CrfModel) -> None:
    plain = [
        Document("a", "No fever and no pain were reported."),
        Document("b", "Call Metalon about Arden Quist."),
        Document("c", "No fever and no pain were reported."),
    ]
    examples = [old.config.example(document) for document in plain]
    table, tags = training_table(examples), (*old.tags, "B-X", "I-X")
    base = old_scores(old, table, tags)
    first = int(table.documents[1])
    found = old_answers(old, base, table, first, tags, old.config.moves(tags))
    assert found.rows.tolist() == list(range(first, int(table.documents[2])))
    np.testing.assert_allclose(found.share.sum(axis=1), 1, rtol=1e-5)
    assert (found.share[:, -2:] == 0).all()
    assert ((found.share[:, 0] > SURE) & (found.share[:, 0] < 1 - SURE)).any()
    assert found.moves.sum() == pytest.approx(len(found.rows) - 1)


def test_replays_alone_change_nothing(old: CrfModel) -> None:
    """The gradient of answers that are as before is 0, whatever else is unknown."""
    replay = [
        old.config.example(Document(f"r{n}", f"Call {word} about Arden Quist."))
        for n, word in enumerate(["Metalon", "Zola", "Mr. Wexler"])
    ]
    new = [old.config.example(document) for document in corpus(2, seed=7)]
    plan = old.index.plan
    setup = Setup(old.config, plan.templates, plan.resources, plan.key, old, replay)
    data = prepare(new, setup)
    assert data.objective.shares is not None
    alone = prepare(new, replace(setup, replay=()))
    at = np.zeros(data.objective.parameters, np.float32), np.zeros(alone.objective.parameters)
    moves = data.objective.shape[1] ** 2
    both, own = (
        objective(point)[1][-moves:]
        for objective, point in zip((data.objective, alone.objective), at, strict=True)
    )
    np.testing.assert_allclose(both, own, atol=1e-4)
