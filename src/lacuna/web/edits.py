"""The rules of editing: a review and operations give a new review and the inverse operations.

Nothing here reads or writes a file. For a review r and operations o::

    applied = apply(r, o, text)
    replay(applied.review, applied.inverse) == r

The log of a document is a list of (operations, inverse). Replaying it from the imported mentions
gives the review; an undo is one more entry, whose operations are the inverse of an earlier one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from lacuna.errors import EditError
from lacuna.text.document import Document, Mention, Span
from lacuna.text.plurals import counted
from lacuna.web.operations import (
    DOCUMENT,
    Accept,
    Add,
    Asked,
    Change,
    Decision,
    DocumentState,
    Entry,
    Operation,
    Reject,
    Remove,
    Restore,
    SetState,
    Spans,
    Status,
    target,
    targets,
)

UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST_LABEL = 100
LONGEST_COMMENT = 10_000
LARGEST_KEY = 1 << 63

FNV_START, FNV_PRIME, BITS_64 = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
BETWEEN_PARTS = b"\xff"  # in no UTF-8 text


class TextDiffersError(EditError):
    """The client's text of a mention is not that of the document: its offsets are wrong."""


@dataclass(frozen=True, slots=True)
class Review:
    """What people have decided about a document so far.

    Attributes
    ----------
    mentions
        By uid, rejected ones too.
    state
        Of the document as a whole.
    """

    mentions: Mapping[str, Entry] = field(default_factory=dict)
    state: DocumentState = field(default_factory=DocumentState)

    def __getitem__(self, target: str) -> Entry | DocumentState | None:
        """Return the mention with this uid, or the state of the document."""
        return self.state if target == DOCUMENT else self.mentions.get(target)


@dataclass(frozen=True, slots=True)
class Applied:
    """A new review, and the operations that lead back."""

    review: Review
    inverse: tuple[Operation, ...]


def apply(review: Review, operations: Sequence[Asked], text: str) -> Applied:
    """Check operations and do them, all or none.

    Raises
    ------
    EditError
        Naming the number of the operation and what is wrong; no text is quoted.
    TextDiffersError
        If a check does not fit.
    """
    if not operations:
        raise EditError("an edit needs at least one operation")
    draft = _Draft(review)
    for number, operation in enumerate(operations, start=1):
        try:
            _check(draft, operation, text)
        except EditError as error:
            raise type(error)(f"operation {number}: {error}") from None
        draft.do(operation)
    return Applied(draft.review(), inverse_of(review, operations))


def inverse_of(review: Review, operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Return what makes everything that `operations` touch as it is in `review`."""
    touched = dict.fromkeys(map(target, operations))
    return tuple(
        SetState(review.state.state, review.state.flag, review.state.comment)
        if one == DOCUMENT
        else Restore(one, review.mentions.get(one))
        for one in touched
    )


def replay(review: Review, operations: Iterable[Operation]) -> Review:
    """Do operations that have been checked before."""
    draft = _Draft(review)
    for operation in operations:
        draft.do(operation)
    return draft.review()


class _Draft:
    """A review that is being changed."""

    def __init__(self, review: Review) -> None:
        self.mentions, self.state = dict(review.mentions), review.state
        self.live = Counter(map(_live, self.mentions.values()))  # (label, spans) → mentions

    def do(self, operation: Operation) -> None:
        if isinstance(operation, SetState):
            self.state = _with_state(self.state, operation)
            return
        before = self.mentions.pop(operation.uid, None)
        after = _result(before, operation)
        self.live[_live(before)] -= 1
        self.live[_live(after)] += 1
        if after is not None:
            self.mentions[operation.uid] = after

    def review(self) -> Review:
        return Review(self.mentions, self.state)


def _live(entry: Entry | None) -> tuple[str, Spans] | None:
    """Return what a mention says; ``None`` if there is none, or it is rejected."""
    if entry is None or entry.status is Status.REJECTED:
        return None
    return entry.label, entry.spans


def _result(
    entry: Entry | None, operation: Add | Change | Remove | Decision | Restore
) -> Entry | None:
    """Return what becomes of a mention."""
    match operation:
        case Add(label=label, spans=spans):
            return Entry(label, spans, Status.ADDED)
        case Remove():
            return None
        case Restore(entry=earlier):
            return earlier
        case Change(label=label, spans=spans):
            assert entry is not None
            return Entry(
                entry.label if label is None else label,
                entry.spans if spans is None else spans,
                Status.ADDED if entry.status is Status.ADDED else Status.ACCEPTED,
            )
        case Accept() | Reject():
            accepted = isinstance(operation, Accept)
            status = Status.ACCEPTED if accepted else Status.REJECTED
            if entry is None:
                assert operation.label is not None
                assert operation.spans is not None
                return Entry(
                    operation.label,
                    operation.spans,
                    status,
                    operation.probability,
                    operation.model,
                )
            if accepted and entry.status is Status.ADDED:
                return entry
            return msgspec.structs.replace(entry, status=status)
        case _:
            assert_never(operation)


def _with_state(state: DocumentState, operation: SetState) -> DocumentState:
    given = {
        name: value
        for name, value in msgspec.structs.asdict(operation).items()
        if value is not None
    }
    return msgspec.structs.replace(state, **given)


# --- checks


def _check(draft: _Draft, operation: Asked, text: str) -> None:
    if isinstance(operation, SetState):
        _check_comment(operation.comment or "")
        return
    entry = draft.mentions.get(operation.uid)
    if not UID.fullmatch(operation.uid):
        raise EditError("a uid has 1 to 64 letters, digits, - or _")
    match operation:
        case Add():
            if entry is not None:
                raise EditError("there is a mention with this uid already")
        case Change() | Remove():
            if entry is None:
                raise EditError("there is no mention with this uid")
        case Accept() | Reject():
            is_whole = operation.label is not None and operation.spans is not None
            if entry is None and not is_whole:
                raise EditError(
                    "there is no mention with this uid; a suggestion needs label and spans"
                )
            if entry is not None and _is_another(entry, operation):
                raise EditError("the mention with this uid has another label or other spans")
    if isinstance(operation, Remove):
        return
    if isinstance(operation, Change):
        _check_change(entry, operation)
    _check_values(operation.label, operation.spans, operation.check, text)
    if isinstance(operation, Accept | Reject):
        _check_source(operation)
    if (told := _live(_result(entry, operation))) != _live(entry) and draft.live[told] and told:
        raise EditError("there is such a mention already")


def _is_another(entry: Entry, asked: Accept | Reject) -> bool:
    """Whether a decision is about another mention than the one with its uid."""
    return (asked.label is not None and asked.label != entry.label) or (
        asked.spans is not None and asked.spans != entry.spans
    )


def _check_change(entry: Entry | None, operation: Change) -> None:
    if operation.label is None and operation.spans is None:
        raise EditError("a change needs a label or spans")
    if entry is not None and entry.status is Status.REJECTED:
        raise EditError("the mention was rejected; accept it first")


def _check_values(label: str | None, spans: Spans | None, check: str | None, text: str) -> None:
    if label is not None and not is_label(label):
        raise EditError(
            f"a label has 1 to {LONGEST_LABEL} printable characters, without spaces at its ends"
        )
    if spans is None:
        if check is not None:
            raise EditError("a check needs spans")
        return
    try:
        end = Mention("x", tuple(Span(*span) for span in spans)).end
    except ValueError as error:
        raise EditError(str(error)) from None
    if end > len(text):
        raise EditError(f"the mention ends at {end}, the text at {len(text)}")
    if check is not None and check != check_of(text, spans):
        raise TextDiffersError("the text at these offsets is not the text that was marked")


def _check_source(operation: Decision) -> None:
    if operation.probability is not None and not 0.0 <= operation.probability <= 1.0:
        raise EditError("a probability lies in [0, 1]")
    if operation.model is not None and not 0 <= operation.model < LARGEST_KEY:
        raise EditError("there is no such model")


def _check_comment(comment: str) -> None:
    if len(comment) > LONGEST_COMMENT:
        raise EditError(f"a comment has at most {LONGEST_COMMENT:,} characters")
    if any("\ud800" <= character <= "\udfff" for character in comment):
        raise EditError("the comment has half of a surrogate pair")


def is_label(label: str) -> bool:
    """Whether a label is well-formed."""
    return 0 < len(label) <= LONGEST_LABEL and label.isprintable() and label == label.strip()


def check_of(text: str, spans: Spans) -> str:
    """Return FNV-1a (64 bits, in hexadecimal) of the covered text.

    Of the UTF-8 bytes of the parts, with the byte 255 between two parts.
    """
    parts = (text[start:end].encode("utf-8", "surrogatepass") for start, end in spans)
    value = FNV_START
    for byte in BETWEEN_PARTS.join(parts):
        value = ((value ^ byte) * FNV_PRIME) & BITS_64
    return f"{value:016x}"


# --- conflicts, undo


def conflicting(
    review: Review, operations: Sequence[Asked], text: str, changed: Collection[str]
) -> frozenset[str]:
    """Return targets of operations that were changed since the client last looked.

    `changed` are all targets of edits the client has not seen. Asking for what is already so is
    no conflict.
    """
    both = targets(operations) & frozenset(changed)
    if not both:
        return both
    try:
        after = apply(review, operations, text).review
    except EditError:
        return both
    return frozenset(one for one in both if after[one] != review[one])


def changes_anything(operations: Sequence[Operation], inverse: Sequence[Operation]) -> bool:
    """Whether an edit of the log changed the review."""
    before = replay(Review(), inverse)
    return replay(before, operations) != before


def changed_since(
    review: Review, operations: Sequence[Operation], inverse: Sequence[Operation]
) -> frozenset[str]:
    """Return targets of an edit of the log that are no longer as it left them.

    If there are none, the edit can be undone by its inverse.
    """
    left = replay(replay(Review(), inverse), operations)
    return frozenset(one for one in targets(operations) if left[one] != review[one])


# --- between documents and reviews


def given_mentions(document: Document) -> dict[str, Entry]:
    """Return the mentions that a document is imported with; uids are g1, g2 and so on."""
    return {
        f"g{number}": Entry(
            mention.label,
            tuple((span.start, span.end) for span in mention.spans),
            Status.GIVEN,
            mention.probability,
        )
        for number, mention in enumerate(document.mentions, start=1)
    }


def reviewed_mentions(review: Review) -> tuple[Mention, ...]:
    """Return the mentions that count; decisions of people have no probability."""
    return tuple(
        Mention(
            entry.label,
            tuple(Span(*span) for span in entry.spans),
            entry.probability if entry.status is Status.GIVEN else None,
        )
        for entry in review.mentions.values()
        if entry.status is not Status.REJECTED
    )


def suggestion_uid(label: str, spans: Spans) -> str:
    """Return the uid of a suggestion, the same from every model."""
    numbers = " ".join(f"{start}-{end}" for start, end in spans)
    whole = f"{numbers} {label}"
    return f"s{check_of(whole, ((0, len(whole)),))}"


def is_decided(review: Review, label: str, spans: Spans) -> bool:
    """Whether a suggestion need not be made: it is a mention, was changed, or was rejected."""
    return suggestion_uid(label, spans) in review.mentions or any(
        (entry.label, entry.spans) == (label, spans) for entry in review.mentions.values()
    )


def is_open(review: Review, label: str, spans: Spans, *, overlapping: bool) -> bool:
    """Whether a suggestion is still to be decided.

    Unless the model has `overlapping` mentions, it gives way to every mention in its place.
    """
    live = (entry for entry in review.mentions.values() if entry.status is not Status.REJECTED)
    places = [span for entry in live for span in entry.spans]
    is_taken = any(start < e and s < end for s, e in places for start, end in spans)
    return not is_decided(review, label, spans) and (overlapping or not is_taken)


def in_words(targets: Collection[str]) -> str:
    """Return targets for a message: *2 mentions and the state of the document*."""
    mentions = len(targets) - (DOCUMENT in targets)
    parts = [counted(mentions, "mention")] if mentions else []
    parts += ["the state of the document"] if DOCUMENT in targets else []
    return " and ".join(parts)
