"""Day first or month first: one order for a patient, and nothing shifted that could be wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.dates.order import (
    Order,
    OrderEvidence,
    decide,
    order_clues,
    order_evidence,
    outermost,
)
from lacuna.deid.dates.order_survey import numeric_order_evidence
from lacuna.deid.dates.reading import read_date
from lacuna.deid.dates.shifting import secret_offset
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.patterns import find_patterns
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redacted, Redactor
from lacuna.text.document import Document

KEY = Key(bytes(range(32)))
RESEARCH = load_policy("research")
NOTHING = OrderEvidence()
evidences = st.builds(OrderEvidence, *[st.integers(0, 30)] * 4)


def evidence(text: str, language: str = "en") -> OrderEvidence:
    findings = find_patterns(text)
    result = Redactor(RESEARCH, KEY, locale=language).order_evidence(Document("d", text), findings)
    dates = [(f.start, read_date(text[f.start : f.end])) for f in findings if f.label == "DATE"]
    clues = [(start, order_clues(reading)) for start, reading in dates if reading is not None]
    assert order_evidence(text, clues, language) == result
    return result


def redacted(text: str, policy: Policy = RESEARCH, **options: str) -> Redacted:
    redactor = Redactor(policy, KEY, **options)  # type: ignore[arg-type]
    return redactor.redact(Document("d", text), find_patterns(text))


def moved(day: date) -> date:
    return day + timedelta(secret_offset(KEY, ("document", "d"), max_days=365))


def test_the_dates_of_a_british_letter_move_together() -> None:
    text = (
        "Date dictated: 14/02/2022. DOB 29/11/1953. Seen 09/02/2022, will see him again on"
        " 11/05/22. Reviewed Wednesday 11 May 2022.\n"
    )
    safe = redacted(text)
    assert safe.document.text == (
        f"Date dictated: {moved(date(2022, 2, 14)):%d/%m/%Y}."
        f" DOB {moved(date(1953, 11, 29)):%d/%m/%Y}."
        f" Seen {moved(date(2022, 2, 9)):%d/%m/%Y}, will see him again on"
        f" {moved(date(2022, 5, 11)):%d/%m/%y}. Reviewed {moved(date(2022, 5, 11)):%A %-d %B %Y}.\n"
    )
    assert safe.orders == (0, 0, 1)  # another order than the locale's is reported


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 14/02/2022 and 02/14/2022 and 15.02.22", (2, 1, 0, 0)),
        ("Seen 09/02/2022.", (0, 0, 0, 0)),
        ("Seen 05/05/2022 and Thursday 05/05/2022.", (0, 0, 0, 0)),
        ("Wed 11/05/22", (1, 0, 0, 0)),
        ("Saturday, 11/05/22", (0, 1, 0, 0)),
        ("on 11/05/22 (Wed.)", (1, 0, 0, 0)),
        ("Monday 11/05/22", (0, 0, 0, 0)),  # neither
        ("we sat 11/05/22", (0, 1, 0, 0)),  # a weekday as far as one can tell
        ("Seen 11/05/22, that is 11 May 2022.", (0, 0, 1, 0)),
        ("Seen 11/05/22, that is 2022-11-05.", (0, 0, 0, 1)),
        ("Seen 11/05/22; 11 May 2022, 5 November 2022.", (0, 0, 0, 0)),
        ("on 14/3 and on 3/14, on 3/4", (0, 0, 1, 1)),
        ("in 3/98, 2022-02-14, 98/03/14", (0, 0, 0, 0)),
    ],
)
def test_evidence_by_hand(text: str, expected: tuple[int, ...]) -> None:
    assert msgspec.structs.astuple(evidence(text)) == expected


def test_short_weekdays_count_in_their_language() -> None:
    assert evidence("Mi 11/05/22") == NOTHING
    assert evidence("Mi 11/05/22", "de") == OrderEvidence(1)
    assert evidence("Mittwoch 11/05/22") == OrderEvidence(1)


def test_a_date_found_twice_counts_once() -> None:
    spans = [(3, 13), (3, 13), (3, 8), (5, 13), (20, 25)]
    assert [*outermost(spans)] == [(3, 13), (20, 25)]
    found = [Finding(*span, "DATE", Origin.MODEL) for span in spans]
    document = Document("d", "on 14/02/2022 noted at noon")
    assert Redactor(RESEARCH, KEY).order_evidence(document, found) == OrderEvidence(1)


@given(evidences, evidences, evidences)
def test_evidence_adds_up_in_any_order(
    one: OrderEvidence, two: OrderEvidence, three: OrderEvidence
) -> None:
    assert one.merged(two) == two.merged(one)
    assert one.merged(two).merged(three) == one.merged(two.merged(three))
    assert one.merged(NOTHING) == one
    packed = msgspec.msgpack.encode(one)
    assert msgspec.msgpack.decode(packed, type=OrderEvidence) == one


@pytest.mark.parametrize(
    ("patient", "run", "locale", "expected"),
    [
        ((), (), "en", Order.MONTH_FIRST),
        ((), (), "en_GB", Order.DAY_FIRST),
        ((), (5,), "en", Order.DAY_FIRST),
        ((0, 1), (500,), "de", Order.MONTH_FIRST),
        ((9, 1), (500,), "de", Order.CONTRADICTORY),
        ((10, 1), (), "en", Order.DAY_FIRST),
        ((1, 10), (), "de", Order.MONTH_FIRST),
        ((1, 0, 0, 9), (), "en", Order.DAY_FIRST),  # weak evidence does not count against it
        ((0, 0, 0, 2), (), "de", Order.MONTH_FIRST),
        ((0, 0, 1, 1), (), "de", Order.CONTRADICTORY),
        ((), (50, 50), "de", Order.DAY_FIRST),  # patients differ: the locale decides
    ],
)
def test_the_patient_decides_then_the_run_then_the_locale(
    patient: tuple[int, ...], run: tuple[int, ...], locale: str, expected: Order
) -> None:
    assert decide(OrderEvidence(*patient), OrderEvidence(*run), locale) is expected


def test_where_dates_contradict_one_another_those_with_two_readings_are_hidden() -> None:
    safe = redacted("14/02/2022, 02/14/2022, 09/02/2022, 9 May 2022, on 3/4.")
    day, may = moved(date(2022, 2, 14)), moved(date(2022, 5, 9))
    assert safe.document.text == (
        f"{day:%d/%m/%Y}, {day:%m/%d/%Y}, [DATE-1], {may:%-d %B %Y}, on [DATE-2]."
    )
    assert safe.orders == (1, 2, 0)
    years = redacted("14/02/2022, 02/14/2022, 09/02/2022.", load_policy("safe-harbor"))
    assert years.document.text == "2022, 2022, 2022."  # the year is the same in either order
    assert years.orders == (0, 0, 0)


def test_an_order_of_the_policy_takes_precedence() -> None:
    text = "14/02/2022, 09/02/2022."
    for order, expected in (("month-first", date(2022, 9, 2)), ("day-first", date(2022, 2, 9))):
        policy = msgspec.convert(
            {"name": "p", "default": {"action": "mask"},
             "actions": {"date": {"action": "shift", "order": order}}}, Policy
        )  # fmt: skip
        second = redacted(text, policy, locale="de").document.text.split(", ")[1]
        form = "%m/%d/%Y" if order == "month-first" else "%d/%m/%Y"
        assert second == moved(expected).strftime(f"{form}.")


days = st.dates(date(1975, 1, 1), date(2024, 12, 31))
NUMERIC = ("%d/%m/%Y", "%d/%m/%y", "%d.%m.%Y", "%A %d/%m/%Y", "%a %d/%m/%y")
OTHERS = ("%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%A %d %B %Y", "%Y%m%d", "%A, %B %d, %Y")


@given(
    st.lists(
        st.lists(st.tuples(days, st.sampled_from((*NUMERIC, *OTHERS))), min_size=1, max_size=8),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
    st.sampled_from(["en", "en_GB"]),
)
def test_all_intervals_of_a_patient_are_exact_in_mixed_notations(
    notes: Sequence[Sequence[tuple[date, str]]], month_first: bool, locale: str
) -> None:
    """One unambiguous date anywhere in the patient's notes is enough."""
    written = [
        [(day, form.replace("%d/%m", "%m/%d").replace("%d.%m", "%m.%d") if month_first else form)
         for day, form in note]
        for note in notes
    ]  # fmt: skip
    written[-1].append((date(2022, 3, 25), "%m/%d/%Y" if month_first else "%d/%m/%Y"))
    documents = [
        Document(
            f"n{i}", "".join(f"Seen on {day.strftime(form)}\n" for day, form in note), group="p"
        )
        for i, note in enumerate(written)
    ]
    redactor = Redactor(RESEARCH, KEY, locale=locale)
    found = [find_patterns(document.text) for document in documents]
    total = NOTHING
    for document, findings in zip(documents, found, strict=True):
        total = redactor.order_evidence(document, findings).merged(total)
    order = redactor.order(total)
    offset = timedelta(secret_offset(KEY, ("group", "p"), max_days=365))
    for document, findings, note in zip(documents, found, written, strict=True):
        safe = redactor.redact(document, findings, order=order).document.text.splitlines()
        for line, (day, form) in zip(safe, note, strict=True):
            shown = line.removeprefix("Seen on ")
            new = datetime.strptime(shown, form).date()
            assert new == day + offset
            if "%A" in form or "%a" in form:
                assert new.strftime("%a") == shown[:3]


def survey_slowly(text: str) -> OrderEvidence:
    """Count numeric dates with a number over 12 by a regular expression and the calendar."""
    counts = [0, 0]
    for match in re.finditer(
        r"(?<![^\W_])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d\d|\d\d)(?![^\W_])", text, re.ASCII
    ):
        first, sign, second, year = match.groups()
        start, end = match.span()
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        chained = {"/", sign}
        is_chain = (len(before) == 2 and before[1] in chained and before[0].isalnum()) or (
            len(after) == 2 and after[0] in chained and after[1].isalnum()
        )
        is_loose = len(year) == 2 and sign != "/" and len(first + second) < 4
        if is_chain or is_loose or max(int(first), int(second)) <= 12:
            continue
        day_first = int(first) > 12
        day, month = (first, second) if day_first else (second, first)
        try:
            date(2000, int(month), int(day))
        except ValueError:
            continue
        counts[not day_first] += 1
    return OrderEvidence(*counts)


@given(st.text("0123456789/.-a ", max_size=40) | st.text("12/ ", max_size=60))
def test_the_survey_counts_what_a_regular_expression_counts(text: str) -> None:
    assert numeric_order_evidence(text) == survey_slowly(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen 14/02/2022, 02/14/22 and 14.02.2022-15.02.2022", (3, 1)),
        ("(25-12-2022)", (1, 0)),
        ("version 1.13.4, 1.13.45, 12/25/2, v1.13.2022, 10.13.20.5, 31/04/2022", (0, 0)),
        ("BP 120/80, 1/2, 2022-02-14, 617-555-0134, 13/13/2022, 14/02/1850, 9/2/2022", (0, 0)),
        ("14/02/2022", (1, 0)),
        ("", (0, 0)),
    ],
)
def test_look_alikes_are_no_evidence(text: str, expected: tuple[int, int]) -> None:
    assert numeric_order_evidence(text) == OrderEvidence(*expected)
