"""A document before and after, with everything that was found in it: for its owner only.

Words are doubtful if the model is not sure of them. Of a word that stays, P(identifier) is then at
least a tenth of the threshold; something that the model alone hid is nearer to the threshold than
to 1. ``docs/decisions.md`` says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from lacuna.deid.actions import Keep
from lacuna.deid.detector import Detected
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.placeholders import PLACEHOLDER
from lacuna.deid.policy import Policy
from lacuna.deid.redact import Redacted
from lacuna.deid.resolution import resolve
from lacuna.deid.tally import Place

DOUBTFUL_SHARE = 0.1  #: of the threshold, from which a word that stays is doubtful


class Doubtful(msgspec.Struct, frozen=True, array_like=True):
    """A word or number that stays though it may be part of an identifier."""

    start: int
    end: int
    probability: float


class BeforeAfter(msgspec.Struct, frozen=True, array_like=True):
    """A document before and after.

    Attributes
    ----------
    id, group, text
        Of the original.
    place
        Where the new text is.
    plan, instead
        What was replaced, and by what.
    kept
        What was found and stays, because the policy keeps its label.
    doubtful
        Words and numbers that stay though they may be part of an identifier.
    threshold
        The probability from which the model is believed.
    expected_missed
        How many identifier tokens the model expects to remain.
    """

    id: str
    group: str | None
    text: str
    place: Place
    plan: list[Finding]
    instead: list[str]
    kept: list[Finding]
    doubtful: list[Doubtful]
    threshold: float
    expected_missed: float

    def is_doubtful(self, finding: Finding) -> bool:
        """Whether the model alone found something, and was not sure of it."""
        is_unsure = finding.probability < (1 + self.threshold) / 2
        return finding.origin is Origin.MODEL and is_unsure

    @property
    def doubts(self) -> int:
        """The number of doubtful words, hidden ones included."""
        return len(self.doubtful) + sum(map(self.is_doubtful, self.plan))

    def as_json(self) -> dict[str, Any]:
        """Return the original with what was found as mentions, as in our JSON lines."""
        hidden = [
            {**_mention(finding), "replacement": new}
            for finding, new in zip(self.plan, self.instead, strict=True)
            if finding.label != PLACEHOLDER
        ]
        mentions = sorted([*hidden, *map(_mention, self.kept)], key=lambda m: m["spans"])
        place = {
            name: value
            for name, value in (
                ("output", self.place.output),
                ("row", self.place.row),
                ("new_id", self.place.id),
            )
            if value
        }
        group = {} if self.group is None else {"group": self.group}
        return {"id": self.id, "text": self.text, **group, "mentions": mentions, **place}


def before_after(
    place: Place, detected: Detected, redacted: Redacted, policy: Policy, threshold: float
) -> BeforeAfter:
    """Return a document before and after."""
    document = detected.document
    kept = {label for label in {f.label for f in detected.findings} if _is_kept(policy, label)}
    return BeforeAfter(
        _encodable(document.id),
        None if document.group is None else _encodable(document.group),
        document.text,
        place,
        list(redacted.plan),
        list(redacted.instead),
        resolve(document.text, [f for f in detected.findings if f.label in kept]),
        list(_doubtful(detected, threshold)),
        threshold,
        detected.expected_missed,
    )


def _is_kept(policy: Policy, label: str) -> bool:
    return isinstance(policy.action(label), Keep)


def _doubtful(detected: Detected, threshold: float) -> Iterable[Doubtful]:
    text = detected.document.text
    unsure = ~detected.covered & (detected.probability >= DOUBTFUL_SHARE * threshold)
    for t in np.flatnonzero(unsure).tolist():
        start, end = int(detected.start[t]), int(detected.end[t])
        if any(map(str.isalnum, text[start:end])):
            yield Doubtful(start, end, float(detected.probability[t]))


def _encodable(name: str) -> str:
    """Return a name that can be written; names of files need not be valid UTF-8."""
    return name.encode(errors="backslashreplace").decode()


def _mention(finding: Finding) -> dict[str, Any]:
    return {
        "label": finding.label,
        "spans": [[finding.start, finding.end]],
        "probability": finding.probability,
        "source": finding.origin,
    }
