"""PPM: every cell of the paper's tables, and a slow reference model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.models.ppm_hmm.ppm import EDGE, Ppm

#: Table 1 of the paper, after ``tobeornottobe``: p of each symbol, then of escape.
TABLE_1 = {
    "be": "o 1/2 escape 1/2",
    "eo": "r 1/2 escape 1/2",
    "no": "t 1/2 escape 1/2",
    "ob": "e 3/4 escape 1/4",
    "or": "n 1/2 escape 1/2",
    "ot": "t 1/2 escape 1/2",
    "rn": "o 1/2 escape 1/2",
    "to": "b 3/4 escape 1/4",
    "tt": "o 1/2 escape 1/2",
    "b": "e 3/4 escape 1/4",
    "e": "o 1/2 escape 1/2",
    "n": "o 1/2 escape 1/2",
    "o": "b 3/8 r 1/8 t 1/8 escape 3/8",
    "r": "n 1/2 escape 1/2",
    "t": "o 1/2 t 1/6 escape 1/3",
    "": "b 3/26 e 3/26 n 1/26 o 7/26 r 1/26 t 5/26 escape 3/13",
}

words = st.text(alphabet="abc", max_size=5)
texts = st.lists(words, min_size=1, max_size=6)
orders = st.integers(0, 4)


def paper(text: str) -> Ppm:
    return Ppm.train([text], order=2, alphabet=256, edges=False)


def spelt(word: str) -> list[str]:
    return [EDGE, *word, EDGE]


class SlowPpm:
    """The definition, with a dictionary of counters."""

    def __init__(self, training: Sequence[str], order: int, alphabet: int, exclusion: bool) -> None:
        self.order, self.alphabet, self.exclusion = order, alphabet, exclusion
        self.counts: dict[tuple[str, ...], Counter[str]] = {}
        for word in map(spelt, training):
            for i in range(1, len(word)):
                for k in range(min(order, i) + 1):
                    context = tuple(word[i - k : i])
                    self.counts.setdefault(context, Counter())[word[i]] += 1

    def probability(self, context: Sequence[str], symbol: str) -> Fraction:
        return self._after(tuple(context[max(len(context) - self.order, 0) :]), symbol, frozenset())

    def _after(self, context: tuple[str, ...], symbol: str, out: frozenset[str]) -> Fraction:
        seen = self.counts.get(context, Counter())
        counts = {a: c for a, c in seen.items() if a not in out}
        now_out = out | seen.keys() if self.exclusion else out
        n, t = sum(counts.values()), len(counts)
        if symbol in counts:
            return Fraction(2 * counts[symbol] - 1, 2 * n)
        shorter = (
            self._after(context[1:], symbol, now_out)
            if context
            else Fraction(1, self.alphabet - len(now_out))
        )
        return (Fraction(t, 2 * n) if counts else 1) * shorter


@pytest.mark.parametrize("context", TABLE_1)
def test_every_cell_of_the_papers_first_table(context: str) -> None:
    cells = TABLE_1[context].split()
    expected = dict(zip(cells[::2], map(Fraction, cells[1::2]), strict=True))
    assert paper("tobeornottobe").table(context) == expected


@pytest.mark.parametrize(
    ("text", "symbol", "expected"),
    [
        ("tobeornottobe", "o", Fraction(1, 2)),
        ("tobeornottobe", "t", Fraction(1, 2) * Fraction(1, 2) * Fraction(5, 26)),
        ("tobeornottobe", "x", Fraction(1, 4) * Fraction(3, 13) * Fraction(1, 256)),
        ("nottobeorto", "t", Fraction(1, 2) * Fraction(1, 6)),
        ("nottobeorto", "o", Fraction(1, 2) * Fraction(1, 2) * Fraction(7, 22)),
    ],
)
def test_escapes_of_the_paper(text: str, symbol: str, expected: Fraction) -> None:
    assert paper(text).fraction(text, symbol) == expected


@given(texts, orders, st.lists(st.sampled_from([*"abc", EDGE]), max_size=4))
def test_a_context_shares_out_exactly_one(
    training: list[str], order: int, context: list[str]
) -> None:
    table = Ppm.train(training, order=order).table(context[:order])
    assert sum(table.values()) == (1 if table else 0)


@given(texts, orders, words, st.booleans())
def test_probabilities_of_all_symbols_sum_to_one_only_with_exclusion(
    training: list[str], order: int, before: str, exclusion: bool
) -> None:
    ppm = Ppm.train(training, order=order, exclusion=exclusion)
    symbols = [*map(chr, ppm.codes), EDGE, "x"]  # x stands for the one that is any other
    total = sum(ppm.fraction([EDGE, *before], symbol) for symbol in symbols)
    assert total == 1 if exclusion else total < 1


@given(texts, orders, words)
def test_with_all_of_the_alphabet_seen_nothing_is_left_for_an_escape(
    training: list[str], order: int, before: str
) -> None:
    size = len(set("".join(training))) + 1
    ppm = Ppm.train(training, order=order, exclusion=True, alphabet=size)
    symbols = [*map(chr, ppm.codes), EDGE]
    assert sum(ppm.fraction([EDGE, *before], symbol) for symbol in symbols) == 1
    word = before.translate({ord(c): None for c in "abc" if c not in symbols})
    assert ppm.score([word])[0, 0] == pytest.approx(log_of(ppm, word), rel=1e-5)


def log_of(ppm: Ppm, word: str, of_class: int = 0) -> float:
    symbols = spelt(word)
    steps = range(1, len(symbols))
    return log(prod(ppm.fraction(symbols[:i], symbols[i], of_class=of_class) for i in steps))


@given(texts, orders, st.text(alphabet="abcx", max_size=6), st.booleans())
def test_fractions_agree_with_the_definition(
    training: list[str], order: int, word: str, exclusion: bool
) -> None:
    ppm = Ppm.train(training, order=order, exclusion=exclusion)
    slow = SlowPpm(training, order, ppm.alphabet, exclusion)
    symbols = spelt(word)
    for i in range(1, len(symbols)):
        found = ppm.fraction(symbols[:i], symbols[i])
        assert found == slow.probability(symbols[:i], symbols[i])


@given(
    st.lists(st.tuples(words, st.integers(0, 2)), min_size=1, max_size=8),
    orders,
    st.lists(st.text(alphabet="abcx", max_size=8), max_size=4),
    st.booleans(),
)
def test_scores_are_the_logarithms_in_every_class(
    training: list[tuple[str, int]], order: int, unseen: list[str], exclusion: bool
) -> None:
    known, classes = zip(*training, strict=True)
    ppm = Ppm.train(known, classes=classes, size=4, order=order, exclusion=exclusion)
    scores = ppm.score([*known, *unseen])
    for row, word in zip(scores, [*known, *unseen], strict=True):
        assert row == pytest.approx([log_of(ppm, word, j) for j in range(4)], rel=1e-5)


@given(st.lists(st.tuples(words, st.integers(0, 1)), min_size=1, max_size=8), orders)
def test_a_class_is_a_model_of_its_own(training: list[tuple[str, int]], order: int) -> None:
    known, classes = zip(*training, strict=True)
    both = Ppm.train(known, classes=classes, size=2, order=order, alphabet=9)
    own = [word for word, of_class in training if of_class == 0]
    alone = Ppm.train(own, order=order, alphabet=9)
    np.testing.assert_allclose(both.score(known)[:, 0], alone.score(known)[:, 0], rtol=1e-6)


@given(texts, st.data())
def test_a_weight_is_so_many_times_the_word(training: list[str], data: st.DataObject) -> None:
    weights = [data.draw(st.integers(1, 3)) for _ in training]
    repeated = [w for w, times in zip(training, weights, strict=True) for _ in range(times)]
    counted = Ppm.train(training, weights=weights)
    for left, right in zip(counted.tree, Ppm.train(repeated).tree, strict=True):
        np.testing.assert_array_equal(left, right)


def test_a_very_long_and_unlikely_word_has_a_finite_score() -> None:
    ppm = Ppm.train(["ab"] * 3, order=12)
    (score,) = ppm.score(["x" * 10_000])[0]
    # one escape from the edge's context, then p = 3/18 · 1/4 for every x; in the end the edge
    each = log(Fraction(3, 18) / 4)
    assert score == pytest.approx(log(Fraction(1, 6)) + 10_000 * each + log(Fraction(5, 18)))


def test_without_words_every_symbol_is_as_likely() -> None:
    assert Ppm.train([], alphabet=10).score(["ab"])[0, 0] == pytest.approx(3 * log(1 / 10))


@given(texts, orders, st.booleans())
def test_arrays_bring_the_model_back(training: list[str], order: int, exclusion: bool) -> None:
    ppm = Ppm.train(training, order=order, exclusion=exclusion)
    again = Ppm.from_arrays(
        ppm.to_arrays(), order=order, size=1, alphabet=ppm.alphabet, exclusion=exclusion
    )
    np.testing.assert_array_equal(again.score(training), ppm.score(training))


@pytest.mark.parametrize(
    "name", ["codes", "symbols", "first_child", "borders", "classes", "counts"]
)
@pytest.mark.parametrize("damage", ["missing", "negative", "huge", "short", "wide"])
def test_damaged_arrays_are_refused(name: str, damage: str) -> None:
    arrays = Ppm.train(["abcab", "cab", "bb"], classes=[0, 1, 0], size=2).to_arrays()
    part = arrays[name].copy()
    if damage == "missing":
        del arrays[name]
    elif damage == "short":
        arrays[name] = part[:-1]
    elif damage == "wide":
        arrays[name] = part.astype(np.int64)
    elif name == "codes":
        arrays[name] = part[::-1]
    elif name == "counts" and damage == "huge":
        return  # any count above 0 is possible
    else:
        part[-1] = -5 if damage == "negative" else 10**6
        arrays[name] = part
    with pytest.raises(ValueError, match=r".+"):
        Ppm.from_arrays(arrays, order=4, size=2, alphabet=9, exclusion=False)


def test_an_order_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        Ppm.train(["ab"], order=13)
    with pytest.raises(ValueError, match="alphabet"):
        Ppm.train(["ab"], alphabet=2)
