"""Hidden states that are finer than tags: words next to a mention have states of their own.

Every tag inside a mention is a state. With context, ``O`` is several states: before a mention of
label X, after one, and far from any. So the words that announce a name have a state of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Moves, Scheme, moves, tag_set
from lacuna.types import BoolArray, IntArray, LongArray


class State(NamedTuple):
    """A tag, and the labels on both sides: ``""`` if there is no mention, None for any."""

    tag: str
    previous: str | None = None
    following: str | None = None

    @property
    def label(self) -> str:
        """Label of the mention; empty outside."""
        return self.tag.partition("-")[2]

    @property
    def name(self) -> str:
        """Its name, e.g. ``O before PER``."""
        before = f" before {self.following}" if self.following else ""
        after = f" after {self.previous}" if self.previous else ""
        return f"{self.tag}{before}{after}"


def state_set(labels: Sequence[str], scheme: Scheme, *, context: bool) -> tuple[State, ...]:
    """Return all states: first those outside, then those that begin a mention."""
    outside, *tags = tag_set(labels, scheme)
    begins = dict(zip((outside, *tags), moves((outside, *tags), scheme).first, strict=True))
    mentions = [State(tag) for tag in sorted(tags, key=lambda tag: not begins[tag])]
    if not context:
        return (State(outside), *mentions)
    after = [State(outside, label, "") for label in labels]
    before = [State(outside, None, label) for label in labels]
    return (*after, State(outside, "", ""), *before, *mentions)


def state_moves(states: Sequence[State], scheme: Scheme) -> Moves:
    """Return which states may follow one another, begin and end a sentence."""
    allowed, first, last = moves([state.tag for state in states], scheme)
    fits = np.array([[_fit(x, y) for y in states] for x in states])
    begins = np.array([state.previous in {None, ""} for state in states])
    ends = np.array([state.following in {None, ""} for state in states])
    return Moves(allowed & fits, first & begins, last & ends)


def _fit(x: State, y: State) -> bool:
    """Whether the labels on both sides of x and y allow that y follows x."""
    return x.following in {None, y.label} and y.previous in {None, x.label}


def far_outside(states: Sequence[State]) -> int:
    """Return the index of the outside state that is not next to a mention."""
    return next(k for k, (tag, *sides) in enumerate(states) if tag == OUTSIDE and not any(sides))


def spell_states(tags: Iterable[str], sentences: LongArray, states: Sequence[State]) -> IntArray:
    """Return the state of every token from its tag and the tags before and after it."""
    numbers = {state: k for k, state in enumerate(states)}
    tags = list(tags)
    borders = set(sentences.tolist())
    spelt = np.empty(len(tags), np.int32)
    for t, tag in enumerate(tags):
        if tag != OUTSIDE or State(OUTSIDE) in numbers:
            spelt[t] = numbers[State(tag)]
            continue
        following = "" if t + 1 in borders else tags[t + 1].partition("-")[2]
        previous = "" if t in borders else tags[t - 1].partition("-")[2]
        state = State(OUTSIDE, None, following) if following else State(OUTSIDE, previous, "")
        spelt[t] = numbers[state]
    return spelt


def known_states(
    spelt: IntArray, reviewed: BoolArray, sentences: LongArray, states: Sequence[State]
) -> BoolArray:
    """Return which states of :func:`spell_states` are known, if some tags are not.

    The state of a reviewed token is known unless it depends on a neighbour that was not reviewed:
    outside, on the tag that follows, and if that is outside too on the one before.
    """
    before, after = np.ones(len(spelt), np.bool_), np.ones(len(spelt), np.bool_)
    before[1:], after[:-1] = reviewed[:-1], reviewed[1:]
    before[sentences[:-1]] = after[sentences[1:] - 1] = True
    looks_on = np.array([state.following is not None for state in states])[spelt]
    looks_back = np.array([state.previous is not None for state in states])[spelt]
    known: BoolArray = reviewed & (after | ~looks_on) & (before | ~looks_back)
    return known
