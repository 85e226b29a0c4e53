"""Word lists and clusters: files, matching, storage, and what they say of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.features.lexicon import WordForms, read_clusters, read_word_list
from lacuna.features.resources import Resources, with_resources
from lacuna.features.words import word_values
from lacuna.text.characters import code_points
from tests.features.reference import assert_same, lower

words = st.text(st.sampled_from("aAéÉİ"), min_size=1, max_size=2)  # few: cases must meet
counts = st.integers(0, 9).map(lambda digits: 10**digits) | st.integers(1, 10**9)


def forms_of(given_words: list[str]) -> WordForms:
    end = np.cumsum([len(word) for word in given_words], dtype=np.int32)
    start = end - np.array([len(word) for word in given_words], np.int32)
    return WordForms.of(code_points("".join(given_words)), start, end)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "words.txt"
    path.write_bytes("\n".join(lines).encode())
    return path


def find(word: str, entries: dict[str, int]) -> str | None:
    """The entry that a word is found under; `entries` are words and counts."""
    if word in entries:
        return word
    low = lower(word)
    if low in entries:
        return low
    same = [entry for entry in entries if lower(entry) == low]
    return max(same, key=lambda entry: entries[entry], default=None)


@given(st.dictionaries(words, counts, max_size=8), st.lists(words, max_size=8))
def test_words_are_found_as_written_else_in_lower_case(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, int], asked: list[str]
) -> None:
    anchors = {f"{band}": 10**band for band in range(7)}  # one word for each band
    every = {**anchors, **entries}
    lines = (f"{word}\t{count}" for word, count in every.items())
    word_list = read_word_list(write(tmp_path_factory.mktemp("list"), *lines))
    found = [find(word, every) for word in [*asked, *anchors]]
    bands = [None if entry is None else min(len(str(every[entry])) - 1, 6) for entry in found]
    assert_same(bands, word_list.values(forms_of([*asked, *anchors])))


@given(
    st.dictionaries(words, st.tuples(st.text("01", min_size=1, max_size=64), counts), max_size=8),
    st.lists(words, max_size=8),
    st.integers(1, 64),
)
def test_clusters_give_the_first_bits(
    tmp_path_factory: pytest.TempPathFactory,
    entries: dict[str, tuple[str, int]],
    asked: list[str],
    size: int,
) -> None:
    anchors = {f"{i}": entry for i, entry in enumerate(entries.values())}  # one for each path
    every = {**entries, **anchors}
    lines = (f"{bits}\t{word}\t{count}" for word, (bits, count) in every.items())
    clusters = read_clusters(write(tmp_path_factory.mktemp("clusters"), *lines))
    frequency = {word: count for word, (_, count) in every.items()}
    found = [find(word, frequency) for word in [*asked, *anchors]]
    paths = [None if entry is None else every[entry][0][:size] for entry in found]
    assert_same(paths, clusters.values(forms_of([*asked, *anchors]), size))


@given(
    st.lists(st.integers(1, 16), min_size=2, max_size=4),
    st.dictionaries(words, st.tuples(st.integers(0, 2**64 - 1), counts), max_size=8),
    st.lists(words, max_size=8),
    st.integers(1, 6),
)
def test_granularities_are_independent(
    tmp_path_factory: pytest.TempPathFactory,
    widths: list[int],
    entries: dict[str, tuple[int, int]],
    asked: list[str],
    granularity: int,
) -> None:
    def parts(number: int) -> list[str]:
        bits = iter(f"{number:064b}")
        return ["".join(next(bits) for _ in range(width)) for width in widths]

    anchors = {f"{i}": entry for i, entry in enumerate(entries.values())}
    every = {**entries, **anchors}
    lines = (f"{'.'.join(parts(n))}\t{word}\t{count}" for word, (n, count) in every.items())
    clusters = read_clusters(write(tmp_path_factory.mktemp("clusters"), *lines))
    frequency = {word: count for word, (_, count) in every.items()}
    found = [find(word, frequency) for word in [*asked, *anchors]]
    values = [
        None
        if entry is None or granularity > len(widths)
        else parts(every[entry][0])[granularity - 1]
        for entry in found
    ]
    assert_same(values, clusters.values(forms_of([*asked, *anchors]), granularity))
    assert not every or list(clusters.sizes) == list(range(1, len(widths) + 1))


def test_granularities_survive_storing(tmp_path: Path) -> None:
    clusters = read_clusters(write(tmp_path, "0.10\ta\t9", "1.11\tb\t8"))
    resources = Resources({}, {"v": clusters})
    arrays = resources.to_arrays()
    assert arrays["cluster.v.borders"].tolist() == [0, 1, 3]
    forms = forms_of(["a", "b", "c"])
    for name in ("cluster.v.1", "cluster.v.2", "cluster.v.3"):
        values = Resources.from_arrays(arrays).values(forms, name)
        assert values.tolist() == resources.values(forms, name).tolist()
    added = [str(template) for template in with_resources((), resources, (0,))]
    assert added == ["cluster.v.1[0]", "cluster.v.2[0]"]
    for borders in ([0, 1, 4], [0, 0, 3], [1, 3], [0, 4, 3]):
        damaged = {**arrays, "cluster.v.borders": np.array(borders, np.int32)}
        with pytest.raises(ValueError, match="borders of granularities"):
            Resources.from_arrays(damaged)


def test_dots_are_in_the_same_places(tmp_path: Path) -> None:
    for line in ("10\tb\t3", "10.1\tb\t3", "1.0.1\tb\t3"):
        path = write(tmp_path, "1.01\tsecret\t5", line)
        with pytest.raises(CorpusFormatError, match="dots between the same bits, or none") as error:
            read_clusters(path)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("count", "band"),
    [("1", 0), ("9", 0), ("10", 1), ("99", 1), ("999999", 5), ("1000000", 6), ("9" * 18, 6)],
)
def test_bands(tmp_path: Path, count: str, band: int) -> None:
    assert read_word_list(write(tmp_path, f"w\t{count}")).bands.tolist() == [band]


def test_zeros_before_a_count_are_nothing(tmp_path: Path) -> None:
    assert read_word_list(write(tmp_path, "w\t007")).bands.tolist() == [0]


def test_what_a_word_list_may_look_like(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeffAnn\t100\r", "", "bo", " Cy \t20", "Ann\t5")
    word_list = read_word_list(path)
    found = word_list.values(forms_of(["Ann", "ann", "ANN", "bo", "Bo", "CY", "Dee"]))
    assert_same([2, 2, 2, 0, 0, 1, None], found)


def test_the_highest_count_wins(tmp_path: Path) -> None:
    path = write(tmp_path, "bO\t1", "BO\t1000", "bO\t10", "Cy\t2", "Cy\t200")
    found = read_word_list(path).values(forms_of(["Bo", "BO", "bO", "Cy"]))
    assert_same([3, 3, 1, 2], found)
    path = write(tmp_path, "00\tbO\t1", "01\tBO\t1000")
    assert_same(["01", "01", "00"], read_clusters(path).values(forms_of(["Bo", "BO", "bO"]), 2))


def test_an_empty_file_is_an_empty_list(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert not read_word_list(path).values(forms_of(["a"])).any()
    assert not read_clusters(path).values(forms_of(["a"]), 4).any()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\tb\tc", "expected a word, or a word and its count with a tab between them"),
        ("\t5", "expected a word, or a word and its count with a tab between them"),
        ("secret\tx", "a count must be a whole number of at least 1"),
        ("secret\t0", "a count must be a whole number of at least 1"),
        ("secret\t-1", "a count must be a whole number of at least 1"),
        ("secret\t1.5", "a count must be a whole number of at least 1"),
        ("secret\t", "a count must be a whole number of at least 1"),
        ("secret\t" + "9" * 5000, "a count must be a whole number of at least 1"),
        ("secret\t٣", "a count must be a whole number of at least 1"),
    ],
)
def test_malformed_word_lists(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, "a\t1", line)
    with pytest.raises(CorpusFormatError) as error:
        read_word_list(path)
    assert str(error.value) == f"{path}:2: {reason}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("01\tsecret", "expected bits, a word and its count with tabs between them"),
        ("01\t\t3", "expected bits, a word and its count with tabs between them"),
        ("012\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        ("\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        ("0" * 65 + "\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        ("0." + "0" * 64 + "\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        ("0..1\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        (".01\tsecret\t3", "bits must be 1 to 64 times 0 or 1"),
        ("01\tsecret\tx", "a count must be a whole number of at least 1"),
    ],
)
def test_malformed_clusters(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, "0\ta\t1", "", line)
    with pytest.raises(CorpusFormatError) as error:
        read_clusters(path)
    assert str(error.value) == f"{path}:3: {reason}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusFormatError, match="cannot be read"):
        read_word_list(tmp_path / "absent.txt")
    path = tmp_path / "latin.txt"
    path.write_bytes(b"Jos\xe9\t3\n")
    with pytest.raises(CorpusFormatError, match="byte 3: not valid utf-8"):
        read_word_list(path)


def some_resources(folder: Path) -> Resources:
    first = read_word_list(write(folder, "Ann\t100", "Bo\t3"))
    last = read_word_list(write(folder, "Smith\t5000", "ann\t2"))
    brown = read_clusters(write(folder, "0010\tAnn\t9", "0011\tBo\t8", "1\tsmith\t7"))
    return Resources({"first": first, "last": last}, {"brown": brown})


def test_arrays_hold_all_there_is(tmp_path: Path) -> None:
    resources = some_resources(tmp_path)
    arrays = resources.to_arrays()
    assert {name: array.dtype.name for name, array in arrays.items()} == {
        "list.first.hashes": "uint64",
        "list.first.bands": "int8",
        "list.last.hashes": "uint64",
        "list.last.bands": "int8",
        "cluster.brown.hashes": "uint64",
        "cluster.brown.paths": "uint64",
        "cluster.brown.lengths": "int32",
    }
    restored = Resources.from_arrays({**arrays, "weights": np.zeros(3), "list.x": np.zeros(3)})
    assert list(restored.lists) == ["first", "last"]
    assert list(restored.clusters) == ["brown"]
    forms = forms_of(["Ann", "ann", "BO", "Smith", "Dee"])
    for name in ("list.first", "list.last", "cluster.brown.2", "cluster.brown.4"):
        assert restored.values(forms, name).tolist() == resources.values(forms, name).tolist()
        assert restored.values(forms, name).any()


def test_values_by_hand(tmp_path: Path) -> None:
    names = ["lower", "list.first", "list.last", "cluster.brown.3", "cluster.brown.4"]
    codes = code_points("AnnBOSmithDee")
    start, end = np.array([0, 3, 5, 10], np.int32), np.array([3, 5, 10, 13], np.int32)
    values = word_values(codes, start, end, names, resources=some_resources(tmp_path))
    assert_same(["ann", "bo", "smith", "dee"], values[:, 0])
    assert_same([2, 0, None, None], values[:, 1])
    assert_same([0, None, 3, None], values[:, 2])
    assert_same(["001", "001", "1", None], values[:, 3])
    assert_same(["0010", "0011", "1", None], values[:, 4])


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("list.first.bands", None, "bands must be an array of int8"),
        ("list.first.bands", np.zeros(4, np.int64), "bands must be an array of int8"),
        ("list.first.bands", np.zeros((2, 2), np.int8), "bands must be an array of int8"),
        ("list.first.bands", np.zeros(3, np.int8), "one value for each distinct word"),
        ("list.first.bands", np.full(4, 7, np.int8), "between 0 and 6"),
        ("list.first.bands", np.full(4, -1, np.int8), "between 0 and 6"),
        ("list.first.hashes", np.zeros(4, np.uint64), "a key occurs twice"),
        ("cluster.brown.paths", np.zeros(2, np.uint64), "one value for each distinct word"),
        ("cluster.brown.lengths", np.zeros(5, np.int32), "between 1 and 64"),
        ("cluster.brown.lengths", np.full(5, 65, np.int32), "between 1 and 64"),
    ],
)
def test_damaged_arrays_are_refused(
    tmp_path: Path, name: str, array: np.ndarray | None, reason: str
) -> None:
    arrays = some_resources(tmp_path).to_arrays()
    assert Resources.from_arrays(arrays)
    damaged = {key: part for key, part in arrays.items() if key != name}
    if array is not None:
        damaged[name] = array
    with pytest.raises(ValueError, match=reason):
        Resources.from_arrays(damaged)


def test_names_that_templates_could_not_spell(tmp_path: Path) -> None:
    word_list = some_resources(tmp_path).lists["first"]
    for name in ("a b", "a.b", ""):
        with pytest.raises(ConfigError, match="cannot name a word list"):
            Resources({name: word_list})
