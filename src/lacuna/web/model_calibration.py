"""Whether the probabilities of a model are right: on reviewed documents of the gate.

Tokens are put into ten bins by P(identifier); in each, the mean probability should be the share of
tokens that people marked. Documents of the seal are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lacuna.models.base import Tagger, parts_of
from lacuna.pictures.reliability_curve import Bin, reliability_curve
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray, FloatArray
from lacuna.web.operations import State
from lacuna.web.parts import GATE
from lacuna.web.store import Store

BINS = 10


def gate_documents(store: Store) -> list[Document]:
    """Return the documents of the gate that are done, with the mentions that count."""
    rows = store.database.reader.execute(
        "SELECT key FROM document WHERE fold = ? AND state = ? ORDER BY key", (GATE, State.DONE)
    )
    return [one.document for one in store.whole_documents([key for (key,) in rows])]


def calibration_bins(probability: FloatArray, is_identifier: BoolArray) -> list[Bin]:
    """Return the bins that have tokens."""
    places = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    found = []
    for place in range(BINS):
        here = places == place
        if here.any():
            predicted, observed = probability[here].mean(), is_identifier[here].mean()
            found.append(Bin(float(predicted), float(observed), int(here.sum())))
    return found


def calibration_picture(tagger: Tagger, documents: Sequence[Document]) -> str | None:
    """Draw how right the probabilities of a model are; ``None`` if there is nothing to look at."""
    if not documents:
        return None
    bare = [Document(one.id, one.text, group=one.group) for one in documents]
    probability = np.concatenate(tagger.identifier_probabilities(bare))
    if not probability.size:
        return None
    truth = np.concatenate([_is_identifier(*pair) for pair in zip(bare, documents, strict=True)])
    caption = f"{counted(len(documents), 'reviewed document')} of the gate; numbers of tokens."
    bins = calibration_bins(probability, truth)
    return reliability_curve(bins, title="Are the probabilities right?", caption=caption)


def _is_identifier(bare: Document, reviewed: Document) -> BoolArray:
    tokens = tokens_of(bare)
    inside = np.zeros(len(tokens), np.bool_)
    for start, end, _ in parts_of(reviewed.mentions):
        inside |= (tokens.start < end) & (tokens.end > start)
    return inside
