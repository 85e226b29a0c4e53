"""HMM with Dirichlet-process sub-tags: hidden classes of words within every tag.

A state is a tag s and one of its sub-tags z = 1 … K_s. Training observes the tags but not the
sub-tags. The border of sentences is a tag of its own with one sub-tag, so starts and stops are
ordinary moves. For a sentence of N words, from one border (n = 0) to the next (n = N + 1),

    p(w, s, z | φ) = Π_{n=1}^{N+1} φT(s_n | s_{n-1}, z_{n-1}) φt(z_n | s_{n-1}, z_{n-1}, s_n)
                     · Π_{n=1}^{N} φE(w_n | s_n, z_n)

    φE_{s,z} ~ Dir(αE)                words given the state
    φT_{s,z} ~ Dir(αT)                next tag given the state
    φt_{s,z,s'} ~ DP(αt, π_{s'})      next sub-tag given the state and the next tag
    π_s = stick(v_s),  v_{s,k} ~ Beta(1, α)

The stick lets the data decide how many of its K_s sub-tags a tag uses. Sub-tags of the outside tag
come to represent the words that announce a mention, those of a label its parts. (Chen, Cullen and
Godwin 2015)

Training is variational Bayes; an iteration costs Σ_n K_{s_{n-1}} K_{s_n}, because the tags are
known. Tagging looks for the best tags, p(s | w) = Σ_z p(s, z | w); forward–backward over all states
costs N (Σ_s K_s)². Words seen rarely are represented by their class (`rare_words.py`).

What to read next:

* training: `training.py` → `variational.py` (the bound) → `e_step.py` (recurrences and kernels),
  `sticks.py` (update of v);
* tagging: this file → `inference/subtags.py` (decoders) → `inference/subtag_kernels.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.errors import ConfigError
from lacuna.features.resources import Resources
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain, first_order
from lacuna.inference.subtags import (
    MOST_SEQUENCES,
    direct_tags,
    exhaustive_tags,
    projected_lists,
    projected_tags,
)
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.dp_hmm.cues import SubTags, cue_facts, subtags_of
from lacuna.models.dp_hmm.rare_words import RareWords
from lacuna.models.dp_hmm.reranking import Reranker
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import NO_STRINGS, PackedStrings, StoredModel, unpack_strings
from lacuna.models.hidden_states import state_facts
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Choices, Range, Settings
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray

SUBTAGS: Mapping[str, int] = {"outside": 20, "entity": 8}
MOST_SUBTAGS = 1000
MOST_PHRASES = 100_000
LONGEST_LIST = 100
Decoder = Literal["projected", "direct", "max-path", "submitted", "exhaustive"]


@dataclass(frozen=True, slots=True)
class DpHmm(Settings):
    """Settings of an HMM with Dirichlet-process sub-tags.

    Attributes
    ----------
    subtags
        Maximum number of sub-tags K_s: of the tag ``outside``, of every ``entity`` tag, or of a
        label by its name. Training time grows with the square of the first.
    alpha
        Concentration α of the sub-tags. The larger, the more sub-tags share a tag.
    alpha_e
        αE, added to the count of every word in every sub-tag. The larger, the more similar are
        the words of different sub-tags, and the fewer sub-tags are used.
    alpha_tag
        αT, added to the count of every next tag. The larger, the less a tag depends on the one
        before it.
    alpha_t
        αt: how many tokens the shares π are worth in the distribution of the next sub-tag. The
        larger, the less a sub-tag depends on the state before it.
    weights
        What tagging multiplies: ``mean`` probabilities E[φ], or ``geometric`` means exp E[ln φ]
        as in training, which penalise unseen events more.
    inference
        How sub-tags are inferred in training: ``structured``, where q(z) is a Markov chain per
        sentence, or ``mean-field``, where q(z) is a product over tokens.
    decoder
        How tags are chosen: ``projected``, ``direct``, ``max-path``, ``exhaustive`` (short
        sentences only) or ``submitted`` (exhaustive if the sentence is short enough, else direct).
    scheme
        Which tags encode mentions: ``IO`` (plain classes; touching mentions of one label become
        one) or ``BIO``.
    rare
        Words that occur less often are represented by their class.
    class_count
        Classes with fewer tokens are merged into the next coarser class.
    word_lists
        Files of words, with or without counts. The frequency of a rare word in each list is part
        of its class.
    templates
        Whether the class of a rare word with digits depends on whether it looks like an age, a
        phone number or the number of a document.
    phrases
        Maximum number of informative phrases of one to three words to look for within three tokens
        of a rare word; the most informative one found there is part of its class.
    phrases_near
        Which rare words look for phrases: ``numbers`` (words with digits) or ``all``.
    rerank
        How many of the best taggings of a sentence are re-ranked with features of the whole
        document; 0 for none. Learning the ranking trains five more models.
    spell
        Whether the file holds the words that are not rare, and occur at least five times, as text,
        for ``inspect``.
    raw_weight
        How much all raw text together (``train --raw``) counts against all annotated text; a raw
        token never counts more than an annotated one.
    iterations
        Maximum number of iterations.
    restarts
        Number of random starting points; the most promising one is continued.
    tolerance
        Stop when an iteration improves the bound by less than this fraction.
    """

    subtags: Annotated[dict[str, int], Range(1, MOST_SUBTAGS)] = field(
        default_factory=lambda: dict(SUBTAGS)
    )
    alpha: Annotated[float, AT_LEAST_ONE] = 1.0
    alpha_e: Annotated[float, POSITIVE] = 0.01
    alpha_tag: Annotated[float, POSITIVE] = 0.1
    alpha_t: Annotated[float, POSITIVE] = 5.0
    weights: Literal["mean", "geometric"] = "mean"
    inference: Literal["structured", "mean-field"] = "structured"
    decoder: Decoder = "projected"
    scheme: Annotated[Scheme, Choices(Scheme.IO, Scheme.BIO)] = Scheme.IO
    rare: Annotated[int, AT_LEAST_ONE] = 3
    class_count: Annotated[int, AT_LEAST_ONE] = 10
    word_lists: Mapping[str, str] = field(default_factory=dict)
    templates: bool = False
    phrases: Annotated[int, Range(0, MOST_PHRASES)] = 1000
    phrases_near: Literal["numbers", "all"] = "numbers"
    rerank: Annotated[int, Range(0, LONGEST_LIST)] = 0
    spell: bool = True
    raw_weight: Annotated[float, NOT_NEGATIVE] = 0.3
    iterations: Annotated[int, AT_LEAST_ONE] = 25
    restarts: Annotated[int, AT_LEAST_ONE] = 1
    tolerance: Annotated[float, NOT_NEGATIVE] = 5e-4

    def check(self) -> None:
        """Raise ConfigError if settings contradict each other."""
        if self.rerank and self.decoder != "projected":
            raise ConfigError("rerank needs the projected decoder")

    def subtags_of(self, tag: str) -> int:
        """Return K_s: how many sub-tags a tag may have."""
        name = "outside" if tag == OUTSIDE else "entity"
        return self.subtags.get(tag[2:] or name, self.subtags.get(name, SUBTAGS[name]))


@dataclass(frozen=True, slots=True, eq=False)
class DpHmmModel(ChainTagger):
    """A trained HMM with sub-tags.

    Attributes
    ----------
    config
        The settings it was trained with.
    tags
        The tags, ``O`` first.
    borders
        Tag s has the states ``borders[s]`` to ``borders[s + 1]``: its sub-tags in use.
    words
        The vocabulary: words, and classes of rare words.
    log_words
        ``log_words[x, y]``: log weight of vocabulary item x in state y.
    log_moves
        ``log_moves[i, j]``: log weight of a move from state i to state j; the last state is the
        border of sentences.
    tokens
        Expected number of training tokens of every state.
    card
        The model card.
    reranker
        Chooses among the best taggings of a sentence; None unless the settings ask for it.
    spelled
        Words that are not rare as text, for people.
    """

    kind: ClassVar[str] = "dp-hmm"
    leaves_words_out: ClassVar[str] = "--set spell=false"

    config: DpHmm
    tags: tuple[str, ...]
    borders: LongArray
    words: RareWords
    log_words: RealArray
    log_moves: FloatArray
    tokens: FloatArray
    card: Card = NO_CARD
    reranker: Reranker | None = None
    spelled: PackedStrings = NO_STRINGS

    @property
    def state_tags(self) -> tuple[str, ...]:
        """The tag of every state."""
        return tuple(np.repeat(self.tags, np.diff(self.borders)).tolist())

    @property
    def parameters(self) -> int:
        """Number of probabilities."""
        return self.log_words.size + self.log_moves.size

    def counted(self) -> dict[str, int]:
        """Return how many known words and classes of rare words there are."""
        return {"words": len(self.words.words), "word classes": len(self.words.classes)}

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that can be read in its file."""
        return tuple(unpack_strings(self.spelled))

    def subtags(self, inspection: Inspection) -> SubTags:
        """Return the sub-tags, named by words that the file or documents hold."""
        return subtags_of(self, inspection)

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also sub-tags, and what leads to mentions."""
        used = zip(self.tags, np.diff(self.borders).tolist(), strict=True)
        rows = [(tag, f"{number:,}") for tag, number in used]
        return (
            Facts((Table("sub-tags in use", ("tag", "number"), rows),))
            + super(DpHmmModel, self).facts(inspection)
            + cue_facts(self, inspection)
            + state_facts(self, inspection.documents)
        )

    def chain(self) -> Chain:
        """Return the log weights of moves between states."""
        moves = self.log_moves
        return first_order(moves[:-1, :-1], moves[-1, :-1], moves[:-1, -1])

    def emission(self, table: TokenTable) -> FloatArray:
        """Return the log weight of every token in every state."""
        return self.log_words[self.words.items(table)].astype(np.float64)

    def path(
        self,
        chain: Chain,
        emission: RealArray,
        table: TokenTable,
        settled: BoolArray | None = None,
    ) -> IntArray:
        """Choose tags with the decoder of the settings; return the first state of each tag."""
        sentences = table.sentences
        if self.config.decoder == "max-path":
            return ChainTagger.path(self, chain, emission, table, settled)
        if self.reranker is not None:
            lists = projected_lists(chain, emission, sentences, self.borders, self.config.rerank)
            tags = self.reranker.choose(lists, self.tags, table, self.words.words)
        elif self.config.decoder == "projected":
            tags = projected_tags(chain, emission, sentences, self.borders, threads=1).path
        else:
            tags = np.concatenate(
                [np.zeros(0, np.int32)]
                + [
                    self._sentence(chain, emission[first:last])
                    for first, last in pairwise(sentences.tolist())
                ]
            )
        return self.borders[tags].astype(np.int32)

    def _sentence(self, chain: Chain, rows: RealArray) -> IntArray:
        """Return the tags of one sentence by exhaustive search or by best prefixes."""
        if self.config.decoder == "exhaustive" or (
            self.config.decoder == "submitted" and len(self.tags) ** len(rows) <= MOST_SEQUENCES
        ):
            return exhaustive_tags(chain, rows, self.borders)
        found = direct_tags(chain, rows, self.borders)
        if found is None:  # underflow: projected_tags falls back to log space
            found = projected_tags(chain, rows, np.array([0, len(rows)]), self.borders).path
        return found

    def tag_probabilities(self, document: Document) -> FloatArray:
        """Return p(tag of token t is tags[s]), [t, s]."""
        table = self.table([document])
        emission = self.emission(table)
        return projected_tags(self.chain(), emission, table.sentences, self.borders).tags

    def store(self) -> StoredModel:
        """Return the content of a model file; `storage.py` reads it."""
        reranking = {} if self.reranker is None else {"reranking": self.reranker.weights}
        return StoredModel(
            self.kind,
            {
                "config": msgspec.to_builtins(self.config),
                "tags": list(self.tags),
                "card": msgspec.to_builtins(self.card),
            },
            {
                "borders": self.borders,
                "words": self.words.words.hashes,
                "classes": self.words.classes.hashes,
                "log_words": self.log_words,
                "log_moves": self.log_moves,
                "tokens": self.tokens,
                "phrases": self.words.functions.phrases.hashes,
                "spelled": self.spelled.data,
                "spelled_borders": self.spelled.offsets,
                **Resources(self.words.functions.lists).to_arrays(),
                **reranking,
            },
        )
