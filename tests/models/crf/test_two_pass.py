"""Two passes: evidence from elsewhere in the document, held out in training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.crf import Crf
from lacuna.models.crf.elsewhere import (
    BANDS,
    COLUMNS,
    SURE_BANDS,
    VOTES,
    FirstPass,
    with_columns,
)
from lacuna.models.crf.two_pass import TwoPassModel, first_look, restore_two_pass
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.document import Tokens
from lacuna.text.tokens import tokens_of
from tests.models.examples import corpus

TEXT = "Dr. Sato met Reading . Ana Sato likes reading . Sato left Reading ."


def columns(*mentions: Mention) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the values of the occurrences of each possible name, column by column."""
    document = Document("d", TEXT)
    first = FirstPass(mentions, ("O",), np.ones((0, 1)))
    tokens = with_columns(document, tokens_of(document), first, VOTES)
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
    first = FirstPass(one, ("O",), np.ones((0, 1)))
    tokens = with_columns(document, tokens_of(document), first, VOTES)
    assert tokens.columns["vote"] == ("A", "B", "A")


# --- words in any case


def seen(text: str, mentions: tuple[Mention, ...] = (), share: object = None) -> Tokens:
    document = Document("d", text)
    tokens = tokens_of(document)
    given = np.tile([1.0, 0.0, 0.0], (len(tokens), 1)) if share is None else np.array(share)
    return with_columns(document, tokens, FirstPass(mentions, ("O", "LOC", "PER"), given))


def test_soft_votes_are_means_over_the_other_occurrences() -> None:
    share = [[0.1, 0.9, 0.0], [0.9, 0.1, 0.0], [0.5, 0.1, 0.4], [1.0, 0.0, 0.0]]
    found = seen("Reading READING reading once", share=share)
    # means of the others: (.7 .1 .2), (.3 .5 .2), (.5 .5 0), and there is no other "once"
    assert found.columns["soft"] == ("PER2", "LOC4", "LOC3", "")
    assert found.columns["surest"] == ("O", "LOC2", "LOC2", "")  # .4 is below .5; .9, .9


@given(st.lists(st.tuples(st.sampled_from("abA"), st.floats(0, 1), st.floats(0, 1)), max_size=9))
def test_soft_votes_by_brute_force(drawn: list[tuple[str, float, float]]) -> None:
    words = [word for word, _, _ in drawn]
    share = np.array([[1 - p, p * q, p * (1 - q)] for _, p, q in drawn]).reshape(-1, 3)
    found = seen(" ".join(words), share=share)
    for t, word in enumerate(words):
        others = [i for i, w in enumerate(words) if i != t and w.lower() == word.lower()]
        if not others:
            assert found.columns["soft"][t] == found.columns["surest"][t] == ""
            continue
        mean = share[others].mean(axis=0)
        band = sum(1 - mean[0] >= border for border in BANDS)
        near = min(abs(1 - mean[0] - border) for border in BANDS) < 1e-9
        if not near and abs(mean[1] - mean[2]) > 1e-9:
            label = "LOC" if mean[1] > mean[2] else "PER"
            assert found.columns["soft"][t] == (f"{label}{band}" if band else "O")
        top = max(share[i, 1:].max() for i in others)
        assert found.columns["surest"][t][3:] == str(sum(top >= b for b in SURE_BANDS) or "")


def test_words_of_a_mention_elsewhere() -> None:
    text = "Ana Sato and ana sato saw SATO"
    found = seen(text, (Mention.of("PER", (0, 8)), Mention.of("LOC", (26, 30))))
    # "Ana Sato" has no other mention; "Sato" alone is one of two others; both words come again
    assert found.columns["whole"] == ("", "BLOC-", "", "BPER+", "IPER+", "", "")
    # words of the longer mention elsewhere, but not in that mention itself
    assert found.columns["within"] == ("", "", "", "PER", "PER", "", "PER")


def test_a_model_is_told_its_own_posteriors(model: TwoPassModel) -> None:
    documents = corpus(3, seed=9)
    for document, one in zip(documents, first_look(model.first, documents), strict=True):
        inside = model.first.identifier_probability(document)
        np.testing.assert_allclose(1 - one.share[:, 0], inside, atol=1e-6)
        np.testing.assert_allclose(one.share.sum(axis=1), 1.0, atol=1e-9)
        assert tuple(one.mentions) == model.first.tag(document).mentions


def test_a_model_is_told_what_it_looks_at(model: TwoPassModel) -> None:
    older = TwoPassModel(model.first, model.first)  # whose second pass looks at no column
    for one, looks_at, columns in ((model, COLUMNS, COLUMNS), (older, (), VOTES)):
        assert one.looks_at == set(looks_at)
        (told,) = one.with_evidence(corpus(1))
        assert told.tokens is not None
        assert set(told.tokens.columns) == set(columns)


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
