"""``auto`` becomes what suits the documents, when training begins, and is stored that way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lacuna import Crf, Document, Li, Mention
from lacuna.features.presets import AUTO, load_templates
from lacuna.features.resources import with_lexicon
from lacuna.models.crf import CrfModel, CrfSettings
from lacuna.models.crf.choosing import FORMS, chosen_settings
from lacuna.models.registry import restore
from lacuna.pipeline.training import begin, train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.sequences import SequenceKind

FORM = Document("f", "Name: Roe\nStreet: Elm 3. B", (Mention.of("N", (6, 9)),))
PROSE = Document("p", "Seen by Lowe.\nShe left.", (Mention.of("N", (8, 12)),))
LEAST = round(1 / FORMS)  #: documents of which one form is just enough


@pytest.mark.parametrize("record", [Crf, Li])
def test_the_share_of_mentions_after_a_label_chooses(record: type[CrfSettings]) -> None:
    form = chosen_settings(record(), [FORM] + [PROSE] * (LEAST - 1))
    prose = chosen_settings(record(), [FORM] + [PROSE] * LEAST)
    assert form.config == record(features="clinical", sequence=SequenceKind.LINE)
    assert prose.config == record(features="default", sequence=SequenceKind.SENTENCE)
    assert form.remark.startswith("features=clinical, sequence=line: 20% ")
    assert prose.remark.startswith("features=default, sequence=sentence: 17% ")


def test_what_was_set_stays() -> None:
    config = Crf(features="default")
    chosen = chosen_settings(config, [FORM])
    assert chosen.config == replace(config, sequence=SequenceKind.LINE)
    assert chosen.remark.startswith("sequence=line: ")
    assert chosen_settings(chosen.config, [FORM]) == (chosen.config, "")


@pytest.mark.parametrize(("document", "preset"), [(FORM, "clinical"), (PROSE, "default")])
def test_training_stores_the_choice(document: Document, preset: str) -> None:
    documents = [document, replace(document, id="other")]
    trained = train(documents, Crf(iterations=1))
    model = restore(trained.model.store())
    assert isinstance(model, CrfModel)
    assert model.config.features == preset
    assert (model.config.sequence is SequenceKind.LINE) == (document is FORM)
    assert trained.chosen.startswith(f"features={preset}")
    assert model.index.plan.templates == with_lexicon(load_templates(preset))
    assert train([document], Crf(features=preset, sequence=SequenceKind.LINE)).chosen == ""


def test_training_that_was_begun_has_chosen() -> None:
    begun = begin([FORM], Crf(iterations=1), TrainOptions())
    trained = train([FORM], Crf(iterations=1), TrainOptions(begun=begun))
    assert getattr(trained.model.config, "features") == "clinical"  # noqa: B009


def test_an_adapted_model_keeps_its_features_and_sequences() -> None:
    old = train([PROSE, PROSE], Crf(iterations=1)).model
    trained = train([FORM], Crf(iterations=1), TrainOptions(start=old))
    assert isinstance(trained.model, CrfModel)
    assert trained.model.config.features == "default" != AUTO
    assert trained.model.config.sequence is SequenceKind.SENTENCE
    assert trained.chosen == ""
