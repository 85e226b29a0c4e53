"""Learning the rules of a large category: a small decision tree, written out as rules.

A node asks for one fact, the one that reduces Gini impurity the most,

    gain = n G - n₁ G₁ - n₀ G₀,    n G = n (1 - Σ_l (n_l / n)²),

among those that hold for enough mentions; n₁ mentions have the fact, n₀ do not. Then the tree is
pruned from its leaves: a subtree stays if for every additional rule it gets over COST more mentions
right than the node's most frequent label alone. Rules for the side where the fact holds come first,
so that no rule needs to say what does not hold.
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

COST = 2.0  #: mentions that an additional rule must get right
LEAST = 3  #: mentions that must have a fact, and that must not, for a node to ask for it
GROUPS = 3  #: words near mentions of fewer groups are ignored
DEEPEST = 30  #: questions from the root to a leaf
NO_GAIN = 1e-9


class LabelledMention(NamedTuple):
    """The facts of a mention, and its label."""

    facts: frozenset[Fact]
    label: str


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree: a fact to ask for and a node for either answer; or a leaf.

    `counts` has the number of examples at this node by label.
    """

    counts: Mapping[str, int]
    fact: Fact | None = None
    yes: Node | None = None
    no: Node | None = None

    @property
    def label(self) -> str:
        """The most frequent label; the alphabetically first among equals."""
        return min(self.counts, key=lambda label: (-self.counts[label], label))

    @property
    def right(self) -> int:
        """Number of examples with that label."""
        return self.counts[self.label]


def learn_rules(
    documents: Iterable[Document], categories: Mapping[str, str], *, private: bool = False
) -> Rules:
    """Learn rules by category; `categories` maps labels to them. Private rules ask for no words."""
    examples: dict[str, list[LabelledMention]] = defaultdict(list)
    groups: dict[Fact, set[tuple[str, str]]] = defaultdict(set)
    for document in documents:
        found = mention_facts(document, tokens_of(document))
        for mention, facts in zip(document.mentions, found, strict=True):
            category = categories.get(mention.label, mention.label)
            examples[category].append(LabelledMention(facts, mention.label))
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


def grow(examples: Sequence[LabelledMention], asked: Iterable[Fact]) -> Node:
    """Grow a tree: each node asks for the best fact for its examples, until none helps."""
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
    """fact[p] holds for example[p]; label[i] is the label of example i; all by number."""

    facts: Sequence[Fact]
    labels: Sequence[str]
    fact: LongArray
    example: LongArray
    label: LongArray


def _grow(data: _Data, here: BoolArray, depth: int) -> Node:
    """Return the tree of the examples i with here[i]."""
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
    """Return the number of the fact with the highest gain, the first among equals."""
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
    """Replace subtrees that are not worth their rules by leaves."""
    return _pruned(node, cost)[0]


def _pruned(node: Node, cost: float) -> tuple[Node, float]:
    """Return a node and its worth: mentions it gets right, minus the cost of its rules."""
    leaf = Node(node.counts), node.right - cost
    if node.yes is None or node.no is None:
        return leaf
    (yes, one), (no, other) = _pruned(node.yes, cost), _pruned(node.no, cost)
    if one + other <= leaf[1]:
        return leaf
    return Node(node.counts, node.fact, yes, no), one + other


def tree_rules(node: Node, when: tuple[Condition, ...] = ()) -> Iterator[Rule]:
    """Yield the leaves as rules, in an order in which the first that holds counts."""
    if node.fact is None or node.yes is None or node.no is None:
        yield Rule(node.label, when, sum(node.counts.values()), node.right)
        return
    asked = Condition(node.fact.place, (node.fact.word,))
    yield from tree_rules(node.yes, (*when, asked))
    yield from tree_rules(node.no, when)
