"""Training for Finish, and scores by folds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from threading import Event

from lacuna.errors import StoppedError
from lacuna.evaluation.scores import Pair, Scores, score
from lacuna.learning.folds import FOLDS, jackknife
from lacuna.models.base import Card, Tagger
from lacuna.pipeline.evaluating import evaluate
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, Trained, TrainOptions
from lacuna.text.document import Document
from lacuna.web.finishing.records import Report, Step
from lacuna.web.teaching.lesson_plan import Plan


@dataclass(frozen=True, slots=True)
class Learning:
    """How models are trained: as the teacher would, with which card, and who is told."""

    plan: Plan
    card: Card
    on_step: Report
    stop: Event

    def train(self, documents: Sequence[Document], message: str = "") -> Trained:
        """Return a model that was trained on documents of the plan.

        Raises :class:`StoppedError` if it was stopped.
        """

        def report(progress: Progress) -> None:
            at = progress.iteration, progress.iterations, progress.seconds
            self.on_step(Step("learning", *at, message))

        options = TrainOptions(
            start=self.plan.start, card=self.card, on_progress=report, stop=self.stop
        )
        trained = train(documents, self.plan.config, options)
        if trained.interrupted or self.stop.is_set():
            raise StoppedError("stopped; nothing was written, and the seal stays closed")
        return trained


def scored_on(model: Tagger, documents: Sequence[Document]) -> Scores:
    """Return the scores of a model on documents."""
    return evaluate(model, documents)[0]


def cross_validated(
    learning: Learning, documents: Sequence[Document], sealed: Collection[tuple[str, str]]
) -> Scores | None:
    """Return scores by folds of patients; ``None`` if there are fewer than two patients.

    Documents of the plan are scored as they are given here, if they were reviewed as a whole:
    people chose the parts of the others. Sealed patients are learnt from but not scored: that would
    open the seal.
    """
    pairs_of = list(zip(documents, learning.plan.documents, strict=True))
    free = [one for one in pairs_of if one[0].unit not in sealed]
    always = [learnt for one, learnt in pairs_of if one.unit in sealed]
    folds = min(FOLDS, len({one.unit for one, _ in free if one.reviewed is None}))
    if folds < 2:
        return None
    pairs: list[Pair] = []
    learning = replace(learning, card=Card())
    rng = TrainOptions().rng()
    parts = jackknife([one for one, _ in free], folds, rng=rng)
    for number, (rest, part) in enumerate(parts, start=1):
        left_out = [free[i][0] for i in part if free[i][0].reviewed is None]
        message = f"fold {number} of {folds}"
        model = learning.train([*(free[i][1] for i in rest), *always], message).model
        pairs += zip(left_out, model.find(left_out), strict=True)
    return score(pairs)
