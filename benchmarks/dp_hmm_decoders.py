"""How the decoders of a ``dp-hmm`` compare: ``python benchmarks/dp_hmm_decoders.py TRAIN DEV``.

More arguments are settings, as after ``lacuna train --set``: ``scheme=BIO subtags.outside=100``.

First a model is trained with each form of inference, and the bound is checked never to fall; then
the model of the first form tags DEV with each decoder. Shown are the share of the short sentences
(those with few enough tag sequences to try all) that are tagged as by trying all, the scores on all
sentences, and tokens per second of CPU time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from lacuna import Document, DpHmm
from lacuna.encoding.flat import TaggedDocument, tag_document
from lacuna.evaluation.scores import score
from lacuna.features.token_table import TokenTable
from lacuna.inference.subtags import MOST_SEQUENCES
from lacuna.io.corpus import read_corpus
from lacuna.models.base import FitOptions
from lacuna.models.dp_hmm import Decoder, DpHmmModel
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.models.settings import configure

TOLERANCE = 1e-9  #: the share of the bound that rounding may take away
Inference = Literal["structured", "mean-field"]


def trained(tagged: Sequence[TaggedDocument], config: DpHmm) -> DpHmmModel:
    """Train a model and print how its bound rose."""
    began = time.process_time()
    steps = list(fit_dp_hmm(tagged, config, FitOptions(0)))
    seconds = time.process_time() - began
    bounds = np.array([-step.objective for step in steps])
    assert np.all(np.diff(bounds) >= -TOLERANCE * np.abs(bounds[:-1])), "the bound fell"
    print(
        f"{config.inference:10}  the bound rose in each of {len(bounds) - 1} steps,"
        f" from {bounds[0]:,.0f} to {bounds[-1]:,.0f}; {seconds:.1f} s of CPU time"
    )
    model = steps[-1].model()
    assert isinstance(model, DpHmmModel)
    return model


def short_sentences(model: DpHmmModel, table: TokenTable) -> list[slice]:
    """Return the sentences whose tag sequences can all be tried."""
    longest = int(np.log(MOST_SEQUENCES) / np.log(len(model.tags)))
    borders = pairwise(table.sentences.tolist())
    return [slice(a, b) for a, b in borders if 0 < b - a <= longest]


def tags_of(model: DpHmmModel, table: TokenTable, sentences: Sequence[slice]) -> list[list[int]]:
    """Return the numbers of tags of some sentences, each tagged alone."""
    chain, emission = model.chain(), model.emission(table)
    found = []
    for own in sentences:
        alone = table._replace(sentences=np.array([0, own.stop - own.start]))
        states = model.path(chain, emission[own], alone)
        found.append((np.searchsorted(model.borders, states, side="right") - 1).tolist())
    return found


def compare(model: DpHmmModel, dev: Sequence[Document]) -> None:
    """Print one line for each decoder."""
    table = model.table(dev)
    short = short_sentences(model, table)
    exhaustive = replace(model, config=replace(model.config, decoder="exhaustive"))
    best = tags_of(exhaustive, table, short)
    named = sum(any(tags) for tags in best)
    print(
        f"\n{len(short):,} of {len(table.sentences) - 1:,} sentences are short, {named:,} of them"
    )
    print(
        "have a mention\n\ndecoder     as exhaustive  with a mention  strict F1  token F1  tokens/s"
    )
    for decoder in get_args(Decoder):
        if decoder == "exhaustive":
            continue
        other = replace(model, config=replace(model.config, decoder=decoder))
        own = tags_of(other, table, short)
        same = [a == b for a, b in zip(own, best, strict=True)]
        same_named = [a == b for a, b in zip(own, best, strict=True) if any(b)]
        other.find(dev[:1])
        began = time.process_time()
        found = other.find(dev)
        speed = len(table.start) / (time.process_time() - began)
        scores = score(zip(dev, found, strict=True))
        strict, token = (scores.section(name).micro.f1 for name in ("strict", "token"))
        print(
            f"{decoder:10}  {np.mean(same):13.4f}  {np.mean(same_named):14.4f}"
            f"  {strict:9.4f}  {token:8.4f}  {speed:8,.0f}"
        )


def main() -> None:
    """Train on one corpus, compare on the other."""
    train, dev = (list(read_corpus([path])) for path in sys.argv[1:3])
    config = configure(DpHmm, sys.argv[3:])
    tagged = [tag_document(document) for document in train]
    models = [trained(tagged, replace(config, inference=form)) for form in get_args(Inference)]
    compare(models[0], dev)


if __name__ == "__main__":
    main()
