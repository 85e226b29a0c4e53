"""Part-of-speech tagging with the trigram HMM: a token column ``pos`` for every document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from lacuna.encoding.flat import TaggedDocument, in_seen_sentences
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import Chain, best_paths, expectations
from lacuna.models.base import NO_CARD, NO_OPTIONS, Card, FitOptions, Step, TagsAnything
from lacuna.models.chain_tagger import batches
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.models.trigram_hmm import Hmm, TrigramHmm, store_hmm
from lacuna.models.trigram_hmm.training import HmmTraining
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray, FloatArray, Task

POS = "pos"  #: the column


@dataclass(frozen=True, slots=True, eq=False)
class PosTagger(TagsAnything):
    """A trained trigram HMM that gives parts of speech.

    Attributes
    ----------
    config
        What it was trained with.
    hmm
        What it counted.
    card
        The model card.
    """

    kind: ClassVar[str] = "trigram-hmm"
    task: ClassVar[Task] = Task.POS

    config: TrigramHmm
    hmm: Hmm
    card: Card = NO_CARD

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags it knows."""
        return self.hmm.tags

    @property
    def parameters(self) -> int:
        """Number of counts."""
        return self.hmm.parameters

    @property
    def state_names(self) -> tuple[str, ...]:
        """The tags, as the states of the chain."""
        return self.hmm.tags

    def chain(self) -> Chain:
        """Return the chain of tags."""
        return self.hmm.chain

    def counted(self) -> dict[str, int]:
        """Return how many tags, known words and word classes there are."""
        return self.hmm.counted()

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also the weights of interpolation."""
        return super(PosTagger, self).facts(inspection) + self.hmm.facts()

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with tokens whose column ``pos`` holds the tags found.

        Mentions stay as they are. A column has no place for probabilities; see
        :meth:`tag_probabilities`.
        """
        del probabilities
        runs = batches(documents)
        threads = 1 if len(runs) > 1 else None  # one large document is split by sentences
        found = run_chunks(lambda a, b: self._find(documents[a:b], threads), runs)
        return [document for batch in found for document in batch]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return zeros: parts of speech identify nobody."""
        return [np.zeros(len(tokens_of(document))) for document in documents]

    def tag_probabilities(self, document: Document) -> FloatArray:
        """Return p(tag s | document) for every token, [t, s]."""
        table = token_table([document])
        emission = self.hmm.lexicon.emission(table)
        return expectations(self.hmm.chain, emission, table.sentences).marginals

    def is_known(self, document: Document) -> BoolArray:
        """Return for each token whether its word was seen in training."""
        return self.hmm.lexicon.is_known(token_table([document]))

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        return store_hmm(self.hmm, self.config, self.card)

    def _find(self, documents: Sequence[Document], threads: int | None) -> list[Document]:
        table = token_table(documents)
        emission = self.hmm.lexicon.emission(table)
        path, _ = best_paths(self.hmm.chain, emission, table.sentences, threads=threads)
        names = np.array(self.hmm.tags, dtype=object)[path].tolist()
        return [
            replace(document, tokens=_tokens(table, d, tuple(names[first:last])))
            for d, (document, first, last) in enumerate(
                zip(documents, table.documents[:-1], table.documents[1:], strict=True)
            )
        ]


def _tokens(table: TokenTable, d: int, tags: tuple[str, ...]) -> Tokens:
    """Return the tokens of document d with a column of tags."""
    first, last = table.documents[d : d + 2]
    inside = (table.sentences > first) & (table.sentences <= last)
    return Tokens(
        (table.start[first:last] - table.texts[d]).astype(np.int32),
        (table.end[first:last] - table.texts[d]).astype(np.int32),
        np.append(0, table.sentences[inside] - first).astype(np.int32),
        {**table.columns[d], POS: tags},
    )


def fit_pos_tagger(
    tagged: Sequence[TaggedDocument], config: TrigramHmm, options: FitOptions = NO_OPTIONS
) -> Iterator[Step]:
    """Train on the token column ``pos``; one step, and more with raw text."""
    gold: list[str] = []
    tagged = in_seen_sentences(tagged)
    for item in tagged:
        if len(item.tokens) and POS not in item.tokens.columns:
            raise ConfigError(f"{item.document.id} has no parts of speech to train on")
        gold += item.tokens.columns.get(POS, ())
    tags = tuple(sorted(set(gold)))
    data = HmmTraining.of(tagged, gold, tags, config, None, options.raw)
    for iteration, (hmm, objective) in enumerate(data.fit(), 1):
        yield Step(iteration, objective, partial(PosTagger, config, hmm))
