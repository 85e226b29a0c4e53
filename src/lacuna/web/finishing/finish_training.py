"""Training for Finish, and scores by folds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from lacuna.errors import StoppedError
from lacuna.evaluation.scores import Pair, Scores, score
from lacuna.learning.folds import FOLDS, jackknife
from lacuna.models.base import Card, Tagger
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.registry import load
from lacuna.models.settings import Settings
from lacuna.pipeline.evaluating import evaluate
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, Trained, TrainOptions
from lacuna.text.document import Document
from lacuna.web.finishing.records import Report, Step


@dataclass(frozen=True, slots=True)
class Learning:
    """How models are trained: from which file, with which card, and who is told."""

    base: Path | None
    card: Card
    on_step: Report
    stop: Event

    def train(self, documents: Sequence[Document], message: str = "") -> Trained:
        """Return a model that was trained on documents.

        A CRF is adapted; any other kind of model is trained anew with its settings.
        Raises :class:`StoppedError` if it was stopped.
        """

        def report(progress: Progress) -> None:
            at = progress.iteration, progress.iterations, progress.seconds
            self.on_step(Step("learning", *at, message))

        start, config = _beginning(self.base)
        options = TrainOptions(start=start, card=self.card, on_progress=report, stop=self.stop)
        trained = train(documents, config, options)
        if trained.interrupted or self.stop.is_set():
            raise StoppedError("stopped; nothing was written, and the seal stays closed")
        return trained


def _beginning(base: Path | None) -> tuple[Tagger | None, Settings | None]:
    """Return the model to adapt and the settings; a model or settings may be missing."""
    if base is None:
        return None, None
    core = load(base).core()
    can_adapt = isinstance(core, CrfModel) and isinstance(core.config, Crf)
    if can_adapt and core.kind != "two-pass":
        return core, None
    return None, core.config


def scored_on(model: Tagger, documents: Sequence[Document]) -> Scores:
    """Return the scores of a model on documents."""
    return evaluate(model, documents)[0]


def cross_validated(
    learning: Learning, documents: Sequence[Document], sealed: Collection[tuple[str, str]]
) -> Scores | None:
    """Return scores by folds of patients; ``None`` if there are fewer than two patients.

    Sealed patients are learnt from but not scored: that would open the seal.
    """
    free = [one for one in documents if one.unit not in sealed]
    always = [one for one in documents if one.unit in sealed]
    folds = min(FOLDS, len({one.unit for one in free}))
    if folds < 2:
        return None
    pairs: list[Pair] = []
    learning = replace(learning, card=Card())
    rng = TrainOptions().rng()
    for number, (rest, part) in enumerate(jackknife(free, folds, rng=rng), start=1):
        left_out = [free[i] for i in part]
        message = f"fold {number} of {folds}"
        model = learning.train([*(free[i] for i in rest), *always], message).model
        pairs += zip(left_out, model.find(left_out), strict=True)
    return score(pairs)
