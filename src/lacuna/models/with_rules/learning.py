"""Learning rules for labels within a large category: a small decision tree for each.

A node asks for one fact. The fact taken is the one that lessens Gini impurity the most,

    gain = n G - n₁ G₁ - n₀ G₀,    n G = n (1 - Σ_l (n_l / n)²),

among those that hold for enough mentions. Then the tree is pruned from its leaves: what a node's
subtree puts right beyond the node's most frequent label must be worth COST mentions for every rule
more. As rules, the side where the fact holds comes first: so no rule has to say what does not hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.models.with_rules.rules import PLACES, Condition, Fact, Rule, Rules, mention_facts
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray, FloatArray, LongArray

COST = 2.0  #: mentions that a rule must put right
LEAST = 3  #: mentions on either side of a question
GROUPS = 3  #: words near mentions of fewer groups are not asked for
DEEPEST = 30
NO_GAIN = 1e-9


class Example(NamedTuple):
    """A mention: what holds of it, and its label."""

    facts: frozenset[Fact]
    label: str


@dataclass(frozen=True, slots=True)
class Node:
    """Part of a tree: a fact to ask for with a node for either answer, or a leaf.

    `counts` are those of labels among the examples that come here.
    """

    counts: Mapping[str, int]
    fact: Fact | None = None
    yes: Node | None = None
    no: Node | None = None

    @property
    def label(self) -> str:
        """The most frequent label; among equals the first in the alphabet."""
        return min(self.counts, key=lambda label: (-self.counts[label], label))

    @property
    def right(self) -> int:
        """How many examples have it."""
        return self.counts[self.label]


def learn_rules(
    documents: Iterable[Document], categories: Mapping[str, str], *, private: bool = False
) -> Rules:
    """Learn rules for the labels of documents, by category; a private model asks for no words."""
    examples: dict[str, list[Example]] = defaultdict(list)
    groups: dict[Fact, set[tuple[str, str]]] = defaultdict(set)
    for document in documents:
        found = mention_facts(document, tokens_of(document))
        for mention, facts in zip(document.mentions, found, strict=True):
            category = categories.get(mention.label, mention.label)
            examples[category].append(Example(facts, mention.label))
            for fact in facts:
                groups[fact].add(document.unit)
    asked = {
        fact
        for fact, units in groups.items()
        if fact.place == "class"
        or (not private and len(units) >= GROUPS and fact.word.isprintable())
    }
    return {
        category: tuple(tree_rules(pruned(grow(own, asked)))) for category, own in examples.items()
    }


def grow(examples: Sequence[Example], asked: Iterable[Fact]) -> Node:
    """Ask for facts, each the best for the examples that are left, until none helps."""
    facts = sorted(asked, key=lambda fact: (PLACES.index(fact.place), fact.word))
    labels = sorted({example.label for example in examples})
    numbers = {fact: number for number, fact in enumerate(facts)}
    own = [[numbers[f] for f in example.facts if f in numbers] for example in examples]
    data = _Data(
        facts,
        labels,
        np.array([number for row in own for number in row], np.int64),
        np.array([i for i, row in enumerate(own) for _ in row], np.int64),
        np.array([labels.index(example.label) for example in examples], np.int64),
    )
    return _grow(data, np.ones(len(examples), np.bool_), DEEPEST)


class _Data(NamedTuple):
    """fact[p] holds of example[p]; label[i] is that of example i; facts and labels by number."""

    facts: Sequence[Fact]
    labels: Sequence[str]
    fact: LongArray
    example: LongArray
    label: LongArray


def _grow(data: _Data, here: BoolArray, depth: int) -> Node:
    """Return the tree for the examples that are `here`."""
    counts = dict(Counter(data.labels[k] for k in data.label[here].tolist()))
    best = _best_fact(data, here) if depth and len(counts) > 1 else None
    if best is None:
        return Node(counts)
    holds = np.zeros(len(here), np.bool_)
    holds[data.example[data.fact == best]] = True
    return Node(
        counts,
        data.facts[best],
        _grow(data, here & holds, depth - 1),
        _grow(data, here & ~holds, depth - 1),
    )


def _best_fact(data: _Data, here: BoolArray) -> int | None:
    """Return the number of the fact with the greatest gain, the first among equals."""
    shape = len(data.facts), len(data.labels)
    total = np.bincount(data.label[here], minlength=shape[1])
    pairs = here[data.example]
    places = data.fact[pairs] * shape[1] + data.label[data.example[pairs]]
    with_fact = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
    holds = with_fact.sum(axis=1)
    gain = _impurity(total) - _impurity(with_fact) - _impurity(total - with_fact)
    gain = np.where((holds >= LEAST) & (total.sum() - holds >= LEAST), gain, 0.0)
    return int(np.argmax(gain)) if gain.max(initial=0.0) > NO_GAIN else None


def _impurity(counts: LongArray) -> FloatArray:
    """Return n G over the last axis: n - Σ_l n_l² / n."""
    n = counts.sum(axis=-1)
    impurity: FloatArray = n - (counts**2).sum(axis=-1) / np.maximum(n, 1)
    return impurity


def pruned(node: Node, cost: float = COST) -> Node:
    """Cut what is not worth its rules."""
    return _pruned(node, cost)[0]


def _pruned(node: Node, cost: float) -> tuple[Node, float]:
    """Return a node and its worth: mentions put right, less the cost of its rules."""
    leaf = Node(node.counts), node.right - cost
    if node.yes is None or node.no is None:
        return leaf
    (yes, one), (no, other) = _pruned(node.yes, cost), _pruned(node.no, cost)
    if one + other <= leaf[1]:
        return leaf
    return Node(node.counts, node.fact, yes, no), one + other


def tree_rules(node: Node, when: tuple[Condition, ...] = ()) -> Iterator[Rule]:
    """Yield the leaves as rules, in an order in which the first that holds is right."""
    if node.fact is None or node.yes is None or node.no is None:
        yield Rule(node.label, when, sum(node.counts.values()), node.right)
        return
    asked = Condition(node.fact.place, (node.fact.word,))
    yield from tree_rules(node.yes, (*when, asked))
    yield from tree_rules(node.no, when)
