"""Two passes: evidence from elsewhere in the document, held out in training."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna import Document, Mention
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.crf import Crf
from lacuna.models.crf.two_pass import TwoPassModel, restore_two_pass, with_evidence
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.tokens import tokens_of
from tests.models.examples import corpus

TEXT = "Dr. Sato met Reading . Ana Sato likes reading . Sato left Reading ."


def columns(*mentions: Mention) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the values of the occurrences of each possible name, column by column."""
    document = Document("d", TEXT)
    tokens = with_evidence(document, tokens_of(document), mentions)
    words = tokens.words(TEXT)
    return {
        name: {
            word: tuple(v for w, v in zip(words, values, strict=True) if w == word)
            for word in ("Sato", "Reading", "Ana", "likes")
        }
        for name, values in tokens.columns.items()
    }


def test_votes_leave_out_ones_own() -> None:
    found = columns(Mention.of("PER", (4, 8)), Mention.of("PER", (23, 31)))
    assert found["vote"]["Sato"] == ("O", "O", "PER")
    assert found["vote"]["Reading"] == ("O", "O")
    assert found["vote"]["Ana"] == ("",)
    assert found["vote"]["likes"] == ("",)


def test_longer_mentions_elsewhere_count() -> None:
    found = columns(Mention.of("PER", (4, 8)), Mention.of("PER", (23, 31)))
    assert found["longer"]["Sato"] == ("PER", "", "PER")
    assert found["longer"]["Ana"] == ("",)


def test_lower_case_elsewhere_is_seen() -> None:
    found = columns()
    assert found["cased"]["Reading"] == ("yes", "yes")
    assert found["cased"]["Sato"] == ("", "", "")


def test_ties_go_to_the_first_in_the_alphabet_whatever_the_order() -> None:
    text = "Sato Sato Sato"
    one = (Mention.of("B", (0, 4)), Mention.of("A", (5, 9)))
    document = Document("d", text)
    tokens = with_evidence(document, tokens_of(document), one)
    assert tokens.columns["vote"] == ("A", "B", "A")


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
