"""The page of errors: kinds of errors, context, filters, nothing executed, nothing fetched."""

from __future__ import annotations

import re

from hypothesis import given

from lacuna import Document, Mention
from lacuna.evaluation.mention_errors import ErrorCollector, ErrorKind, find_errors
from lacuna.pictures.error_page import error_page
from tests.strategies import documents

TEXT = "Ana Sato and <b>Bo</b> in Arden & Bruck"
GOLD = Document(
    "<doc>",
    TEXT,
    (
        Mention.of("PER", (0, 8)),
        Mention.of("PER", (16, 18)),
        Mention.of("LOC", (26, 31)),
        Mention.of("T<>", (32, 33)),
    ),
)
FOUND = Document(
    "<doc>",
    TEXT,
    (
        Mention.of("PER", (0, 3)),
        Mention.of("ORG", (26, 31)),
        Mention.of("T<>", (32, 33)),
        Mention.of("LOC", (34, 39)),
    ),
)


def page_of(*pairs: tuple[Document, Document]) -> str:
    return error_page(collected(*pairs))


def collected(*pairs: tuple[Document, Document]) -> ErrorCollector:
    found = ErrorCollector()
    for pair in pairs:
        found.add(*pair)
    return found


def test_kinds() -> None:
    kinds = [(e.kind, e.label) for e in find_errors(GOLD, FOUND)]
    assert kinds == [
        (ErrorKind.BORDER, "PER"),
        (ErrorKind.MISSED, "PER"),
        (ErrorKind.LABEL, "LOC"),
        (ErrorKind.SPURIOUS, "LOC"),
    ]


def test_labels_found_for_labels() -> None:
    assert collected((GOLD, FOUND), (GOLD, GOLD)).confusion == {
        ("PER", "PER"): 3,  # one of them with a wrong boundary
        ("PER", None): 1,
        ("LOC", "ORG"): 1,
        ("LOC", "LOC"): 1,
        (None, "LOC"): 1,
        ("T<>", "T<>"): 2,
    }


def test_page_shows_context_and_escapes_everything() -> None:
    page = page_of((GOLD, FOUND))
    assert "<h1>4 errors</h1>" in page
    assert "<mark><u>Ana</u></mark><mark> Sato</mark>" in page
    assert "&lt;b&gt;<mark>Bo</mark>&lt;/b&gt;" in page
    assert "&lt;doc&gt;" in page
    assert "T&lt;&gt;" in page
    assert "<b>Bo" not in page
    assert "T<>" not in page
    assert "<doc>" not in page
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page


def shown_rows(page: str, name: str) -> list[str]:
    """Return the rows that the rule of a filter shows, as a browser would."""
    (classes,) = re.findall(rf"#{name}:target ~ \.errors tr\.(\S+) {{", page)
    wanted = set(classes.split("."))
    rows = re.findall(r"<tr class='e ([^']*)'>(.*?)</tr>", page, re.DOTALL)
    return [content for names, content in rows if wanted <= set(names.split())]


def test_every_number_leads_to_its_errors() -> None:
    """The cells of both tables are links to filters, which show as many errors as they say."""
    page = page_of((GOLD, FOUND), (GOLD, FOUND))
    links = re.findall(r"<a href='#(only-[^']*)'>([^<]*)</a>", page)
    assert {text for _, text in links} >= {"missed", "spurious", "wrong label", "wrong boundary"}
    for name, text in links:
        rows = shown_rows(page, name)
        (line,) = re.findall(rf"<p class=filter id={name}>(.*?)</p>", page)
        assert f": {len(rows)} errors." in line
        if text.isdigit() and "PER" not in line:  # a boundary error is on the diagonal, too
            assert len(rows) == int(text)
    for content in shown_rows(page, "only-label"):
        assert "wrong label" in content
    assert len(shown_rows(page, "only-label")) == 2
    (wrong,) = [n for n, _ in links if n.startswith("only-c") and "wrong label" in shown(page, n)]
    assert shown(page, wrong).count("<td>ORG</td>") == 2


def shown(page: str, name: str) -> str:
    return "".join(shown_rows(page, name))


def test_a_page_without_errors() -> None:
    page = page_of((GOLD, GOLD))
    assert "<h1>0 errors</h1>" in page
    assert "Errors by label" not in page
    assert "Confusion matrix" in page


@given(documents(probabilities=False), documents(probabilities=False))
def test_every_difference_is_shown_once(one: Document, other: Document) -> None:
    found = Document(one.id, one.text, tuple(m for m in other.mentions if m.end <= len(one.text)))
    errors = find_errors(one, found)
    right, made = ({(m.label, m.spans) for m in d.mentions} for d in (one, found))
    shown = [e.gold for e in errors if e.gold]
    assert {(m.label, m.spans) for m in shown} == right - made
    spurious = [e.predicted for e in errors if e.predicted]
    assert {(m.label, m.spans) for m in spurious} == made - right
    assert page_of((one, found)).count("<tr class='e ") == len(errors)
    counts = collected((one, found)).confusion
    assert sum(n for (gold, _), n in counts.items() if gold is not None) == len(one.mentions)
