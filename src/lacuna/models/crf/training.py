"""Training a linear-chain CRF by L-BFGS: documents → arrays → objective → steps.

`training_set.py` turns documents into arrays; `objective.py` is the function that is minimised, and
its gradient. A model of two passes trains six CRFs before the second pass: one on each four fifths
of the documents, to tag the remaining fifth as the second pass will see it, and one on all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from lacuna.encoding.flat import UNKNOWN, Example
from lacuna.features.blocks import block_borders
from lacuna.learning.lbfgs import minimise
from lacuna.models.base import FitOptions, Step
from lacuna.models.crf import ChainCrf, Crf, CrfModel, CrfSettings
from lacuna.models.crf.adapting import keep_old_features, start_tables
from lacuna.models.crf.changes import Changes, with_changes
from lacuna.models.crf.elsewhere import FirstPass, evidence
from lacuna.models.crf.explain import training_words
from lacuna.models.crf.held_out import held_out, joined, only_in
from lacuna.models.crf.li import Li, LiModel
from lacuna.models.crf.training_set import (
    Setup,
    TrainingSet,
    encoded,
    fewest_documents,
    set_up,
    training_set,
)
from lacuna.models.crf.two_pass import TwoPassModel, evidence_templates, first_look
from lacuna.models.file import NO_STRINGS, PackedStrings
from lacuna.models.lexical import block_size
from lacuna.text.document import Document
from lacuna.types import RealArray

JUDGED_EVERY = 5  #: iterations between scores on dev
WINDOW = 5  #: iterations that must improve the objective by the tolerance
FIRST_ITERATIONS = 16  #: of first passes, alike for those of parts and that of all documents
MODELS: Mapping[type[CrfSettings], type[ChainCrf]] = {Crf: CrfModel, Li: LiModel}


def encode(document: Document, config: CrfSettings) -> Example:
    """Return a document with its tags."""
    return config.example(document)


def fit_crf(
    examples: Sequence[Example], config: CrfSettings, options: FitOptions
) -> Iterator[Step]:
    """Yield the steps of training a CRF, of flat tags in one or two passes or of LI tags."""
    setup = set_up(examples, config, options)
    if isinstance(config, Crf) and config.two_pass:
        return _two_passes(examples, setup)
    return _one_pass(examples, training_set(encoded(examples, setup), setup), setup)


def _one_pass(examples: Sequence[Example], data: TrainingSet, setup: Setup) -> Iterator[Step]:
    """Train one CRF."""
    config = setup.config
    words = cache(lambda: NO_STRINGS if setup.key else training_words(examples))
    values: list[float] = []
    for step in minimise(data.objective, _start(data, setup), scale=data.scale, l1=config.l1):
        values.append(step.value)
        last = step.iteration >= config.iterations or _is_flat(values, config.tolerance)
        yield Step(
            step.iteration,
            step.value,
            partial(_model, setup, data, step.point, words),
            is_judged=step.iteration > 0 and (step.iteration % JUDGED_EVERY == 0 or last),
            weights=data.objective.parameters,
        )
        if last:
            return


def _start(data: TrainingSet, setup: Setup) -> RealArray:
    """Return the start: 0, or the weights to adapt anew, which are the centre of the penalty."""
    objective, merged = data.objective, data.emission.merged
    if setup.start is None or setup.changing is not None:
        return np.zeros(objective.parameters, np.float32)
    weights, moves = start_tables(setup.start, data.index, data.tags)
    value = np.sqrt(merged.size, dtype=np.float32)[:, None]
    sums = np.zeros(objective.shape, np.float32)
    np.add.at(sums, merged.group, weights)
    point = objective.vector(sums / value, moves)
    objective.centre = point.copy()
    return point


def _is_flat(values: Sequence[float], tolerance: float) -> bool:
    """Whether the last iterations improved the objective by less than the tolerance."""
    if len(values) <= WINDOW:
        return False
    before, now = values[-1 - WINDOW], values[-1]
    return before - now < tolerance * abs(now)


def _model(
    setup: Setup, data: TrainingSet, point: RealArray, words: Callable[[], PackedStrings]
) -> ChainCrf:
    """Return the model of a point; an adapted one keeps the features of the old model."""
    merged, moves = data.objective.tables(point)
    weights = data.emission.expand(merged)
    if setup.changing is not None and isinstance(setup.config, Crf):
        changes = Changes(data.tags, data.index, weights, moves)
        return with_changes(setup.changing, changes, setup.config, words())
    found = MODELS[type(setup.config)].of(setup.config, data.tags, data.index, weights, moves)
    model = replace(found, words=words())
    if isinstance(model, CrfModel) and setup.start is not None:
        return keep_old_features(setup.start, model)
    return model


def _two_passes(examples: Sequence[Example], setup: Setup) -> Iterator[Step]:
    """Train first passes for held-out parts, then the first pass, then the second pass."""
    size = block_size(examples, least=fewest_documents(examples, setup))
    data = encoded(examples, setup)
    iterations = min(FIRST_ITERATIONS, setup.config.iterations)
    brief = replace(setup, config=replace(setup.config, iterations=iterations))
    seen: list[FirstPass] = []
    for fold in held_out(examples, data.table, size):
        gold = np.where(fold.rest, data.gold, UNKNOWN)
        model = yield from _first_pass(examples, training_set(data, brief, gold), brief)
        seen.append(only_in(fold.part, first_look(model, data.table)))
    first = yield from _first_pass(examples, training_set(data, brief), brief)
    borders = block_borders(data.table.documents, data.table.sentences, size)
    told = evidence(data.table, joined(seen), borders)
    data = data.told(told, evidence_templates(), setup)
    for step in _one_pass(examples, training_set(data, setup), setup):
        yield step._replace(model=partial(_second_pass, first, step, size))


def _first_pass(
    examples: Sequence[Example], data: TrainingSet, setup: Setup
) -> Generator[Step, None, CrfModel]:
    """Train and return a first pass; its steps are not yet models of two passes."""
    for step in _one_pass(examples, data, setup):
        yield step._replace(model=_no_model, is_part=True, note="first pass")
    model = _made(step)
    return replace(model, card=replace(model.card, iterations=step.iteration))


def _no_model() -> CrfModel:
    """Stand in for the model of a part, so that its arrays are freed when the part is trained."""
    raise AssertionError("a first pass alone is no model of two passes")


def _second_pass(first: CrfModel, step: Step, block: int) -> TwoPassModel:
    second = replace(_made(step), words=NO_STRINGS)  # the first has the words
    return TwoPassModel(first, second, block)


def _made(step: Step) -> CrfModel:
    model = step.model()
    assert isinstance(model, CrfModel)
    return model
