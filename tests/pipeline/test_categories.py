"""Training on large categories: rules learnt, edited, stored and shown."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lacuna import ConfigError, Crf, Document, Mention, ModelFileError, TrigramHmm
from lacuna.models.aligned import AlignedModel
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load, restore
from lacuna.models.with_rules import WithRules
from lacuna.models.with_rules.rules import Condition, Rule
from lacuna.pipeline.categories import Categories, chosen_categories, split_level
from lacuna.pipeline.training import train, train_model
from lacuna.pipeline.training_records import TrainOptions
from lacuna.types import Task

CATEGORIES = Categories({"PATIENT": "NAME", "DOCTOR": "NAME"})
NAMES = ("Adams", "Baker", "Clark", "Davis", "Evans", "Frank", "Ghosh", "Hills")


def notes(count: int, seed: int = 0) -> list[Document]:
    """Return notes that name a doctor, a patient and a city."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        doctor, patient = rng.sample(NAMES, 2)
        parts = [("Seen by Dr ", doctor), (". Mr ", patient), (" lives in ", "Rome")]
        text, mentions = "", []
        for label, (before, name) in zip(("DOCTOR", "PATIENT", "CITY"), parts, strict=True):
            text += before
            mentions.append(Mention.of(label, (len(text), len(text) + len(name))))
            text += name
        made.append(Document(f"d{number}", f"{text}.", tuple(mentions), f"g{number}"))
    return made


def model_of(*, align: bool = False) -> WithRules | AlignedModel:
    found = train_model(notes(20), TrigramHmm(), categories=CATEGORIES, align=align)
    assert isinstance(found, WithRules | AlignedModel)
    return found


trained = cache(model_of)
NEW = Document("new", "Seen by Dr Baker. Mr Davis lives in Rome.")


def found(model: Tagger, document: Document = NEW) -> list[tuple[str, str]]:
    return [(m.label, m.surface(document.text)) for m in model.find([document])[0].mentions]


def test_a_tagger_of_categories_and_rules_for_labels() -> None:
    model = trained()
    assert isinstance(model, WithRules)
    assert sorted(model.tagger.labels) == ["CITY", "NAME"]
    assert model.labels == ("CITY", "DOCTOR", "PATIENT")
    assert found(model.tagger) == [("NAME", "Baker"), ("NAME", "Davis"), ("CITY", "Rome")]
    assert found(model) == [("DOCTOR", "Baker"), ("PATIENT", "Davis"), ("CITY", "Rome")]
    (sure,) = model.find([NEW], probabilities=True)
    (alone,) = model.tagger.find([NEW], probabilities=True)
    assert [m.probability for m in sure.mentions] == [m.probability for m in alone.mentions]
    assert model.card.mentions == {"CITY": 20, "NAME": 40}
    assert found(model, Document("empty", "")) == []


def test_an_edited_rule_changes_what_is_found() -> None:
    mine = {"NAME": (Rule("PATIENT", (Condition("before", ("dr",)),)),)}
    edited = Categories(CATEGORIES.category_of, mine)
    model = train_model(notes(20), TrigramHmm(), categories=edited)
    assert found(model) == [("PATIENT", "Baker"), ("NAME", "Davis"), ("CITY", "Rome")]
    assert model.labels == ("CITY", "NAME", "PATIENT")
    with pytest.raises(ConfigError, match="rules of NAME: CITY is not a label of this category"):
        Categories(CATEGORIES.category_of, {"NAME": (Rule("CITY"),)})
    with pytest.raises(ConfigError, match="needs a name"):
        Categories({"PATIENT": ""})


def test_dev_is_judged_by_categories() -> None:
    shuffled = [
        replace(d, mentions=tuple(replace(m, label=_swapped(m.label)) for m in d.mentions))
        for d in notes(5, seed=3)
    ]
    result = train(notes(20), TrigramHmm(), TrainOptions(dev=shuffled, categories=CATEGORIES))
    assert result.dev_f1 == 1.0


def _swapped(label: str) -> str:
    return {"DOCTOR": "PATIENT", "PATIENT": "DOCTOR"}.get(label, label)


def test_alignment_works_on_labels() -> None:
    model = trained(align=True)
    assert isinstance(model, AlignedModel)
    assert isinstance(model.tagger, WithRules)
    assert set(model.space.labels) == {"O", "CITY", "DOCTOR", "PATIENT"}
    assert found(model) == found(model.tagger)


@pytest.mark.parametrize("align", [False, True])
def test_is_the_same_after_storing(align: bool, tmp_path: Path) -> None:
    model, path = trained(align=align), tmp_path / "m.lacuna"
    digest = write_model(path, model.store())
    again = load(path)
    assert again.labels == model.labels
    assert again.find([NEW], probabilities=True) == model.find([NEW], probabilities=True)
    assert write_model(path, again.store()) == digest
    rules = again.tagger if isinstance(again, AlignedModel) else again
    assert isinstance(rules, WithRules)
    assert rules.categories == CATEGORIES.category_of


def test_damaged_files_are_refused() -> None:
    stored = trained().store()
    for damage in (
        {"rules": None},
        {"rules": {"NAME": [{"label": 3}]}},
        {"categories": 3},
        {"tagger": 3},
        {"tagger": {"kind": "with-rules", "header": {}}},
    ):
        broken = StoredModel(stored.kind, {**stored.header, **damage}, stored.arrays, "m.lacuna")
        with pytest.raises(ModelFileError, match=r"^m.lacuna: "):
            restore(broken)


def test_parts_of_speech_have_no_categories() -> None:
    with pytest.raises(ConfigError, match="large categories are for mentions"):
        train(notes(2), TrigramHmm(), TrainOptions(task=Task.POS, categories=CATEGORIES))


def test_a_private_model_has_no_words_in_its_rules() -> None:
    model = train_model(notes(8), Crf(iterations=5), categories=CATEGORIES, private=True)
    assert isinstance(model, WithRules)
    asked = [part for own in model.rules.values() for rule in own for part in rule.when]
    assert all(part.place == "class" for part in asked)


def test_the_setting_level() -> None:
    assert split_level(["rare=3", "level=category"]) == ("category", ["rare=3"])
    assert split_level(['level="label"']) == ("label", [])
    assert split_level([]) == ("label", [])
    with pytest.raises(ConfigError, match="expected label or category"):
        split_level(["level=large"])
    assert chosen_categories("label", {"A": "B"}, None) is None
    assert chosen_categories("category", {"A": "B"}, None) == Categories({"A": "B"})
    with pytest.raises(ConfigError, match="give --categories"):
        chosen_categories("category", None, None)
