"""Settings of all kinds: every field is checked in the same way, wherever settings are made."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError
from lacuna.models.crf import Crf
from lacuna.models.registry import restore, trainable
from lacuna.models.settings import (
    Range,
    Settings,
    annotations_of,
    choices_of,
    configure,
    stored_settings,
)
from lacuna.models.trigram_hmm import TrigramHmm
from lacuna.pipeline.training import train_model
from lacuna.text.sequences import SequenceKind
from tests.models.examples import corpus

FIELDS = [
    (kind.config, field.name) for kind in trainable().values() for field in fields(kind.config)
]
CLOSED = [(record, name) for record, name in FIELDS if choices_of(record, name)]
RANGED = [
    (record, name, extra)
    for record, name in FIELDS
    for extra in annotations_of(record, name)
    if isinstance(extra, Range)
]
#: Numbers without a range: any finite number is allowed.
UNBOUNDED = {"caution", "gap_caution"}


@pytest.mark.parametrize(("record", "name"), CLOSED)
def test_a_wrong_choice_is_refused_and_the_choices_are_named(
    record: type[Settings], name: str
) -> None:
    with pytest.raises(ConfigError, match=f"--set {name}: expected one of ") as caught:
        configure(record, [f"{name}=typo"])
    assert all(choice in str(caught.value) for choice in choices_of(record, name))
    with pytest.raises(ConfigError, match=f"{name}: expected one of "):
        record(**{name: "typo"})
    with pytest.raises((ConfigError, msgspec.ValidationError)):
        stored_settings(record, {name: "typo"})


def outside(limits: Range) -> list[float]:
    low = limits.least if limits.above else limits.least - 1
    return [low] if limits.most == math.inf else [low, limits.most + 1]


@pytest.mark.parametrize(("record", "name", "limits"), RANGED)
def test_numbers_out_of_range_are_refused(record: type[Settings], name: str, limits: Range) -> None:
    default = getattr(record(), name)
    for number in outside(limits):
        value: Any = number if isinstance(default, float) else int(number)
        if name == "subtags":
            value = {"outside": value}
        if name == "interpolation":
            value = (1.0, 1.0, float(number))
        with pytest.raises(ConfigError, match=f"{name}: must be {limits}"):
            record(**{name: value})


@pytest.mark.parametrize(("record", "name"), FIELDS)
def test_every_number_has_a_range_and_every_text_that_is_no_name_has_choices(
    record: type[Settings], name: str
) -> None:
    default = getattr(record(), name)
    if isinstance(default, bool | tuple | dict) or name in UNBOUNDED:
        return
    if isinstance(default, int | float):
        assert any(isinstance(extra, Range) for extra in annotations_of(record, name))
    elif name not in {"features", "interpolation", "closed"}:
        assert choices_of(record, name)


@pytest.mark.parametrize(("record", "name"), FIELDS)
def test_values_of_another_type_are_refused(record: type[Settings], name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        record(**{name: object})


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("record", "name"), [f for f in FIELDS if f[1] in {"l2", "caution"}])
def test_numbers_are_finite(record: type[Settings], name: str, number: str) -> None:
    with pytest.raises(ConfigError, match=name):
        configure(record, [f"{name}={number}"])


@pytest.mark.parametrize("record", sorted({record for record, _ in FIELDS}, key=str))
def test_settings_survive_a_model_file(record: type[Settings]) -> None:
    assert stored_settings(record, msgspec.to_builtins(record())) == record()


def test_a_name_of_earlier_versions_is_still_read() -> None:
    read = stored_settings(Crf, {"lists": {"a": "b"}})
    assert read == Crf(word_lists={"a": "b"}, lexicon=False, sequence=SequenceKind.SENTENCE)


def test_values_become_those_of_the_field() -> None:
    given: dict[str, Any] = {"scheme": "BILOU", "columns": ["pos"], "l2": np.float32(0.5)}
    config = Crf(**given, word_lists={"a": Path("b")})  # type: ignore[dict-item]
    assert config == Crf(scheme=Scheme.BILOU, columns=("pos",), word_lists={"a": "b"}, l2=0.5)
    assert config.scheme is Scheme.BILOU
    assert isinstance(config.columns, tuple)


def test_numbers_may_be_of_any_size() -> None:
    with pytest.raises(ConfigError, match="rare"):
        configure(TrigramHmm, [f"rare=-{10**400}"])


@pytest.mark.parametrize(
    ("stored", "understood"),
    [
        ({"support": "frequnt"}, {"support": "observed"}),
        ({"min_count": 0}, {"min_count": 1}),
        ({"min_documents": 0}, {"min_documents": 1}),
        ({"tolerance": -1.0}, {"tolerance": 0.0}),
        ({"scheme": "IO"}, {"scheme": Scheme.IO}),
    ],
)
def test_files_of_earlier_versions_load_with_settings_that_were_not_checked(
    stored: dict[str, Any], understood: dict[str, Any]
) -> None:
    scheme = understood.get("scheme", Scheme.BIO)
    model = train_model(corpus(3), Crf(iterations=1, scheme=scheme))
    whole = model.store()
    header = {**whole.header, "config": {**whole.header["config"], **stored}}
    again = restore(replace(whole, header=header))
    assert again.config == replace(model.config, **understood)
