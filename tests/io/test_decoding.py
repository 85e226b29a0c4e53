"""From bytes to text: detected encodings, and bytes that no encoding explains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.decoding import AUTO, NONE, Encodings

NOTE = "Dr. Zoë Müller – 5 °C, “fine”.\r\nJosé\n"
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)
LATIN = st.text(st.characters(codec="cp1252", exclude_characters="\0"), max_size=60)


@given(TEXTS)
def test_what_is_utf_8_is_read_as_utf_8(text: str) -> None:
    content = text.encode()
    if 16 * content.count(0) <= len(content):
        assert Encodings().decode(content) == (text, "")
        assert Encodings(fallback=NONE).decode(content) == (text, "")


@given(TEXTS.filter(lambda text: "\0" not in text))
def test_a_mark_tells_utf_16_and_32(text: str) -> None:
    for encoding, name in (("utf-16", "UTF-16"), ("utf-32", "UTF-32")):
        assert Encodings().decode(text.encode(encoding)) == (text, name)
        swapped = b"".join(
            [
                "\ufeff".encode(f"{encoding}-be"),
                text.encode(f"{encoding}-be"),
            ]
        )
        assert Encodings().decode(swapped) == (text, name)


@given(st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), min_size=2))
def test_zero_bytes_tell_utf_16_without_a_mark(text: str) -> None:
    text = f"Seen: {text}" + " fine" * len(text)
    for encoding in ("utf-16-le", "utf-16-be"):
        decoded = Encodings().decode(text.encode(encoding))
        assert decoded == (text, "UTF-16")


@given(LATIN, st.sampled_from("éüß°±µ"))
def test_windows_text_is_read_in_the_fallback_encoding(text: str, sign: str) -> None:
    """A sign, then a letter: never valid UTF-8. Sequences that are, by chance, may be refused."""
    content = f"{text} {sign}a".encode("cp1252")
    try:
        decoded = Encodings().decode(content)
    except CorpusFormatError:
        assert re.search(rb"[\xc2-\xf4][\x80-\xbf]", content)
        return
    assert decoded == (f"{text} {sign}a", "cp1252")


def test_the_usual_encodings() -> None:
    for encoding, name in (
        ("utf-8", ""),
        ("cp1252", "cp1252"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
    ):
        assert Encodings().decode(NOTE.encode(encoding)) == (NOTE, name)
    assert Encodings().decode(NOTE.encode("utf-8-sig")).text == "\ufeff" + NOTE
    assert Encodings("latin-1").decode("Zoë".encode("latin-1")) == ("Zoë", "")
    greek = "Ο ασθενής είναι καλά"
    assert Encodings(fallback="cp1253").decode(greek.encode("cp1253")) == (greek, "cp1253")


@pytest.mark.parametrize(
    ("content", "encodings", "reason"),
    [
        (b"Ana \x81", Encodings(), "neither valid UTF-8 nor cp1252"),
        ("Zoë".encode("cp1252"), Encodings(fallback=NONE), "not valid UTF-8; see --encoding"),
        ("Zoë, Müller, ".encode() + b"\xff", Encodings(), "see --on-bad-bytes"),
        (b"PK\x03\x04\0 and so on \xff\xfe", Encodings(), "contains zero bytes"),
        ("Zoë".encode(), Encodings("ascii"), "not valid ascii; see --encoding"),
        (b"\xff\xfea", Encodings(), "not valid utf-16"),
    ],
)
def test_what_cannot_be_read_says_which_option_helps(
    content: bytes, encodings: Encodings, reason: str
) -> None:
    with pytest.raises(CorpusFormatError, match=reason):
        encodings.decode(content)
    replaced = encodings.decode(content, replace=True)
    assert "\ufffd" in replaced.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_wide_text_in_another_script_is_no_utf_8(encoding: str) -> None:
    """Without a mark it cannot be detected, and as UTF-8 it is valid: names would stay."""
    content = "Пациентка Анна Петрова осмотрена вчера.\n".encode(encoding)
    content.decode()  # valid
    with pytest.raises(CorpusFormatError, match="zero bytes"):
        Encodings().decode(content)
    assert "Петрова" in Encodings(encoding).decode(content).text


def test_replacing_comes_after_the_fallback() -> None:
    assert Encodings().decode("Zoë".encode("cp1252"), replace=True).text == "Zoë"
    assert Encodings(fallback=NONE).decode(b"Zo\xeb", replace=True).text == "Zo\ufffd"


def test_unknown_encodings_are_refused() -> None:
    for name in ("nope", "base64", "", "\0"):
        with pytest.raises(ConfigError, match="--encoding"):
            Encodings(name)
        with pytest.raises(ConfigError, match="--fallback-encoding"):
            Encodings(fallback=name)
    with pytest.raises(ConfigError, match="--fallback-encoding auto"):
        Encodings(fallback=AUTO)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_files_in_pieces(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(("no fever " * 1000 + NOTE * 40).encode(encoding))
    assert Encodings().of_file(path) == encoding
    with Encodings().open_lines(path) as lines:
        mended = [Encodings().mend(line).text for line in lines]
    assert "".join(mended) == path.read_bytes().decode(encoding)
