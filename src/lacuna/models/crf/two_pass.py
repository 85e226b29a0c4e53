"""Two passes of a CRF: the second uses what the first found elsewhere in the document.

Names are repeated. The context of one occurrence may be clear and that of another not, so the
second pass looks at three token columns about the other occurrences of a word:

* ``vote``    the label that most other occurrences got, ``O`` if most got none;
* ``longer``  the label of a longer mention elsewhere that contains the word;
* ``cased``   the word is capitalised here and occurs in lower case elsewhere.

Only words that begin with a capital or contain a digit have these columns: others are not names.
(After Ratinov and Roth 2009, section 4, without outside data.)

In training, the first pass over each document comes from a model that has not seen it (folds by
group; `training.py`); otherwise the second pass would learn that the first is always right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lacuna.errors import ModelFileError
from lacuna.features.templates import Template, parse_templates
from lacuna.models.base import Card, TagsAnything
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.storage import restore_crf
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.text.align import align
from lacuna.text.document import Document, Mention, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.types import FloatArray

#: Additional templates of the second pass.
EVIDENCE_TEMPLATES = """\
column.vote[-1..1]
column.longer[-1..1]
column.cased[-1..1]
column.vote[0] column.longer[0]
column.vote[0] column.cased[0]
column.vote[-1] column.vote[0]
column.vote[0] column.vote[1]
column.vote[0] short[0]
"""
PASSES = ("first", "second")
COLUMNS = ("vote", "longer", "cased")
NOTHING = ""


def evidence_templates() -> tuple[Template, ...]:
    """Return the additional templates of the second pass."""
    return parse_templates(EVIDENCE_TEMPLATES.splitlines(), source="evidence")


@dataclass(frozen=True, slots=True, eq=False)
class TwoPassModel(TagsAnything):
    """A CRF over text, and a CRF over text and what the first CRF found."""

    kind: ClassVar[str] = "two-pass"

    first: CrfModel
    second: CrfModel

    @property
    def config(self) -> Crf:
        """The settings it was trained with."""
        return self.second.config

    @property
    def card(self) -> Card:
        """The model card."""
        return self.second.card

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return self.second.labels

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = self.second.find(self.with_evidence(documents), probabilities=probabilities)
        return [
            replace(document, mentions=tagged.mentions)
            for document, tagged in zip(documents, found, strict=True)
        ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention."""
        return self.second.identifier_probabilities(self.with_evidence(documents))

    def with_evidence(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents as the second pass sees them: tokens with three more columns."""
        return [
            replace(d, tokens=with_evidence(d, tokens_of(d), found.mentions))
            for d, found in zip(documents, self.first.find(documents), strict=True)
        ]

    @property
    def is_private(self) -> bool:
        """Whether it was trained to hold no word of its training text."""
        return self.second.is_private

    @property
    def parameters(self) -> int:
        """Number of weights of both passes."""
        return self.first.parameters + self.second.parameters

    def with_card(self, card: Card) -> TwoPassModel:
        """Return the model with another card; its scores are for both passes together."""
        of_first = replace(card, iterations=self.first.card.iterations, scores=())
        return TwoPassModel(self.first.with_card(of_first), self.second.with_card(card))

    def core(self) -> CrfModel:
        """Return the second pass, which finds the mentions."""
        return self.second

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
        return (*self.first.held_words(), *self.second.held_words())

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: both passes."""
        passes = {f"{name} pass": getattr(self, name).facts(inspection) for name in PASSES}
        first, second = (facts.titled(name) for name, facts in passes.items())
        values = {
            "private": all(facts.values["private"] for facts in passes.values()),
            "strongest": {name: facts.values["strongest"] for name, facts in passes.items()},
        }
        return Facts((*first.tables, *second.tables), values)

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        parts = dict(zip(PASSES, (self.first.store(), self.second.store()), strict=True))
        return StoredModel(
            self.kind,
            {name: dict(part.header) for name, part in parts.items()},
            {
                f"{name}.{array}": values
                for name, part in parts.items()
                for array, values in part.arrays.items()
            },
        )


def restore_two_pass(stored: StoredModel) -> TwoPassModel:
    """Rebuild a two-pass model from a file."""
    return TwoPassModel(*(restore_crf(_part(stored, name)) for name in PASSES))


def _part(stored: StoredModel, name: str) -> StoredModel:
    header: Any = stored.header.get(name)
    if not isinstance(header, dict):
        raise ModelFileError(stored.source, f"its header has no {name} pass")
    prefix = f"{name}."
    arrays = {
        key.removeprefix(prefix): values
        for key, values in stored.arrays.items()
        if key.startswith(prefix)
    }
    return StoredModel(CrfModel.kind, header, arrays, stored.source)


def with_evidence(document: Document, tokens: Tokens, found: tuple[Mention, ...]) -> Tokens:
    """Return the tokens with the three columns, computed from the mentions of a first pass."""
    words = tokens.words(document.text)
    labels = ["O"] * len(words)
    longer: dict[str, Counter[str]] = defaultdict(Counter)
    inside: dict[int, str] = {}  # token -> label of the longer mention that contains it
    for mention, ranges in align(found, tokens).aligned:
        for first, last in ranges:
            for t in range(first, last):
                labels[t] = mention.label
                if last - first > 1 and may_be_name(words[t]):
                    longer[words[t]][mention.label] += 1
                    inside[t] = mention.label
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(words, labels, strict=True):
        if may_be_name(word):
            votes[word][label] += 1
    present = set(words)
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for t, word in enumerate(words):
        ask = may_be_name(word)
        columns["vote"].append(_majority(votes[word], labels[t]) if ask else NOTHING)
        columns["longer"].append(_majority(longer[word], inside.get(t)) if ask else NOTHING)
        columns["cased"].append("yes" if ask and word.lower() in present else NOTHING)
    added = {name: tuple(values) for name, values in columns.items()}
    return replace(tokens, columns={**tokens.columns, **added})


def may_be_name(word: str) -> bool:
    """Whether a word may be part of a name: it begins with a capital or contains a digit."""
    return word[0].isupper() or any(character.isdigit() for character in word)


def _majority(counts: Counter[str], own: str | None) -> str:
    """Return the most frequent label of the other occurrences; ties go by alphabet."""
    others = counts - Counter([own]) if own is not None else counts
    if not others:
        return NOTHING
    return min(others, key=lambda label: (-others[label], label))
