"""Cues: sub-tags of words that announce mentions or follow them.

Everything is computed from the model. With n_i the expected training tokens of state i and p(j | i)
its moves,

    flow[i, j] = n_i p(j | i)

is how often j is expected right after i. An outside sub-tag i announces label X if it has a high

    p(X | i) = Σ_{j of X} flow[i, j] / n_i,     lift = p(X | i) / mean of p(X | ·) over the outside;

with flow transposed, the same formulas give what follows X. The words x typical of a sub-tag have a
high share p(x | i) and lift p(x | i) / p(x); they are ranked by share · ln lift. The model file
stores words as hashes; they are named by hashing the words of given documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE
from lacuna.errors import ConfigError
from lacuna.features.token_table import words_at
from lacuna.features.words import word_shape
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, LongArray

if TYPE_CHECKING:
    from lacuna.models.dp_hmm import DpHmmModel

LEAST_TOKENS = 1e-9  #: lower bound of the tokens of a state, to avoid division by zero
LEAST_LIFT = 3.0  #: lowest lift of a cue
LEAST_SHARE = 0.01  #: lowest share of its tokens next to the label
LEAST_TIMES = 5.0  #: lowest expected number of its training tokens next to the label
CUES = 4  #: maximum number of cues before a label, and after it
WORDS = 5  #: maximum number of words of a cue
NEIGHBOURS = 2  #: maximum number of sub-tags on the other side of a cue
LONGEST_SUFFIX = 3  #: longest suffix in the name of a class of rare words

Side = Literal["before", "after"]
TITLES = {
    "before": ("what leads to mentions: sub-tags outside", "lead to it", "after"),
    "after": ("what follows mentions: sub-tags outside", "follow it", "before"),
}
SIDES: tuple[Side, Side] = ("before", "after")
BORDERS: Mapping[Side, str] = {"before": "begin", "after": "end"}


class Typical(NamedTuple):
    """A word, or a class of rare words as ``‹Xx …son›``, and how typical of a sub-tag it is."""

    name: str
    share: float
    lift: float


class Neighbour(NamedTuple):
    """A sub-tag next to another one; ``begin`` and ``end`` are the borders of sentences."""

    state: str
    share: float
    lift: float
    words: tuple[Typical, ...]


class Cue(NamedTuple):
    """A sub-tag, and how often it occurs next to a label.

    label, side
        It occurs before, or after, mentions of this label.
    state, tokens
        Its name, and its expected number of training tokens.
    share, lift
        The share of its tokens that are there, and its ratio to that of all outside tokens.
    words
        The most typical words.
    beyond
        The most typical sub-tags on its other side.
    """

    label: str
    side: Side
    state: str
    tokens: float
    share: float
    lift: float
    words: tuple[Typical, ...]
    beyond: tuple[Neighbour, ...]

    @property
    def is_telling(self) -> bool:
        """Whether it occurs there much more often than other outside tokens."""
        return self.lift >= LEAST_LIFT


@dataclass(frozen=True, slots=True, eq=False)
class SubTags:
    """The sub-tags of a model, with names.

    Attributes
    ----------
    names, labels
        Of each state; the label of outside states is empty. The border of sentences comes last.
    flow
        ``flow[i, j]``: how often state j is expected right after i in the training text.
    word_share
        ``word_share[x, i]``: probability of vocabulary item x in state i, without the border.
    usual_share
        ``usual_share[x]``: probability of item x in the whole training text.
    item_names
        The words of items, if known.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    flow: FloatArray
    word_share: FloatArray
    usual_share: FloatArray
    item_names: Mapping[int, str]

    @classmethod
    def of(cls, model: DpHmmModel, documents: Sequence[Document] = ()) -> SubTags:
        """Return the sub-tags of a model, named by the words of some documents."""
        moves = _columns_of_one(np.exp(model.log_moves).T).T
        own = np.maximum(model.tokens, LEAST_TOKENS)
        tokens = np.append(own, own @ moves[:-1, -1])
        words = _columns_of_one(np.exp(model.log_words.astype(np.float64)))
        return cls(
            (*model.state_names, "border"),
            (*("" if tag == OUTSIDE else tag[2:] for tag in model.state_tags), ""),
            tokens[:, None] * moves,
            words,
            words @ (own / own.sum()),
            item_names(model, documents),
        )

    @property
    def border(self) -> int:
        """The state that represents the border of sentences."""
        return len(self.names) - 1

    @property
    def outside(self) -> LongArray:
        """The sub-tags of the outside tag."""
        return np.array([i for i in range(self.border) if not self.labels[i]], np.int64)

    def of_label(self, label: str) -> LongArray:
        """Return the sub-tags of a label.

        Raises
        ------
        ConfigError
            When there is no such label.
        """
        found = [i for i, own in enumerate(self.labels) if own == label and label]
        if not found:
            known = ", ".join(dict.fromkeys(filter(None, self.labels))) or "none"
            raise ConfigError(f"the model has no such label; it has {known}")
        return np.array(found, np.int64)

    def cues(self, label: str, side: Side) -> list[Cue]:
        """Return the sub-tags that announce a label, or follow it, by descending lift."""
        found = [self.cue(i, label, side) for i in self.outside.tolist()]
        sure = [
            cue
            for cue in found
            if cue.is_telling and cue.share >= LEAST_SHARE and cue.share * cue.tokens >= LEAST_TIMES
        ]
        return sorted(sure, key=lambda cue: -cue.lift)[:CUES]

    def cue(self, state: int, label: str, side: Side) -> Cue:
        """Return how often a state occurs next to a label, and its typical words."""
        flow = self.flow if side == "before" else self.flow.T
        outside, inside = self.outside, self.of_label(label)
        usual = _share(flow[np.ix_(outside, inside)].sum(), flow[outside].sum())
        tokens = float(flow[state].sum())
        share = _share(flow[state, inside].sum(), tokens)
        return Cue(
            label,
            side,
            self._name(state, side),
            tokens,
            share,
            _share(share, usual),
            self.words(state, WORDS),
            self._beyond(state, side),
        )

    def words(self, state: int, most: int) -> tuple[Typical, ...]:
        """Return the known words most typical of a state."""
        if state == self.border:
            return ()
        share, usual = self.word_share[:, state], self.usual_share
        found: dict[str, Typical] = {}
        for x in _most_typical(share, usual):
            if (name := self.item_names.get(x)) is not None and name not in found:
                found[name] = Typical(name, float(share[x]), float(share[x] / usual[x]))
            if len(found) == most:
                break
        return tuple(found.values())

    def _name(self, state: int, side: Side) -> str:
        """Return the name of a state before, or after, something."""
        return self.names[state] if state != self.border else BORDERS[side]

    def _beyond(self, state: int, side: Side) -> tuple[Neighbour, ...]:
        """Return the sub-tags that typically come before a sub-tag, or after it."""
        flow = self.flow.T if side == "before" else self.flow
        if state == self.border or not flow[state].any():
            return ()
        share, usual = flow[state] / flow[state].sum(), flow.sum(axis=0) / flow.sum()
        return tuple(
            Neighbour(
                self._name(i, side),
                float(share[i]),
                float(share[i] / usual[i]),
                self.words(i, WORDS - 2),
            )
            for i in islice(_most_typical(share, usual), NEIGHBOURS)
        )


def subtags_of(model: DpHmmModel, inspection: Inspection) -> SubTags:
    """Return the sub-tags of a model, named by the words of documents and of the model file."""
    words = inspection.words
    held = [Document("words", "\n".join(words))] if words else []
    found = SubTags.of(model, [*inspection.documents, *held])
    if inspection.label is not None:
        found.of_label(inspection.label)  # an unknown label is an error
    return found


def cue_facts(model: DpHmmModel, inspection: Inspection) -> Facts:
    """Return what leads to mentions and what follows them, for each label."""
    subtags, label = subtags_of(model, inspection), inspection.label
    labels = model.labels if label is None else (label,)
    cues = [cue for one in labels for side in SIDES for cue in subtags.cues(one, side)]
    tables = tuple(
        Table(
            title,
            ("label", "sub-tag", share, "lift", "typical words", beyond),
            [_row(cue) for cue in cues if cue.side == side],
            (4, 5),
        )
        for side, (title, share, beyond) in TITLES.items()
    )
    remark = (
        "words are not shown: the model stores hashes; to name them, give --corpus with documents"
        " like those it was trained on"
    )
    values = {"cues": [_as_values(cue) for cue in cues]}
    return Facts(tables, values, () if subtags.item_names else (remark,))


def item_names(model: DpHmmModel, documents: Sequence[Document]) -> dict[int, str]:
    """Return the names of the words and classes of a vocabulary that occur in some documents."""
    if not documents:
        return {}
    table = model.table(documents)
    first = number_types(table.hashes).first
    examples: dict[int, list[str]] = {}
    items = model.words.items(table)[first].tolist()
    for item, word in zip(items, words_at(table, first), strict=True):
        examples.setdefault(item, []).append(word)
    known = len(model.words.words)
    return {x: own[0] if x < known else class_name(own) for x, own in examples.items()}


def class_name(words: Sequence[str]) -> str:
    """Return a name made of the most common shape of some words and their common ending."""
    shape = Counter(map(word_shape, words)).most_common(1)[0][0]
    last = zip(*(word.lower()[: -LONGEST_SUFFIX - 1 : -1] for word in words), strict=False)
    ending = "".join(letters[0] for letters in takewhile(lambda x: len(set(x)) == 1, last))[::-1]
    return f"‹{shape} …{ending}›" if ending.isalpha() else f"‹{shape}›"


def _most_typical(share: FloatArray, usual: FloatArray) -> Iterator[int]:
    """Yield the indices that are more frequent than usual, by share · ln (share / usual)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(share > 0, share * np.log(share / usual), 0.0)
    ranked = np.argsort(-weight, kind="stable")
    yield from ranked[weight[ranked] > 0].tolist()


def _share(part: float, whole: float) -> float:
    """Return part / whole, or 0 if the whole is 0."""
    return float(part / whole) if whole > 0 else 0.0


def _columns_of_one(weights: FloatArray) -> FloatArray:
    """Divide each column by its sum."""
    totals = weights.sum(axis=0)
    return weights / np.where(totals > 0, totals, 1.0)


def _as_values(cue: Cue) -> dict[str, Any]:
    return cue._asdict() | {
        "words": [word._asdict() for word in cue.words],
        "beyond": [
            other._asdict() | {"words": [word._asdict() for word in other.words]}
            for other in cue.beyond
        ],
    }


def _row(cue: Cue) -> tuple[str, ...]:
    return (
        cue.label,
        cue.state,
        f"{cue.share:.1%}",
        f"×{cue.lift:.0f}",
        "\n".join(f"{word.name} {word.share:.0%} ×{word.lift:.0f}" for word in cue.words),
        "\n".join(map(_neighbour, cue.beyond)),
    )


def _neighbour(other: Neighbour) -> str:
    words = " · ".join(word.name for word in other.words)
    return f"{other.state} {other.share:.0%}" + (f": {words}" if words else "")
