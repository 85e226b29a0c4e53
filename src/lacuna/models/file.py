"""The model file: named arrays and a JSON header in one safetensors file.

The header is JSON under the key ``"lacuna"`` of ``__metadata__``; its keys ``"format"``, ``"kind"``
and ``"sha256"``, the hash of everything else in the file, are required. Files of format 1 have no
hash: they are read with a warning. :func:`write_model` and :func:`read_model` write and open files;
restoring a kind of model checks each array with :func:`require`. `safetensors.py` parses the bytes.
Files may be hostile: nothing in them is executed, and whatever compiled code relies on is checked
first. `answers.py` checks that a model still answers as it did when it was written, `bundled.py`
finds the models that come with lacuna.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from mmap import mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from lacuna.errors import ModelFileError, ModelFileWarning
from lacuna.io.writing import whole_file
from lacuna.models.safetensors import (
    DTYPES,
    MAX_DIRECTORY_BYTES,
    arrays_on,
    canonical,
    content_hash,
    directory,
    in_memory,
    json_object,
    mapped,
    shown,
)
from lacuna.types import LongArray

FORMAT = 2
UNHASHED_FORMAT = 1  # of lacuna 0.1.0: no hash in the header
METADATA = "__metadata__"  # the only name in the directory that is not an array
OWN_KEY = "lacuna"
HASH_KEY = "sha256"
RESERVED_KEYS = frozenset({"format", "kind", HASH_KEY})
LARGEST_WEIGHT = 1e6  #: absolute value; those of a trained model rarely pass 100

ByteArray = npt.NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class StoredModel:
    """What a model file holds.

    Attributes
    ----------
    kind
        Name of the kind of model, e.g. ``"crf"``.
    header
        JSON values by key: config, tags, templates, card. Unknown keys are ignored.
    arrays
        By name. Those of :func:`read_model` are memory-mapped copy-on-write: they are read when
        used, and writing to one does not change the file.
    source
        The file it was read from, for error messages.
    """

    kind: str
    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]
    source: str = "model"

    def __post_init__(self) -> None:
        if RESERVED_KEYS & self.header.keys():
            raise ValueError(f"header must not have the keys {', '.join(sorted(RESERVED_KEYS))}")
        if METADATA in self.arrays:
            raise ValueError(f"no array may be named {METADATA!r}")
        for name, array in self.arrays.items():
            if array.dtype not in DTYPES.values():
                raise ValueError(f"array {shown(name)} cannot be stored: dtype {array.dtype}")


class PackedStrings(NamedTuple):
    """Strings as two arrays: string i is the UTF-8 ``data[offsets[i]:offsets[i + 1]]``."""

    data: ByteArray
    offsets: LongArray


def write_model(path: Path, model: StoredModel) -> str:
    """Write a model file atomically and return its SHA-256."""
    content = model_bytes(model, source=str(path))
    with whole_file(path) as stream:
        stream.write(content)
    return hashlib.sha256(content).hexdigest()


def model_bytes(model: StoredModel, *, source: str = "model") -> bytes:
    """Return the bytes of a model file; `source` is for error messages.

    The same model gives the same bytes, regardless of the order of its names and keys.
    """
    in_c_order = {name: np.asarray(array, order="C") for name, array in model.arrays.items()}

    def saved(header: Mapping[str, Any]) -> bytes:
        return save(in_c_order, metadata={OWN_KEY: canonical(header)})

    header = {"format": FORMAT, "kind": model.kind, **model.header}
    content = saved(header)
    if int.from_bytes(content[:8], "little") > MAX_DIRECTORY_BYTES:
        raise ModelFileError(source, f"its header would pass {MAX_DIRECTORY_BYTES} bytes")
    described, start = directory(content)
    del described[METADATA]
    return saved({**header, HASH_KEY: content_hash(header, described, content, start)})


def read_model(path: Path) -> StoredModel:
    """Open a model file and compare its content with its hash; its arrays are memory-mapped."""
    if path.exists() and not path.is_file():
        raise ModelFileError(path, "not a file")
    return _opened(lambda: mapped(path), str(path))


def parse_model(content: bytes, *, source: str = "model") -> StoredModel:
    """Return what the bytes of a model file hold, checked like a file."""
    return _opened(lambda: in_memory(content), source)


def _opened(memory: Callable[[], mmap], source: str) -> StoredModel:
    try:
        content = memory()
        described, start = directory(content)
        header = _own_header(described.pop(METADATA, None))
        arrays = arrays_on(content, start, described)
        expected = header.pop(HASH_KEY, None)
        version, kind = header["format"], header["kind"]
        if version > UNHASHED_FORMAT:
            if expected != content_hash(header, described, content, start):
                raise ValueError("the file is damaged: its content does not match its hash")
        elif expected is not None:
            raise ValueError(f"the file is damaged: format {version} has no hash")
        own = {key: value for key, value in header.items() if key not in RESERVED_KEYS}
        stored = StoredModel(kind, own, arrays, source)
    except ValueError as error:
        raise ModelFileError(source, str(error)) from None
    if version == UNHASHED_FORMAT:
        reason = "written by an earlier version of lacuna, without a hash: damage may go unnoticed"
        warnings.warn(f"{source}: {reason}", ModelFileWarning, stacklevel=3)
    return stored


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def require(
    model: StoredModel, name: str, dtype: type[Scalar], shape: tuple[int, ...]
) -> npt.NDArray[Scalar]:
    """Return a required array of a model; -1 in `shape` allows any length."""
    if name not in model.arrays:
        raise ModelFileError(model.source, f"array {shown(name)} is missing")
    array = model.arrays[name]
    if array.dtype != dtype:
        raise ModelFileError(
            model.source, f"array {shown(name)} is {array.dtype}, not {dtype.__name__}"
        )
    fits = all(wanted in (-1, actual) for wanted, actual in zip(shape, array.shape, strict=False))
    if array.ndim != len(shape) or not fits:
        raise ModelFileError(
            model.source, f"array {shown(name)} has the shape {array.shape}, not {shape}"
        )
    return array


def require_indices(
    model: StoredModel, name: str, dtype: type[Scalar], shape: tuple[int, ...], *, below: int
) -> npt.NDArray[Scalar]:
    """Return a required array whose values are all in ``[0, below)``.

    Kernels do not check bounds, so every index from a file must be checked first.
    """
    array = require(model, name, dtype, shape)
    if array.size and not 0 <= array.min() <= array.max() < below:
        raise ModelFileError(model.source, f"array {shown(name)} has values outside [0, {below})")
    return array


def require_numbers(
    model: StoredModel,
    name: str,
    dtype: type[Scalar],
    shape: tuple[int, ...],
    *,
    least: float = -LARGEST_WEIGHT,
    most: float = LARGEST_WEIGHT,
) -> npt.NDArray[Scalar]:
    """Return a required array whose values are all in ``[least, most]``, by default weights."""
    array = require(model, name, dtype, shape)
    if array.size and not (array.min() >= least and array.max() <= most):  # false for NaN
        raise ModelFileError(
            model.source, f"array {shown(name)} has values outside [{least:g}, {most:g}]"
        )
    return array


def with_parts(kind: str, parts: Mapping[str, StoredModel]) -> StoredModel:
    """Return several models as one, by name; :func:`stored_part` extracts them."""
    return StoredModel(
        kind,
        {name: {"kind": part.kind, "header": part.header} for name, part in parts.items()},
        {
            f"{name}.{array}": values
            for name, part in parts.items()
            for array, values in part.arrays.items()
        },
    )


def stored_part(stored: StoredModel, name: str) -> StoredModel:
    """Return the model stored under a name inside another."""
    described = stored.header.get(name)
    part = described if isinstance(described, dict) else {}
    kind, header = part.get("kind"), part.get("header")
    if not isinstance(kind, str) or kind == stored.kind or not isinstance(header, dict):
        raise ModelFileError(stored.source, f"its header has no {name}")
    if RESERVED_KEYS & header.keys():
        raise ModelFileError(stored.source, f"the header of its {name} is damaged")
    prefix = f"{name}."
    arrays = {
        key.removeprefix(prefix): values
        for key, values in stored.arrays.items()
        if key.startswith(prefix)
    }
    return StoredModel(kind, header, arrays, stored.source)


def pack_strings(strings: Sequence[str]) -> PackedStrings:
    """Turn strings into two arrays that a model file can hold."""
    encoded = [string.encode() for string in strings]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    offsets[1:] = np.cumsum([len(piece) for piece in encoded])
    return PackedStrings(np.frombuffer(bytearray(b"".join(encoded)), np.uint8), offsets)


NO_STRINGS = pack_strings(())


def unpack_strings(packed: PackedStrings, *, source: str = "model") -> list[str]:
    """Turn the two arrays back into strings; `source` is for error messages."""
    offsets = packed.offsets.tolist()
    if not offsets or offsets[0] != 0 or offsets[-1] != len(packed.data):
        raise ModelFileError(source, "the offsets of its strings do not fit their bytes")
    if np.any(packed.offsets[1:] < packed.offsets[:-1]):
        raise ModelFileError(source, "the offsets of its strings fall")
    data = packed.data.tobytes()
    try:
        return [data[start:end].decode() for start, end in pairwise(offsets)]
    except UnicodeDecodeError:
        raise ModelFileError(source, "one of its strings is not UTF-8") from None


def packed_words(words: Iterable[str]) -> PackedStrings:
    """Return distinct words, sorted, without those that UTF-8 cannot encode."""
    return pack_strings(sorted(filter(_can_be_stored, set(words))))


def joined_words(one: PackedStrings, other: PackedStrings) -> PackedStrings:
    """Return the words of both, sorted."""
    return pack_strings(sorted({*unpack_strings(one), *unpack_strings(other)}))


def _own_header(metadata: object) -> dict[str, Any]:
    """Return the header; an unknown format is an error."""
    text = metadata.get(OWN_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ValueError("not a lacuna model: a safetensors file with no lacuna header")
    header = json_object(text.encode())
    version = header.get("format")
    if type(version) is not int or version < 1:
        raise ValueError("not a lacuna model: no format version")
    if version > FORMAT:
        raise ValueError(
            f"format {version!s:.20} needs a newer lacuna; this one reads up to format {FORMAT}"
        )
    if not isinstance(header.get("kind"), str):
        raise ValueError("its header names no kind of model")
    return header


def _can_be_stored(word: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in word)
