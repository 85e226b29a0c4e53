"""HMM with Dirichlet-process sub-tags: hidden classes of words within every tag.

A state is a tag with one of its sub-tags; only the tag is observed in training, and how many
sub-tags a tag needs is for the data to say. Sub-tags of the outside tag come to stand for the words
that announce a mention, those of a label for its parts. The model and its training by variational
Bayes are in `variational.py`; tags are chosen as in `inference/subtags.py`. Words seen
seldom are known by their class (`rare_words.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.errors import ConfigError
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
from lacuna.models.chain import ChainTagger
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
        At most so many sub-tags: of the tag ``outside``, of every ``entity`` tag, or of a label
        by its name. Training time grows with the square of the first.
    alpha
        At least 1. The greater, the more sub-tags share a tag.
    alpha_e
        Added to the count of every word in every sub-tag. The greater, the more alike are the
        words of sub-tags, and the fewer sub-tags are in use.
    alpha_tag
        Added to the count of every next tag.
    alpha_t
        How many tokens the common shares of sub-tags are worth, wherever one moves to a
        sub-tag. The greater, the less sub-tags depend on what stands before.
    weights
        What tagging multiplies: ``mean`` probabilities, or ``geometric`` means exp E[ln φ], as in
        training, which are severe with what was not seen.
    inference
        ``structured``: hidden sub-tags of a sentence depend on each other; ``mean-field``: not.
    decoder
        How tags are chosen: ``projected``, ``direct``, ``max-path``, ``exhaustive`` (short
        sentences only) or ``submitted``, which is exhaustive where it can be, else direct.
    scheme
        ``IO`` (plain classes; touching mentions of one label become one) or ``BIO``.
    rare
        Words seen less often are known by their class.
    class_count
        Classes of fewer tokens are joined with what looks alike.
    word_lists
        Files by name, of words with or without counts: how frequent a rare word is in each is a
        part of its class.
    templates
        Whether it is a part of the class of a rare word with digits that it looks like an age, a
        phone number or the number of a document.
    phrases
        At most so many telling phrases of one to three words are looked for within three tokens
        of a rare word; the most telling one there is a part of its class.
    phrases_near
        Which rare words: ``numbers``, those with digits, or ``all``.
    rerank
        So many of the best taggings of every sentence are weighed again by what stands in the rest
        of the document; 0 for none. Five more models are trained to learn how.
    spell
        Whether the file holds the words that are not rare as they are written, for ``inspect``.
    iterations
        At most this many.
    restarts
        Random beginnings, of which the most promising goes on.
    tolerance
        Stop when an iteration improves the bound by less than this share.
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
    rare: Annotated[int, AT_LEAST_ONE] = 5
    class_count: Annotated[int, AT_LEAST_ONE] = 5
    word_lists: Mapping[str, str] = field(default_factory=dict)
    templates: bool = False
    phrases: Annotated[int, Range(0, MOST_PHRASES)] = 1000
    phrases_near: Literal["numbers", "all"] = "numbers"
    rerank: Annotated[int, Range(0, LONGEST_LIST)] = 0
    spell: bool = True
    iterations: Annotated[int, AT_LEAST_ONE] = 25
    restarts: Annotated[int, AT_LEAST_ONE] = 1
    tolerance: Annotated[float, NOT_NEGATIVE] = 5e-4

    def check(self) -> None:
        """Refuse settings that do not go together."""
        if self.rerank and self.decoder != "projected":
            raise ConfigError("rerank needs the projected decoder")

    def subtags_of(self, tag: str) -> int:
        """Return how many sub-tags a tag may have."""
        name = "outside" if tag == OUTSIDE else "entity"
        return self.subtags.get(tag[2:] or name, self.subtags.get(name, SUBTAGS[name]))


@dataclass(frozen=True, slots=True, eq=False)
class DpHmmModel(ChainTagger):
    """A trained HMM with sub-tags.

    Attributes
    ----------
    config
        What it was trained with.
    tags
        ``O`` first.
    borders
        Tag s has the states ``borders[s]`` to ``borders[s + 1]``: its sub-tags in use.
    words
        The vocabulary: words, and classes of rare words.
    log_words
        ``log_words[x, y]`` of vocabulary item x in state y.
    log_moves
        ``log_moves[i, j]`` from state i to state j; the last state is the border of sentences.
    tokens
        Expected training tokens of every state.
    card
        How it was trained, for people.
    reranker
        Chooses among the best tags of a sentence, where the settings ask for it.
    spelled
        The words that are not rare, for people.
    """

    kind: ClassVar[str] = "dp-hmm"

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
        """How many probabilities there are."""
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

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme

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
        """Choose tags with the decoder of the settings; each is given by its first state."""
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
        """Return the tags of one sentence, exhaustively or by best prefixes."""
        if self.config.decoder == "exhaustive" or (
            self.config.decoder == "submitted" and len(self.tags) ** len(rows) <= MOST_SEQUENCES
        ):
            return exhaustive_tags(chain, rows, self.borders)
        found = direct_tags(chain, rows, self.borders)
        if found is None:  # weights too far apart: projecting works in log space
            found = projected_tags(chain, rows, np.array([0, len(rows)]), self.borders).path
        return found

    def tag_probabilities(self, document: Document) -> FloatArray:
        """Return p(tag of token t is tags[s]), [t, s]."""
        table = self.table([document])
        emission = self.emission(table)
        return projected_tags(self.chain(), emission, table.sentences, self.borders).tags

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.dp_hmm.storage import store_dp_hmm

        return store_dp_hmm(self)
