"""What the report and the screen say about the counts of a run, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lacuna.text.plurals import counted

if TYPE_CHECKING:
    from lacuna.deid.tally import Tally

LONG = 300  #: characters of a finding that may hide more than an identifier


def estimate_in_words(tally: Tally, calibrated: tuple[float, float] | None) -> str:
    """Return how many identifying words the model expects to remain, and how good it is at that."""
    words = "less than 1 identifying word"
    if tally.expected_missed >= 1:
        words = f"about {counted(round(tally.expected_missed), 'identifying word')}"
    is_few = tally.expected_missed < 1 and calibrated is None
    is_tiny = tally.expected_left < 0.0005
    percent = "less than 0.1%" if is_tiny else f"{tally.expected_left:.1%}"
    share = "" if is_few else f" ({percent} of all)"
    estimate = f"{words} may still be in the texts{share}, as far as the model can tell"
    if calibrated is None:
        return estimate
    expected, missed = calibrated
    return f"{estimate}; in the calibration it expected {expected:.1%}, and {missed:.1%} remained"


def remarks_on(tally: Tally) -> list[str]:
    """Return one sentence for each thing a reader should know about a run."""
    return [
        *remarks_on_dates(tally),
        *_remarks_on_long_findings(tally.long_findings),
        *remarks_on_encodings(tally.encodings),
    ]


def _remarks_on_long_findings(count: int) -> list[str]:
    if not count:
        return []
    what = f"{counted(count, 'finding')} of more than {LONG:,} characters"
    return [f"{what} {'was' if count == 1 else 'were'} replaced as a whole (see --review)"]


def remarks_on_dates(tally: Tally) -> list[str]:
    """Return one sentence for each thing a reader should know about dates."""
    remarks = []
    if tally.contradictory_dates:
        documents = counted(tally.contradictory_dates, "document")
        belong = "belongs" if tally.contradictory_dates == 1 else "belong"
        remarks.append(
            f"dates: {documents} {belong} to patients with dates written day first and month"
            f" first; {counted(tally.hidden_dates, 'date')} that can be read either way"
            f" {'was' if tally.hidden_dates == 1 else 'were'} hidden"
        )
    if tally.dates_against_locale:
        one = tally.dates_against_locale == 1
        remarks.append(
            f"dates: {counted(tally.dates_against_locale, 'document')} write{'s' if one else ''}"
            " numeric dates in another order than the locale; they were read in the order of the"
            " patient's dates (see --locale)"
        )
    if tally.emptied_cells:
        one = tally.emptied_cells == 1
        remarks.append(
            f"date columns: {counted(tally.emptied_cells, 'cell')} could not be read, or"
            f" {'shows' if one else 'show'} an age over 89, and {'is' if one else 'are'} empty in"
            " the output"
        )
    return remarks


def remarks_on_encodings(encodings: Mapping[str, int]) -> list[str]:
    """Return one sentence for each encoding other than UTF-8 that was detected."""
    return [
        f"{counted(count, 'document')} {'was' if count == 1 else 'were'} read as {name}"
        for name, count in sorted(encodings.items())
    ]
