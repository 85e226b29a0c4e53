"""The model file: round trips, checks of arrays, and lazy reading."""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open
from safetensors.numpy import load_file, save

from lacuna.errors import ModelFileError, ModelFileWarning
from lacuna.models import file, safetensors
from lacuna.models.file import (
    PackedStrings,
    StoredModel,
    file_digest,
    pack_strings,
    read_model,
    require,
    require_indices,
    require_numbers,
    unpack_strings,
    write_model,
)
from tests.models.files import GOLDEN, UNHASHED
from tests.strategies import json_values

AnyArray = npt.NDArray[Any]

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
headers = st.dictionaries(
    st.text(max_size=5).filter(lambda key: key not in {"format", "kind", "sha256"}),
    json_values | st.floats(allow_nan=False, allow_infinity=False),
    max_size=3,
)
arrays = hnp.arrays(
    st.sampled_from(["?", "u1", "i1", "<u2", "<u8", "<i4", "<i8", "<f4", "<f8"]).map(np.dtype),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
models = st.builds(StoredModel, names, headers, st.dictionaries(names, arrays, max_size=4))


def golden_model() -> StoredModel:
    return StoredModel(
        "crf",
        {"labels": ["A", "B"], "card": {"data": "é"}},
        {"words": np.frombuffer(b"abc", np.uint8), "weights": np.array([[1.0, -0.5]])},
    )


def assert_same(first: AnyArray, second: AnyArray) -> None:
    assert first.dtype == second.dtype
    assert first.shape == second.shape
    assert first.tobytes() == second.tobytes()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file name for many examples; each test writes before it reads."""
    return tmp_path_factory.mktemp("models") / "m.lacuna"


@given(model=models)
def test_what_is_written_comes_back(path: Path, model: StoredModel) -> None:
    digest = write_model(path, model)
    back = read_model(path)
    assert (back.kind, back.header, back.source) == (model.kind, model.header, str(path))
    assert list(back.arrays) == sorted(model.arrays)
    for name, array in back.arrays.items():
        assert_same(array, model.arrays[name])
        assert array.flags.aligned
        assert array.flags.writeable
        assert array.flags.c_contiguous
    assert digest == file_digest(path) == hashlib.sha256(path.read_bytes()).hexdigest()


@given(model=models)
def test_bytes_do_not_depend_on_order_of_names_or_memory_layout(
    path: Path, model: StoredModel
) -> None:
    turned = StoredModel(
        model.kind,
        dict(reversed(list(model.header.items()))),
        {name: np.asarray(model.arrays[name], order="F") for name in reversed(list(model.arrays))},
    )
    assert write_model(path, model) == write_model(path, turned)


def test_an_array_in_another_memory_order_keeps_its_values(path: Path) -> None:
    table = np.arange(24.0).reshape(4, 6)
    write_model(path, StoredModel("k", {}, {"turned": table.T, "every": table[::2, ::-1]}))
    back = read_model(path)
    np.testing.assert_array_equal(back.arrays["turned"], table.T)
    np.testing.assert_array_equal(back.arrays["every"], table[::2, ::-1])


@given(model=models)
def test_the_safetensors_package_reads_our_files(path: Path, model: StoredModel) -> None:
    write_model(path, model)
    for name, array in load_file(path).items():
        assert_same(array, model.arrays[name])
    with safe_open(path, framework="np") as opened:
        header = json.loads(opened.metadata()["lacuna"])
        assert set(opened.keys()) == set(model.arrays)
    digest = header.pop("sha256")
    assert header == {"format": 2, "kind": model.kind, **model.header}
    assert digest == hash_by_hand(path.read_bytes())


def hash_by_hand(content: bytes) -> str:
    """Return the hash that belongs into a header: of all the rest, as JSON with sorted keys."""
    start = 8 + int.from_bytes(content[:8], "little")
    described = json.loads(content[8:start])
    header = json.loads(described.pop("__metadata__")["lacuna"])
    del header["sha256"]
    parts = [
        json.dumps(part, sort_keys=True, separators=(",", ":")) for part in (header, described)
    ]
    return hashlib.sha256("".join(parts).encode() + content[start:]).hexdigest()


@pytest.mark.filterwarnings("ignore::lacuna.errors.ModelFileWarning")
@given(content=st.dictionaries(names, arrays, max_size=4))
def test_we_read_files_of_the_safetensors_package(path: Path, content: dict[str, AnyArray]) -> None:
    own = '{"format": 1, "kind": "k"}'
    path.write_bytes(save(content, metadata={"other": "ignored", "lacuna": own}))
    back = read_model(path)
    assert back.arrays.keys() == content.keys()
    for name, array in content.items():
        assert_same(back.arrays[name], array)


def test_the_golden_file_is_read_and_written(path: Path) -> None:
    model = golden_model()
    for content in (UNHASHED, GOLDEN):
        path.write_bytes(content)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            back = read_model(path)
        assert (back.kind, back.header) == (model.kind, model.header)
        for name in ("weights", "words"):
            assert_same(back.arrays[name], model.arrays[name])
        assert [warning.category for warning in caught] == [ModelFileWarning] * (
            content is UNHASHED
        )
    write_model(path, model)
    assert path.read_bytes() == GOLDEN


def test_what_cannot_be_stored_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    target = tmp_path / "m.lacuna"
    target.write_bytes(b"before")
    with pytest.raises(ValueError, match="dtype object"):
        StoredModel("k", {}, {"a": np.array([None])})
    with pytest.raises(ValueError, match="dtype >f8"):
        StoredModel("k", {}, {"a": np.zeros(1, ">f8")})
    with pytest.raises(ValueError, match="__metadata__"):
        StoredModel("k", {}, {"__metadata__": np.zeros(1)})
    with pytest.raises(ValueError, match="keys format, kind, sha256"):
        StoredModel("k", {"kind": "other"}, {})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_model(target, StoredModel("k", {"loss": float("nan")}, {}))
    with pytest.raises(ModelFileError, match="would pass"):
        write_model(target, StoredModel("k", {"long": "x" * (1 << 24)}, {}))
    assert target.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["m.lacuna"]


# --- the map -----------------------------------------------------------------------------------


def test_writing_to_an_array_leaves_the_file_and_other_readers_alone(path: Path) -> None:
    path.write_bytes(GOLDEN)
    first, second = read_model(path), read_model(path)
    first.arrays["weights"][:] = 7
    assert path.read_bytes() == GOLDEN
    assert second.arrays["weights"].tolist() == [[1.0, -0.5]]


def test_a_rewritten_header_gets_a_new_hash(path: Path) -> None:
    write_model(path, golden_model())
    stored = read_model(path)
    write_model(path, replace(stored, header={**stored.header, "calibration": [0.01]}))
    assert read_model(path).header["calibration"] == [0.01]
    assert hash_by_hand(path.read_bytes()) != hash_by_hand(GOLDEN)


def test_an_open_model_survives_a_new_one_under_its_name(path: Path) -> None:
    path.write_bytes(GOLDEN)
    opened = read_model(path)
    write_model(path, StoredModel("other", {}, {"weights": np.zeros((9, 9))}))
    assert opened.arrays["weights"].tolist() == [[1.0, -0.5]]


# --- functions for models ----------------------------------------------------------------------


def test_require_returns_an_array_that_fits() -> None:
    model = golden_model()
    for shape in ((1, 2), (-1, 2), (-1, -1)):
        assert require(model, "weights", np.float64, shape) is model.arrays["weights"]


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "reason"),
    [
        ("biases", np.float64, (1, 2), "'biases' is missing"),
        ("weights", np.float32, (1, 2), "is float64, not float32"),
        ("weights", np.float64, (2, 1), r"has the shape \(1, 2\), not \(2, 1\)"),
        ("weights", np.float64, (-1,), "has the shape"),
        ("weights", np.float64, (-1, -1, -1), "has the shape"),
        ("weights", np.float64, (), "has the shape"),
    ],
)
def test_require_refuses_what_does_not_fit(
    name: str, dtype: type[np.generic], shape: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(ModelFileError, match=f"^model: array .*{reason}"):
        require(golden_model(), name, dtype, shape)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_indices_stay_inside(dtype: type[np.generic]) -> None:
    model = StoredModel("k", {}, {"i": np.array([0, 4, 2], dtype), "none": np.zeros(0, dtype)})
    assert require_indices(model, "i", dtype, (3,), below=5) is model.arrays["i"]
    assert require_indices(model, "none", dtype, (-1,), below=0).size == 0
    with pytest.raises(ModelFileError, match=r"'i' has values outside \[0, 4\)"):
        require_indices(model, "i", dtype, (3,), below=4)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.1e6, -1.1e6, 1e30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_are_finite_and_bounded(dtype: type[Any], bad: float) -> None:
    weights = np.array([0.5, 1e6, -1e6], dtype)
    model = StoredModel("k", {}, {"w": weights, "none": weights[:0]})
    assert require_numbers(model, "w", dtype, (3,)) is weights
    assert require_numbers(model, "none", dtype, (0,)).size == 0
    weights[1] = bad
    with pytest.raises(ModelFileError, match="'w' has values outside"):
        require_numbers(model, "w", dtype, (3,))


def test_a_negative_index_is_refused() -> None:
    model = StoredModel("k", {}, {"i": np.array([0, -1], np.int32)})
    with pytest.raises(ModelFileError, match="outside"):
        require_indices(model, "i", np.int32, (2,), below=5)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=8))
def test_strings_come_back(strings: list[str]) -> None:
    packed = pack_strings(strings)
    assert packed.data.dtype == np.uint8
    assert packed.offsets.dtype == np.int64
    assert packed.data.flags.writeable
    assert unpack_strings(packed) == strings


@pytest.mark.parametrize(
    ("data", "offsets", "reason"),
    [
        (b"abc", [], "do not fit"),
        (b"abc", [1, 3], "do not fit"),
        (b"abc", [0, 2], "do not fit"),
        (b"abc", [0, 4], "do not fit"),
        (b"abc", [0, 2, 1, 3], "fall"),
        (b"abc", [0, -1, 3], "fall"),
        (b"abc", [0, 2**63 - 1, -2, 3], "fall"),
        (b"a\xff", [0, 2], "not UTF-8"),
        ("é".encode(), [0, 1, 2], "not UTF-8"),
        (b"\xed\xa0\x80", [0, 3], "not UTF-8"),
    ],
)
def test_broken_strings_are_refused(data: bytes, offsets: list[int], reason: str) -> None:
    packed = PackedStrings(np.frombuffer(data, np.uint8), np.array(offsets, np.int64))
    with pytest.raises(ModelFileError, match=f"^m.lacuna: .*{reason}"):
        unpack_strings(packed, source="m.lacuna")


@pytest.mark.parametrize("module", [file, safetensors])
def test_nothing_that_could_run_code_is_used(module: Any) -> None:
    tree = ast.parse(Path(module.__file__).read_text())
    words = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(tree)}
    words |= {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for part in ast.unparse(node).replace(".", " ").split()
    }
    assert words & {"json", "json_object"}
    assert not words & {"pickle", "marshal", "eval", "exec", "compile", "load", "importlib"}
