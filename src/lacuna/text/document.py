"""What a document is: Span, Mention, Tokens, Document.

Offsets are half-open and count code points of ``Document.text``. A document has tokens only if its
source was tokenised (CoNLL columns); otherwise :mod:`lacuna.text.tokens` makes them on demand and
they are never stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np

from lacuna.types import IntArray

if TYPE_CHECKING:
    from lacuna.text.json_records import DocumentRecord, MentionRecord

_set = object.__setattr__  # how a frozen record is filled


@dataclass(frozen=True, slots=True, order=True, init=False)
class Span:
    """Characters ``[start, end)`` of a text."""

    start: int
    end: int

    # by hand: millions are made, and a generated one with a check after it takes twice as long
    def __init__(self, start: int, end: int) -> None:
        if not 0 <= start < end:
            raise ValueError(f"span must satisfy 0 <= start < end, got [{start}, {end})")
        _set(self, "start", start)
        _set(self, "end", end)

    def __iter__(self) -> Iterator[int]:
        """Unpack: ``start, end = span``."""
        yield self.start
        yield self.end

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True, init=False)
class Mention:
    """Something named in a text: a label on one or more spans.

    Attributes
    ----------
    label
        What it is, e.g. ``"PATIENT"``.
    spans
        Its parts, in text order, not overlapping. A mention with more than one is discontiguous.
    probability
        How sure a model is of the whole mention; ``None`` for a person's annotation.
    """

    label: str
    spans: tuple[Span, ...]
    probability: float | None = None

    def __init__(
        self, label: str, spans: tuple[Span, ...], probability: float | None = None
    ) -> None:
        if not label or not spans:
            raise ValueError("a mention needs a label and at least one span")
        if len(spans) > 1:
            _check_apart(spans)
        if probability is not None and not 0.0 <= probability <= 1.0:
            raise ValueError(f"a probability lies in [0, 1], got {probability}")
        _set(self, "label", label)
        _set(self, "spans", spans)
        _set(self, "probability", probability)

    @classmethod
    def of(cls, label: str, *spans: tuple[int, int], probability: float | None = None) -> Mention:
        """Write a mention in one line: ``Mention.of("PER", (0, 4), (9, 12))``."""
        return cls(label, tuple(Span(start, end) for start, end in sorted(spans)), probability)

    @property
    def start(self) -> int:
        """First character."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.spans[-1].end

    @property
    def is_discontiguous(self) -> bool:
        """Whether it has a gap."""
        return len(self.spans) > 1

    @property
    def length(self) -> int:
        """Number of characters it covers, without gaps."""
        return sum(map(len, self.spans))

    def to_dict(self) -> dict[str, Any]:
        """Return the mention as JSON values."""
        spans = [[span.start, span.end] for span in self.spans]
        item: dict[str, Any] = {"label": self.label, "spans": spans}
        return item if self.probability is None else {**item, "probability": self.probability}

    def surface(self, text: str) -> str:
        """Return the covered characters of `text`, parts joined by ``" … "``."""
        return " … ".join(text[span.start : span.end] for span in self.spans)


def _check_apart(spans: tuple[Span, ...], what: str = "spans of a mention") -> None:
    """Raise if spans overlap or are out of order."""
    for left, right in pairwise(spans):
        if right.start < left.end:
            raise ValueError(
                f"{what} must be in order and apart,"
                f" got [{left.start}, {left.end}) before [{right.start}, {right.end})"
            )


def reading_order(mention: Mention) -> tuple[Any, ...]:
    """Sort key: by start, longer first, then label, parts and probability."""
    return (
        mention.start,
        -mention.end,
        mention.label,
        mention.spans,
        -1.0 if mention.probability is None else mention.probability,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Tokens of one text as arrays.

    Attributes
    ----------
    start, end
        ``text[start[i]:end[i]]`` is token i; in text order, non-empty, not overlapping.
    sentences
        Borders in token indices: sentence s is tokens ``sentences[s]`` to ``sentences[s + 1]``.
        Starts with 0 and ends with the number of tokens; just ``[0]`` when there are none.
    columns
        Further values per token by name, e.g. ``{"pos": ("NNP", "VBD", …)}``.
    """

    start: IntArray
    end: IntArray
    sentences: IntArray
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("start", "end", "sentences"):
            array = np.asarray(getattr(self, name), dtype=np.int32).reshape(-1)
            view = array.view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        start, end, sentences = self.start, self.end, self.sentences
        if len(start) != len(end):
            raise ValueError(f"{len(start)} token starts but {len(end)} token ends")
        if len(start) and (start[0] < 0 or (end <= start).any() or (start[1:] < end[:-1]).any()):
            raise ValueError("tokens must be non-empty, in text order and apart")
        if (
            not len(sentences)
            or sentences[0] != 0
            or sentences[-1] != len(start)
            or (np.diff(sentences) <= 0).any()
        ):
            raise ValueError("sentences must be non-empty and cover all tokens in order")
        for name, values in self.columns.items():
            if len(values) != len(start):
                raise ValueError(f"column {name} has {len(values)} values for {len(start)} tokens")

    def __len__(self) -> int:
        return len(self.start)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokens):
            return NotImplemented
        return (
            np.array_equal(self.start, other.start)
            and np.array_equal(self.end, other.end)
            and np.array_equal(self.sentences, other.sentences)
            and dict(self.columns) == dict(other.columns)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return the tokens as JSON values: their borders, those of sentences, and columns."""
        items: dict[str, Any] = {
            "tokens": np.stack((self.start, self.end), axis=1).tolist(),
            "sentences": [list(pair) for pair in pairwise(self.sentences.tolist())],
        }
        columns = {name: list(values) for name, values in self.columns.items()}
        return {**items, "columns": columns} if columns else items

    def words(self, text: str) -> list[str]:
        """Return the token strings. For people and tests; models work on arrays."""
        return [text[s:e] for s, e in zip(self.start.tolist(), self.end.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its mentions.

    Attributes
    ----------
    id
        Unique within a corpus.
    text
        Exactly as in the source, including line endings and unusual characters.
    mentions
        Kept in reading order, so that equal annotation sets compare equal.
    group
        What belongs together across documents (a patient); ``None``: the document is on its own.
    meta
        Anything else, as JSON values.
    tokens
        Only if the source itself was tokenised.
    reviewed
        The spans that a person has reviewed, in text order and apart; ``None``: the whole text.
        Outside them nothing is known, see :mod:`lacuna.text.reviewed`.
    """

    id: str
    text: str
    mentions: tuple[Mention, ...] = ()
    group: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    tokens: Tokens | None = None
    reviewed: tuple[Span, ...] | None = None

    def __post_init__(self) -> None:
        mentions = tuple(self.mentions)
        starts = [mention.spans[0].start for mention in mentions]
        if not all(map(lt, starts, starts[1:])):
            mentions = tuple(sorted(mentions, key=reading_order))
        object.__setattr__(self, "mentions", mentions)
        size = len(self.text)
        end = max([mention.spans[-1].end for mention in mentions], default=0)
        if end > size:
            raise ValueError(f"a mention ends at {end}, the text of {self.id} at {size}")
        if self.tokens is not None and len(self.tokens) and self.tokens.end[-1] > size:
            raise ValueError(f"tokens of {self.id} reach beyond its text")
        if self.reviewed is not None:
            self._check_reviewed(tuple(self.reviewed))

    def _check_reviewed(self, spans: tuple[Span, ...]) -> None:
        _check_apart(spans, "reviewed spans")
        if spans and spans[-1].end > len(self.text):
            raise ValueError(f"reviewed spans of {self.id} reach beyond its text")
        object.__setattr__(self, "reviewed", spans)

    def __repr__(self) -> str:
        """Show no text: a document in a log or traceback must not leak what it says."""
        seen = "" if self.reviewed is None else f", {len(self.reviewed)} reviewed spans"
        size = f"{len(self.text)} characters, {len(self.mentions)} mentions"
        return f"Document({self.id!r}, {size}{seen})"

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON values, as in a line of a jsonl file."""
        item: dict[str, Any] = {"id": self.id, "text": self.text}
        if self.group is not None:
            item["group"] = self.group
        if self.meta:
            item["meta"] = dict(self.meta)
        item["mentions"] = [mention.to_dict() for mention in self.mentions]
        if self.tokens is not None:
            item |= self.tokens.to_dict()
        if self.reviewed is not None:
            item["reviewed"] = [[span.start, span.end] for span in self.reviewed]
        return item

    @classmethod
    def from_dict(cls, item: Mapping[str, Any], *, default_id: str = "text") -> Document:
        """Return the document of JSON values, as made by :meth:`to_dict` or read from a jsonl file.

        Only ``text`` is required. Unknown keys go to `meta`.

        Raises
        ------
        ValueError
            If a value is of a wrong type or does not fit the others; it is not quoted.
        """
        from lacuna.text.json_records import document_record  # imports msgspec, which takes time

        record = document_record(item)
        return cls(
            default_id if record.id is None else str(record.id),
            record.text,
            tuple(map(_mention, record.mentions)),
            None if record.group is None else str(record.group),
            record.meta,
            _tokens(record),
            None if record.reviewed is None else tuple(Span(*span) for span in record.reviewed),
        )

    @property
    def unit(self) -> tuple[str, str]:
        """Key of the group this document belongs to; its own if it has none.

        Folds, alignment, surrogates, date offsets, leaks and calibration all group by this.
        """
        return ("document", self.id) if self.group is None else ("group", self.group)


Corpus = Iterable[Document]


def _mention(record: MentionRecord) -> Mention:
    return Mention(record.label, tuple(Span(*span) for span in record.spans), record.probability)


def _tokens(record: DocumentRecord) -> Tokens | None:
    tokens, sentences = record.tokens, record.sentences
    if tokens is None:
        if sentences is not None or record.columns:
            raise ValueError("sentences and columns need tokens")
        return None
    if tokens and max(map(max, tokens)) > len(record.text):
        raise ValueError("tokens reach beyond the text")
    size = len(tokens)
    if sentences is None:
        sentences = [(0, size)] if size else []
    if any(left[1] != right[0] for left, right in pairwise(sentences)):
        raise ValueError("each sentence must begin where the previous one ends")
    borders = [sentences[0][0], *(end for _, end in sentences)] if sentences else [0]
    if not all(0 <= border <= size for border in borders):
        raise ValueError("sentences reach beyond the tokens")
    return Tokens(
        [start for start, _ in tokens],  # type: ignore[arg-type]  # Tokens makes arrays
        [end for _, end in tokens],  # type: ignore[arg-type]
        borders,  # type: ignore[arg-type]
        {name: tuple(values) for name, values in record.columns.items()},
    )
