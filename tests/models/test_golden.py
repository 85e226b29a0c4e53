"""Model files of earlier versions can be read, and find the same as then.

``make_golden.py`` wrote them.
"""

from __future__ import annotations

import json
import warnings

import pytest

from lacuna.errors import ModelFileWarning
from lacuna.models.answers import check_answers
from lacuna.models.file import file_digest, read_model
from lacuna.models.registry import load
from tests.models.make_golden import GOLDEN, found

EXPECTED = json.loads((GOLDEN / "found.json").read_text())
DIGESTS = {
    "crf": "00a4513365e3036d279796d98e9e9959857e12d43c56123572509a76c790ebc7",
    "private": "2dea5f9e23703ef21d10105c1e56c7275e99d8aac639fe5f3f2a1d1004768182",
    "lists": "9e29598e4a53e0157cc66197fcac48f882a5a7b7bf278f7ec89deaa956db6884",
    "two-pass": "cc522b141f05c46802e147f64e198a6b2ba9152dc2730f773e414b85bfaadf85",
    "format-2": "448323d9ce324397480665609267ddacb62cc9d08857e4c15cd3877e13df5a64",
    "li": "1429fbedafbd10f9a116d92d30137fea1298f4fa37c2c79d61e366c168fa6e0e",
    "shared": "f3c161eefe487fdfde6df099e9778e5a0d1c103b9bd5ab072f042c1fe8465030",
}
OF_FORMAT_2 = {"format-2", "shared"}


@pytest.mark.parametrize("name", DIGESTS)
def test_a_golden_file_finds_what_it_found(name: str) -> None:
    path = GOLDEN / f"{name}.lacuna"
    assert file_digest(path) == DIGESTS[name], "golden files are never written again"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load(path)
    expected = [] if name in OF_FORMAT_2 else [ModelFileWarning]
    assert [warning.category for warning in caught] == expected
    assert model.card.licence == "CC0-1.0"
    for now, then in zip(found(model), EXPECTED[name], strict=True):
        assert [mention[:3] for mention in now] == [mention[:3] for mention in then]
        assert [mention[3] for mention in now] == pytest.approx([m[3] for m in then], abs=1e-5)


def test_a_golden_file_answers_as_recorded() -> None:
    path = GOLDEN / "format-2.lacuna"
    check_answers(read_model(path), load(path))


def test_every_golden_file_is_looked_at() -> None:
    assert {path.stem for path in GOLDEN.glob("*.lacuna")} == set(DIGESTS) == set(EXPECTED)
    assert any(EXPECTED["crf"])
