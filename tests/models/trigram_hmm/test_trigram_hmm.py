"""The trigram HMM against products of counts made by hand, and against the worst input."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna import ConfigError, Document, ModelFileError, Tokens
from lacuna.encoding.flat import tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.evaluation.scores import score
from lacuna.features.token_table import token_table
from lacuna.io.conll import join, places
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel
from lacuna.models.trigram_hmm.pos import PosTagger, fit_pos_tagger
from lacuna.models.trigram_hmm.storage import restore_trigram_hmm
from lacuna.models.trigram_hmm.training import fit_trigram_hmm
from tests.models.examples import corpus

BLEND = 3.0
Tagged = list[tuple[str, str]]

#: Words and tags of three sentences; a, b and c are frequent where rare = 2.
SENTENCES: list[Tagged] = [
    [("a", "X"), ("b", "Y"), ("c", "X")],
    [("a", "X"), ("c", "Y")],
    [("b", "Y"), ("b", "X"), ("a", "X"), ("d", "Y")],
]


def document(sentences: list[Tagged], id_: str = "d") -> Document:
    words = [word for sentence in sentences for word, _ in sentence]
    borders = np.cumsum([0] + [len(sentence) for sentence in sentences])
    tags = tuple(tag for sentence in sentences for _, tag in sentence)
    tokens = Tokens(*places(words), borders.astype(np.int32), {"pos": tags})
    return Document(id_, join(words, borders.tolist()), tokens=tokens)


def pos_tagger(config: TrigramHmm, sentences: list[Tagged] = SENTENCES) -> PosTagger:
    (step,) = fit_pos_tagger([tag_document(document(sentences))], config)
    model = step.model()
    assert isinstance(model, PosTagger)
    return model


def ner_model(config: TrigramHmm, documents: list[Document]) -> TrigramHmmModel:
    (step,) = fit_trigram_hmm([tag_document(d) for d in documents], config)
    model = step.model()
    assert isinstance(model, TrigramHmmModel)
    return model


def count(pattern: tuple[str, ...], *, history: bool = False) -> int:
    """Occurrences of a run of tags; as a history, STOP does not end it."""
    found = 0
    for sentence in SENTENCES:
        line = ["*", "*", *(tag for _, tag in sentence), "STOP"]
        for i in range(2, len(line)):
            run = (
                tuple(line[i - len(pattern) : i])
                if history
                else tuple(line[i - len(pattern) + 1 : i + 1])
            )
            found += run == pattern
    return found


def by_hand(words: list[str], tags: tuple[str, ...], weights: tuple[float, float, float]) -> float:
    """Π q(y_i | y_{i-2}, y_{i-1}) · Π p(y_i | x_i) / p(y_i), straight from the corpus above.

    No word is rare, so that all are of one class, whose tags are those of the corpus.
    """
    total, line = 1.0, ["*", "*", *tags, "STOP"]
    pairs = [pair for sentence in SENTENCES for pair in sentence]
    for u, v, s in zip(line, line[1:], line[2:], strict=False):
        ends = 0 if v == "*" else count(("STOP",))  # a sentence is never empty
        q1 = count((s,)) / (len(pairs) + ends)
        q2 = count((v, s)) / count((v,), history=True)
        seen = count((u, v), history=True)
        q3 = count((u, v, s)) / seen if seen else q2
        total *= weights[0] * q1 + weights[1] * q2 + weights[2] * q3
    for word, tag in zip(words, tags, strict=True):
        share = {s: sum(t == s for _, t in pairs) / len(pairs) for s in "XY"}
        n = {s: BLEND * pairs.count((word, s)) + share[s] for s in "XY" if (word, s) in pairs}
        total *= n.get(tag, 0.0) / sum(n.values()) / share[tag]
    return total


@pytest.mark.parametrize("words", [["a"], ["b", "c"], ["c", "a", "b"], ["a", "b", "b", "c"]])
def test_whole_sentences_have_the_probability_counted_by_hand(words: list[str]) -> None:
    weights = (0.2, 0.3, 0.5)
    model = pos_tagger(TrigramHmm(rare=1, closed=1, blend=BLEND, interpolation=weights))
    told = document([[(word, "X") for word in words]])
    joint = {tags: by_hand(words, tags, weights) for tags in product("XY", repeat=len(words))}
    best = max(joint, key=joint.__getitem__)
    (found,) = model.find([told])
    assert found.tokens is not None
    assert joint[found.tokens.columns["pos"]] == pytest.approx(joint[best])
    marginals = np.zeros((len(words), 2))
    for tags, probability in joint.items():
        for i, tag in enumerate(tags):
            marginals[i, "XY".index(tag)] += probability / sum(joint.values())
    # tags of word classes are kept in single precision
    np.testing.assert_allclose(model.tag_probabilities(told), marginals, rtol=1e-6)


def test_the_objective_is_what_the_training_set_costs() -> None:
    weights = (0.2, 0.3, 0.5)
    config = TrigramHmm(rare=1, closed=1, blend=BLEND, interpolation=weights)
    (step,) = fit_pos_tagger([tag_document(document(SENTENCES))], config)
    cost = sum(
        -np.log(by_hand([w for w, _ in sentence], tuple(t for _, t in sentence), weights))
        for sentence in SENTENCES
    )
    assert step.objective == pytest.approx(cost)


def test_rare_words_blend_with_their_class() -> None:
    """d was seen once, as Y; e looks the same and was never seen."""
    config = TrigramHmm(rare=2, suffixes=0, parent_weight=1.0, blend=3.0)
    model = pos_tagger(config)
    prior = np.array([5, 4]) / 9
    of_class = (np.array([0, 1]) + (np.array([0, 1]) + prior) / 2) / 2  # all words, lower case
    table = document([[("e", "X"), ("d", "X"), ("e", "X")]])
    rows = np.exp(model.hmm.lexicon.emission(token_table([table])))
    np.testing.assert_allclose(rows[0], of_class / prior, rtol=1e-6)
    own = (3.0 * np.array([0, 1]) + of_class) / 4
    np.testing.assert_allclose(rows[1], own / prior, rtol=1e-6)
    alone = replace(config, blend=0.0)
    rows = np.exp(pos_tagger(alone).hmm.lexicon.emission(token_table([table])))
    np.testing.assert_allclose(rows[1], rows[2], rtol=1e-6)


def test_a_word_seen_often_keeps_to_its_labels() -> None:
    documents = corpus(20)
    tags = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
    told = Document("d", "Sato Arden Zyx")
    for closed, opened in ((1, ["O B-PER I-PER", "O B-LOC I-LOC"]), (1000, [" ".join(tags)] * 2)):
        model = ner_model(TrigramHmm(closed=closed), documents)
        assert model.tags == tags
        rows = np.isfinite(model.emission(token_table([told])))
        assert [" ".join(np.array(tags)[row]) for row in rows] == [*opened, " ".join(tags)]


def test_a_first_word_is_of_another_class() -> None:
    model = ner_model(TrigramHmm(rare=1000), corpus(8))
    first, _, other, _ = model.emission(token_table([Document("d", "Zyxi met Zyxi.")]))
    assert first[0] > other[0]  # capitals say less there: O is more likely
    again = ner_model(TrigramHmm(rare=1000), corpus(8))
    rows = again.emission(token_table([Document("d", "then Zyxi.\n\nZyxi.")]))
    np.testing.assert_array_equal(rows[[1, 3]], [other, first])


words = st.text(st.sampled_from("abXZ9.-/"), min_size=1, max_size=4)
tagged_sentences = st.lists(
    st.lists(st.tuples(words, st.sampled_from(["N", "V", "."])), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40)
@given(tagged_sentences, tagged_sentences, st.integers(1, 5), st.integers(0, 3))
def test_parts_of_speech_always_have_a_path(
    seen: list[Tagged], new: list[Tagged], rare: int, suffixes: int
) -> None:
    model = pos_tagger(TrigramHmm(rare=rare, suffixes=suffixes), seen)
    (found,) = model.find([document(new)])
    assert found.tokens is not None
    assert len(found.tokens.columns["pos"]) == sum(map(len, new))
    assert np.isfinite(model.tag_probabilities(found)).all()


@pytest.mark.parametrize("closed", [1, 1000])
@pytest.mark.parametrize("scheme", [Scheme.BIO, Scheme.BILOU])
def test_mentions_always_have_a_path(scheme: Scheme, closed: int) -> None:
    model = ner_model(TrigramHmm(scheme=scheme, closed=closed), corpus(8))
    worst = ["Okafor", "Okafor Okafor", "Qqq 99 zz-9 東京", "", " ", ".", "Sato\n\nSato\n\n,"]
    found = model.find([Document(f"w{i}", text) for i, text in enumerate(worst)])
    assert [d.text for d in found] == worst
    assert all(np.isfinite(model.identifier_probability(d)).all() for d in found)
    only_mentions = [Document("d", "Ana", corpus(1)[0].mentions[:0])]
    assert ner_model(TrigramHmm(scheme=scheme), only_mentions).find(only_mentions)


@pytest.mark.parametrize("scheme", [Scheme.BIO, Scheme.BILOU])
def test_learns_what_it_was_shown(scheme: Scheme) -> None:
    documents = corpus(20)
    model = ner_model(TrigramHmm(scheme=scheme), documents)
    assert model.labels == ("LOC", "PER")
    found = model.find(documents, probabilities=True)
    assert score(zip(documents, found, strict=True)).section("strict").micro.f1 > 0.99
    held_out = corpus(10, seed=1)
    judged = score(zip(held_out, model.find(held_out), strict=True))
    assert judged.section("strict").micro.f1 > 0.95
    assert all(0 < (m.probability or 0) <= 1 for d in found for m in d.mentions)


def test_what_is_kept_of_words_changes_nothing() -> None:
    documents = corpus(6)
    model, fresh = (ner_model(TrigramHmm(), documents) for _ in range(2))
    all_at_once = fresh.find(documents)
    assert [model.find([d])[0] for d in documents] == all_at_once
    assert model.find(documents[::-1])[::-1] == all_at_once


def test_same_corpus_same_bytes_and_back(tmp_path: Path) -> None:
    documents = corpus(6)
    digests = {
        write_model(tmp_path / name, ner_model(TrigramHmm(), documents).store())
        for name in ("a.lacuna", "b.lacuna")
    }
    assert len(digests) == 1
    model, again = ner_model(TrigramHmm(), documents), load(tmp_path / "a.lacuna")
    assert isinstance(again, TrigramHmmModel)
    assert again.find(documents, probabilities=True) == model.find(documents, probabilities=True)
    for left, right in zip(model.hmm.chain, again.hmm.chain, strict=True):
        np.testing.assert_array_equal(left, right)
    write_model(tmp_path / "pos.lacuna", pos_tagger(TrigramHmm()).store())
    tagger = load(tmp_path / "pos.lacuna")
    assert isinstance(tagger, PosTagger)
    told = [document(SENTENCES)]
    assert tagger.find(told) == pos_tagger(TrigramHmm()).find(told)


@pytest.mark.parametrize(
    "wrong",
    [
        {"interpolation": (0.0, 0.5, 0.5)},
        {"interpolation": (0.5, -0.5, 1.0)},
        {"rare": 0},
        {"suffixes": -1},
        {"blend": -1.0},
        {"blend": float("nan")},
        {"parent_weight": 0.0},
        {"closed": 0},
        {"scheme": Scheme.IO},
    ],
)
def test_settings_that_leave_no_model(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        ner_model(replace(TrigramHmm(), **wrong), corpus(1))


def test_nothing_to_train_on() -> None:
    with pytest.raises(ConfigError, match="no tokens"):
        ner_model(TrigramHmm(), [Document("d", " ")])
    with pytest.raises(ConfigError, match="d0 has no parts of speech"):
        list(fit_pos_tagger([tag_document(corpus(1)[0])], TrigramHmm()))


def damaged(stored: StoredModel, **changes: Any) -> StoredModel:
    header = {k: changes.get(k, v) for k, v in stored.header.items()}
    arrays = {k: changes.get(k, v) for k, v in stored.arrays.items()}
    return StoredModel(stored.kind, header, arrays, "m.lacuna")


def changed(array: Any, place: Any, value: Any) -> Any:
    copy = np.array(array)
    copy[place] = value
    return copy


@pytest.mark.parametrize("task", ["ner", "pos"])
def test_damaged_files_are_refused(task: str) -> None:
    model: TrigramHmmModel | PosTagger = (
        ner_model(TrigramHmm(), corpus(3)) if task == "ner" else pos_tagger(TrigramHmm())
    )
    stored = model.store()
    assert restore_trigram_hmm(damaged(stored)).labels == model.labels
    arrays = stored.arrays
    tags: list[str] = list(model.hmm.tags)
    cases: list[dict[str, Any]] = [
        {"task": "sing"},
        {"config": {"rare": "often"}},
        {"config": {"suffixes": 10**9}},
        {"tags": []},
        {"tags": [tags[0]] * len(tags)},
        {"tags": tags[:-1]},
        {"weights": [0.5, 0.5]},
        {"weights": [0.0, 0.5, 0.5]},
        {"weights": [0.5, 0.5, 0.5]},
        {"card": 3},
        {"trigrams": changed(arrays["trigrams"], (0, 0, 0), -1)},
        {"trigrams": changed(arrays["trigrams"], (0, 0, 0), 2**40)},
        {"trigrams": arrays["trigrams"][1:]},
        {"words": changed(arrays["words"], 1, arrays["words"][0])},
        {"words": arrays["words"][1:]},
        {"borders": changed(arrays["borders"], 1, 10**6)},
        {"borders": changed(arrays["borders"], 1, 0)},
        {"word_tags": changed(arrays["word_tags"], 0, len(tags))},
        {"counts": changed(arrays["counts"], 0, 0.0)},
        {"counts": changed(arrays["counts"], 0, np.nan)},
        {"tag_counts": changed(arrays["tag_counts"], 0, 0.0)},
        {"class_keys": changed(arrays["class_keys"], -1, arrays["class_keys"][0])},
        {"class_keys": arrays["class_keys"][:0], "class_tags": arrays["class_tags"][:0]},
        {"class_tags": changed(arrays["class_tags"], (0, 0), 0.0)},
        {"class_tags": changed(arrays["class_tags"], (0, 0), np.inf)},
    ]
    for case in cases:
        with pytest.raises(ModelFileError, match=r"m\.lacuna"):
            restore_trigram_hmm(damaged(stored, **case))
    for name in arrays:
        rest = {k: v for k, v in arrays.items() if k != name}
        with pytest.raises(ModelFileError, match=name):
            restore_trigram_hmm(StoredModel(stored.kind, stored.header, rest, "m.lacuna"))


def test_bio_paths_follow_the_scheme() -> None:
    """Even where a file claims that a forbidden move was counted."""
    model = ner_model(TrigramHmm(), corpus(3))
    stored = model.store()
    moves = changed(stored.arrays["trigrams"], (slice(None), 0, 2), 1000)  # O, then I-LOC
    restored = restore_trigram_hmm(damaged(stored, trigrams=moves))
    assert isinstance(restored, TrigramHmmModel)
    assert (restored.chain().transition[:, 0, 2] == -np.inf).all()
    for left, right in pairwise(restored.find(corpus(2))[0].mentions):
        assert left.end <= right.start
