"""Detecting the format of a file by its suffix, the files next to it, and its first bytes."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from lacuna.encoding.schemes import parse_tag
from lacuna.io.conll import DOCUMENT_START
from lacuna.io.conll_columns import BEGIN_DOCUMENT, is_comment
from lacuna.io.formats import FORMATS
from lacuna.io.i2b2 import ROOT
from lacuna.io.inline import LABEL, MUC_TAG
from lacuna.io.marked import HEADER, MARK
from lacuna.io.source import BYTE_ORDER_MARK, HEAD_BYTES, Source

TEXT_SUFFIXES = frozenset({".txt", ".text"})
SHARED_SUFFIXES = TEXT_SUFFIXES | {".xml", ".tsv"}
BY_SUFFIX = {
    suffix: format_.name
    for format_ in FORMATS.values()
    for suffix in format_.suffixes
    if suffix not in SHARED_SUFFIXES
}
CLOSED_TAG = re.compile(rf"<(?P<label>{LABEL})>[^<]+</(?P=label)>")
LINES_LOOKED_AT = 50


def detect_format(source: Source) -> str:
    """Return the name of the format of a file, or raise if it cannot be detected."""
    suffix = "" if source.path is None else main_file(source.path).suffix.lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    head = source.head()
    text = head.decode(source.options.encoding, errors="replace").removeprefix(BYTE_ORDER_MARK)
    found = _by_content(text, is_whole=len(head) < HEAD_BYTES)
    if found is None and source.options.columns is not None:
        return "conll"  # no other format has columns
    if source.path is None and found in (None, "inline"):
        return "txt"  # people pipe text, and a text may have tags
    if found is None and suffix in TEXT_SUFFIXES:
        return "txt"
    if found is None:
        raise source.error("its format cannot be detected; give it with --format")
    return found


def _by_content(text: str, *, is_whole: bool) -> str | None:
    start = text.lstrip()
    if f"<{ROOT}" in text:
        return "i2b2"
    if re.match(r"<\?xml|<!DOCTYPE|<ROOT>", start):  # never inline: only an XML parser can judge it
        return "i2b2-2006"
    if _looks_like_json(start, is_whole=is_whole):
        return "jsonl"
    if start.startswith(HEADER) and MARK.search(text):
        return "marked"
    if _looks_like_columns(text, is_whole=is_whole):
        return "conll"
    return "inline" if CLOSED_TAG.search(text) or MUC_TAG.search(text) else None


def _looks_like_json(start: str, *, is_whole: bool) -> bool:
    if not re.match(r'\{\s*"|\[\s*\{', start):
        return False
    first, line_end, _ = start.partition("\n")
    if not (line_end or is_whole) or first.startswith("["):
        return True  # cut off, or an array over many lines: no complete value to check
    try:
        return isinstance(msgspec.json.decode(first), dict)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def _looks_like_columns(text: str, *, is_whole: bool) -> bool:
    lines = text.split("\n")
    if not is_whole:
        lines.pop()
    if text.startswith(f"{BEGIN_DOCUMENT} ("):
        return True
    looked_at = [line for line in lines[:LINES_LOOKED_AT] if not is_comment(line)]
    rows = [line.split() for line in looked_at if line.strip()]
    tokens = [row for row in rows if row[0] != DOCUMENT_START]
    tags = [parse_tag(row[-1]) for row in tokens]
    others = [parse_tag(cell) for row in tokens for cell in row[1:]]
    is_sure = len(tokens) < len(rows) or any(tag and tag.label for tag in others)
    return is_sure and all(tags) and len({len(row) for row in tokens} - {1}) <= 1


def main_file(path: Path) -> Path:
    """Return the file with the mentions for either file of a pair; other files as they are."""
    if path.suffix.lower() in TEXT_SUFFIXES:
        for suffix in (".ann", ".pipe"):
            if path.with_suffix(suffix).is_file():
                return path.with_suffix(suffix)
    return path
