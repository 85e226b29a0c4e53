"""Two passes: evidence from elsewhere in the document, held out in training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lacuna import Document
from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.layout import value_hashes
from lacuna.features.token_table import token_table
from lacuna.models.crf import Crf
from lacuna.models.crf.elsewhere import COLUMNS, FirstPass, evidence
from lacuna.models.crf.two_pass import TwoPassModel, first_look, restore_two_pass
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.tokens import tokens_of
from lacuna.types import HashArray
from tests.models.examples import corpus

TEXT = "Dr. Sato met Reading . Ana Sato likes reading . Sato left Reading ."
LABELS = ("O", "B", "LOC", "PER", "A")


def seen(text: str, *found: tuple[int, int, str], share: object = None) -> dict[str, list[str]]:
    """Return the columns of a text with mentions (first token, end, label), spelled out."""
    table = token_table([Document("d", text)])
    given = np.zeros((len(table.start), len(LABELS))) if share is None else np.array(share, float)
    start, end = (np.array([mention[i] for mention in found], np.int64) for i in (0, 1))
    label = np.array([LABELS.index(mention[2]) for mention in found], np.int64)
    told = evidence(table, FirstPass(LABELS, given, start, end, label), table.documents)
    return {name.removeprefix("column."): spelled(values) for name, values in told.items()}


def spelled(values: HashArray) -> list[str]:
    """Return the texts of values."""
    texts = ["", "yes", *LABELS]
    texts += [f"{label}{band}" for label in LABELS for band in range(1, 6)]
    texts += [f"{place}{label}{often}" for place in "BI" for label in LABELS for often in "+-"]
    names = dict(zip(value_hashes(texts).tolist(), texts, strict=True))
    return [names[value] for value in values.tolist()]


def of(word: str, values: list[str]) -> list[str]:
    """Return the values of the occurrences of a word in TEXT."""
    document = Document("d", TEXT)
    words = tokens_of(document).words(TEXT)
    return [value for w, value in zip(words, values, strict=True) if w == word]


def test_votes_leave_out_ones_own() -> None:
    vote = seen(TEXT, (2, 3, "PER"), (6, 8, "PER"))["vote"]
    assert of("Sato", vote) == ["O", "O", "PER"]
    assert of("Reading", vote) == ["O", "O"]
    assert of("Ana", vote) == of("likes", vote) == [""]


def test_longer_mentions_elsewhere_count() -> None:
    longer = seen(TEXT, (2, 3, "PER"), (6, 8, "PER"))["longer"]
    assert of("Sato", longer) == ["PER", "", "PER"]
    assert of("Ana", longer) == [""]


def test_lower_case_elsewhere_is_seen() -> None:
    cased = seen(TEXT)["cased"]
    assert of("Reading", cased) == ["yes", "yes"]
    assert of("Sato", cased) == ["", "", ""]


def test_ties_go_to_the_first_in_the_alphabet_whatever_the_order() -> None:
    found = seen("Sato Sato Sato", (0, 1, "B"), (1, 2, "A"))
    assert found["vote"] == ["A", "B", "A"]


def test_soft_votes_are_means_over_the_other_occurrences() -> None:
    share = np.zeros((4, len(LABELS)))
    share[:, [0, 2, 3]] = [[0.1, 0.9, 0.0], [0.9, 0.1, 0.0], [0.5, 0.1, 0.4], [1.0, 0.0, 0.0]]
    found = seen("Reading READING reading once", share=share)
    # means of the others: (.7 .1 .2), (.3 .5 .2), (.5 .5 0), and there is no other "once"
    assert found["soft"] == ["PER2", "LOC4", "LOC3", ""]
    assert found["surest"] == ["O", "LOC2", "LOC2", ""]  # .4 is below .5; .9, .9


def test_words_of_a_mention_elsewhere() -> None:
    found = seen("Ana Sato and ana sato saw SATO", (0, 2, "PER"), (6, 7, "LOC"))
    # "Ana Sato" has no other mention; "Sato" alone is one of two others; both words come again
    assert found["whole"] == ["", "BLOC-", "", "BPER+", "IPER+", "", ""]
    # words of the longer mention elsewhere, but not in that mention itself
    assert found["within"] == ["", "", "", "PER", "PER", "", "PER"]


def test_a_model_is_told_its_own_posteriors(model: TwoPassModel) -> None:
    documents = corpus(3, seed=9)
    seen = first_look(model.first, model.first.table(documents))
    inside = np.concatenate([model.first.identifier_probability(d) for d in documents])
    np.testing.assert_allclose(1 - seen.share[:, 0], inside, atol=1e-6)
    np.testing.assert_allclose(seen.share.sum(axis=1), 1.0, atol=1e-9)
    found = model.first.table(documents)
    spans = [
        (int(found.start[a]), int(found.end[b - 1]), seen.labels[k])
        for a, b, k in zip(seen.start, seen.end, seen.label, strict=True)
    ]
    assert spans == [
        (m.start + shift, m.end + shift, m.label)
        for d, shift in zip(documents, found.texts.tolist(), strict=False)
        for m in model.first.tag(d).mentions
    ]


def test_a_model_is_told_what_it_looks_at(model: TwoPassModel) -> None:
    older = TwoPassModel(model.first, model.first)  # whose second pass looks at no column
    for one, looks_at in ((model, COLUMNS), (older, ())):
        assert one.looks_at == set(looks_at)
        assert set(one.table(corpus(1)).given) == {f"column.{name}" for name in looks_at}


def test_documents_are_tagged_apart(model: TwoPassModel) -> None:
    documents = corpus(6, seed=3)
    together = [d.mentions for d in model.find(documents, probabilities=True)]
    for document, mentions in zip(documents, together, strict=True):
        assert model.tag(document, probabilities=True).mentions == mentions


@pytest.fixture(scope="module")
def model() -> TwoPassModel:
    made = train(corpus(20), Crf(iterations=15, tolerance=0.0, two_pass=True)).model
    assert isinstance(made, TwoPassModel)
    return made


def test_two_passes_learn_and_leave_the_document_as_it_was(model: TwoPassModel) -> None:
    for document in corpus(5):
        found = model.tag(document, probabilities=True)
        assert [(m.label, m.spans) for m in found.mentions] == [
            (m.label, m.spans) for m in document.mentions
        ]
        assert found.tokens is None
        assert len(model.identifier_probability(document)) == len(tokens_of(document))


def test_file_there_and_back(model: TwoPassModel, tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    digest = write_model(path, model.store())
    again = load(path)
    assert isinstance(again, TwoPassModel)
    assert write_model(path, again.store()) == digest
    document = corpus(1, seed=4)[0]
    assert again.tag(document).mentions == model.tag(document).mentions
    stored = model.store()
    with pytest.raises(ModelFileError, match="no second pass"):
        restore_two_pass(StoredModel("two-pass", {"first": stored.header["first"]}, stored.arrays))


def test_an_interruption_ends_training_before_there_is_a_second_pass() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus(10), Crf(two_pass=True), TrainOptions(on_progress=interrupt))


def test_too_few_groups_for_held_out_passes_are_refused() -> None:
    with pytest.raises(ConfigError, match="folds"):
        train(corpus(4), Crf(two_pass=True))
