"""Linear-chain conditional random field, the workhorse.

    p(y | x) = exp( Σ_t emission[t, y_t] + Σ_t V[y_{t-1}, y_t] ) / Z(x)      (Lafferty et al. 2001)

One tag per token (BIO or BILOU); moves that the scheme forbids are no part of the model. What a
token looks at is declared by templates (`features/templates.py`); how emission comes from weights
is in `estimation/factored.py`, how they are trained in `crf_training.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import ClassVar

import numpy as np

from lacuna.encoding.chain import PathChunks, chunks_of_path
from lacuna.encoding.schemes import Scheme
from lacuna.estimation._emission import gather, gather_windows, lists_of, window_index
from lacuna.features.extract import FeatureIndex
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import (
    Chain,
    Segment,
    best_paths,
    expectations,
    first_order,
    segment_probabilities,
)
from lacuna.models.base import TagsAnything
from lacuna.models.crf_training import tag_moves
from lacuna.models.storage import StoredModel
from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.text.sequences import SequenceKind, sequence_tokens
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, RealArray

BATCH_TOKENS = 50_000


@dataclass(frozen=True, slots=True)
class Crf:
    """Settings of a linear-chain CRF.

    Attributes
    ----------
    features
        Name of a preset, or a template file.
    columns
        Token columns to look at as well, e.g. ``["pos"]``.
    scheme
        ``BIO`` or ``BILOU``.
    min_count
        Features that occur less often are left out.
    support
        Which pairs of feature and label get a weight: ``all``, ``observed`` together, or
        ``frequent``: all for features seen 5 times, else the observed. ``auto``: all up to 20
        tags, else frequent.
    l2, l1
        Weights of the penalties ‖w‖² and Σ|w|.
    iterations
        At most this many.
    tolerance
        Without a dev set, stop when the last 5 iterations improved the objective by less than
        this share.
    sequence
        What is read in one go: a ``sentence``, or a ``line`` with all its sentences, where stops
        stand inside mentions as in addresses.
    caution
        How much the score of a token falls when no mention holds it. The higher, the more is
        found, and the more of it wrongly. Applied in tagging, not in training.
    two_pass
        Tag twice: the second time with what the first found elsewhere in the document.
    """

    features: str = "default"
    columns: tuple[str, ...] = ()
    scheme: Scheme = Scheme.BIO
    min_count: int = 1
    support: str = "auto"
    l2: float = 0.1
    l1: float = 0.0
    iterations: int = 40
    tolerance: float = 0.03
    sequence: SequenceKind = SequenceKind.SENTENCE
    caution: float = 0.0
    two_pass: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(TagsAnything):
    """A trained CRF.

    Attributes
    ----------
    config
        What it was trained with.
    tags
        ``O`` first.
    index
        Its features.
    weights
        ``weights[r, k]`` of feature r for tag k.
    moves
        ``moves[i, j]``: weight of tag j after tag i.
    summary
        How it was trained, for people.
    """

    kind: ClassVar[str] = "crf"

    config: Crf
    tags: tuple[str, ...]
    index: FeatureIndex
    weights: RealArray
    moves: RealArray
    summary: dict[str, object]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return tuple(dict.fromkeys(tag[2:] for tag in self.tags[1:]))

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        tokens = [sequence_tokens(document, self.config.sequence) for document in documents]
        batches = _batches(tokens)
        found = run_chunks(
            lambda a, b: self._find(documents[a:b], tokens[a:b], probabilities), batches
        )
        return [document for batch in found for document in batch]

    def _find(
        self, documents: Sequence[Document], tokens: Sequence[Tokens], probabilities: bool
    ) -> list[Document]:
        table = token_table(documents, tokens)
        emission = self.emission(table)
        path, _ = best_paths(self.chain(), emission, table.sentences, threads=1)
        chunks = chunks_of_path(path, self.tags)
        sure = self._sure(chunks, path, emission, table) if probabilities else None
        # every chunk as characters of its own document
        owner = np.searchsorted(table.documents, chunks.start, side="right") - 1
        begin = (table.start[chunks.start] - table.texts[owner]).tolist()
        end = (table.end[chunks.end - 1] - table.texts[owner]).tolist()
        labels = [self.tags[k][2:] for k in chunks.tag.tolist()]
        mentions = [
            Mention(labels[c], (Span(begin[c], end[c]),), None if sure is None else sure[c])
            for c in range(len(labels))
        ]
        cuts = np.searchsorted(owner, np.arange(len(documents) + 1)).tolist()
        return [
            replace(document, mentions=tuple(mentions[cuts[d] : cuts[d + 1]]))
            for d, document in enumerate(documents)
        ]

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        table = token_table([document], [sequence_tokens(document, self.config.sequence)])
        found = expectations(self.chain(), self.emission(table), table.sentences)
        return 1.0 - found.marginals[:, 0]

    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, k] of tag k for every token."""
        numbered = number_types(table.hashes)
        rows = self.index.rows(table, numbered)
        every = np.arange(len(self.index), dtype=np.int32)
        of_type = np.empty((len(rows.by_word), len(self.tags)), self.weights.dtype)
        gather(*lists_of(rows.by_word, every), self.weights, of_type, 0, len(of_type))
        window = window_index(numbered.ids, table.sentences, self.index.plan.offsets, rows.size)
        scores = np.empty((len(numbered.ids), len(self.tags)), self.weights.dtype)
        token_lists = lists_of(rows.by_token, every)
        gather_windows(window, of_type, *token_lists, self.weights, scores, 0, len(scores))
        return scores.astype(np.float64)

    def chain(self) -> Chain:
        """Return the moves as a chain; every O, the first tag, costs what caution says."""
        moves = tag_moves(self.tags, self.config.scheme)
        cost = np.zeros(len(self.tags))
        cost[0] = self.config.caution
        return first_order(
            np.where(moves.allowed, self.moves - cost, -np.inf),
            np.where(moves.first, -cost, -np.inf),
            np.where(moves.last, 0.0, -np.inf),
        )

    def _sure(
        self, chunks: PathChunks, path: IntArray, emission: FloatArray, table: TokenTable
    ) -> list[float]:
        """Return for each chunk the probability that it stands exactly there."""
        found: list[float] = []
        chain = self.chain()
        sentence = np.searchsorted(table.sentences, chunks.start, side="right") - 1
        number = {tag: k for k, tag in enumerate(self.tags)}
        for s, group in groupby(range(len(sentence)), key=sentence.tolist().__getitem__):
            first, last = table.sentences[s], table.sentences[s + 1]
            segments = [
                Segment(
                    int(chunks.start[c] - first),
                    path[chunks.start[c] : chunks.end[c]].tolist(),
                    number.get(f"I-{self.tags[chunks.tag[c]][2:]}", -1)
                    if self.config.scheme is Scheme.BIO
                    else -1,
                )
                for c in group
            ]
            found += segment_probabilities(chain, emission[first:last], segments).tolist()
        return found

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.crf_storage import store_crf

        return store_crf(self)


def _batches(tokens: Sequence[Tokens]) -> list[tuple[int, int]]:
    """Cut documents into runs of about so many tokens."""
    total = np.cumsum([0] + [len(piece) for piece in tokens])
    marks = np.searchsorted(total, np.arange(0, total[-1] + 1, BATCH_TOKENS))
    borders = np.unique(np.append(marks, [0, len(tokens)]))
    return list(pairwise(borders.tolist()))
