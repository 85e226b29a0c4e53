"""The training lexicon against counting in plain Python, and the rules of what counts where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.encoding.gapped import GappedDocument, gapped_document
from lacuna.features.extract import feature_keys
from lacuna.features.lexicon_counts import count_lexicon, sentence_units
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import parse_templates
from lacuna.features.token_table import TokenTable, training_table
from lacuna.features.training_lexicon import (
    LENGTHS,
    LONGEST,
    OFTEN,
    SHARES,
    WIDEST_GAP,
    TrainingLexicon,
)
from lacuna.text.align import align
from lacuna.text.document import Document, Mention, Span
from lacuna.text.word_types import number_types
from lacuna.types import HashArray
from tests.features.reference import Value, assert_same, lower

Values = dict[str, HashArray]
NOBODY = st.sampled_from([None, "g1", "g2", "g3"])


@st.composite
def notes(draw: st.DrawFn, name: str = "d") -> Document:
    """A document of a few words, some of them in mentions, perhaps overlapping or with gaps."""
    words = draw(st.lists(st.sampled_from(["ann", "Ann", "bo", "BO", "x", "y."]), max_size=12))
    text = " ".join(["z", *words])
    starts = [i for i, c in enumerate(text) if i == 0 or text[i - 1] == " "]
    borders = list(zip(starts, [i - 1 for i in starts[1:]] + [len(text)], strict=True))
    place = st.integers(0, len(borders) - 1)
    mentions = []
    for first, more, label in draw(
        st.lists(st.tuples(place, st.integers(0, 9), st.sampled_from("ABC")), max_size=5)
    ):
        last = min(first + more, len(borders) - 1)
        spans = [Span(borders[first][0], borders[last][1])]
        if last - first > 2 and draw(st.booleans()):
            spans = [Span(*borders[first]), Span(*borders[last])]
        mentions.append(Mention(label, tuple(spans)))
    return Document(f"{name}{draw(st.integers(0, 10**9))}", text, tuple(mentions), draw(NOBODY))


corpora = st.lists(notes(), min_size=1, max_size=6, unique_by=lambda document: document.id)


def encoded(documents: Sequence[Document]) -> list[GappedDocument]:
    return [gapped_document(document) for document in documents]


def counted(
    documents: Sequence[Document],
    *,
    least: int = 1,
    key: int = 0,
    old: TrainingLexicon | None = None,
) -> tuple[TrainingLexicon, Values, TokenTable]:
    items = encoded(documents)
    table = training_table(items)
    units = sentence_units(table, documents)
    found = count_lexicon(items, table, units, least=least, key=key, old=old, gaps=True)
    return *found, table


def cut(values: Values, table: TokenTable, d: int) -> Values:
    first, last = table.documents[d : d + 2]
    return {name: array[first:last] for name, array in values.items()}


def tagged(lexicon: TrainingLexicon, table: TokenTable) -> Values:
    """Return the attributes of a document that is not in training."""
    words = lexicon.word_values_of(table.codes, table.start, table.end)
    return {"lex": words, **lexicon.place_values(table, gaps=True)}


def same(one: Values, other: Values) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in ("lex", "phrase", "joined"))


class Counted:
    """Counts of words and phrases by label, of units that are enough, in plain Python."""

    def __init__(self, documents: Sequence[Document], least: int) -> None:
        self.words: dict[str, Counter[str]] = defaultdict(Counter)
        self.phrases: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        units: dict[Any, set[tuple[str, str]]] = defaultdict(set)
        for document, item in zip(documents, encoded(documents), strict=True):
            words = [lower(word) for word in item.tokens.words(document.text)]
            inside = defaultdict(set)
            for mention, ranges in align(document.mentions, item.tokens).aligned:
                for first, last in ranges:
                    if last - first <= LONGEST:
                        self.phrases[tuple(words[first:last])][mention.label] += 1
                        units[tuple(words[first:last])].add(document.unit)
                    for t in range(first, last):
                        inside[t].add(mention.label)
            for t, word in enumerate(words):
                self.words[word].update(inside[t] or {"O"})
                units[word].add(document.unit)
        tables: tuple[dict[Any, Counter[str]], ...] = (self.words, self.phrases)
        for table in tables:
            for entry in [entry for entry in table if len(units[entry]) < least]:
                del table[entry]

    def lex(self, word: str) -> Value:
        counts = self.words.get(word)
        if counts is None:
            return "new"
        label, count = first_of_most(counts)
        total = sum(counts.values())
        return label, sum(count / total >= border for border in SHARES), total > OFTEN

    def phrase_values(self, words: Sequence[str]) -> list[Value]:
        found: list[Value] = []
        while len(found) < len(words):
            t = len(found)
            sizes = [
                n
                for n in range(1, LONGEST + 1)
                if tuple(words[t : t + n]) in self.phrases and t + n <= len(words)
            ]
            if not sizes:
                found.append(None)
                continue
            size = max(sizes)
            label, _ = first_of_most(self.phrases[tuple(words[t : t + size])])
            found += [(n == 0, min(size, LENGTHS), label) for n in range(size)]
        return found

    def joined_values(self, words: Sequence[str]) -> list[Value]:
        """Try all places t ≤ gap begin < gap end < end, the leftmost and shortest first."""
        places: list[set[str]] = [set() for _ in words]
        labels: list[str] = ["" for _ in words]
        for t, a, b, e in combinations(range(len(words) + 1), 4):
            phrase = (*words[t:a], *words[b:e])
            if b - a > WIDEST_GAP or phrase not in self.phrases:
                continue
            for n in range(t, e):
                labels[n] = labels[n] or first_of_most(self.phrases[phrase])[0]
            for n in range(t, a):
                places[n].add("last before" if n == a - 1 else "before")
            for n in range(a, b):
                places[n].add("gap")
            for n in range(b, e):
                places[n].add("first after" if n == b else "after")
        return [
            (frozenset(place), label) if place else None
            for place, label in zip(places, labels, strict=True)
        ]


def first_of_most(counts: Counter[str]) -> tuple[str, int]:
    return min(counts.items(), key=lambda item: (-item[1], item[0] != "O", item[0]))


@given(corpora, st.integers(1, 3))
def test_attributes_in_training_are_counted_without_the_own_unit(
    documents: list[Document], least: int
) -> None:
    _, values, _ = counted(documents, least=least)
    lex: list[Value] = []
    phrase: list[Value] = []
    joined: list[Value] = []
    for document, item in zip(documents, encoded(documents), strict=True):
        known = Counted([other for other in documents if other.unit != document.unit], least)
        words = [lower(word) for word in item.tokens.words(document.text)]
        lex += [known.lex(word) for word in words]
        for first, last in pairwise(item.tokens.sentences.tolist()):
            phrase += known.phrase_values(words[first:last])
            joined += known.joined_values(words[first:last])
    assert_same(lex, values["lex"])
    assert_same(phrase, values["phrase"])
    assert_same(joined, values["joined"])


@given(corpora, st.integers(1, 3), st.sampled_from([0, 77]))
def test_training_sees_what_tagging_with_a_lexicon_of_the_other_units_sees(
    documents: list[Document], least: int, key: int
) -> None:
    _, values, table = counted(documents, least=least, key=key)
    for d, document in enumerate(documents):
        others = [other for other in documents if other.unit != document.unit]
        if others:
            lexicon = counted(others, least=least, key=key)[0]
            own = training_table(encoded([document]))
            assert same(tagged(lexicon, own), cut(values, table, d))


@given(corpora, corpora, st.integers(1, 3))
def test_adapting_leaves_out_only_what_the_own_unit_adds_to_the_old_counts(
    before: list[Document], documents: list[Document], least: int
) -> None:
    old, _, _ = counted(before, least=least)
    lexicon, values, table = counted(documents, least=least, old=old)
    for d, document in enumerate(documents):
        others = [other for other in documents if other.unit != document.unit]
        known = counted(others, least=least, old=old)[0] if others else old
        own = training_table(encoded([document]))
        assert same(tagged(known, own), cut(values, table, d))
    if least == 1:
        both, _, _ = counted([*before, *documents])
        assert as_counts(lexicon) == as_counts(both)


def as_counts(lexicon: TrainingLexicon) -> dict[tuple[str, int, int], int]:
    """Return how often each entry has each label, all of them as hashes."""
    return {
        (name, int(part.types.hashes[i]), int(lexicon.labels[k])): n
        for name, part in (("word", lexicon.words), ("phrase", lexicon.phrases))
        for i, k, n in zip(
            part.entry.tolist(), part.label.tolist(), part.times.tolist(), strict=True
        )
    }


@given(corpora)
def test_only_entries_of_three_units_are_stored_if_three_are_asked_for(
    documents: list[Document],
) -> None:
    rare = counted(documents, least=3)[0]
    known = Counted(documents, 3)
    assert len(rare.words.types) == len(known.words)
    assert len(rare.phrases.types) == len(known.phrases)
    assert as_counts(rare).items() <= as_counts(counted(documents)[0]).items()


@given(corpora)
def test_one_more_document_changes_no_rare_entry_of_a_private_lexicon(
    documents: list[Document],
) -> None:
    """Nor does it change counts of known words: they would tell that the words are in it."""
    old, _, _ = counted(documents, least=3)
    new = counted([Document("new", "z Ann bo x q", (Mention.of("A", (2, 5)),))], least=3, old=old)
    assert as_counts(new[0]) == as_counts(old)


@given(corpora, st.sampled_from([0, 5, (1 << 61) - 1]))
def test_it_survives_its_arrays(documents: list[Document], key: int) -> None:
    lexicon, _, table = counted(documents, key=key)
    again = TrainingLexicon.from_arrays(lexicon.to_arrays())
    assert same(tagged(again, table), tagged(lexicon, table))


@given(corpora)
def test_features_in_training_are_of_a_word_and_what_other_units_say_of_it(
    documents: list[Document],
) -> None:
    lexicon, values, table = counted(documents)
    templates = parse_templates(["lex[0]", "lower[0] lex[0]", "lex[0] phrase[0]"])
    plan = make_plan(templates, resources=Resources(lexicon=lexicon))
    numbered = number_types(table._replace(given=values).types)
    keys = feature_keys(table._replace(given=values), numbered, plan)
    lex, phrase = (values[name].tolist() for name in ("lex", "phrase"))
    of_word = keys.by_word[0][numbered.ids]
    assert_same(lex, of_word[:, 0])
    words = [
        lower(w)
        for d, i in zip(documents, encoded(documents), strict=True)
        for w in i.tokens.words(d.text)
    ]
    assert_same(list(zip(words, lex, strict=True)), of_word[:, 1])
    both = [(a, b) if b else None for a, b in zip(lex, phrase, strict=True)]
    assert_same(both, keys.by_token[:, 0])


def test_documents_that_are_not_counted_are_looked_up_in_all_counts() -> None:
    documents = [Document(f"d{i}", "Ann came", (Mention.of("A", (0, 3)),)) for i in range(3)]
    more = Document("more", "ann left", (Mention.of("B", (0, 3)),))
    items = encoded([*documents, more])
    table = training_table(items)
    units = sentence_units(table, documents)
    assert units.tolist() == [0, 1, 2, -1]
    lexicon, values = count_lexicon(items[:3], table, units, gaps=True)
    assert same(cut(values, table, 3), tagged(lexicon, training_table(items[3:])))
    assert as_counts(lexicon) == as_counts(counted(documents)[0])


def test_another_key_gives_other_hashes() -> None:
    documents = [Document("d", "Ann came", (Mention.of("A", (0, 3)),))]
    one, other = (as_counts(counted(documents, key=key)[0]) for key in (1, 2))
    assert not {hash_ for _, hash_, _ in one} & {hash_ for _, hash_, _ in other}


DAMAGE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a word twice": ("words.hashes", lambda a: np.concatenate((a[:1], a[:1], a[2:]))),
    "no such entry": ("words.entry", lambda a: a + len(a)),
    "an entry below 0": ("phrases.entry", lambda a: a - 1),
    "no such label": ("phrases.label", lambda a: a + 9),
    "a count below 0": ("words.times", lambda a: -a),
    "another kind": ("words.times", lambda a: a.astype(np.int64)),
    "too few": ("words.times", lambda a: a[1:]),
    "a label twice": ("labels", lambda a: np.repeat(a[:1], len(a))),
    "no label": ("labels", lambda a: a[:0]),
    "two keys": ("key", lambda a: np.repeat(a, 2)),
    "a large key": ("key", lambda a: a + np.uint64(1 << 63)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_arrays_are_refused(name: str) -> None:
    lexicon, _, _ = counted([Document("d", "Ann came", (Mention.of("A", (0, 3)),))])
    part, change = DAMAGE[name]
    arrays = lexicon.to_arrays()
    arrays[part] = change(arrays[part])
    with pytest.raises(ValueError, match=r"."):
        TrainingLexicon.from_arrays(arrays)
