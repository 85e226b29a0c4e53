"""What the old model answers when it is adapted: where new documents are silent, and in replays.

**Absent labels.** Documents of another scheme may not annotate a label at all: ages, say. Taken at
their word they would teach that there are none anywhere. A label is absent if no mention has it,
and most of what the old model finds of it is in no mention of another label either (a PATIENT may
be a NAME in the new documents). What the old model finds of absent labels is unknown
(`inference/known_labels.py`).

**Replay.** In other texts x the new model p is to answer as the old one q does. Added to the
objective is Σ_s KL(q(y | x_s) ‖ p(y | x_s)): answers stay as doubtful as they were, and at the
start the gradient is 0. Sentences of which q is sure (no token between :data:`SURE` and 1 - SURE)
say little and are left out: most are, so that many texts can be gone through in a short time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import Example, label_counts
from lacuna.encoding.schemes import OUTSIDE, Moves
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import expectations
from lacuna.models.crf import CrfModel
from lacuna.models.crf.adapting import common_tags
from lacuna.models.crf.objective import Base, chain_of
from lacuna.text.document import Document, Mention, Tokens
from lacuna.types import FloatArray, LongArray, RealArray

SURE = 0.03  #: probability of an identifier below which the old model is sure that there is none


class Answers(NamedTuple):
    """The old model's answers in replayed sentences.

    rows
        Tokens, sentence by sentence.
    share
        share[i, k] = q(y_t = k | x) of token t = rows[i].
    moves
        moves[i, j] = how often label j is expected to follow label i.
    """

    rows: LongArray
    share: RealArray
    moves: FloatArray


def old_answers(
    old: CrfModel, base: Base, table: TokenTable, first: int, tags: tuple[str, ...], moves: Moves
) -> Answers:
    """Return the answers for the sentences from token `first` on of which the old model is unsure.

    `base` are its scores of all tokens; new tags are impossible.
    """
    chain = chain_of(base.moves, moves)
    scores = np.full((len(base.emission) - first, len(tags)), -np.inf)
    known, _ = common_tags(old, tags)
    scores[:, known] = base.emission[first:, known]
    sentences = table.sentences[table.sentences >= first] - first
    outside = expectations(chain, scores, sentences).marginals[:, tags.index(OUTSIDE)]
    unsure = np.append(0, np.cumsum((outside > SURE) & (outside < 1 - SURE)))
    lengths = np.diff(sentences)
    chosen = np.diff(unsure[sentences]) > 0
    rows = np.flatnonzero(np.repeat(chosen, lengths))
    found = expectations(chain, scores[rows], np.append(0, np.cumsum(lengths[chosen])))
    return Answers(first + rows, found.marginals.astype(np.float32), found.transition[0])


def without_absent(old: CrfModel, examples: Sequence[Example]) -> list[Example]:
    """Return the examples; what the old model finds of absent labels is unknown."""
    used = label_counts(examples)
    finds = old.find([Document(e.document.id, e.document.text) for e in examples])
    found = [[m for m in document.mentions if m.label not in used] for document in finds]
    outside = [_outside(e, own) for e, own in zip(examples, found, strict=True)]
    times, alone = (Counter(m.label for own in all_ for m in own) for all_ in (found, outside))
    return [
        _unknown(example, [m for m in own if 2 * alone[m.label] > times[m.label]])
        for example, own in zip(examples, outside, strict=True)
    ]


def _outside(example: Example, found: Iterable[Mention]) -> list[Mention]:
    """Return the mentions found that share no token with one in the example."""
    inside = np.array([tag != OUTSIDE for tag in example.tags], np.bool_)
    return [mention for mention in found if not inside[_within(mention, example.tokens)].any()]


def _unknown(example: Example, mentions: Sequence[Mention]) -> Example:
    """Return an example of which the tokens in some mentions are unknown."""
    if not mentions:
        return example
    before = example.reviewed
    known = np.ones(len(example.tokens), np.bool_) if before is None else before.copy()
    for mention in mentions:
        known[_within(mention, example.tokens)] = False
    return example._replace(reviewed=known)


def _within(mention: Mention, tokens: Tokens) -> slice:
    """Return the tokens that overlap a mention."""
    first = np.searchsorted(tokens.end, mention.start, side="right")
    return slice(int(first), int(np.searchsorted(tokens.start, mention.end, side="left")))
