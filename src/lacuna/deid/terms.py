r"""Word lists: terms found as whole words, in one pass over the text.

Text and terms are *folded* before they are compared (:mod:`lacuna.deid.folding`): small letters, no
accents, no invisible characters, one space between words. A term may demand more:

* ``Case.CAPITAL``: the first letter must be a capital (*Li*, *LI*, not *li*);
* ``Case.EXACT``: every letter must be as in the list;
* ``common``: a term that is also an everyday word (*Reading*, *Rose*) counts only if it begins with
  a capital in the middle of a sentence, after a title (*Mr.*), before a degree (*, MD*), or next to
  something else that was found: on the same line, with up to three blanks, stops and commas in
  between. In text in capitals a capital does not count.

A match inside a longer one is left out. All other overlapping matches stay, so that no part of a
listed name is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import Folded, fold, fold_copies, fold_words, plain_surface
from lacuna.errors import CorpusFormatError
from lacuna.io.source import Source

__all__ = [
    "Case",
    "Folded",
    "Term",
    "TermFinder",
    "fold",
    "fold_words",
    "read_terms",
    "without_never",
]

COMMON = "common"
FEW = 100  #: terms
_BETWEEN, _REACH = " \t.,\u00a0", 3  # allowed between neighbours, and how many of them
_TITLE = re.compile(
    r"(?si).*(?<![^\W_])(?:mr|mrs|ms|miss|dr|drs|doctor|prof|sra?|herr|frau|mme|mevr)\.?[ \t]{1,2}"
)
_DEGREE = re.compile(r"(?i),?[ \t]{1,2}(?:m\.?d|d\.?o|ph\.?d|r\.?n|n\.?p|p\.?a(?:-c)?|d\.?d\.?s)\b")
_MID_SENTENCE = re.compile(r"(?s).*[^\s.!?:;•*|>-][\"'“‘(]?[ \t]{1,2}[\"'“‘(]?")
_LOOK_BACK = 12  # characters before a common word that are read


class Case(StrEnum):
    """The case a term must have in the text."""

    ANY = "any"
    CAPITAL = "capital"
    EXACT = "exact"


class Term(NamedTuple):
    """Something to find; `common`: it is also an everyday word."""

    text: str
    label: str
    case: Case = Case.ANY
    common: bool = False


class _Match(NamedTuple):
    start: int
    end: int
    term: Term


@dataclass(frozen=True, slots=True)
class TermFinder:
    """Finds terms in texts; make it with :meth:`of`. It has no state and may be shared.

    Attributes
    ----------
    terms
        ``terms[i]`` are the terms of pattern i of the automaton.
    automaton
        Finds folded terms, each with a space at both ends.
    origin
        The origin of all findings.
    """

    terms: tuple[tuple[Term, ...], ...]
    automaton: AhoCorasick
    origin: Origin

    @classmethod
    def of(cls, terms: Iterable[Term], origin: Origin, *, are_folded: bool = False) -> TermFinder:
        """Prepare terms; those without a letter or digit are never found."""
        by_pattern: dict[str, list[Term]] = {}
        for term in terms:
            pattern = f" {term.text} " if are_folded else fold(term.text).text
            if pattern.strip():
                by_pattern.setdefault(pattern, []).append(term)
        # of few terms an automaton is made for a document or two: making it must be cheap, too
        kind = Implementation.NoncontiguousNFA if len(by_pattern) < FEW else None
        automaton = AhoCorasick(by_pattern, implementation=kind)
        return cls(tuple(map(tuple, by_pattern.values())), automaton, origin)

    def find(self, text: str, beside: Sequence[Finding] = ()) -> list[Finding]:
        """Return findings, sorted; common words count next to these and next to `beside`."""
        return self.look(text, beside)[0]

    def look(self, text: str, beside: Sequence[Finding] = ()) -> tuple[list[Finding], list[str]]:
        """Return what :meth:`find` returns, and the common words that do not count, folded."""
        if not self.terms:
            return [], []
        matches = list(self._matches(text))
        sure = {match for match in matches if not match.term.common or _is_clear(text, match)}
        if len(sure) < len(matches):
            sure = _with_neighbours(text, matches, sure, beside)
        findings = {Finding(m.start, m.end, m.term.label, self.origin) for m in sure}
        taken = {(finding.start, finding.end) for finding in findings}
        others = {m[:2]: m.term.text for m in matches if m[:2] not in taken}
        return _outermost(sorted(findings)), [*others.values()]

    def _matches(self, text: str) -> Iterator[_Match]:
        for folded, place in fold_copies(text):
            for pattern, start, end in self.automaton.find_matches_as_indexes(folded, True):
                first, last = int(place[start + 1]), int(place[end - 2]) + 1
                for term in self.terms[pattern]:
                    if _has_case(text[first:last], term):
                        yield _Match(first, last, term)


def without_never(findings: Iterable[Finding], never: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are not inside a *never* term.

    A *never* term protects what is completely inside it from models, lists and patterns. Values
    known for a patient and *always* terms take precedence over it.
    """
    strong = (Origin.ALWAYS, Origin.KNOWN)
    return [
        finding
        for finding in findings
        if finding.origin in strong
        or not any(n.start <= finding.start and finding.end <= n.end for n in never)
    ]


def read_terms(path: Path, label: str, *, case: Case = Case.ANY) -> list[Term]:
    """Read a list: one term per line, with ``<TAB>common`` after terms that are everyday words."""
    terms = []
    for number, line in Source(path, path.name).records():
        text, _, mark = line.strip().partition("\t")
        if mark not in ("", COMMON):
            reason = f"expected a term, or a term and the word {COMMON!r} with a tab between them"
            raise CorpusFormatError(path, reason, line=number)
        if text:
            terms.append(Term(text, label, case, common=bool(mark)))
    return terms


def _has_case(written: str, term: Term) -> bool:
    if term.case is Case.EXACT:
        return plain_surface(written) == plain_surface(term.text)
    return term.case is Case.ANY or not written[0].islower()


def _is_clear(text: str, match: _Match) -> bool:
    """Whether a common word is written like a name: capital in a sentence, or after a title."""
    written = text[match.start : match.end]
    before = plain_surface(text[max(0, match.start - _LOOK_BACK) : match.start])
    if _TITLE.fullmatch(before):
        return True
    if not written[0].isupper():
        return False
    if _DEGREE.match(text, match.end):
        return True
    is_shouted = written.isupper() and len(written) > 1 and not any(c.islower() for c in before)
    return not is_shouted and _MID_SENTENCE.fullmatch(before) is not None


def _with_neighbours(
    text: str, matches: Sequence[_Match], sure: set[_Match], beside: Sequence[Finding]
) -> set[_Match]:
    """Add the common words next to something found, one after another."""
    sure = set(sure)
    starts = {m.start for m in sure} | {f.start for f in beside}
    ends = {m.end for m in sure} | {f.end for f in beside}
    for match in sorted(matches, key=lambda m: m.start):
        if match not in sure and not ends.isdisjoint(_places_before(text, match.start)):
            sure.add(match)
            ends.add(match.end)
            starts.add(match.start)
    for match in sorted(matches, key=lambda m: -m.end):
        if match not in sure and not starts.isdisjoint(_places_after(text, match.end)):
            sure.add(match)
            starts.add(match.start)
    return sure


def _places_before(text: str, start: int) -> range:
    """Return where a neighbour of a word that begins at `start` may end."""
    first = start
    while first > 0 and start - first < _REACH and text[first - 1] in _BETWEEN:
        if text[first - 1] == "." and text[first - 2 : first - 1].islower():
            break  # the end of a sentence, not of an initial
        first -= 1
    return range(first, start + 1)


def _places_after(text: str, end: int) -> range:
    """Return where a neighbour of a word that ends at `end` may begin."""
    last = end
    while last < len(text) and last - end < _REACH and text[last] in _BETWEEN:
        if text[last] == "." and text[last - 1].islower():
            break
        last += 1
    return range(end, last + 1)


def _outermost(findings: Sequence[Finding]) -> list[Finding]:
    """Leave out findings inside another one of the same list; they are sorted by start."""
    kept: list[Finding] = []
    for finding in findings:
        while kept and kept[-1].start == finding.start and kept[-1].end < finding.end:
            kept.pop()
        if not kept or finding.end > kept[-1].end or finding[:2] == kept[-1][:2]:
            kept.append(finding)
    return kept
