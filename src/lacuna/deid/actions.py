"""Actions: what can be done with an identifier. Each is a small record with its options.

==========  ==========================================================  =========================
action      "Dr. Smith", "03/14/2014", "93", "02139" become             options
==========  ==========================================================  =========================
mask        ``■■■■■■■■■``; line breaks stay                             character, length
tag         ``[NAME-1]``, ``[DATE-1]``, ``[AGE-1]``, ``[LOCATION-1]``   by, numbered
surrogate   ``Dr. Keller``, a shifted date, other digits
shift       ``05/02/2014``: dates only                                  max_days, weeks, order
generalise  ``2014``, ``90+``, ``021``: dates, ages, postcodes
keep        unchanged
drop        nothing
==========  ==========================================================  =========================

If an action is not possible (a date that cannot be read, a name to be generalised), the policy's
default action is used instead, which always hides.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Mask(msgspec.Struct, frozen=True, tag_field="action", tag="mask", forbid_unknown_fields=True):
    """Write one character for every character, or a fixed number of them."""

    character: Annotated[str, Meta(min_length=1, max_length=1)] = "■"
    length: Annotated[int, Meta(ge=1, le=100)] | None = None


class Tag(msgspec.Struct, frozen=True, tag_field="action", tag="tag", forbid_unknown_fields=True):
    """Write ``[NAME-1]``: the category or the label, and the number of the person or value."""

    by: Literal["category", "label"] = "category"
    numbered: bool = True

    def name(self, label: str, category: str) -> str:
        """Return what a tag calls a label."""
        return category if self.by == "category" else label


class Surrogate(
    msgspec.Struct, frozen=True, tag_field="action", tag="surrogate", forbid_unknown_fields=True
):
    """Write another value of the same kind and shape. Dates are shifted with default options."""


class Shift(
    msgspec.Struct, frozen=True, tag_field="action", tag="shift", forbid_unknown_fields=True
):
    """Move dates by a secret number of days, one per patient.

    Attributes
    ----------
    max_days
        Largest offset, back or forward; the offset is never 0.
    weeks
        Whether to shift by whole weeks, so that a Monday stays a Monday.
    order
        How ``03/04/2014`` is read; ``locale``: as the patient's other dates tell, else the
        documents of the run, else month first in American English and day first elsewhere.
    """

    max_days: Annotated[int, Meta(ge=7, le=36500)] = 365
    weeks: bool = False
    order: Literal["locale", "month-first", "day-first"] = "locale"


class Generalise(
    msgspec.Struct, frozen=True, tag_field="action", tag="generalise", forbid_unknown_fields=True
):
    """Write less: the year of a date, 90+ for ages above 89, the first three digits of a ZIP."""


class Keep(msgspec.Struct, frozen=True, tag_field="action", tag="keep", forbid_unknown_fields=True):
    """Leave it unchanged. What another label hides inside it is still hidden."""


class Drop(msgspec.Struct, frozen=True, tag_field="action", tag="drop", forbid_unknown_fields=True):
    """Write nothing."""


Action = Mask | Tag | Surrogate | Shift | Generalise | Keep | Drop
#: Actions that can hide anything; only these can be the default.
Hiding = Mask | Tag | Drop
#: Actions that leave something visible of what they replace.
LENIENT = (Shift, Generalise)
ACTIONS: dict[str, type[Action]] = {
    "mask": Mask,
    "tag": Tag,
    "surrogate": Surrogate,
    "shift": Shift,
    "generalise": Generalise,
    "keep": Keep,
    "drop": Drop,
}
