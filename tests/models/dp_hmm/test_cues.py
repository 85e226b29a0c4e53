"""What sub-tags have learnt: by hand on a small model, and planted cues recovered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.flat import tag_document
from lacuna.errors import ConfigError
from lacuna.models.base import FitOptions
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.cues import SIDES, SubTags, class_name
from lacuna.models.dp_hmm.rare_functions import RareFunctions
from lacuna.models.dp_hmm.rare_words import RareWords
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.text.word_types import WordTypes, hash_words
from tests.models.examples import work_histories

WORDS = ["as", "he", "smith"]


def by_hand() -> DpHmmModel:
    """Return O 1 (says he), O 2 (says as) and I-JOB (says smith): he* as smith."""
    moves = np.array(
        #  O 1  O 2  JOB  border
        [
            [0.5, 0.3, 0.1, 0.1],
            [0.2, 0.0, 0.8, 0.0],
            [0.0, 0.25, 0.25, 0.5],
            [1.0, 0.0, 0.0, 0.0],
        ]
    )
    words = np.array([[0.1, 0.7, 0.1], [0.7, 0.1, 0.1], [0.1, 0.1, 0.7], [0.1, 0.1, 0.1]])
    with np.errstate(divide="ignore"):
        log_moves = np.log(moves)
    return DpHmmModel(
        DpHmm(),
        ("O", "I-JOB"),
        np.array([0, 2, 3]),
        RareWords(
            WordTypes.build(hash_words(WORDS)),
            WordTypes.build(np.array([7], np.uint64)),
            RareFunctions(),
        ),
        np.log(words).astype(np.float32),
        log_moves,
        np.array([100.0, 20.0, 40.0]),
    )


def test_cues_by_hand() -> None:
    subtags = SubTags.of(by_hand(), [Document("d", "he as smith")])
    # flow into JOB: 10 of 100 tokens of O 1, 16 of 20 of O 2; 26 of 120 outside
    (cue,) = subtags.cues("JOB", "before")
    assert cue.state == "O 2"
    assert cue.tokens == pytest.approx(20.0)
    assert cue.share == pytest.approx(0.8)
    assert cue.lift == pytest.approx(0.8 / (26 / 120))
    # of 160 tokens 10 + 14 + 4 = 28 are "as"
    (word,) = cue.words
    assert word.name == "as"
    assert word[1:] == pytest.approx((0.7, 0.7 / (28 / 160)))
    # O 2 stands after O 1 30 times, after JOB 10 times
    before = {other.state: other for other in cue.beyond}
    assert before["O 1"].share == pytest.approx(0.75)
    assert before["O 1"].words[0].name == "he"
    # before O 2: 10 of its 40 expected tokens follow JOB; of O 1 none do; 10 of 40 + 104 outside
    assert subtags.cue(1, "JOB", "after").share == pytest.approx(0.25)
    assert subtags.cue(0, "JOB", "after").share == 0.0


def test_the_border_of_sentences_has_no_words() -> None:
    subtags = SubTags.of(by_hand(), [Document("d", "he as smith")])
    begin, end = (subtags.cue(subtags.border, "JOB", side) for side in ("before", "after"))
    assert (begin.state, begin.share, begin.words, begin.beyond) == ("begin", 0.0, (), ())
    assert end.state == "end"
    assert end.tokens == pytest.approx(30.0)  # as many as sentences
    assert end.share == pytest.approx(20 / 30)


def test_weights_that_are_no_probabilities_are_made_such() -> None:
    model = by_hand()
    log_words, log_moves = model.log_words - np.float32(1.0), model.log_moves - 1.0
    halved = SubTags.of(replace(model, log_words=log_words, log_moves=log_moves))
    np.testing.assert_allclose(halved.flow, SubTags.of(model).flow)
    np.testing.assert_allclose(halved.word_share.sum(axis=0), 1.0)


def test_states_that_never_occur_are_no_obstacle() -> None:
    model = by_hand()
    nowhere = np.where(np.arange(4) == 3, 0.0, -np.inf)  # every move leads to the border
    for log_moves in (model.log_moves, np.tile(nowhere, (4, 1))):
        empty = replace(model, tokens=np.zeros(3), log_moves=log_moves)
        subtags = SubTags.of(empty, [Document("d", "he as smith")])
        for side in SIDES:
            assert subtags.cues("JOB", side) == []
            assert all(subtags.cue(i, "JOB", side).tokens < 1e-6 for i in range(4))


def test_without_documents_no_word_is_named() -> None:
    (cue,) = SubTags.of(by_hand()).cues("JOB", "before")
    assert cue.words == ()
    assert cue.beyond
    assert all(other.words == () for other in cue.beyond)


@pytest.mark.parametrize("label", ["", "O", "PER", "border"])
def test_a_label_that_is_not_there_is_refused(label: str) -> None:
    with pytest.raises(ConfigError, match="it has JOB"):
        SubTags.of(by_hand()).of_label(label)


@pytest.mark.parametrize("seed", range(2))
def test_planted_cues_are_found(seed: int) -> None:
    documents = work_histories(60, seed)
    config = DpHmm(subtags={"outside": 16, "entity": 2}, rare=2, restarts=5)
    tagged = [tag_document(document) for document in documents]
    *_, last = fit_dp_hmm(tagged, config, FitOptions(seed))
    model = last.model()
    assert isinstance(model, DpHmmModel)
    subtags = SubTags.of(model, documents)
    cue = subtags.cues("PROFESSION", "before")[0]
    assert cue.words[0].name == "as"
    assert cue.words[0].share > 0.5
    assert cue.share > 0.5
    assert "worked" in [word.name for other in cue.beyond for word in other.words]
    follows = {word.name for cue in subtags.cues("PROFESSION", "after") for word in cue.words}
    assert "until" in follows


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["Jackson", "Wilson"], "‹Xx …son›"),
        (["Jackson"], "‹Xx …son›"),
        (["Ana", "Bo"], "‹Xx›"),
        (["12/3", "4/56"], "‹d/d›"),
        (["go", "no", "NO"], "‹x …o›"),
        (["a"], "‹x …a›"),
    ],
)
def test_names_of_classes(words: list[str], name: str) -> None:
    assert class_name(words) == name


def test_rare_words_are_named_by_their_class() -> None:
    document = Document("d", "he as smith Jackson Wilson", (Mention.of("JOB", (6, 11)),))
    subtags = SubTags.of(by_hand(), [document])
    assert subtags.item_names[3].startswith("‹")
    assert sorted(subtags.item_names.values())[:3] == WORDS
