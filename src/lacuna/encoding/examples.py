"""What models learn from: documents whose tokens have been made to fit their mentions."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, Protocol

from lacuna.encoding.chain import tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.text.document import Document, Tokens
from lacuna.text.sequences import SequenceKind


class TrainingDocument(Protocol):
    """A document, its tokens, and how many of its mentions are learnt or left out."""

    @property
    def document(self) -> Document:
        """As it was read."""

    @property
    def tokens(self) -> Tokens:
        """Cut so that mentions fit."""

    @property
    def left_out(self) -> Counter[str]:
        """Mentions that are not learnt, by reason."""

    def labels(self) -> Counter[str]:
        """Count the mentions that are learnt by label."""


class Example(NamedTuple):
    """A document with one tag per token."""

    document: Document
    tokens: Tokens
    tags: list[str]
    mentions: Counter[str]  #: those that the tags express, by label
    left_out: Counter[str]

    def labels(self) -> Counter[str]:
        """Count the mentions that are learnt by label."""
        return self.mentions


def flat_example(document: Document, scheme: Scheme, sequence: SequenceKind) -> Example:
    """Return the tags of the flat mentions of a document."""
    found = tag_document(document, sequence=sequence)
    return Example(document, found.tokens, found.tags(scheme), found.labels(), found.left_out)
