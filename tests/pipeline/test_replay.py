"""Adapting the bundled model: what is replayed, what is forgotten, what is learnt."""

from __future__ import annotations

from dataclasses import replace

import pytest

import lacuna
from lacuna import Document, Mention
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import Crf, CrfModel
from lacuna.pipeline.replay import generated, replayed
from lacuna.synthetic import CLEAN, Split, generate
from tests.models.examples import corpus, work_histories


@pytest.fixture(scope="module")
def old() -> CrfModel:
    model = lacuna.load(bundled_model())
    assert isinstance(model, CrfModel)
    return model


def test_the_replay_is_always_the_same(old: CrfModel) -> None:
    notes = generated(20)
    generated.cache_clear()
    assert generated(20) == notes
    assert len(notes) == 20
    assert not any(note.mentions for note in notes)
    assert any(note.text.islower() for note in notes)
    assert any(note.text.isupper() for note in notes)
    again = [lacuna.train(NOTES, replace(old.config, iterations=2), start=old) for _ in range(2)]
    assert (
        again[0].store().arrays["weights"].tobytes() == again[1].store().arrays["weights"].tobytes()
    )


def test_only_models_of_clinical_identifiers_get_a_replay(old: CrfModel) -> None:
    assert len(replayed(replace(old.config, adapting_replay=10), old)) == 10
    assert not replayed(replace(old.config, adapting_replay=0), old)
    assert not replayed(replace(old.config, adapting="weights"), old)
    assert not replayed(replace(old.config, columns=("pos",)), old)
    assert not replayed(old.config, lacuna.train(corpus(3), Crf(iterations=1)))
    assert not replayed(old.config, lacuna.train(work_histories(3), Crf(iterations=1)))


NOTES = [
    replace(note, mentions=tuple(replace(m, label="NAME") for m in note.mentions))
    for note in generate(12, seed=3, split=Split.TEST, kinds=("jotting",), noise=CLEAN)
]


def found_in_small_letters(model: lacuna.Tagger) -> float:
    notes = list(generate(30, seed=9, split=Split.TEST, noise=CLEAN))
    small = [Document(note.id, note.text.lower()) for note in notes]
    hits = total = 0
    for note, seen in zip(notes, model.examine(small), strict=True):
        for start, end, p in zip(seen.start, seen.end, seen.probability, strict=True):
            inside = any(s.start < end and start < s.end for m in note.mentions for s in m.spans)
            total, hits = total + inside, hits + (inside and p >= 0.5)
    return hits / total


def test_little_is_forgotten(old: CrfModel) -> None:
    before = found_in_small_letters(old)
    config = replace(old.config, iterations=8)
    now = found_in_small_letters(lacuna.train(NOTES, config, start=old))
    assert now > before - 0.015
    anew = Crf(iterations=8, adapting="weights", caution=old.config.caution)
    assert found_in_small_letters(lacuna.train(NOTES, anew, start=old)) < now


def test_a_new_label_is_learnt_from_three_examples(old: CrfModel) -> None:
    notes = [
        Document(f"d{n}", text, (Mention.of("PET", (start, start + len(name))),))
        for n, (text, name) in enumerate(
            [
                ("Lives with her dog Rufus.", "Rufus"),
                ("Walks her dog Bella daily.", "Bella"),
                ("Bitten by her dog Max.", "Max"),
            ]
        )
        for start in (text.index(name),)
    ]
    model = lacuna.train(notes, start=old)
    assert [m.label for m in model.tag("Fell over her dog Daisy.").mentions] == ["PET"]
