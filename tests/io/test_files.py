"""``lacuna.read``, ``lacuna.write``, ``lacuna.from_bio`` and ``lacuna.tokens``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lacuna
from lacuna import ConfigError, CorpusFormatError, Document, FormatLimitError, Mention
from tests.models.examples import corpus

NOTE = Document("note", "Seen by Ana.", (Mention.of("PER", (8, 11)),))


@pytest.mark.parametrize("name", ["a.jsonl", "a.JSON", "a.conll", "note.xml", "note.sgml"])
def test_the_suffix_names_the_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    document = lacuna.from_bio(["Seen", "by", "Ana"], ["O", "O", "B-PER"], id="note")
    written = lacuna.write([document], path, loss=lacuna.Loss.EXTRAS)
    assert (written.documents, written.mentions) == (1, 1)
    (found,) = lacuna.read(path)
    assert (found.id, found.mentions) == ("note", document.mentions)


def test_several_paths_and_groups(tmp_path: Path) -> None:
    documents = corpus(4)
    lacuna.write(documents[:2], tmp_path / "a.jsonl")
    lacuna.write(documents[2:], str(tmp_path / "brat"), format="brat", loss=lacuna.Loss.EXTRAS)
    found = list(lacuna.read(str(tmp_path / "a.jsonl"), tmp_path / "brat", group_from=r"\d"))
    assert [d.text for d in found] == [d.text for d in documents]
    assert [d.group for d in found] == ["0", "1", "2", "3"]
    only = lacuna.read(tmp_path / "a.jsonl", labels=["PER"])
    assert {m.label for d in only for m in d.mentions} == {"PER"}


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="its name says no format; name one of jsonl, brat"):
        lacuna.write([NOTE], tmp_path / "folder")
    with pytest.raises(FormatLimitError, match="txt cannot hold mentions"):
        lacuna.write([NOTE], tmp_path / "note.txt")
    assert not (tmp_path / "note.txt").exists()
    with pytest.raises(CorpusFormatError, match="no such file"):
        lacuna.read(tmp_path / "missing.jsonl")  # at once, not on iteration


def test_what_is_skipped_gives_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Ana", "mentions": [{"label": "X", "spans": [[0, 3]], "by": "me"}]}')
    with pytest.warns(UserWarning, match="skipped 1 mentions with unknown keys"):
        list(lacuna.read(path))


def test_from_tokens_and_tags() -> None:
    found = lacuna.from_bio(["Ms", "Ana", "Keller"], ["O", "B-PER", "I-PER"])
    assert (found.id, found.text, found.group) == ("text", "Ms Ana Keller", None)
    assert found.mentions == (Mention.of("PER", (3, 13)),)
    two = lacuna.from_bio(
        [["In", "Rome"], [], ["Ana"]], [["O", "S-LOC"], [], ["S-PER"]], id="n", group="p"
    )
    assert (two.text, two.group) == ("In Rome\nAna", "p")
    assert [m.surface(two.text) for m in two.mentions] == ["Rome", "Ana"]
    assert two.tokens is not None
    assert two.tokens.sentences.tolist() == [0, 2, 3]
    assert lacuna.from_bio([], []) == Document("text", "", tokens=lacuna.tokens(""))


words = st.lists(st.text(st.characters(categories=["L", "N", "P"]), min_size=1), max_size=6)


@given(sentences=st.lists(words, max_size=4), data=st.data())
def test_it_is_what_a_conll_file_of_them_holds(
    sentences: list[list[str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tag = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
    tags = [[data.draw(tag) for _ in sentence] for sentence in sentences]
    document = lacuna.from_bio(sentences, tags, id="a-1")
    path = tmp_path_factory.mktemp("bio") / "a.conll"
    rows = ["-DOCSTART- O", ""]
    for sentence, marks in zip(sentences, tags, strict=True):
        rows += [*(f"{w}\t{t}" for w, t in zip(sentence, marks, strict=True)), ""]
    path.write_bytes("\n".join(rows).encode())
    assert list(lacuna.read(path)) == [document]


WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    (["a", "b"], ["O"], ValueError, "one tag for each token"),
    ([["a"], ["b"]], [["O", "O"]], ValueError, "one tag for each token"),
    (["a", ""], ["O", "O"], ValueError, "non-empty"),
    (["a", "secret"], ["O", "secret"], ValueError, "tag 1 is not a tag such as O or B-LABEL"),
    ("ab", "OO", TypeError, "tokens must be a list of strings"),
    (["a", ["b"]], ["O", ["O"]], TypeError, "tokens must be a list of strings"),
]


@pytest.mark.parametrize(("tokens", "tags", "error", "message"), WRONG)
def test_wrong_tokens_and_tags(
    tokens: Any, tags: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        lacuna.from_bio(tokens, tags)
    assert "secret" not in str(raised.value)


def test_tokens_of_a_text_or_a_document() -> None:
    text = "Dr.Smith, 40years"
    assert lacuna.tokens(text).words(text) == ["Dr", ".", "Smith", ",", "40", "years"]
    assert lacuna.tokens(Document("d", text)) == lacuna.tokens(text)
    own = lacuna.from_bio(["Dr.Smith"], ["O"])
    assert lacuna.tokens(own) is own.tokens


def test_columns_and_what_is_assumed_of_them(tmp_path: Path) -> None:
    path = tmp_path / "n.conll"
    path.write_text("1 FC B-ORG O\n2 Bonn I-ORG B-LOC\n3 da O O\n")
    with pytest.warns(UserWarning, match="n.conll: assumed column 1 numbers the tokens"):
        (document,) = lacuna.read(path, on_skip=lambda _: None)
    assert len(document.mentions) == 1
    (document,) = lacuna.read(path, columns=["word=2", "tag=3", "tag=4"])
    assert [mention.label for mention in document.mentions] == ["ORG", "LOC"]
