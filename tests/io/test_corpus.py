"""Several paths as one corpus: what is found, in which order, under which ids, in which format."""

from __future__ import annotations

import io
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.corpus import Keep, corpus_bytes, read_corpus
from lacuna.io.detect import detect_format
from lacuna.io.label_map import LabelMap
from lacuna.io.source import CHUNK_BYTES, HEAD_BYTES, Source
from lacuna.text.document import Mention
from lacuna.types import Task


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    files = {
        "b.txt": "plain",
        "a/note-7.txt": "Anna",
        "a/note-7.ann": "T1\tPER 0 4\tAnna\n",
        "c.jsonl": '{"id": "j1", "text": "one"}\n{"id": "j2", "text": "two"}\n',
        "annotation.conf": "[entities]",
        ".hidden/x.txt": "not this",
        "a/.secret.txt": "nor this",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def ids(*paths: str | Path, **options: object) -> list[str]:
    return [document.id for document in read_corpus(list(paths), **options)]  # type: ignore[arg-type]


def test_a_folder_is_read_through_sorted_and_without_hidden_files(notes: Path) -> None:
    assert ids(notes) == ["a/note-7", "b", "j1", "j2"]


def test_ids_are_relative_to_the_folder_given(notes: Path) -> None:
    assert ids(notes / "a", notes / "b.txt") == ["note-7", "b"]
    assert ids(notes / "a" / "note-7.txt") == ["note-7"]


def test_globs_find_a_pair_once(notes: Path) -> None:
    assert ids(f"{notes}/a/*") == ["note-7"]
    assert ids(f"{notes}/**/*.txt") == ["note-7", "b"]
    assert ids(notes / "b.txt", notes / "b.txt") == ["b"]


def test_a_forced_format_takes_its_own_files_of_a_folder(notes: Path) -> None:
    assert ids(notes, format="jsonl") == ["j1", "j2"]
    texts = [document.text for document in read_corpus([notes], format="txt")]
    assert texts == ["Anna", "plain"]


def test_a_forced_format_takes_all_files_of_a_folder_where_none_has_its_suffix(
    tmp_path: Path,
) -> None:
    (tmp_path / "eng.testa").write_text("a B-X\n")
    assert ids(tmp_path, format="conll") == ["eng.testa"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [("missing", "no such file"), ("empty", "no files to read"), ("*.nothing", "no files to read")],
)
def test_finding_nothing_is_an_error_at_once(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusFormatError, match=reason):
        read_corpus([tmp_path / path])


def test_no_paths_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no files"):
        read_corpus([])


def test_the_same_id_twice_is_an_error_that_names_the_second_file(notes: Path) -> None:
    (notes / "d.jsonl").write_text('{"id": "j1", "text": "again"}')
    with pytest.raises(CorpusFormatError, match=r"d.jsonl: the id 'j1' occurs twice"):
        ids(notes)


def test_unknown_format_and_encoding_are_errors(notes: Path) -> None:
    with pytest.raises(ConfigError, match="unknown format 'xls'; the formats are jsonl"):
        read_corpus([notes], format="xls")
    with pytest.raises(ConfigError, match="unknown text encoding 'klingon'"):
        read_corpus([notes], encoding="klingon")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "utf-32-le"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "n.txt"
    path.write_bytes("Zoë\r\nkam".encode(encoding))
    (document,) = read_corpus([path], encoding=encoding, format="txt")
    assert document.text == "Zoë\r\nkam"


class Trickle(io.BytesIO):
    """A pipe that has a few bytes at a time."""

    def readinto(self, buffer: Any) -> int:
        data = self.read(min(len(buffer), 5))
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize(
    "content",
    [
        b'{"text": "x"}\n',
        b'[{"text": "x"},\n{"text": "y"}]',
        b'{"text": "' + b"x" * HEAD_BYTES + b'"}\n{"text": "y"}\n',
        b'{"text": "' + b"x" * (HEAD_BYTES // 2) + b'"}\n',
    ],
)
@pytest.mark.parametrize("kind", [io.BytesIO, Trickle])
def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, content: bytes, kind: type[io.BytesIO]
) -> None:
    stream = io.BufferedReader(kind(content))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert ids("-") == ["stdin-1", "stdin-2"][: content.count(b"text")]


def test_a_named_pipe_loses_nothing_to_detection(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = b'{"text": "' + b"x" * CHUNK_BYTES + b'"}\n{"text": "y"}\n'
    with ThreadPoolExecutor() as pool:
        writing = pool.submit(path.write_bytes, content)
        assert ids(path) == ["pipe-1", "pipe-2"]
        assert writing.result() == len(content)


def test_bytes_are_reported_as_they_are_read(notes: Path) -> None:
    seen: list[int] = []
    list(read_corpus([notes], on_bytes=seen.append))
    assert sum(seen) == corpus_bytes([notes]) == 5 + 4 + 16 + 56
    assert corpus_bytes(["-"]) is None


def test_reading_holds_one_document_at_a_time(tmp_path: Path) -> None:
    """The first document is there before the second chunk of the file is touched."""
    path = tmp_path / "big.jsonl"
    line = b'{"text": "' + b"x" * 1000 + b'"}\n'
    path.write_bytes(line * (3 * CHUNK_BYTES // len(line)))
    seen: list[int] = []
    documents = read_corpus([path], on_bytes=seen.append)
    assert next(documents).id == "big-1"
    assert sum(seen) == CHUNK_BYTES
    assert sum(1 for _ in documents) == 3 * CHUNK_BYTES // len(line) - 1


@pytest.mark.parametrize("size", [CHUNK_BYTES - 2, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1])
def test_lines_and_characters_across_chunks(tmp_path: Path, size: int) -> None:
    path = tmp_path / "n.txt"
    text = "a" * size + "\U0001d518\r\nb\n\nc"
    path.write_bytes(text.encode())
    source = Source(path, "n")
    assert source.text() == text
    assert list(source.lines()) == list(enumerate(text.split("\n"), start=1))


@pytest.mark.parametrize("size", [CHUNK_BYTES - 1, CHUNK_BYTES])
def test_invalid_bytes_across_chunks_are_found_where_they_are(tmp_path: Path, size: int) -> None:
    path = tmp_path / "n.txt"
    path.write_bytes(b"a" * size + b"\xf0\x9f\x98")
    with pytest.raises(CorpusFormatError, match=f"byte {size}: not valid utf-8"):
        Source(path, "n").text()


@pytest.mark.parametrize(
    ("files", "text", "mention"),
    [
        ({"n.conll": "\ufeffAnna B-PER\r\ncame O\r\n \t\r\n"}, "Anna came", (0, 4)),
        ({"n.conll": "Anna \tX\t B-PER \ncame\tY Z\tO"}, "Anna came", (0, 4)),
        ({"n.jsonl": '\ufeff{"text": "Anna", "labels": [[0, 4, "PER"]]}\r\n'}, "Anna", (0, 4)),
        ({"n.txt": "Anna\r\n", "n.ann": "\ufeffT1\tPER 0 4\tAnna\r\n\r\n"}, "Anna\r\n", (0, 4)),
        ({"n.txt": "A\r\nB", "n.ann": "T1\tPER 0 4\tA  B"}, "A\r\nB", (0, 4)),
        ({"n.txt": "Anna", "n.pipe": "\ufeffn.txt|0-4|C1|no|*NULL\r\n"}, "Anna", (0, 4)),
        ({"n.xml": "<deIdi2b2><TEXT>A\r\n</TEXT><TAGS/></deIdi2b2>"}, "A\n", None),
    ],
)
def test_line_ends_marks_and_older_forms(
    tmp_path: Path, files: dict[str, str], text: str, mention: tuple[int, int] | None
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode())
    (document,) = read_corpus([tmp_path])
    assert document.text == text
    assert [(m.start, m.end) for m in document.mentions] == ([mention] if mention else [])


# --- what is done with the documents


def write_jsonl(path: Path, *mentions: str) -> Path:
    lines = [
        f'{{"id": "p{i}-v1", "text": "abcdef", "mentions": [{m}]}}'
        for i, m in enumerate(mentions, start=1)
    ]
    path.write_text("\n".join(lines))
    return path


A = '{"label": "A", "spans": [[0, 2]]}'
B = '{"label": "B", "spans": [[0, 2]]}'
GAP = '{"label": "G", "spans": [[0, 1], [2, 3]]}'


@pytest.mark.parametrize("pattern", [r"^(p\d+)-", r"^p\d+"])
def test_group_from_the_id(tmp_path: Path, pattern: str) -> None:
    path = write_jsonl(tmp_path / "n.jsonl", A)
    (document,) = read_corpus([path], group_from=pattern)
    assert document.group == "p1"


def test_group_pattern_that_matches_nothing_or_is_none(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "n.jsonl", A)
    for nothing in ("nobody", "x*", "(x)?p"):
        with pytest.raises(ConfigError, match="matches no document id"):
            list(read_corpus([path], group_from=nothing))
    with pytest.raises(ConfigError, match="not a regular expression"):
        read_corpus([path], group_from="(")


def test_an_id_without_a_match_keeps_its_group(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text('{"id": "a1", "text": ""}\n{"id": "b", "text": "", "group": "g"}')
    assert [d.group for d in read_corpus([path], group_from="a.")] == ["a1", "g"]
    assert [d.group for d in read_corpus([path], group_from="(a)|b")] == ["a", "g"]


def test_labels_are_renamed_then_kept(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "n.jsonl", f"{A}, {B}, {GAP}")
    label_map = LabelMap({"A": "NEW", "B": "NEW", "G": ""})
    (document,) = read_corpus([path], label_map=label_map, labels={"NEW"})
    assert document.mentions == (Mention.of("NEW", (0, 2)),)  # equal ones are kept once
    (document,) = read_corpus([path], labels={"B"})
    assert document.mentions == (Mention.of("B", (0, 2)),)


def test_documents_are_kept_by_the_mentions_left(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "n.jsonl", A, f"{A}, {B}", GAP)
    assert ids(path, keep=Keep.DISCONTIGUOUS) == ["p3-v1"]
    assert ids(path, keep=Keep.OVERLAPPING) == ["p2-v1"]
    assert ids(path, keep=Keep.OVERLAPPING, labels={"A"}) == []


def test_parts_of_speech_are_read_as_a_column(tmp_path: Path) -> None:
    path = tmp_path / "n.conll"
    path.write_text("Rain\tNN\nfell\tVBD\n\n.\t.\n")
    (document,) = read_corpus([path], task=Task.POS)
    assert document.tokens is not None
    assert document.tokens.columns == {"pos": ("NN", "VBD", ".")}
    assert (document.text, document.mentions) == ("Rain fell\n.", ())


# --- which format it is


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("n", "-DOCSTART- -X- O O\n\na NN B-NP O\n", "conll"),
        ("eng.testa", "a B-X\nb O\n \nc O\n", "conll"),
        ("n.txt", "a O\nb I-X\n", "conll"),
        ("n.txt", "blood type O", "txt"),
        ("n.txt", "Dr <NAME>Vos</NAME> came", "inline"),
        ("n.txt", "a <b and c> d, <br> and </hr>", "txt"),
        ("n.text", "plain", "txt"),
        ("n.txt", "", "txt"),
        ("n.TXT", "plain", "txt"),
        ("n.xml", '<?xml version="1.0"?>\n<deIdi2b2>', "i2b2"),
        ("n.xml", '<?xml version="1.0"?>\n<ROOT>', "i2b2-2006"),
        ("n.xml", '<?xml version="1.0"?>\n<a>x</a>', "i2b2-2006"),
        ("n.xml", "<!DOCTYPE a><ROOT>x</ROOT>", "i2b2-2006"),
        ("n.txt", '\ufeff{"text": "x"}\n', "jsonl"),
        ("n.txt", '{"not json', "txt"),
        ("n.dat", '[{"text": "x"}]', "jsonl"),
        ("n.jsonl", "", "jsonl"),
        ("n.tsv", "a\tO\nb\tB-X\n", "conll"),
        ("n.inline", "x", "inline-lines"),
        ("n.txt", "=== a\nDr ⟦NAME|Vos⟧ came", "marked"),
        ("n.txt", "=== a\nDr Vos came", "txt"),
        ("n.sgml", "x", "inline"),
    ],
)
def test_detection(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert detect_format(Source(path, "n")) == expected


@pytest.mark.parametrize("name", ["README", "n.bin", "n.xml"])
def test_detection_gives_up_clearly(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Just some words.")
    with pytest.raises(CorpusFormatError, match="its format cannot be detected"):
        ids(tmp_path / name)
