"""Every setting of every kind of model is explained, with its default and what it allows."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

import pytest

from lacuna.models.registry import trainable
from lacuna.models.setting_help import describe_settings, meaning_of
from lacuna.models.settings import Range, Settings, annotations_of, choices_of

KINDS = sorted(trainable())


@dataclass(frozen=True, slots=True)
class Parent(Settings):
    """Settings of a test.

    Attributes
    ----------
    first, second
        Both of them, in ``two``
        lines.
    third
        The third.
    """

    first: int = 1
    second: str = "a"
    third: bool = False


@dataclass(frozen=True, slots=True)
class Child(Parent):
    """Inherits settings.

    Attributes
    ----------
    third
        Something else.
    """

    third: bool = True
    fourth: float = 0.5


def test_meanings_come_from_the_docstrings() -> None:
    assert meaning_of(Parent, "second") == "Both of them, in two lines."
    assert meaning_of(Child, "first") == "Both of them, in two lines."
    assert meaning_of(Child, "third") == "Something else."
    assert meaning_of(Child, "fourth") == ""


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_explained(kind: str) -> None:
    record = trainable()[kind].config
    told = describe_settings(record)
    assert [setting.name for setting in told] == [field.name for field in fields(record)]
    for name, default, allowed, meaning in told:
        assert re.fullmatch(r"[^`]{20,}\.", meaning), f"{kind}: {name} is not explained"
        assert default, name
        assert all(choice in allowed for choice in choices_of(record, name)), name
        for extra in annotations_of(record, name):
            assert not isinstance(extra, Range) or str(extra) in allowed, name
