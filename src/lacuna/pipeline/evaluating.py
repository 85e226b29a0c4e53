"""Scoring a model on a corpus, and measuring its speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lacuna.evaluation.pos_accuracy import PosScores, score_pos
from lacuna.evaluation.scores import Scores, score
from lacuna.models.base import Tagger, group_batches
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.text.document import Document


@dataclass(slots=True)
class Stopwatch:
    """Seconds spent tagging, without reading and scoring."""

    seconds: float = 0.0


def evaluate(
    model: Tagger,
    corpus: Iterable[Document],
    *,
    categories: Mapping[str, str] | None = None,
    labels: Collection[str] | None = None,
    on_pair: Callable[[Document, Document], None] = lambda _gold, _found: None,
) -> tuple[Scores, float]:
    """Return the scores of a model on a corpus and the seconds that tagging took.

    If `labels` are given, mentions with other labels that the model finds are ignored; the corpus
    should have none. `on_pair` is called with every document and its tagged version.
    """
    warm_up(model)
    watch = Stopwatch()
    pairs = _pairs(model, corpus, watch, on_pair, labels)
    return score(pairs, categories=categories), watch.seconds


def evaluate_pos(model: PosTagger, corpus: Iterable[Document]) -> tuple[PosScores, float]:
    """Return the accuracy of parts of speech and the seconds that tagging took."""
    warm_up(model)
    watch = Stopwatch()
    pairs = _pairs(model, corpus, watch, lambda _gold, _found: None)
    return score_pos(pairs, is_known=model.is_known), watch.seconds


def judge(model: Tagger, dev: Iterable[Document]) -> float:
    """Return the strict F1 of a model on documents, or the accuracy of parts of speech."""
    documents = list(dev)
    pairs = zip(documents, model.find(documents), strict=True)
    if isinstance(model, PosTagger):
        return score_pos(pairs, is_known=model.is_known).accuracy
    return score(pairs).section("strict").micro.f1


def warm_up(model: Tagger) -> None:
    """Compile or load the kernels, so that timings do not include it."""
    model.find([Document("warm-up", "A few words.\n\nAnd 2 more.")])


def _pairs(
    model: Tagger,
    corpus: Iterable[Document],
    watch: Stopwatch,
    on_pair: Callable[[Document, Document], None],
    labels: Collection[str] | None = None,
) -> Iterator[tuple[Document, Document]]:
    for batch in group_batches(corpus):
        began = time.perf_counter()
        found = model.find(batch)
        watch.seconds += time.perf_counter() - began
        for document, tagged in zip(batch, found, strict=True):
            if labels is not None:
                kept = tuple(m for m in tagged.mentions if m.label in labels)
                tagged = replace(tagged, mentions=kept)
            on_pair(document, tagged)
            yield document, tagged
