"""Time grows with the length of a text, whatever the text; and the rule that makes it so."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lacuna.deid.patterns import (
    compile_user_pattern,
    contact_forms,
    date_forms,
    find_patterns,
    number_forms,
    spanish_forms,
)
from lacuna.deid.patterns.recognizers import first_of
from lacuna.deid.policy import UserPattern

# Private parts of the standard library; whether mypy knows them depends on what it cached.
_constants = importlib.import_module("re._constants")
_parser = importlib.import_module("re._parser")

UNITS = [
    "a", "1", "1-", "1/", "1.", "1 ", "@", "a@", "@a.", "a.", "a-", "com.", ".com", "www.", "http://",
    "://", ":", "a:", "1:", "+1", "(617) ", "x1", "May ", "3 May ", "Monday ", "MRN ", "MRN: A-",
    "#", "tel ", "page a ", "call at ", "A1", "AB12 ", "1A", "9", "99 y", "in ", "on 1/1 ",
    "3/14 to ", "\n", " ", "'", "1,", "ä", "🙂", "aA1-", "plate ", "0 ", "no. ", "2014-", "é@é.",
    "1-A:", "612 ", "1 y ", "1 al 1 de ", "nº de ", "_",
    "1_", "a_", "a_@", "1\u2011", "1\u200b", "\u00ad", "\uff11_",
]  # fmt: skip


def seconds(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("spoiler", ["", "_"])
def test_long_repetitions_take_linear_time(unit: str, spoiler: str) -> None:
    """Eight times the text takes nowhere near 64 times as long: in one of five tries at least."""
    find_patterns(unit * 10)
    short, long = (unit * (size // len(unit)) + spoiler for size in (4_000, 32_000))
    base = min(seconds(lambda: find_patterns(short)) for _ in range(3))
    assert any(seconds(lambda: find_patterns(long)) < 24 * base + 0.1 for _ in range(5))


def expressions(of: object, seen: set[int]) -> Iterator[re.Pattern[str]]:
    """Yield every compiled expression that a recognizer or module holds."""
    if id(of) in seen:
        return
    seen.add(id(of))
    if isinstance(of, re.Pattern):
        yield of
    elif callable(getattr(of, "__self__", None)) or isinstance(
        getattr(of, "__self__", None), re.Pattern
    ):
        yield from expressions(of.__self__, seen)  # type: ignore[attr-defined]
    for cell in getattr(of, "__closure__", None) or ():
        inner = cell.cell_contents
        for part in inner if isinstance(inner, tuple) else (inner,):
            yield from expressions(part, seen)


def our_expressions() -> list[re.Pattern[str]]:
    seen: set[int] = set()
    modules = (contact_forms, date_forms, number_forms, spanish_forms)
    found = [e for m in modules for value in vars(m).values() for e in expressions(value, seen)]
    return list({e.pattern: e for e in found}.values())


def breaches(tree: Any) -> Iterator[str]:
    """Yield what a parsed expression does against the rule of recognizers.py."""
    for code, argument in tree:
        if code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            if argument[1] == _constants.MAXREPEAT:
                yield "an unbounded repeat that may go back"
            elif argument[1] > 1 and any(repeats(argument[2])) and argument[1] > 8:
                yield "many repeats of repeats"
            yield from breaches(argument[2])
        elif code is _constants.POSSESSIVE_REPEAT:
            yield from breaches(argument[2])
        elif code in (_constants.GROUPREF, _constants.GROUPREF_EXISTS):
            yield "a reference"
        elif code is _constants.SUBPATTERN:
            yield from breaches(argument[3])
        elif code in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from breaches(argument[1])
        elif code is _constants.BRANCH:
            for branch in argument[1]:
                yield from breaches(branch)


def repeats(tree: Any) -> Iterator[bool]:
    for code, argument in tree:
        if code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            yield argument[1] > 1
        elif code is _constants.SUBPATTERN:
            yield from repeats(argument[3])


def test_expressions_keep_to_the_rule() -> None:
    checked = our_expressions()
    assert len(checked) > 30
    for expression in checked:
        tree = _parser.parse(expression.pattern, expression.flags & ~re.UNICODE)
        assert list(breaches(tree)) == [], expression.pattern


@pytest.mark.parametrize("bad", ["a*b", "(?:a{1,3}){1,20}", r"(a)\1", "(?=a+)"])
def test_the_rule_notices(bad: str) -> None:
    assert list(breaches(_parser.parse(bad)))


def test_expressions_are_found_inside_recognizers() -> None:
    assert any("@" in e.pattern for e in our_expressions())
    nested = first_of(contact_forms.email, first_of(contact_forms.ip_4))
    assert len(list(expressions(nested, set()))) == 2


def test_a_users_pattern_takes_linear_time() -> None:
    """With Python's re this one takes forever on 40 characters."""
    pattern = compile_user_pattern("evil", UserPattern("(a+)+$b|(x*)*y", "IDNUM"))
    assert any(seconds(lambda: list(pattern("a" * 100_000))) < 2 for _ in range(5))
