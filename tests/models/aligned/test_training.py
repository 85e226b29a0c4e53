"""Training alignment: from predictions for groups that the tagger had not seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import ConfigError, Crf, Document, TrigramHmm
from lacuna.models import base
from lacuna.models.aligned import AlignedModel
from lacuna.models.aligned.training import align
from lacuna.models.base import FitOptions, Tagger, group_batches
from lacuna.models.trigram_hmm import TrigramHmmModel
from lacuna.models.wrapped import WithPos
from lacuna.pipeline.part_of_speech import joined
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from tests.models.aligned.patients import note, patients
from tests.models.test_with_pos import pos

__all__ = ["pos"]


def test_every_group_is_tagged_by_a_model_that_has_not_seen_it() -> None:
    documents = patients(12)
    taught: list[set[str | None]] = []

    def retrain(rest: Sequence[Document]) -> Tagger:
        taught.append({document.group for document in rest})
        return train(rest, TrigramHmm()).model

    whole = train(documents, TrigramHmm()).model
    result = align(whole, documents, retrain, FitOptions())
    assert result.tagger is whole
    left_out = [{d.group for d in documents} - seen for seen in taught]
    assert len(left_out) == 5
    assert sorted(group for part in left_out for group in part if group) == sorted(
        {str(d.group) for d in documents}
    )


def test_interrupted_it_leaves_the_model_as_it_is() -> None:
    trainings = 0

    def interrupt(_: Progress) -> None:
        nonlocal trainings
        trainings += 1
        if trainings == 2:  # the first on less
            raise KeyboardInterrupt

    result = train(patients(6), TrigramHmm(), TrainOptions(align=True, on_progress=interrupt))
    assert isinstance(result.model, TrigramHmmModel)
    assert result.interrupted


def test_few_groups_make_few_folds_and_one_is_not_enough() -> None:
    assert isinstance(
        train(patients(2), TrigramHmm(), TrainOptions(align=True)).model, AlignedModel
    )
    with pytest.raises(ConfigError, match="of one group"):
        train(patients(1), TrigramHmm(), TrainOptions(align=True))


def test_training_without_any_repeated_word() -> None:
    documents = [note(f"d{i}", f"He is a retired Bar{i}.", None, f"Bar{i}") for i in range(6)]
    model = train(documents, TrigramHmm(), TrainOptions(align=True)).model
    assert model.find(documents) == train(documents, TrigramHmm()).model.find(documents)


def test_parts_of_speech_go_with_alignment(pos) -> None:  # type: ignore[no-untyped-def]
    documents = pos.find(patients(6))
    model = train(documents, Crf(columns=("pos",), iterations=5), TrainOptions(align=True)).model
    with_pos = joined(pos, model)
    assert isinstance(with_pos, AlignedModel)
    assert isinstance(with_pos.tagger, WithPos)
    plain = patients(2, seed=5)
    assert [d.mentions for d in with_pos.find(plain)] == [
        d.mentions for d in model.find(pos.find(plain))
    ]


@given(groups=st.lists(st.sampled_from(["a", "b", None]), max_size=12), size=st.integers(1, 4))
def test_batches_are_cut_only_between_groups(groups: list[str | None], size: int) -> None:
    documents = [Document(str(i), "x", group=group) for i, group in enumerate(groups)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BATCH_DOCUMENTS", size)
        batches = list(group_batches(documents))
    assert [document for batch in batches for document in batch] == documents
    for batch, following in pairwise(batches):
        assert batch[-1].unit != following[0].unit
        assert len(batch) >= size
    for batch in batches:  # no longer than the last group in it makes it
        assert all(document.unit == batch[-1].unit for document in batch[size - 1 :])
