"""The second look: what was found once is looked for again in all documents of the patient.

A tagger judges every mention by its context, so it may find *Alan Whitcomb* in one note and miss
*spoke w dr whitcomb* in the next. After detection, every part of a name, every number and every
address that was found with confidence is looked for in all documents of the patient (in the
document, if there are no patients), in any case and with or without accents. Everyday words are
protected: after *Dr. Cook* was found, *Cook, MD* goes and *cook* stays; see
:mod:`lacuna.deid.name_terms`. Names in names of diseases (*Foley catheter*) stay, too.

What counts as confident depends on the threshold t of the tagger::

    found at t = {findings with P ≥ c(t)} ∪ what patterns found,   c(t) = the least step ≥ t

with the :data:`STEPS` 0.5, 0.8 and 0.95; above them c(t) = t. So a lower threshold can only find
more.

Most documents have nothing left to find. To see that costs little: the words of what was found are
hashed, the words that stay are compared with the hashes, and terms are made only of what may be
there. The result does not depend on the order of documents, because terms are a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from lacuna.deid.actions import LENIENT, Keep
from lacuna.deid.detector import Detected, Recognizers, borders_of
from lacuna.deid.eponyms import DISEASE, is_disease
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import fold_words, hidden_spaces, word_table, word_tables
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.name_terms import (
    PARTICLES,
    TITLES,
    everyday_words,
    name_terms,
    number_terms,
    phrase_terms,
)
from lacuna.deid.policy import Policy
from lacuna.deid.terms import Term, TermFinder
from lacuna.deid.word_hashes import (
    KEPT,
    NUMBER,
    PHRASE,
    WHOLE,
    WORDS,
    hash_words,
    look_through,
    span_hashes,
    words_left,
)
from lacuna.text.characters import code_points
from lacuna.types import CodeArray, HashArray, LongArray

STEPS = (0.5, 0.8, 0.95)  #: probabilities from which a finding of the tagger is confident
_PATTERN, _MODEL = Origin.PATTERN, Origin.MODEL
_WAYS = {
    IdentifierKind.PERSON: WORDS,
    IdentifierKind.USERNAME: WORDS,
    IdentifierKind.PHONE: NUMBER,
    IdentifierKind.SSN: NUMBER,
    IdentifierKind.ID: NUMBER,
    IdentifierKind.ZIP: NUMBER,
    IdentifierKind.IP: NUMBER,
    IdentifierKind.EMAIL: WHOLE,
    IdentifierKind.URL: WHOLE,
    IdentifierKind.STREET: PHRASE,
    IdentifierKind.CITY: PHRASE,
    IdentifierKind.PLACE: PHRASE,
    IdentifierKind.ORGANISATION: PHRASE,
}
_TERMS: dict[int, Callable[[str, str], Iterable[Term]]] = {
    WORDS: name_terms,
    NUMBER: number_terms,
    PHRASE: phrase_terms,
    WHOLE: number_terms,
}
RECENT, LONGEST_CACHED = 1 << 13, 60  #: surfaces whose terms are cached, and their characters
TOGETHER = 1 << 20  #: characters looked through in one call


_NO_HASHES: HashArray = np.empty(0, np.uint64)


def confident(threshold: float) -> float:
    """Return the probability from which findings of the tagger are looked for again."""
    return min((step for step in STEPS if step >= threshold), default=threshold)


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Looks again in the documents of a patient.

    Attributes
    ----------
    policy
        Knows the kinds of labels. Labels that it keeps are not looked for, and what is found under
        them is looked through: a name of the patient is not kept as that of a doctor.
    recognizers
        Its *never* terms stay in the text.
    threshold
        Of the tagger.
    """

    policy: Policy
    recognizers: Recognizers = field(default_factory=Recognizers)
    threshold: float = STEPS[0]
    _ways: _Ways = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ways", _Ways(self.policy))

    def look(
        self, found: Sequence[Detected], others: frozenset[Term] = frozenset()
    ) -> list[Detected]:
        """Return the documents of a patient with what is found again.

        Parameters
        ----------
        found
            Documents of one patient, or one document.
        others
            What :meth:`terms` of other documents of the patient returned.
        """
        return next(self.look_all([found], [others]))

    def look_all(
        self, units: Sequence[Sequence[Detected]], others: Sequence[frozenset[Term]]
    ) -> Iterator[list[Detected]]:
        """Yield the documents of each of several patients with what is found again."""
        quick = [unit for unit, terms in zip(units, others, strict=True) if not terms]
        seen = chain.from_iterable(map(self._look_through, _batches(quick)))
        for unit, terms in zip(units, others, strict=True):
            is_left, stay = (True, _NO_HASHES) if terms else next(seen)
            if is_left or (stay.size and len(unit) > 1):
                yield self._look(unit, terms)
            elif stay.size:
                yield [unit[0]._replace(protected=_in_words(stay))]
            else:
                yield [*unit]

    def _look(self, found: Sequence[Detected], others: frozenset[Term]) -> list[Detected]:
        texts = [self._words(one) for one in found]
        sources = [words.hashes() for words in texts]
        wanted = _wanted(sources, others)
        first_groups = np.sort(np.concatenate([groups for _, _, groups in sources]))
        left, stays = zip(*(words.left(wanted, first_groups) for words in texts), strict=True)
        found = [
            one._replace(protected=_in_words(words)) if words.size else one
            for one, words in zip(found, stays, strict=True)
        ]
        if not any(hits.size for hits in left):
            return found
        hits = {
            value
            for again, words in zip(left, stays, strict=True)
            if again.size
            for value in (*again.tolist(), *words.tolist())
        }
        terms = set(others)
        for one, (hashes, owners, _) in zip(found, sources, strict=True):
            pairs = zip(hashes.tolist(), owners.tolist(), strict=True)
            again = dict.fromkeys(owner for value, owner in pairs if value in hits)
            terms.update(self._terms(one, [one.findings[owner] for owner in again]))
        finder = TermFinder.of(sorted(terms), Origin.AGAIN, are_folded=True)
        return [
            self._looked(one, finder) if hits.size else one
            for one, hits in zip(found, left, strict=True)
        ]

    def terms(self, found: Sequence[Detected]) -> frozenset[Term]:
        """Return what is to be looked for in other documents of the patient."""
        return frozenset(term for one in found for term in self._terms(one, one.findings))

    def _terms(self, found: Detected, findings: Sequence[Finding]) -> Iterator[Term]:
        text = found.document.text
        for finding, way in zip(findings, self._ways_of(findings), strict=True):
            if way > 0:
                yield from _terms_of(way, text[finding.start : finding.end], finding.label)

    def _ways_of(self, findings: Sequence[Finding]) -> list[int]:
        """Return how findings are looked for again; 0 for those that are not."""
        least, ways = confident(self.threshold), self._ways
        return [
            ways[label]
            if origin is _PATTERN or (origin is _MODEL and sure >= least)
            else min(ways[label], 0)
            for _, _, label, origin, sure in findings
        ]

    def _look_through(
        self, units: Sequence[Sequence[Detected]]
    ) -> Iterator[tuple[bool, HashArray]]:
        """Yield for each patient whether more may be left, and the protected words."""
        found = [one for unit in units for one in unit]
        text = "\n".join([one.document.text for one in found])
        # where each document begins, and after the last of a patient the next one
        begin = np.cumsum([0, *(len(one.document.text) + 1 for one in found)])
        start, end, number = borders_of([one.findings for one in found])
        move = np.repeat(begin[:-1], np.diff(number, prepend=0))
        way = np.array(self._ways_of([f for one in found for f in one.findings]), np.int64)
        last = np.cumsum([len(unit) for unit in units])
        is_left, protected, until = look_through(
            code_points(text),
            word_table(),
            hidden_spaces(),
            np.minimum(begin[last], len(text)),
            start + move,
            end + move,
            way,
            number[last - 1],
            _everyday_hashes()[0],
        )
        first = 0
        for is_more, last_word in zip(is_left.tolist(), until.tolist(), strict=True):
            yield is_more, protected[first:last_word]
            first = last_word

    def _words(self, found: Detected) -> _Words:
        text = found.document.text
        codes = code_points(text)
        tables = word_tables(text, codes)
        words = [(table, hash_words(codes, table)) for table in tables]
        return _Words(codes, words, self._spans(found))

    def _spans(self, found: Detected) -> tuple[LongArray, LongArray, LongArray]:
        """Return starts and ends of the findings, and how they are looked for."""
        start, end, _ = borders_of([found.findings])
        return start, end, np.array(self._ways_of(found.findings), np.int64)

    def _outside_dates(self, found: Detected, matches: list[Finding]) -> list[Finding]:
        """Leave out everyday words inside dates and ages: *May* Chen was seen on *May* 4."""
        text = found.document.text
        dates = [f for f in found.findings if self._ways[f.label] == KEPT]
        return [
            match
            for match in matches
            if not any(
                one.start < match.end
                and match.start < one.end
                and not isinstance(self.policy.action(one.label), Keep)
                for one in dates
            )
            or not _is_everyday(text[match.start : match.end])
        ]

    def _looked(self, found: Detected, finder: TermFinder) -> Detected:
        text = found.document.text
        beside = [finding for finding in found.findings if self._ways[finding.label] != KEPT]
        matches, common = finder.look(text, beside)
        matches = [
            match
            for match in matches
            if not any(one.start <= match.start and match.end <= one.end for one in beside)
        ]
        matches = self._outside_dates(found, matches)
        again = self.recognizers.drop(found.document, matches)
        diseases = [is_disease(text, match) for match in again]
        stay = [word for term in common for word in term.split() if word in everyday_words()]
        stay += [DISEASE] * sum(diseases)
        again = [match for match, no in zip(again, diseases, strict=True) if not no]
        return found.with_more(again)._replace(protected=stay)


def _batches(units: Iterable[Sequence[Detected]]) -> Iterator[list[Sequence[Detected]]]:
    """Yield patients in batches of about ``TOGETHER`` characters."""
    batch: list[Sequence[Detected]] = []
    size = 0
    for unit in units:
        batch.append(unit)
        size += sum([len(one.document.text) for one in unit])
        if size >= TOGETHER:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _is_everyday(surface: str) -> bool:
    return all(word in everyday_words() for word in fold_words(surface))


@lru_cache(RECENT)
def _cached_terms(way: int, surface: str, label: str) -> tuple[Term, ...]:
    return tuple(_TERMS[way](surface, label))


def _terms_of(way: int, surface: str, label: str) -> tuple[Term, ...]:
    if len(surface) > LONGEST_CACHED:
        return tuple(_TERMS[way](surface, label))
    return _cached_terms(way, surface, label)


class _Ways(dict[str, int]):
    """Label → how its findings are looked for again, 0 if not at all; ``KEPT``: they may stay."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __missing__(self, label: str) -> int:
        action = self._policy.action(label)
        way = _WAYS.get(self._policy.kind(label), 0)
        if isinstance(action, Keep) or (not way and isinstance(action, LENIENT)):
            way = KEPT
        self[label] = way
        return way


#: Hashes of what is looked for, the numbers of the findings, hashes of beginnings of numbers.
_Hashes = tuple[HashArray, LongArray, HashArray]


class _Words(NamedTuple):
    """The words of a document, its findings, and how each is looked for.

    codes
        The code points of the text.
    copies
        Tables for folding, and the words that each gives; see :func:`hash_words`.
    findings
        Start and end, and how they are looked for.
    """

    codes: CodeArray
    copies: list[tuple[CodeArray, tuple[HashArray, LongArray, LongArray, LongArray]]]
    findings: tuple[LongArray, LongArray, LongArray]

    def hashes(self) -> _Hashes:
        """Return what is looked for, the findings it is of, and beginnings of numbers."""
        everyday = _everyday_hashes()[0]
        hashes: _Hashes = _joined(
            [
                span_hashes(self.codes, table, words[0], *words[2:], *self.findings, everyday)
                for table, words in self.copies
            ]
        )
        return hashes

    def left(self, wanted: HashArray, first_groups: HashArray) -> tuple[HashArray, HashArray]:
        """Return those of the wanted words that stay, and those that are protected."""
        if not wanted.size:
            return wanted, wanted
        everyday = _everyday_hashes()[0]
        hits: tuple[HashArray, HashArray] = _joined(
            [
                words_left(
                    self.codes, table, *words, *self.findings, wanted, first_groups, everyday
                )
                for table, words in self.copies
            ]
        )
        return hits


def _joined(copies: Sequence[tuple[Any, ...]]) -> Any:
    """Return the arrays of all copies of a text; nearly always there is one."""
    return copies[0] if len(copies) == 1 else tuple(map(np.concatenate, zip(*copies, strict=True)))


@cache
def _everyday_hashes() -> tuple[HashArray, Mapping[int, str]]:
    """Return the hashes of everyday words, sorted, and the word of each."""
    words = sorted(everyday_words())
    hashes = _hashes_of("\n".join(words))
    return np.sort(hashes), dict(zip(hashes.tolist(), words, strict=True))


def _hashes_of(text: str) -> HashArray:
    codes = code_points(text)
    return hash_words(codes, word_tables(text, codes)[0])[0]


def _in_words(hashes: HashArray) -> list[str]:
    words = [_everyday_hashes()[1][value] for value in hashes.tolist()]
    return [word for word in words if word not in TITLES and word not in PARTICLES]


def _wanted(sources: Iterable[_Hashes], others: frozenset[Term]) -> HashArray:
    """Return the hashes of all words that are looked for, sorted."""
    hashes = [of_one for of_one, _, _ in sources]
    if others:
        texts = [term.text for term in others]
        texts += [text.replace(" ", "") for text in texts]
        hashes.append(_hashes_of("\n".join(texts)))
    return np.sort(hashes[0] if len(hashes) == 1 else np.concatenate(hashes))
