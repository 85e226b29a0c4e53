"""The page of an audit: self-contained, everything escaped, one script that its hash allows."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from lacuna.pictures.audit_page import audit_page

HOSTILE = "</div><script>alert('x')</script> $draw ${script} [NAME-1] & more"


def test_only_its_own_script_may_run() -> None:
    page = audit_page("d1", 9, [("a'><b>.txt", HOSTILE)], "lacuna audit enter $style ARTICLES")
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'" in page
    assert "alert('x')" not in page
    assert "data-name='a&#x27;&gt;&lt;b&gt;.txt'" in page
    assert "$draw ${script} <i>[NAME-1]</i> &amp; more" in page
    assert "enter $style ARTICLES" in page
    assert "1 of 9 documents" in page
    assert "http:" not in page
    assert "https:" not in page
    assert "prefers-color-scheme: dark" in page


@given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=30)), max_size=4))
def test_every_document_has_one_article(documents: list[tuple[str, str]]) -> None:
    page = audit_page("d1", 9, documents, "")
    assert page.count("<article hidden") == len(documents)
    assert page.count("<script>") == page.count("</script>") == 1
