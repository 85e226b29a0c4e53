"""Learning from documents without annotations, for every kind of model that can."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lacuna import ClassHmm, Document, Mention
from lacuna.encoding.flat import tag_document
from lacuna.errors import ConfigError
from lacuna.evaluation.scores import score
from lacuna.features.token_table import token_table
from lacuna.models.base import Tagger
from lacuna.models.file import model_bytes
from lacuna.models.registry import kind_named, trainable
from lacuna.models.settings import Settings, configure
from lacuna.models.trigram_hmm import TrigramHmm, TrigramHmmModel
from lacuna.models.trigram_hmm.expected_tags import expected_tags
from lacuna.pipeline.training import train_model
from tests.models.examples import corpus

ABLE = [name for name, kind in trainable().items() if kind.learns_from_raw]
FEW, MANY = corpus(2, seed=3), corpus(8, seed=4)
RAW = [Document(f"raw {d.id}", d.text) for d in MANY]
KINDS = pytest.mark.parametrize("kind", ABLE)


#: Settings with which training is fast.
QUICK: dict[str, tuple[str, ...]] = {
    "class-hmm": ("states=2", "iterations=8"),
    "dp-hmm": ("subtags.outside=3", "subtags.entity=2", "phrases=0", "iterations=6"),
    "trigram-hmm": ("iterations=2",),
}


def settings_of(kind: str, *more: str) -> Settings:
    return configure(kind_named(kind).config, more)


def f1(model: Tagger, gold: list[Document]) -> float:
    found = model.find([Document(d.id, d.text) for d in gold])
    return score(zip(gold, found, strict=True)).section("strict").micro.f1


@KINDS
def test_no_raw_documents_give_the_same_file(kind: str) -> None:
    config = settings_of(kind, *QUICK[kind])
    plain, none = train_model(FEW, config), train_model(FEW, config, raw=[])
    empty = train_model(FEW, config, raw=[Document("empty", " ")])
    files = [model_bytes(model.store()) for model in (plain, none, empty)]
    assert files[0] == files[1] == files[2]


@KINDS
def test_annotations_in_raw_documents_are_ignored(kind: str) -> None:
    annotated = [replace(d, id=f"raw {d.id}", reviewed=()) for d in MANY]
    one, other = (
        train_model(FEW, settings_of(kind, *QUICK[kind]), raw=raw) for raw in (RAW, annotated)
    )
    assert model_bytes(one.store()) == model_bytes(other.store())
    assert one.labels == ("LOC", "PER")
    assert one.card.documents == len(FEW)
    assert one.card.raw_tokens > one.card.tokens


@KINDS
def test_without_weight_raw_documents_change_nothing(kind: str) -> None:
    config = settings_of(kind, "raw_weight=0", *QUICK[kind])
    one, other = (train_model(FEW, config, raw=raw).store() for raw in ([], RAW))
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, other.arrays[name])


#: Words that are jobs, and words that are not: in annotated documents, and only in raw ones.
KNOWN = ("mako", "reno", "tubi", "lesa"), ("dapo", "sivu", "goli", "fenu")
UNKNOWN = ("pavo", "zeri", "nuka", "bilo"), ("weto", "hadi", "joru", "cesa")


def telling(words: tuple[tuple[str, ...], tuple[str, ...]], times: int) -> list[Document]:
    """Return sentences that tell jobs from other words."""
    jobs = [job_at(f"she worked as {word} until then", word) for word in words[0]]
    return times * [*jobs, *(Document("other", f"the {word} is new") for word in words[1])]


def vague(words: tuple[tuple[str, ...], tuple[str, ...]]) -> list[Document]:
    """Return sentences in which only the word itself tells whether it is a job."""
    jobs = [job_at(f"{word} again today", word) for word in words[0]]
    return [*jobs, *(Document("other", f"{word} again today") for word in words[1])]


def job_at(line: str, word: str) -> Document:
    place = line.index(word)
    return Document("job", line, (Mention.of("JOB", (place, place + len(word))),))


#: Few states, which begin apart by the position in the mention.
POSITION = ("features=basic", "states=4", "outside_states=4", "start=position")


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (
            "class-hmm",
            (*POSITION, "kappa=0.01"),
        ),
        (
            "class-hmm",
            (*POSITION, "kappa=0.01", "state_classes=distribution"),
        ),
        (
            "class-hmm",
            (*POSITION, "method=em"),
        ),
        ("dp-hmm", ("iterations=10", "subtags.outside=6", "subtags.entity=2", "phrases=0")),
        ("dp-hmm", ("inference=mean-field", "subtags.outside=6", "subtags.entity=2", "phrases=0")),
        ("trigram-hmm", ()),
    ],
)
def test_raw_text_tells_what_unknown_words_are(kind: str, more: tuple[str, ...]) -> None:
    """Where raw text shows what a word is, the word alone is enough elsewhere."""
    known = telling(KNOWN, 2) + vague(KNOWN) + vague(KNOWN)
    config = settings_of(kind, "raw_weight=1", *more)
    without, with_raw = (
        train_model(known, config, raw=raw) for raw in ([], telling(UNKNOWN, times=6))
    )
    assert f1(without, vague(UNKNOWN)) < 0.8
    assert f1(with_raw, vague(UNKNOWN)) == 1.0


@pytest.mark.parametrize("kind", [name for name in trainable() if name not in ABLE])
def test_other_kinds_say_why_they_cannot(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"a {kind} model cannot learn from raw text: .*dp-hmm"):
        train_model(FEW, settings_of(kind), raw=RAW)


def test_expectation_maximisation_never_loses_likelihood() -> None:
    """EM of the class HMM has neither features nor penalty, so every step must improve."""
    values: list[float] = []
    config = ClassHmm(
        features="basic", method="em", states=2, outside_states=2, raw_weight=0.5, iterations=15
    )
    train_model(FEW, config, raw=RAW[:6], on_progress=lambda step: values.append(step.objective))
    assert len(values) > 5
    assert np.all(np.diff(values) <= 1e-9 * abs(values[0]))


def test_expected_tags_by_enumeration() -> None:
    """The trigram HMM's p(tag | sentence), summed over all paths, times the weight."""
    model = train_model(FEW, TrigramHmm())
    assert isinstance(model, TrigramHmmModel)
    raw = tag_document(Document("r", "Ana moved to Zork.\n\nCall Bo"))
    table = token_table([raw.document], [raw.tokens])
    assert len(table.sentences) == 3
    found = expected_tags(model.hmm, table, 1, 0.25)
    begin, end = table.sentences[1:]
    rows, chain = model.emission(table)[begin:end], model.chain()
    size, weights = chain.labels, {}
    for path in itertools.product(range(size), repeat=end - begin):
        before, value = size, chain.start[path[0]]
        for u, v in itertools.pairwise(path):
            value, before = value + chain.transition[before, u, v], u
        value += chain.stop[before, path[-1]] + sum(r[y] for r, y in zip(rows, path, strict=True))
        weights[path] = np.exp(value)
    total = sum(weights.values())
    shares = np.zeros(rows.shape)
    for path, value in weights.items():
        shares[np.arange(len(path)), path] += value / total
    expected = {
        (t + begin, s): 0.25 * shares[t, s]
        for t, s in zip(*np.nonzero(shares >= 0.01), strict=True)
    }
    tokens, tags, weights_found = found.words
    assert set(zip(tokens.tolist(), tags.tolist(), strict=True)) == set(expected)
    for t, s, weight in zip(tokens.tolist(), tags.tolist(), weights_found.tolist(), strict=True):
        assert weight == pytest.approx(expected[t, s], rel=1e-9)
    assert found.log_likelihood == pytest.approx(0.25 * np.log(total), rel=1e-9)
