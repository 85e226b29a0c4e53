"""The model card after training: what the model was trained on, and how it scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lacuna.encoding.flat import TrainingDocument, label_counts
from lacuna.models.base import CardScore
from lacuna.pipeline.training_records import Trained, TrainOptions
from lacuna.types import Task
from lacuna.version import __version__


def with_card(
    trained: Trained, examples: Sequence[TrainingDocument], options: TrainOptions
) -> Trained:
    """Return the model with its card filled in."""
    card, dev = options.card, options.dev
    scores = card.scores
    if dev is not None and trained.dev_f1 is not None:
        measure = "strict" if options.task is Task.NER else "accuracy of parts of speech"
        how = f"{measure}, on {len(list(dev))} dev documents by which the model was chosen"
        scores = (*scores, CardScore(how, trained.dev_f1))
    card = replace(
        card,
        data=() if trained.model.is_private else card.data,
        documents=len(examples),
        tokens=trained.tokens,
        raw_tokens=trained.raw_tokens,
        mentions=dict(sorted(label_counts(examples).items())),
        iterations=trained.iterations,
        scores=scores,
        version=__version__,
        adapted_from=None if options.start is None else options.start.card,
    )
    return replace(trained, model=trained.model.with_card(card))
