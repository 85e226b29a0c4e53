"""Strict reading of safetensors files: arrays on a memory map, everything checked.

::

    8 bytes    length of the directory, little-endian
    directory  {"__metadata__": {…}, "weights": {"dtype": "F64", "shape": [3, 4],
                                                 "data_offsets": [0, 96]}, …}
    arrays     back to back

The safetensors package would copy every array, and it accepts repeated names. Functions raise a
``ValueError`` with the reason; the caller adds the name of the file.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

MAX_DIRECTORY_BYTES = 1 << 24  # parsed JSON takes some 30 times its length in memory
DTYPES = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
    "U64": np.dtype("<u8"),
    "I8": np.dtype("i1"),
    "I16": np.dtype("<i2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


def mapped(path: Path) -> mmap.mmap:
    """Map a file copy-on-write.

    NumPy sees its arrays as writeable; for read-only arrays every kernel would be compiled twice.
    """
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        _check_size(size)
        return mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_COPY)


def in_memory(content: bytes) -> mmap.mmap:
    """Return the bytes of a file as if it were mapped: writeable and aligned."""
    _check_size(len(content))
    memory = mmap.mmap(-1, len(content), access=mmap.ACCESS_COPY)
    memory[:] = content
    return memory


def _check_size(size: int) -> None:
    if size < 10:  # a length and "{}"
        raise ValueError("not a lacuna model, or truncated")


def directory(content: mmap.mmap | bytes) -> tuple[dict[str, Any], int]:
    """Return the directory and the offset at which the arrays start."""
    length = int.from_bytes(content[:8], "little")
    if content[8:9] != b"{":
        raise ValueError("not a lacuna model")
    if length > MAX_DIRECTORY_BYTES:
        raise ValueError(f"not a lacuna model: header of more than {MAX_DIRECTORY_BYTES} bytes")
    if length > len(content) - 8:
        raise ValueError("truncated inside the header")
    return json_object(content[8 : 8 + length]), 8 + length


def arrays_on(
    content: mmap.mmap, start: int, described: Mapping[str, object]
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that a directory describes, as views; they begin at offset `start`."""
    entries = {name: _entry(name, described[name]) for name in sorted(described)}
    _check_layout(entries, len(content) - start)
    return {name: _array(name, entry, content, start) for name, entry in entries.items()}


class _Entry(msgspec.Struct, frozen=True):
    """Type, shape and position of one array, as in the directory."""

    dtype: str
    shape: Annotated[tuple[Count, ...], msgspec.Meta(max_length=32)]
    data_offsets: tuple[Count, Count]


def _entry(name: str, value: object) -> _Entry:
    """Check the description of one array."""
    try:
        entry = msgspec.convert(value, _Entry)
    except msgspec.ValidationError as error:
        raise ValueError(f"array {shown(name)}: {error}") from None
    if entry.dtype not in DTYPES:
        raise ValueError(f"array {shown(name)}: unknown dtype {shown(entry.dtype)}")
    start, end = entry.data_offsets
    if math.prod(entry.shape) * DTYPES[entry.dtype].itemsize != end - start:
        raise ValueError(f"array {shown(name)}: its shape does not fit its length")
    return entry


def _check_layout(entries: Mapping[str, _Entry], available: int) -> None:
    """Require that the arrays are back to back and fill the rest of the file."""
    expected = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        start, end = entry.data_offsets
        if start != expected:
            raise ValueError(f"array {shown(name)} overlaps another or leaves a gap")
        expected = end
    if expected > available:
        raise ValueError(f"truncated: {available} of {expected} bytes of arrays")
    if expected < available:
        raise ValueError(f"{available - expected} bytes after the last array")


def _array(name: str, entry: _Entry, content: mmap.mmap, start: int) -> npt.NDArray[Any]:
    place = start + entry.data_offsets[0]
    dtype = DTYPES[entry.dtype]
    if place % dtype.itemsize:
        raise ValueError(f"array {shown(name)} is not aligned")
    return np.ndarray(entry.shape, dtype, buffer=content, offset=place)


def content_hash(
    header: Mapping[str, Any],
    described: Mapping[str, Any],
    content: mmap.mmap | bytes,
    start: int,
) -> str:
    """Return the SHA-256 of a header, the directory of arrays, and the bytes of the arrays."""
    hasher = hashlib.sha256()
    for part in (header, described):
        hasher.update(canonical(part).encode())
    with memoryview(content) as view, view[start:] as arrays:
        hasher.update(arrays)
    return hasher.hexdigest()


def canonical(value: Mapping[str, Any]) -> str:
    """Return JSON text that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def json_object(content: bytes) -> dict[str, Any]:
    """Parse a JSON object; repeated names, NaN, infinity and lone surrogates are errors."""
    try:
        value = json.loads(
            content.decode(),
            object_pairs_hook=_unique,
            parse_float=_finite,
            parse_constant=_finite,
        )
        json.dumps(value, ensure_ascii=False).encode()  # fails if half a character is in it
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"its header is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("its header is not a JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a name occurs twice")
    return unique


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def shown(name: str) -> str:
    """Quote a name from a possibly hostile file: shortened, without control characters."""
    return f"{name!r:.60}"
