"""The documentation has the keys of the page."""

from __future__ import annotations

from tests.web.key_table import BEGIN, KEYS, PAGE, replaced, rows


def test_docs_have_the_keys_of_the_page() -> None:
    page = PAGE.read_text("utf-8")
    assert BEGIN in page
    assert replaced(page) == page, "run: python -m tests.web.key_table"


def test_every_entry_is_in_the_table() -> None:
    entries = KEYS.read_text("utf-8").count("\n  ['")
    assert len(rows()) == entries + 2  # the digits are two rows instead of two loops
