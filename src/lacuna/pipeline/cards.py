"""The model card as training fills it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lacuna import __version__
from lacuna.encoding.flat import TrainingDocument, label_counts
from lacuna.models.base import Card, CardScore
from lacuna.models.crf import ChainCrf
from lacuna.pipeline.progress import Trained
from lacuna.text.document import Document


def filled_in(
    card: Card,
    tagged: Sequence[TrainingDocument],
    trained: Trained,
    dev: Sequence[Document] | None,
    *,
    measure: str = "strict",
    private: bool = False,
    start: ChainCrf | None = None,
) -> Card:
    """Return the card with what was trained on and what came of it."""
    scores = card.scores
    if dev is not None and trained.dev_f1 is not None:
        how = f"{measure}, on {len(dev)} dev documents by which the model was chosen"
        scores = (*scores, CardScore(how, trained.dev_f1))
    return replace(
        card,
        data=() if private else card.data,
        documents=len(tagged),
        tokens=trained.tokens,
        mentions=dict(sorted(label_counts(tagged).items())),
        iterations=trained.iterations,
        scores=scores,
        version=__version__,
        adapted_from=None if start is None else start.card,
    )
