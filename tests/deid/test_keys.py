"""Keys: what is derived from them, and their files."""

from __future__ import annotations

import hashlib
import hmac
import os
import pickle
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.keys import Key, create_key, read_key
from lacuna.errors import ConfigError

KEY = Key(bytes(range(32)))
fields = st.lists(st.text(max_size=3), max_size=4)


def test_the_digest_is_hmac_sha_256_of_fields_with_their_lengths() -> None:
    expected = hmac.new(bytes(range(32)), "1:é2:xy".encode(), hashlib.sha256).digest()
    assert KEY.digest("é", "xy") == expected
    assert KEY.number("é", "xy") == int.from_bytes(expected[:8], "big")


@given(fields, fields)
def test_different_fields_give_different_digests(one: list[str], other: list[str]) -> None:
    assert (KEY.digest(*one) == KEY.digest(*other)) == (one == other)


def test_keys_show_nothing_of_themselves_and_differ() -> None:
    assert repr(KEY) == str(KEY) == "Key(…)"
    assert Key.random().digest("a") != Key.random().digest("a")
    assert KEY.derive("a").digest("x") != KEY.derive("b").digest("x") != KEY.digest("x")
    assert KEY.digest("\ud800") != KEY.digest("\ud801")
    assert pickle.loads(pickle.dumps(KEY)).digest("x") == KEY.digest("x")  # noqa: S301


def test_a_key_file_is_private_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key.bin"
    before = os.umask(0)
    try:
        key = create_key(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(path).digest("x") == key.digest("x")
    with pytest.raises(ConfigError, match="never overwritten"):
        create_key(path)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_files_of_another_size_are_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "key.bin"
    path.write_bytes(b"x" * size)
    with pytest.raises(ConfigError, match="exactly 32 bytes"):
        read_key(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_key(tmp_path / "none.bin")
    with pytest.raises(ConfigError, match="cannot be written"):
        create_key(tmp_path / "none" / "key.bin")
    with pytest.raises(ConfigError):
        Key(b"x" * size)
