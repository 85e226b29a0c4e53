"""The errors of a model in context: one HTML page that loads nothing from elsewhere.

The page quotes the documents: only those who may read them should see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from html import escape
from itertools import pairwise

from lacuna.evaluation.mention_errors import ErrorKind, MentionError, find_errors
from lacuna.text.document import Document, Mention

CONTEXT = 60  #: characters shown before and after an error


def error_page(pairs: Iterable[tuple[Document, Document]]) -> str:
    """Return the page for (gold, predicted) documents."""
    errors = [error for gold, found in pairs for error in find_errors(gold, found)]
    return _PAGE.format(total=f"{len(errors):,}", table=_table(errors), rows=_rows(errors))


def _table(errors: list[MentionError]) -> str:
    counts = Counter((error.label, error.kind) for error in errors)
    labels = Counter(error.label for error in errors)
    head = "".join(f"<th>{kind}</th>" for kind in ErrorKind)
    body = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td class=n>{counts[(label, kind)] or ''}</td>" for kind in ErrorKind)
        + f"<td class=n>{total}</td></tr>"
        for label, total in labels.most_common()
    )
    return f"<table><tr><th>label</th>{head}<th>all</th></tr>{body}</table>"


def _rows(errors: list[MentionError]) -> str:
    return "".join(
        f"<tr class='{error.kind.split()[-1]}'><td>{escape(error.document.id)}</td>"
        f"<td>{error.kind}</td><td>{_named(error.gold)}</td><td>{_named(error.predicted)}</td>"
        f"<td class=text>{_context(error)}</td></tr>"
        for error in errors
    )


def _named(mention: Mention | None) -> str:
    return "" if mention is None else escape(mention.label)


def _context(error: MentionError) -> str:
    """Return the text around an error; gold is marked, the prediction underlined."""
    text = error.document.text
    mentions = error.shown
    first = max(min(m.start for m in mentions) - CONTEXT, 0)
    last = min(max(m.end for m in mentions) + CONTEXT, len(text))
    cuts = sorted({first, last} | {border for m in mentions for span in m.spans for border in span})
    pieces = []
    for start, end in pairwise(cuts):
        piece = escape(text[start:end])
        if _covers(error.predicted, start):
            piece = f"<u>{piece}</u>"
        if _covers(error.gold, start):
            piece = f"<mark>{piece}</mark>"
        pieces.append(piece)
    return ("…" if first else "") + "".join(pieces) + ("…" if last < len(text) else "")


def _covers(mention: Mention | None, place: int) -> bool:
    return mention is not None and any(s.start <= place < s.end for s in mention.spans)


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>lacuna: errors</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #222; background: #fff }}
table {{ border-collapse: collapse; margin: 1rem 0 2rem; width: 100% }}
th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd;
  vertical-align: top }}
th {{ color: #666; font-weight: 500 }} .n {{ font-variant-numeric: tabular-nums }}
.text {{ white-space: pre-wrap; overflow-wrap: anywhere }}
mark {{ background: #ffe08a }} u {{ text-decoration: underline 2px #c2185b }}
tr.missed td:nth-child(2) {{ color: #b00020 }} tr.spurious td:nth-child(2) {{ color: #6a1b9a }}
</style>
<h1>{total} errors</h1>
<p><mark>Gold mentions</mark> are highlighted, <u>predicted mentions</u> are underlined. This page
quotes the documents: protect it as you protect them.</p>
{table}
<table><tr><th>document</th><th>error</th><th>gold</th><th>predicted</th><th>text</th></tr>{rows}</table>
</html>
"""
