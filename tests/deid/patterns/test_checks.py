"""Check digits and calendar, against numbers published as examples and brute force."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.patterns.recognizers import (
    count_digits,
    is_date,
    passes_luhn,
    passes_mod_97,
    passes_verhoeff,
    passes_vin,
    passes_weights,
)


@pytest.mark.parametrize(
    "account",
    [
        "GB82WEST12345698765432",
        "DE89370400440532013000",
        "NL91ABNA0417164300",
        "FR1420041010050500013M02606",
    ],
)
def test_iban(account: str) -> None:
    assert passes_mod_97(account)


@given(st.integers(4, 21), st.integers(1, 9))
def test_one_wrong_digit_fails_an_iban(place: int, step: int) -> None:
    account = "DE89370400440532013000"
    wrong = str((int(account[place]) + step) % 10)
    assert not passes_mod_97(account[:place] + wrong + account[place + 1 :])


@pytest.mark.parametrize("number", ["4111111111111111", "378282246310005", "79927398713"])
def test_luhn(number: str) -> None:
    assert passes_luhn(number)


@given(st.text("0123456789", min_size=1, max_size=18))
def test_exactly_one_last_digit_passes_luhn(digits: str) -> None:
    assert sum(passes_luhn(digits + last) for last in "0123456789") == 1


@pytest.mark.parametrize("vin", ["1M8GDM9AXKP042788", "11111111111111111", "1HGCM82633A004352"])
def test_vin(vin: str) -> None:
    assert passes_vin(vin)
    other = "0" if vin[8] != "0" else "1"
    assert not passes_vin(vin[:8] + other + vin[9:])


@given(st.integers(1, 31), st.integers(1, 12), st.integers(1900, 2100))
def test_a_date_of_the_calendar_is_a_date_in_every_order(day: int, month: int, year: int) -> None:
    try:
        date(2000, month, day)
    except ValueError:
        assert not is_date(str(year), str(month), str(day))
        return
    assert is_date(str(year), str(month), str(day))
    assert is_date(str(day), str(month), str(year))
    assert is_date(str(month), str(day), f"{year % 100:02}")


def test_digits_are_counted() -> None:
    assert count_digits("a1-2 ٣3") == 3


@pytest.mark.parametrize("number", ["2363", "499118665246", "0"])
def test_verhoeff(number: str) -> None:
    assert passes_verhoeff(number)


@given(st.text("0123456789", min_size=1, max_size=12), st.data())
def test_verhoeff_notices_one_wrong_digit_and_two_swapped(digits: str, data: st.DataObject) -> None:
    (right,) = [digits + last for last in "0123456789" if passes_verhoeff(digits + last)]
    place = data.draw(st.integers(0, len(right) - 1))
    wrong = str((int(right[place]) + data.draw(st.integers(1, 9))) % 10)
    assert not passes_verhoeff(right[:place] + wrong + right[place + 1 :])
    for i in range(len(right) - 1):
        swapped = right[:i] + right[i + 1] + right[i] + right[i + 2 :]
        assert swapped == right or not passes_verhoeff(swapped)


def test_weights() -> None:
    assert passes_weights("21234567", (1, 3, 7, 9, 1, 3, 7, 9), 10, 0)
    assert not passes_weights("21234567", (1, 3, 7, 9, 1, 3, 7, 9), 10, 1)
