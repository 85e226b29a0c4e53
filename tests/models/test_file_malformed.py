"""Broken or hostile model files: each is refused with a reason, without a crash."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from lacuna.errors import ModelFileError
from lacuna.models.file import read_model
from tests.models.files import GOLDEN, OWN, U8, UNHASHED, file_of, framed

#: Files made by hand are of format 1, which has no hash, so that what is checked next is reached.
pytestmark = pytest.mark.filterwarnings("ignore::lacuna.errors.ModelFileWarning")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.lacuna"


def with_entry(buffer: bytes = b"1234", **changes: Any) -> bytes:
    return file_of({"a": {**U8, **changes}}, buffer)


def two(first: list[int], second: list[int], buffer: bytes = b"1234") -> bytes:
    pieces = {
        name: {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}
        for name, (start, end) in (("a", first), ("b", second))
    }
    return file_of(pieces, buffer)


TWICE = b'{"__metadata__":{"lacuna":"{\\"format\\":1,\\"kind\\":\\"k\\"}"},%s,%s}'
EMPTY = b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'

MALFORMED = {
    "empty file": (b"", "not a lacuna model"),
    "nine bytes": (b"\x01" + bytes(7) + b"{", "not a lacuna model"),
    "a text file": (b"Just some words, nothing else.\n", "not a lacuna model"),
    "a pickle": (b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x02os\x94.", "not a lacuna model"),
    "a zip file": (b"PK\x03\x04" + bytes(60), "not a lacuna model"),
    "header length zero": (bytes(8) + b"{}", "not valid JSON"),
    "header length 2**63": ((1 << 63).to_bytes(8, "little") + b"{}  ", "more than"),
    "header over the limit": (((1 << 24) + 1).to_bytes(8, "little") + b"{}  ", "more than"),
    "header longer than file": ((50).to_bytes(8, "little") + b"{}  ", "truncated inside"),
    "header a list": (framed(b"[1, 2, 3]"), "not a lacuna model"),
    "header not JSON": (framed(b"{nothing here}"), "not valid JSON"),
    "header not UTF-8": (framed(b'{"\xff\xfe": 1}'), "not valid JSON"),
    "header in UTF-16": (framed("{}".encode("utf-16-le")), "not valid JSON"),
    "two values in header": (framed(b"{} {}"), "not valid JSON"),
    "nested bomb": (framed(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "too deeply"),
    "number of 5000 digits": (framed(b'{"a":' + b"9" * 5000 + b"}"), "not valid JSON"),
    "no metadata": (framed(b"{%s}" % EMPTY), "no lacuna header"),
    "metadata a list": (framed(b'{"__metadata__": []}'), "no lacuna header"),
    "metadata of others": (
        framed(b'{"__metadata__": {"format": "pt"}}'),
        "no lacuna header",
    ),
    "own header an object": (
        framed(b'{"__metadata__": {"lacuna": {}}}'),
        "no lacuna header",
    ),
    "own header not JSON": (file_of({}, b"", "{"), "not valid JSON"),
    "own header a list": (file_of({}, b"", "[1]"), "not a JSON object"),
    "own header a bomb": (file_of({}, b"", '{"a":' + "[" * 100_000), "too deeply"),
    "own header with NaN": (file_of({}, b"", '{"format": 1, "x": NaN}'), "not finite"),
    "own header with 1e999": (file_of({}, b"", '{"format": 1, "x": 1e999}'), "not finite"),
    "format twice": (file_of({}, b"", '{"format": 9, "format": 1}'), "occurs twice"),
    "lone surrogate": (file_of({}, b"", '{"\ud800": 1}'), "surrogates not allowed"),
    "no format": (file_of({}, b"", {"kind": "crf"}), "no format version"),
    "format true": (file_of({}, b"", {**OWN, "format": True}), "no format version"),
    "format zero": (file_of({}, b"", {**OWN, "format": 0}), "no format version"),
    "format a string": (file_of({}, b"", {**OWN, "format": "1"}), "no format version"),
    "newer format": (file_of({}, b"", {**OWN, "format": 3}), "needs a newer lacuna"),
    "newer format, new dtype": (
        file_of({"a": {**U8, "dtype": "Q3"}}, own={**OWN, "format": 3}),
        "needs a newer lacuna",
    ),
    "no hash": (file_of({}, b"", {**OWN, "format": 2}), "does not match its hash"),
    "hash of another file": (
        file_of({}, b"", {**OWN, "format": 2, "sha256": 64 * "0"}),
        "does not match its hash",
    ),
    "a hash in format 1": (file_of({}, b"", {**OWN, "sha256": 64 * "0"}), "has no hash"),
    "half a character": (file_of({}, b"", '{"format":1,"kind":"k","x":["\\ud83d"]}'), "surrogates"),
    "half a character as a key": (
        file_of({}, b"", '{"format":1,"kind":"k","x":{"\\ud83d":1}}'),
        "surrogates",
    ),
    "no kind": (file_of({}, b"", {"format": 1}), "no kind"),
    "kind a number": (file_of({}, b"", {"format": 1, "kind": 7}), "no kind"),
    "name twice": (framed(TWICE % (EMPTY, EMPTY)), "occurs twice"),
    "entry a list": (file_of({"a": []}), "array 'a'"),
    "entry without shape": (file_of({"a": {"dtype": "U8", "data_offsets": [0, 4]}}), "shape"),
    "unknown dtype": (with_entry(dtype="BF16"), "unknown dtype 'BF16'"),
    "dtype of objects": (with_entry(dtype="O"), "unknown dtype 'O'"),
    "dtype a number": (with_entry(dtype=8), "dtype"),
    "negative length": (with_entry(shape=[-4]), "shape"),
    "two negative lengths": (with_entry(shape=[-2, -2]), "shape"),
    "length 1e30": (with_entry(shape=[1e30]), "shape"),
    "length 4.0": (with_entry(shape=[4.0]), "shape"),
    "length 10**30": (with_entry(shape=[10**30]), "shape"),
    "length true": (with_entry(b"1", shape=[True], data_offsets=[0, 1]), "shape"),
    "33 dimensions": (with_entry(b"1", shape=[1] * 33, data_offsets=[0, 1]), "shape"),
    "size wraps to 4": (with_entry(shape=[(1 << 32) + 1, 1 << 32, 4]), "does not fit"),
    "size zero of absurd lengths": (
        with_entry(b"", shape=[0, 1 << 62, 1 << 62], data_offsets=[0, 0]),
        "too big",
    ),
    "shape too short": (with_entry(shape=[3]), "does not fit"),
    "wrong item size": (with_entry(dtype="F64"), "does not fit"),
    "offsets turned": (with_entry(data_offsets=[4, 0]), "does not fit"),
    "offsets negative": (with_entry(data_offsets=[-4, 0]), "data_offsets"),
    "three offsets": (with_entry(data_offsets=[0, 4, 8]), "data_offsets"),
    "offsets out of range": (
        with_entry(shape=[1 << 50], data_offsets=[0, 1 << 50]),
        "truncated: 4 of",
    ),
    "a gap at the start": (with_entry(b"12345", data_offsets=[1, 5]), "leaves a gap"),
    "a gap": (two([0, 2], [3, 4]), "array 'b' overlaps another or leaves a gap"),
    "overlap": (two([0, 3], [2, 4]), "array 'b' overlaps"),
    "same place": (two([0, 4], [0, 4]), "array 'b' overlaps"),
    "one byte less": (with_entry(b"123"), "truncated: 3 of 4 bytes"),
    "one byte more": (with_entry(b"12345"), "1 bytes after the last array"),
    "not aligned": (
        file_of(
            {
                "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
                "b": {"dtype": "F64", "shape": [1], "data_offsets": [1, 9]},
            },
            bytes(9),
        ),
        "array 'b' is not aligned",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_file_is_refused(path: Path, case: str) -> None:
    content, reason = MALFORMED[case]
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        read_model(path)
    assert reason in caught.value.reason
    assert str(caught.value) == f"{path}: {caught.value.reason}"


def test_the_table_starts_from_a_file_that_is_read(path: Path) -> None:
    path.write_bytes(with_entry())
    assert read_model(path).arrays["a"].tobytes() == b"1234"
    path.write_bytes(two([0, 3], [3, 4]))
    assert read_model(path).arrays["b"].tobytes() == b"4"
    path.write_bytes(framed(TWICE % (EMPTY, EMPTY.replace(b"a", b"b", 1).replace(b"db", b"da"))))
    assert set(read_model(path).arrays) == {"a", "b"}


def test_a_hostile_name_is_shown_short_and_without_control_characters(path: Path) -> None:
    path.write_bytes(file_of({"\x1b[2J" + "x" * 9999: {**U8, "dtype": "\x1b]0;" + "y" * 9999}}))
    with pytest.raises(ModelFileError) as caught:
        read_model(path)
    assert caught.value.reason.isprintable()
    assert len(caught.value.reason) < 200


def test_a_folder_and_a_pipe_are_refused_and_a_missing_file_is_missing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ModelFileError, match="not a file"):
            read_model(place)
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "none.lacuna")


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_noticed_or_harmless(path: Path, seed: int) -> None:
    """Flip, cut or insert bytes anywhere: the file loads, or a ModelFileError is raised."""
    rng = random.Random(seed)
    refused = 0
    for _ in range(500):
        content = bytearray(UNHASHED)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(content))
            action = rng.randrange(3)
            if action == 0:
                content[place] ^= 1 << rng.randrange(8)
            elif action == 1:
                del content[place : place + rng.choice([1, 8, len(content)])]
            else:
                content[place:place] = rng.choice([b"\0", b"[", b"9", b'"', b"\xff" * 8])
            content = content or bytearray(b"\0")
        path.write_bytes(content)
        try:
            for array in read_model(path).arrays.values():
                array.sum()
        except ModelFileError:
            refused += 1
    assert refused > 250


def test_a_flipped_bit_is_refused_or_changes_nothing(path: Path) -> None:
    path.write_bytes(GOLDEN)
    whole = read_model(path)
    harmless = 0
    for bit in range(8 * len(GOLDEN)):
        content = bytearray(GOLDEN)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        try:
            back = read_model(path)
        except ModelFileError:
            continue
        harmless += 1  # an escape in capitals: \u00E9
        assert (back.kind, back.header) == (whole.kind, whole.header)
        for name, array in whole.arrays.items():
            assert back.arrays[name].tobytes() == array.tobytes()
    assert harmless < 4


def test_no_beginning_of_a_file_is_read(path: Path) -> None:
    for size in range(len(GOLDEN)):
        path.write_bytes(GOLDEN[:size])
        with pytest.raises(ModelFileError):
            read_model(path)
