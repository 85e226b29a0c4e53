"""The page of errors: kinds of errors, context, nothing executed, nothing fetched."""

from __future__ import annotations

from hypothesis import given

from lacuna import Document, Mention
from lacuna.evaluation.mention_errors import ErrorKind, find_errors
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
    ),
)
FOUND = Document(
    "<doc>",
    TEXT,
    (Mention.of("PER", (0, 3)), Mention.of("ORG", (26, 31)), Mention.of("LOC", (34, 39))),
)


def test_kinds() -> None:
    kinds = [(e.kind, e.label) for e in find_errors(GOLD, FOUND)]
    assert kinds == [
        (ErrorKind.BORDER, "PER"),
        (ErrorKind.MISSED, "PER"),
        (ErrorKind.LABEL, "LOC"),
        (ErrorKind.SPURIOUS, "LOC"),
    ]


def test_page_shows_context_and_escapes_everything() -> None:
    page = error_page([(GOLD, FOUND)])
    assert "<h1>4 errors</h1>" in page
    assert "<mark><u>Ana</u></mark><mark> Sato</mark>" in page
    assert "&lt;b&gt;<mark>Bo</mark>&lt;/b&gt;" in page
    assert "&lt;doc&gt;" in page
    assert "<b>" not in page
    assert "<doc>" not in page
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page


@given(documents(probabilities=False), documents(probabilities=False))
def test_every_difference_is_shown_once(one: Document, other: Document) -> None:
    found = Document(one.id, one.text, tuple(m for m in other.mentions if m.end <= len(one.text)))
    errors = find_errors(one, found)
    right, made = ({(m.label, m.spans) for m in d.mentions} for d in (one, found))
    shown = [e.gold for e in errors if e.gold]
    assert {(m.label, m.spans) for m in shown} == right - made
    spurious = [e.predicted for e in errors if e.predicted]
    assert {(m.label, m.spans) for m in spurious} == made - right
    assert error_page([(one, found)]).count("<tr class=") == len(errors)
