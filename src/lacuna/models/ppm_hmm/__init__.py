"""Hidden Markov model whose states spell the words they have not seen, letter by letter.

    p(x, y) = π(y_1) Π_t a(y_t | y_{t-1}) Π_t b(x_t | y_t) · a(end | y_n)

    b(x | j) = (1 - ε_j) · count_j(x) / N_j + ε_j · PPM_j(x),     ε_j = T_j / (N_j + T_j)

State j has emitted N_j words in training, T_j different ones; PPM_j is a character model of those
(`models/ppm_hmm/ppm.py`). Everything is counted, nothing about any language is known: units of text
are what stands between spaces, or runs of letters and digits.

The words of a text depend on one another more than the model believes, so their evidence counts
less than the moves do: b enters with an exponent, `power`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from lacuna.encoding.flat import TaggedDocument, tag_document
from lacuna.encoding.schemes import Moves, Scheme
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.chain import Chain, first_order
from lacuna.models.base import NO_CARD, Card, Examined, Step, TagsAnything
from lacuna.models.chain import ChainTagger
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.models.ppm_hmm.ppm import MOST_ORDER, Ppm, Words
from lacuna.models.ppm_hmm.states import State, far_outside, spell_states, state_moves, state_set
from lacuna.models.settings import POSITIVE, Choices, Range, Settings
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.text.units import Units, choose_units, cut_units, spread, with_units
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import FloatArray, IntArray, LongArray


@dataclass(frozen=True, slots=True)
class PpmHmm(Settings):
    """Settings of an HMM with character models.

    Attributes
    ----------
    order
        Characters that the next one is predicted from.
    exclusion
        Whether the character models leave out, after an escape, what they have escaped from.
    scheme
        ``IO`` is one state per label; ``BIO`` and ``BILOU`` have states for borders.
    context
        Whether the words just before and after a mention have states of their own.
    units
        What a word is: ``space`` (what stands between spaces), ``word`` (runs of letters and
        digits), ``token`` (tokens and sentences as the other models have them), or ``auto``:
        ``space`` where the mentions of the corpus fit, else ``word``.
    blend
        Whether known words are spelt as well; else only by how often each state has had them,
        and never in any other state.
    smoothing
        What is added to the count of every possible move.
    power
        Exponent of b.
    """

    order: Annotated[int, Range(0, MOST_ORDER)] = 3
    exclusion: bool = True
    scheme: Annotated[Scheme, Choices(Scheme.IO, Scheme.BIO, Scheme.BILOU)] = Scheme.BILOU
    context: bool = True
    units: Units = Units.AUTO
    blend: bool = True
    smoothing: Annotated[float, POSITIVE] = 0.001
    power: Annotated[float, POSITIVE] = 0.7

    def check(self) -> None:
        """Refuse settings that do not go together."""
        if not self.blend and (self.scheme is not Scheme.IO or self.context):
            raise ConfigError(
                "blend=false needs scheme=IO and context=false: a state that must follow"
                " may never have had the next word"
            )


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """How often states have emitted known words.

    Attributes
    ----------
    types
        The known words.
    borders
        Word w has the pairs ``borders[w]`` to ``borders[w + 1]`` of `states` and `counts`.
    states, counts
        A state, and how often it has emitted the word.
    """

    types: WordTypes
    borders: LongArray
    states: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class MoveCounts:
    """How often state j followed i, began and ended a sentence: moves[i, j], first[j], last[j]."""

    moves: LongArray
    first: LongArray
    last: LongArray

    def chain(self, possible: Moves, *, smoothing: float) -> Chain:
        """Return log π and log a: relative frequencies of what is possible, smoothed."""
        moves = (self.moves + smoothing) * possible.allowed
        first = (self.first + smoothing) * possible.first
        last = (self.last + smoothing) * possible.last
        leaving = moves.sum(axis=1) + last
        # log 0 = -inf: impossible; NaN where no move leads on, as in a damaged file: refused
        with np.errstate(divide="ignore", invalid="ignore"):
            return first_order(
                np.log(moves) - np.log(leaving)[:, None],
                np.log(first) - np.log(first.sum()),
                np.log(last) - np.log(leaving),
            )


@dataclass(frozen=True, slots=True, eq=False)
class PpmHmmModel(ChainTagger):
    """A trained HMM with character models.

    Attributes
    ----------
    config
        What it was trained with; ``units`` are decided.
    states
        The hidden states: those that occurred, and the one far from any mention.
    words, moves
        What was counted.
    ppm
        Character models of all states.
    card
        How it was trained, for people.
    moves_between
        log π and log a.
    """

    kind: ClassVar[str] = "ppm-hmm"

    config: PpmHmm
    states: tuple[State, ...]
    words: WordCounts
    moves: MoveCounts
    ppm: Ppm
    card: Card = NO_CARD
    moves_between: Chain = field(init=False)

    def __post_init__(self) -> None:
        possible = state_moves(self.states, self.config.scheme)
        chain = self.moves.chain(possible, smoothing=self.config.smoothing)
        object.__setattr__(self, "moves_between", chain)

    @property
    def tags(self) -> tuple[str, ...]:  # type: ignore[override]
        """Tag of every state; with context several are ``O``, they come first."""
        return tuple(state.tag for state in self.states)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, with what stands beside them."""
        return tuple(state.name for state in self.states)

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme

    @property
    def parameters(self) -> int:
        """How many numbers were counted."""
        moves = self.moves.moves.size + len(self.moves.first) + len(self.moves.last)
        return len(self.words.counts) + len(self.ppm.tree.counts) + moves

    def counted(self) -> dict[str, int]:
        """Return how many states and known words there are."""
        return {"states": len(self.states), "words": len(self.words.types)}

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows, and that the model spells."""
        remark = "this model spells: it holds the letters of its training words in pieces"
        return super(PpmHmmModel, self).facts(inspection) + Facts(remarks=(remark,))

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the units of the documents."""
        return token_table(documents, units=self.config.units)

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention: that of its unit."""
        units = ChainTagger.identifier_probabilities(self, documents)
        return [
            spread(values, self.tokens(document), tokens_of(document))
            for values, document in zip(units, documents, strict=True)
        ]

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token."""
        return TagsAnything.examine(self, documents)

    def tokens(self, document: Document) -> Tokens:
        """Return what this model gives tags to: the document's own tokens, else its units."""
        own = document.tokens
        return own if own is not None else cut_units(document.text, self.config.units)

    def chain(self) -> Chain:
        """Return log π and log a."""
        return self.moves_between

    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, j] = power · log b(word t | state j)."""
        numbered = number_types(table.hashes)
        start, end = table.start[numbered.first], table.end[numbered.first]
        start.flags.writeable = end.flags.writeable = False
        rows = self.ppm.score(Words(table.codes, start, end))
        self._count_in(rows, self.words.types.lookup(table.hashes[numbered.first]))
        rows *= self.config.power
        return rows[numbered.ids]

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.ppm_hmm.storage import store_ppm_hmm

        return store_ppm_hmm(self)

    def _count_in(self, rows: FloatArray, known: IntArray) -> None:
        """Turn log PPM_j(x) into log b(x | j) in place; row r is the known word known[r], or -1."""
        counted = self.words
        emitted = np.bincount(counted.states, counted.counts, rows.shape[1])
        distinct = np.bincount(counted.states, minlength=rows.shape[1])
        unknown = np.where(emitted > 0, distinct / np.maximum(emitted + distinct, 1), 1.0)
        row = np.flatnonzero(known >= 0)
        sizes = np.diff(counted.borders)[known[row]]
        pair = np.arange(sizes.sum()) + np.repeat(
            counted.borders[known[row]] - (np.cumsum(sizes) - sizes), sizes
        )
        place = np.repeat(row, sizes), counted.states[pair]
        frequency = counted.counts[pair] / emitted[place[1]]
        if not self.config.blend:
            rows[row] = -np.inf
            rows[place] = np.log(frequency)
            return
        rows += np.log(unknown)
        rows[place] = np.logaddexp(rows[place], np.log((1 - unknown[place[1]]) * frequency))


def fit_ppm_hmm(
    tagged: Sequence[TaggedDocument], config: PpmHmm, _: object = None
) -> Iterator[Step]:
    """Train on mentions; one step, with nothing that is minimised."""
    model = train_ppm_hmm(tagged, config)
    yield Step(1, 0.0, lambda: model)


def train_ppm_hmm(documents: Sequence[TaggedDocument], config: PpmHmm) -> PpmHmmModel:
    """Count words, moves and characters."""
    if config.units is Units.AUTO:
        config = replace(config, units=choose_units(item.document for item in documents))
    if config.units is not Units.TOKEN:
        documents = [tag_document(with_units(item.document, config.units)) for item in documents]
    table = token_table([item.document for item in documents], [item.tokens for item in documents])
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    states, spelt = _states(documents, table, config)
    types = WordTypes.build(table.hashes)
    pairs, counts = np.unique(
        types.lookup(table.hashes).astype(np.int64) * len(states) + spelt, return_counts=True
    )
    word, state = np.divmod(pairs, len(states))
    words = WordCounts(
        types,
        np.searchsorted(word, np.arange(len(types) + 1)),
        state.astype(np.int32),
        counts.astype(np.int32),
    )
    first = number_types(table.hashes).first[word]  # where each word can be read
    ppm = Ppm.train(
        Words(table.codes, table.start[first], table.end[first]),
        classes=state,
        size=len(states),
        order=config.order,
        exclusion=config.exclusion,
    )
    return PpmHmmModel(config, states, words, _count_moves(spelt, table, len(states)), ppm)


def _states(
    documents: Sequence[TaggedDocument], table: TokenTable, config: PpmHmm
) -> tuple[tuple[State, ...], IntArray]:
    """Return the states that are needed, and that of every word."""
    labels = sorted({chunk.label for item in documents for chunk in item.chunks})
    states = state_set(labels, config.scheme, context=config.context)
    tags = [tag for item in documents for tag in item.tags(config.scheme)]
    spelt = spell_states(tags, table.sentences, states)
    used = np.union1d(spelt, far_outside(states))
    return tuple(states[k] for k in used), np.searchsorted(used, spelt).astype(np.int32)


def _count_moves(spelt: IntArray, table: TokenTable, size: int) -> MoveCounts:
    begins = np.zeros(len(spelt) + 1, np.bool_)
    begins[table.sentences] = True
    pairs = spelt[:-1].astype(np.int64) * size + spelt[1:]
    return MoveCounts(
        np.bincount(pairs[~begins[1:-1]], minlength=size * size).reshape(size, size),
        np.bincount(spelt[begins[:-1]], minlength=size),
        np.bincount(spelt[begins[1:]], minlength=size),
    )
