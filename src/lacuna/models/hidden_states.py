"""What the hidden states of a model represent, measured on annotated documents.

Every token gets the best state of its class. :func:`state_facts` makes the tables of ``lacuna
inspect`` from two measurements. :func:`describe_states` lists the most frequent words of each
state, their shapes and places. :func:`name_split` measures whether the states of a label separate
first from last names: the mutual information between state and place in the mention,

    I = Σ_{s, p} p(s, p) log₂ ( p(s, p) / p(s) p(p) ),    p ∈ {first, last},

and how many of the known first and last names each state has. With the tag scheme IO all of that
was learnt; with BIO and BILOU the tags themselves separate places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import TaggedDocument, tag_document
from lacuna.features.token_table import TokenTable, token_table, words_at
from lacuna.features.words import word_shape
from lacuna.inference.chain import best_paths, constrain
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.facts import Facts, Table
from lacuna.text.document import Document
from lacuna.types import FloatArray, IntArray

TOP = 6  #: words, shapes and places shown per state
PLACES = ("first", "inside", "last", "only")
NOWHERE = -1  #: place of a token outside mentions


class Share(NamedTuple):
    """A word, shape, place or neighbour, and its share of the tokens of a state."""

    name: str
    share: float


class StateFacts(NamedTuple):
    """A state: its name, number of tokens, and what is most frequent among them."""

    name: str
    tokens: int
    words: tuple[Share, ...]
    shapes: tuple[Share, ...]
    places: tuple[Share, ...]
    before: tuple[Share, ...]
    after: tuple[Share, ...]


class KnownNames(NamedTuple):
    """Words that are always first, or always last, in mentions of several words."""

    first: frozenset[str]
    last: frozenset[str]


class StateNames(NamedTuple):
    """How many tokens of a state are known first names, and known last names."""

    name: str
    first: int
    last: int


class NameSplit(NamedTuple):
    """How well the states of a label separate first from last names.

    bits
        Mutual information of state and place, over first and last tokens of mentions.
    most_bits
        Its value if the state determined the place.
    states
        Known names by state, in mentions of any length.
    alone
        Known names by state, in mentions of one word, which have no first or last place.
    """

    bits: float
    most_bits: float
    states: tuple[StateNames, ...]
    alone: tuple[StateNames, ...]


class _Assigned(NamedTuple):
    """Tokens, and the state, place in the mention (or NOWHERE) and word of each."""

    table: TokenTable
    states: IntArray
    places: IntArray
    words: list[str]


def state_facts(model: ChainTagger, documents: Sequence[Document]) -> Facts:
    """Return what each state represents in documents, and how states divide each label."""
    if not documents:
        return Facts()
    tagged = [tag_document(document) for document in documents]
    states = describe_states(model, tagged, top=TOP)
    splits = {
        label: name_split(model, tagged, known_names(tagged, label), label=label)
        for label in model.labels
    }
    divided = Table(
        "do states separate the first from the last word of a mention?",
        ("label", "bits", "maximum"),
        [(label, f"{s.bits:.3f}", f"{s.most_bits:.3f}") for label, s in splits.items()],
    )
    names = Table(
        "words that are always first, or always last, in mentions of several words",
        ("state", "first", "last", "first, alone", "last, alone"),
        [row for split in splits.values() for row in _name_rows(split)],
    )
    values = {
        "states": [state._asdict() for state in states],
        "split": {label: split._asdict() for label, split in splits.items()},
    }
    return Facts((*map(_state_table, states), divided, names), values)


def describe_states(
    model: ChainTagger, tagged: Sequence[TaggedDocument], *, top: int = 8
) -> list[StateFacts]:
    """Return facts about every state: the `top` most frequent of each kind."""
    found = _assign(model, tagged)
    names = model.state_names
    inner = np.ones(len(found.states) + 1, np.bool_)
    inner[found.table.sentences] = False
    named = [names[s] for s in found.states.tolist()]
    before = [named[t - 1] if inner[t] else "begin" for t in range(len(named))]
    after = [named[t + 1] if inner[t + 1] else "end" for t in range(len(named))]
    facts = []
    for state, name in enumerate(names):
        own = np.flatnonzero(found.states == state).tolist()
        words = [found.words[t] for t in own]
        places = [PLACES[p] for p in found.places[own].tolist() if p != NOWHERE]
        lists = (words, list(map(word_shape, words)), places, _at(before, own), _at(after, own))
        facts.append(StateFacts(name, len(own), *(_most(items, top) for items in lists)))
    return facts


def known_names(tagged: Sequence[TaggedDocument], label: str) -> KnownNames:
    """Return the words that are always first, or always last, in mentions of several words."""
    places: dict[str, set[str]] = {}
    for document in tagged:
        text, tokens = document.document.text, document.tokens
        for chunk in document.chunks:
            if chunk.label == label and chunk.end - chunk.start > 1:
                for t in range(chunk.start, chunk.end):
                    place = PLACES[_place(t, chunk.start, chunk.end)]
                    word = text[tokens.start[t] : tokens.end[t]]
                    places.setdefault(word, set()).add(place)
    return KnownNames(
        frozenset(word for word, seen in places.items() if seen == {"first"}),
        frozenset(word for word, seen in places.items() if seen == {"last"}),
    )


def name_split(
    model: ChainTagger, tagged: Sequence[TaggedDocument], known: KnownNames, *, label: str = "PER"
) -> NameSplit:
    """Measure how well the states of a label separate first from last names.

    Parameters
    ----------
    model
        A model with several states per class.
    tagged
        Documents to measure on, which should not be the training documents.
    known
        From :func:`known_names` of the training documents.
    label
        Label of the mentions.
    """
    found = _assign(model, tagged)
    names = model.state_names
    own = [y for y, tag in enumerate(model.state_tags) if tag[2:] == label]
    joint = np.zeros((len(own), len(PLACES)))
    counts = {place: Counter[tuple[int, str]]() for place in ("any", "only")}
    for t in np.flatnonzero(np.isin(found.states, own)).tolist():
        row, place, word = own.index(found.states[t]), found.places[t], found.words[t]
        joint[row, place] += 1
        kind = "first" if word in known.first else "last" if word in known.last else ""
        counts["any"][row, kind] += 1
        if place == PLACES.index("only"):
            counts["only"][row, kind] += 1
    ends = joint[:, [PLACES.index("first"), PLACES.index("last")]]
    by_state = {
        which: tuple(
            StateNames(names[y], seen[row, "first"], seen[row, "last"]) for row, y in enumerate(own)
        )
        for which, seen in counts.items()
    }
    most = mutual_information(np.diag(ends.sum(axis=0)))
    return NameSplit(mutual_information(ends), most, by_state["any"], by_state["only"])


def mutual_information(counts: FloatArray) -> float:
    """Return the mutual information of i and j in bits, given joint counts[i, j]."""
    if not counts.sum():
        return 0.0
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    seen = joint > 0
    return max(0.0, float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum()))


def _assign(model: ChainTagger, tagged: Sequence[TaggedDocument]) -> _Assigned:
    """Find the best state of its class for every token; of any class if its class is unknown."""
    table = token_table([d.document for d in tagged], [d.tokens for d in tagged])
    number = {tag: k for k, tag in enumerate(model.tags)}
    tags = [number.get(tag, -1) for d in tagged for tag in d.tags(model.config.scheme)]
    classes = np.array(tags, np.int32)[:, None]
    class_of_state = np.array([number[tag] for tag in model.state_tags])
    valid = constrain(model.emission(table), (classes == class_of_state) | (classes < 0))
    states, _ = best_paths(model.chain(), valid, table.sentences)
    places = np.full(len(states), NOWHERE, np.int32)
    for document, offset in zip(tagged, table.documents.tolist(), strict=False):
        for _, start, end in document.chunks:
            for t in range(start, end):
                places[offset + t] = _place(t, start, end)
    return _Assigned(table, states, places, words_at(table, np.arange(len(states), dtype=np.int32)))


def _place(t: int, start: int, end: int) -> int:
    if end - start == 1:
        return PLACES.index("only")
    name = "first" if t == start else "last" if t == end - 1 else "inside"
    return PLACES.index(name)


def _at(items: Sequence[str], places: Sequence[int]) -> list[str]:
    return [items[t] for t in places]


def _most(items: Sequence[str], top: int) -> tuple[Share, ...]:
    ranked = sorted(Counter(items).items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Share(name, times / len(items)) for name, times in ranked[:top])


def _state_table(state: StateFacts) -> Table:
    rows = [
        (what, ", ".join(f"{name} {share:.0%}" for name, share in shares))
        for what in ("words", "shapes", "places", "before", "after")
        if (shares := getattr(state, what))
    ]
    return Table(f"state {state.name}: {state.tokens:,} tokens", ("", "most often"), rows, (1,))


def _name_rows(split: NameSplit) -> Iterator[tuple[str, ...]]:
    for (name, *own), (_, *alone) in zip(split.states, split.alone, strict=True):
        yield (name, *(f"{count:,}" for count in (*own, *alone)))
