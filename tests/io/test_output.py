"""Writing: whole or not at all, inside the target only, losses refused or counted."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError, FormatLimitError
from lacuna.io.corpus import read_corpus
from lacuna.io.file_names import FileNames, is_safe
from lacuna.io.formats import FORMATS, Shape
from lacuna.io.limits import Loss, fit, loss_needed
from lacuna.io.output import Written, write_corpus
from lacuna.io.writing import whole_file, whole_folder
from lacuna.text.document import Document, Mention, Tokens
from tests.io.test_round_trip import crosses
from tests.strategies import documents, ids

NOTE = Document("n1", "Anna came", (Mention.of("PER", (0, 4)),))
FULL = Document(
    "n1",
    "Anna  came",
    (
        Mention.of("PER", (0, 4), probability=0.5),
        Mention.of("ADR", (0, 2), (6, 8)),
        Mention.of("ADR", (2, 10)),
    ),
    group="p",
    meta={"a": 1},
    tokens=Tokens(np.array([0, 6]), np.array([4, 10]), np.array([0, 2]), {"lemma": ("x", "y")}),
)


def test_what_is_left_out_is_counted_by_kind(tmp_path: Path) -> None:
    written = write_corpus([FULL], tmp_path / "x.conll", format="conll", loss=Loss.MENTIONS)
    assert written == Written(
        documents=1,
        mentions=1,
        left_out={
            "groups": 1,
            "meta data": 1,
            "probabilities": 1,
            "discontiguous mentions": 1,
            "overlapping mentions": 1,
            "columns as they are": 1,
            "tokens as they are": 1,
            "white space as it is": 1,
        },
    )


@pytest.mark.parametrize("scheme", ["BILOU", "IO", ["BILOU"], {"a": 1}, None])
def test_a_scheme_without_tokens_is_meta_data_like_any_other(
    tmp_path: Path, scheme: object
) -> None:
    document = replace(NOTE, meta={"scheme": scheme})
    written = write_corpus([document], tmp_path / "x", format="brat", loss=Loss.EXTRAS)
    assert written.left_out == {"meta data": 1}


def test_every_refusal_says_how_much_loss_to_allow_or_that_none_helps() -> None:
    limits = FORMATS["conll"].limits
    assert loss_needed("groups", limits) is loss_needed("ids", limits) is Loss.EXTRAS
    assert loss_needed("white space as it is", limits) is Loss.EXTRAS
    assert loss_needed("discontiguous mentions", limits) is Loss.MENTIONS
    assert loss_needed("some labels", limits) is Loss.MENTIONS
    assert loss_needed("some characters of the text", limits) is None
    assert loss_needed("an id that is not a safe file name", limits) is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"group": "p"}, "groups"),
        ({"meta": {"a": 1}}, "meta data"),
        ({"mentions": FULL.mentions[1:2]}, "probabilities"),
        ({"tokens": FULL.tokens}, "columns as they are"),
        ({}, "white space as it is"),
    ],
)
def test_extras_are_refused_unless_allowed(
    tmp_path: Path, change: dict[str, object], what: str
) -> None:
    document = replace(Document("n1", FULL.text), **change)  # type: ignore[arg-type]
    target = tmp_path / "x.conll"
    with pytest.raises(FormatLimitError, match=f"^conll cannot hold {what} .document n1"):
        write_corpus([document], target, format="conll")
    assert not target.exists()
    assert what in write_corpus([document], target, format="conll", loss=Loss.EXTRAS).left_out


@pytest.mark.parametrize("loss", [Loss.NOTHING, Loss.EXTRAS])
def test_mentions_are_refused_unless_allowed(tmp_path: Path, loss: Loss) -> None:
    document = replace(FULL, mentions=FULL.mentions[:1], group=None, meta={}, tokens=None)
    with pytest.raises(FormatLimitError, match="inline cannot hold discontiguous mentions"):
        write_corpus([document], tmp_path / "x", format="inline", loss=loss)


@given(documents(max_mentions=6, max_parts=1, probabilities=False))
def test_crossing_mentions_are_left_out_greedily(document: Document) -> None:
    limits = FORMATS["inline"].limits
    kept = fit(document, "inline", limits, Loss.MENTIONS)[0].mentions
    assert not any(crosses(a, b) for a, b in combinations(kept, 2))
    for mention in set(document.mentions) - set(kept):  # none is left out without a reason
        assert any(crosses(mention, other) and other.length >= mention.length for other in kept)


# --- files


def test_a_file_is_replaced_only_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "x.jsonl"
    target.write_text("before")

    def interrupted() -> Iterator[Document]:
        yield NOTE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_corpus(interrupted(), target, format="jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]
    assert target.read_text() == "before"
    write_corpus([NOTE], target, format="jsonl")
    assert list(read_corpus([target])) == [NOTE]


def test_a_folder_appears_only_at_the_end(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Document]:
        yield NOTE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_corpus(interrupted(), tmp_path / "out", format="brat")
    assert list(tmp_path.iterdir()) == []


def test_a_file_may_be_converted_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_corpus([NOTE], path, format="jsonl")
    write_corpus(read_corpus([path]), path, format="jsonl")
    assert list(read_corpus([path])) == [NOTE]


def test_content_is_on_disk_before_the_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[list[str]] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append([p.name for p in tmp_path.iterdir()]))
    with whole_file(tmp_path / "x") as stream:
        stream.write(b"1")
    ((temporary,),) = synced
    assert temporary.startswith(".x.")


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    with whole_file(tmp_path / "x") as stream:
        stream.write(b"1")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "x")}
    assert len(modes) == 1


def test_a_link_stays_and_the_file_it_points_to_changes(tmp_path: Path) -> None:
    file, link = tmp_path / "file.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(file)
    for _ in range(2):  # the file is missing, then there
        write_corpus([NOTE], link, format="jsonl")
        assert link.is_symlink()
        assert list(read_corpus([file])) == [NOTE]


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_corpus([NOTE], pipe, format="jsonl")
    assert os.read(reader, 1000).startswith(b'{"id":"n1"')
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_empty_folder_is_filled_and_a_full_one_refused(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    write_corpus([NOTE], target, format="brat")
    assert sorted(path.name for path in target.iterdir()) == ["n1.ann", "n1.txt"]
    with pytest.raises(ConfigError, match="out: folder is not empty"):
        write_corpus([NOTE], target, format="brat")


def test_targets_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="file: exists and is not a folder"):
        write_corpus([NOTE], tmp_path / "file", format="brat")
    with pytest.raises(ConfigError, match="link: exists and is not a folder"):
        write_corpus([NOTE], tmp_path / "link", format="brat")
    with pytest.raises(ConfigError, match="is a folder, a file is needed"):
        write_corpus([NOTE], tmp_path, format="jsonl")
    with pytest.raises(ConfigError, match="its folder does not exist"):
        write_corpus([NOTE], tmp_path / "no" / "x.jsonl", format="jsonl")
    with pytest.raises(ConfigError, match="needs a folder"):
        write_corpus([NOTE], "-", format="brat")
    with pytest.raises(ConfigError, match="unknown format"):
        write_corpus([NOTE], "-", format="docx")


def test_standard_output_gets_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer))
    with pytest.raises(FormatLimitError):
        write_corpus([NOTE, FULL], "-", format="conll")
    assert buffer.getvalue() == b""
    write_corpus([replace(NOTE, id="--1")], "-", format="inline")
    assert buffer.getvalue() == b"<PER>Anna</PER> came\n"


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.shape is Shape.FILES])
def test_one_document_may_go_to_one_file(tmp_path: Path, name: str) -> None:
    target = tmp_path / f"n1{FORMATS[name].suffixes[0]}"
    note = replace(NOTE, mentions=()) if name == "txt" else NOTE
    write_corpus([note], target, format=name)
    assert list(read_corpus([target], format=name)) == [note]
    with pytest.raises(ConfigError, match="one document per file; give a folder"):
        write_corpus([note, replace(note, id="n2")], target, format=name)
    assert list(read_corpus([target], format=name)) == [note]


def test_lines_are_chosen_by_the_suffix(tmp_path: Path) -> None:
    notes = [replace(NOTE, id="x-1"), replace(NOTE, id="x-2")]
    write_corpus(notes, tmp_path / "x.inline", format="inline")
    assert list(read_corpus([tmp_path / "x.inline"])) == notes


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    for name in FORMATS:
        bad = Document("n1", "a \ud800 b")
        with pytest.raises(FormatLimitError, match="some characters of the text"):
            write_corpus([bad], tmp_path / "x", format=name, loss=Loss.MENTIONS)
    assert list(tmp_path.iterdir()) == []


def test_the_labels_of_i2b2_stand_under_their_category(tmp_path: Path) -> None:
    mentions = (Mention.of("PATIENT", (0, 4)), Mention.of("ZZZ", (5, 9)))
    write_corpus([replace(NOTE, mentions=mentions)], tmp_path / "x.xml", format="i2b2")
    content = (tmp_path / "x.xml").read_text()
    assert '<NAME id="P0" start="0" end="4" text="Anna" TYPE="PATIENT"' in content
    assert '<OTHER id="P1" start="5" end="9" text="came" TYPE="ZZZ"' in content


def test_conll_joins_sentences_inside_a_mention_and_counts_it(tmp_path: Path) -> None:
    tokens = Tokens(np.array([0, 5]), np.array([4, 9]), np.array([0, 1, 2]))
    document = Document("n1", "Anna\ncame", (Mention.of("X", (0, 9)),), tokens=tokens)
    target = tmp_path / "x.conll"
    written = write_corpus([document], target, format="conll", loss=Loss.EXTRAS)
    assert written.left_out["sentences as they are"] == 1
    (read,) = read_corpus([target])
    assert (read.text, read.mentions) == ("Anna came", (Mention.of("X", (0, 9)),))


@pytest.mark.parametrize(
    "pairs", [[(0, 9)], [(0, 4)], [(0, 4), (5, 7)]], ids=["with a space", "a word less", "cut off"]
)
def test_conll_gives_up_tokens_that_are_not_words_of_the_text(
    tmp_path: Path, pairs: list[tuple[int, int]]
) -> None:
    start, end = np.array(pairs).T
    document = replace(NOTE, tokens=Tokens(start, end, np.array([0, len(pairs)])))
    target = tmp_path / "x.conll"
    with pytest.raises(FormatLimitError, match="conll cannot hold tokens as they are"):
        write_corpus([document], target, format="conll")
    written = write_corpus([document], target, format="conll", loss=Loss.EXTRAS)
    assert written.left_out == {"tokens as they are": 1}
    assert target.read_text() == "-DOCSTART- (n1) O\n\nAnna B-PER\ncame O\n\n"


def test_conll_cuts_tokens_where_a_mention_begins_or_ends(tmp_path: Path) -> None:
    document = Document("n1", "Annabel came", (Mention.of("PER", (0, 4)),))
    target = tmp_path / "x.conll"
    written = write_corpus([document], target, format="conll", loss=Loss.EXTRAS)
    assert written.left_out == {"white space as it is": 1}
    assert target.read_text() == "-DOCSTART- (n1) O\n\nAnna B-PER\nbel O\ncame O\n\n"


# --- ids as file names


@given(ids)
def test_every_safe_id_stays_in_the_folder_and_no_other_is_written(id_: str) -> None:
    if is_safe(id_):
        target = (Path("/safe/folder") / f"{id_}.txt").resolve()
        assert target.is_relative_to("/safe/folder")
        assert str(target) == f"/safe/folder/{id_}.txt"


@pytest.mark.parametrize(
    "id_",
    ["", ".", "..", "../x", "a/../b", "/etc/x", "a//b", "a/", "nul\0", "a\nb", ".x", "a/.b"],
)
def test_unsafe_ids_are_refused(tmp_path: Path, id_: str) -> None:
    target = tmp_path / "out"
    with pytest.raises(FormatLimitError, match="an id that is not a safe file name"):
        write_corpus([replace(NOTE, id=id_)], target, format="brat", loss=Loss.MENTIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "pair", [("a", "A"), ("x/y", "X/y"), ("a", "a.txt/b"), ("a.txt/b", "a"), ("STRASSE", "straße")]
)
def test_ids_that_collide_are_refused(tmp_path: Path, pair: tuple[str, str]) -> None:
    names = FileNames(tmp_path, "txt")
    names.place(pair[0], ".txt")
    with pytest.raises(FormatLimitError, match="ids with the same file name"):
        names.place(pair[1], ".txt")


def test_a_symbolic_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    """The folder written to is always a new one, so no link can be inside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "out"
    target.mkdir()
    (target / "a").symlink_to(outside)
    with pytest.raises(ConfigError, match="not empty"), whole_folder(target):
        pass
    assert list(outside.iterdir()) == []


@given(st.text(max_size=10))
def test_safety_does_not_depend_on_more_than_the_parts(id_: str) -> None:
    assert is_safe(id_) == all(is_safe(part) for part in id_.split("/"))
