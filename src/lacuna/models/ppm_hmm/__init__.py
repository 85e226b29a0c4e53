"""Hidden Markov model whose states spell the words they have not seen, letter by letter.

    p(x, y) = π(y_1) Π_t a(y_t | y_{t-1}) Π_t b(x_t | y_t) · a(end | y_n)

    b(x | j) = (1 - ε_j) · count_j(x) / N_j + ε_j · PPM_j(x),     ε_j = T_j / (N_j + T_j)

State j emitted N_j words in training, T_j distinct ones; PPM_j is a character model of those. The
model is nothing but counts and knows no language: words are what is between spaces, or runs of
letters and digits. (Wen, Witten and Wang 2003)

The words of a text depend on one another more than the model assumes, so b enters with an exponent,
`power`, and weighs less than the moves.

Training is one pass over the corpus. Tagging N words with J states costs N J² for the best path,
and the characters of each distinct word · order · J for PPM.

What to read next:

* training: `training.py` → `state_counts.py` (words and moves), `ppm.py` (characters) →
  `context_tree.py`;
* tagging: this file → `ppm.py` (probability of a word, with its kernel).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.chain import Chain
from lacuna.models.base import NO_CARD, Card, Examined, TagsAnything
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.models.ppm_hmm.ppm import MOST_ORDER, Ppm, Words
from lacuna.models.ppm_hmm.state_counts import MoveCounts, WordCounts
from lacuna.models.ppm_hmm.states import State, state_moves
from lacuna.models.settings import POSITIVE, Choices, Range, Settings
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.text.units import Units, cut_units, spread
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray

PPM_ARRAYS = "ppm."  #: prefix of the arrays of the character models in a model file


@dataclass(frozen=True, slots=True)
class PpmHmm(Settings):
    """Settings of an HMM with character models.

    Attributes
    ----------
    order
        Number of characters from which the next one is predicted.
    exclusion
        Whether, after an escape, the character models exclude the symbols of the longer context.
    scheme
        Which states a label has: ``IO`` one, ``BIO`` and ``BILOU`` also some for the borders of
        mentions.
    context
        Whether the words just before and after a mention have states of their own.
    units
        What a word is: ``space`` (what is between spaces), ``word`` (runs of letters and digits),
        ``token`` (tokens and sentences as in the other models), or ``auto``: ``space`` if the
        mentions of the corpus fit, else ``word``.
    blend
        Whether known words are spelt as well. If not, a known word is possible only in the states
        that emitted it.
    smoothing
        Added to the count of every possible move from one state to the next.
    power
        Exponent of b, the probability of a word in a state. The smaller, the more the neighbouring
        words count.
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
        """Raise ConfigError if settings contradict each other."""
        if not self.blend and (self.scheme is not Scheme.IO or self.context):
            raise ConfigError(
                "blend=false needs scheme=IO and context=false: otherwise a word may be impossible"
                " in every state that can follow"
            )


@dataclass(frozen=True, slots=True, eq=False)
class PpmHmmModel(ChainTagger):
    """A trained HMM with character models.

    Attributes
    ----------
    config
        The settings it was trained with; ``units`` is never ``auto``.
    states
        The hidden states: those that occurred, and the one far from any mention.
    words, moves
        The counts.
    ppm
        Character models of all states.
    card
        The model card.
    log_moves
        log π and log a.
    """

    kind: ClassVar[str] = "ppm-hmm"

    config: PpmHmm
    states: tuple[State, ...]
    words: WordCounts
    moves: MoveCounts
    ppm: Ppm
    card: Card = NO_CARD
    log_moves: Chain = field(init=False)

    def __post_init__(self) -> None:
        possible = state_moves(self.states, self.config.scheme)
        chain = self.moves.chain(possible, smoothing=self.config.smoothing)
        object.__setattr__(self, "log_moves", chain)

    @property
    def tags(self) -> tuple[str, ...]:  # type: ignore[override]
        """Tag of every state; with context, several states have the tag ``O`` and come first."""
        return tuple(state.tag for state in self.states)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, e.g. ``O before PER``."""
        return tuple(state.name for state in self.states)

    @property
    def parameters(self) -> int:
        """Number of counts."""
        moves = self.moves.moves.size + len(self.moves.first) + len(self.moves.last)
        return len(self.words.counts) + len(self.ppm.tree.counts) + moves

    def counted(self) -> dict[str, int]:
        """Return how many states and known words there are."""
        return {"states": len(self.states), "words": len(self.words.types)}

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows, and that the model spells."""
        warning = "this model spells: it holds the letters of its training words in pieces"
        return super(PpmHmmModel, self).facts(inspection) + Facts(warnings=(warning,))

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the units of the documents."""
        return token_table(documents, units=self.config.units)

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that its unit is in a mention."""
        units = ChainTagger.identifier_probabilities(self, documents)
        return [
            spread(values, self.tokens(document), tokens_of(document))
            for values, document in zip(units, documents, strict=True)
        ]

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token."""
        return TagsAnything.examine(self, documents)

    def tokens(self, document: Document) -> Tokens:
        """Return what the model tags: the document's own tokens if it has any, else its units."""
        own = document.tokens
        return own if own is not None else cut_units(document.text, self.config.units)

    def chain(self) -> Chain:
        """Return log π and log a."""
        return self.log_moves

    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, j] = power · log b(word t | state j)."""
        numbered = number_types(table.hashes)
        start, end = table.start[numbered.first], table.end[numbered.first]
        start.flags.writeable = end.flags.writeable = False
        rows = self.ppm.score(Words(table.codes, start, end))
        self._add_known(rows, self.words.types.lookup(table.hashes[numbered.first]))
        rows *= self.config.power
        return rows[numbered.ids]

    def _add_known(self, rows: FloatArray, known: IntArray) -> None:
        """Turn log PPM_j(x) into log b(x | j) in place; known[r] is the word of row r, or -1."""
        seen = self.words.frequencies(known, rows.shape[1])
        place = seen.rows, seen.states
        if not self.config.blend:
            rows[known >= 0] = -np.inf
            rows[place] = np.log(seen.values)
            return
        unknown = self.words.unknown(rows.shape[1])
        rows += np.log(unknown)
        rows[place] = np.logaddexp(rows[place], np.log((1 - unknown[seen.states]) * seen.values))

    def store(self) -> StoredModel:
        """Return the content of a model file; `storage.py` reads it."""
        return StoredModel(
            self.kind,
            {
                "config": msgspec.to_builtins(self.config),
                "states": [list(state) for state in self.states],
                "alphabet": self.ppm.alphabet,
                "card": msgspec.to_builtins(self.card),
            },
            {
                "words": self.words.types.hashes,
                "word_borders": self.words.borders,
                "word_states": self.words.states,
                "word_counts": self.words.counts,
                "moves": self.moves.moves,
                "first": self.moves.first,
                "last": self.moves.last,
                **{PPM_ARRAYS + name: array for name, array in self.ppm.to_arrays().items()},
            },
        )
